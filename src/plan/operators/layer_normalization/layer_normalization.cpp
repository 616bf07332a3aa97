// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/chain.h"
#include "plan/operators/layer_normalization/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/engines/reduction/reduction.h"
#include "shaders/library/plain_constants.h"
#include "shaders/operators/layer_normalization/layer_normalization_deviations_constants.h"
#include "shaders/operators/layer_normalization/layer_normalization_pairs_constants.h"
#include "shaders/operators/normalization/normalization.h"

namespace vkonnx::plan {
namespace layer_normalization {

using ops::LayerNormalizationGeometry;

std::string why_idle(const Problem& problem)
{
    const bool idle = problem.outputs == 0 && (problem.geometry.outputs == 1 || problem.geometry.rows == 0);
    return idle ? "the output is empty" : "";
}

std::vector<uint64_t> tensor_bytes(const Problem& problem)
{
    const LayerNormalizationGeometry& g = problem.geometry;
    const uint64_t x = buffer_bytes(uint64_t(problem.outputs) * problem.width());
    std::vector<uint64_t> bytes = {x, buffer_bytes(uint64_t(g.scales) * problem.width())};
    if (g.has_b)
        bytes.push_back(buffer_bytes(uint64_t(g.offsets) * problem.width()));
    bytes.push_back(x);
    bytes.resize(bytes.size() + size_t(g.outputs) - 1, buffer_bytes(uint64_t(g.rows) * 4));
    return bytes;
}

namespace {

std::string unfit(const Problem& problem)
{
    return unfit_for_passes(problem.passes, problem.compute_type, problem.capabilities);
}

DType sum_type(const Problem& problem)
{
    return sum_bytes(problem.compute_type) == 8 ? DType::float64 : DType::float32;
}

// Adds the steps that compute 1 / sqrt(variance + epsilon) of each row.
Status add_deviations(Chain& chain, const Problem& problem, const Memory& variances, const Memory& deviations)
{
    const ComputeType compute_type = sum_number(problem.compute_type);
    Gather gather = {.op = op,
                     .compute_type = compute_type,
                     .element_bytes = sum_bytes(compute_type),
                     .outputs = problem.geometry.rows,
                     .output_operand = 1,
                     .inputs = {{0, problem.geometry.rows}},
                     .kernel = *variant(modules::layer_normalization_deviations, compute_type),
                     .uses_uniform = false};
    gather.reads = [](const Part& part) { return Reads{part.outputs}; };
    gather.specialization = specialization::LayerNormalizationDeviations{.workgroup_size = workgroup_size(problem.capabilities),
                                                                         .exactly = problem.options.reproducible}
                                .values();
    const uint64_t epsilon = bits_of(compute_type, problem.geometry.epsilon);
    gather.push = bytes_of(push::LayerNormalizationDeviations{.epsilon = {uint32_t(epsilon), uint32_t(epsilon >> 32)}});
    const Memory operands[] = {variances, deviations};
    return chain.add(gather, operands);
}

// A List is `count` numbers. One number alone counts for all; 0 stands for a list that is not there.
struct List {
    Memory memory = {};
    int64_t count = 0;
};

// Adds the steps that write `count` pairs (first, second) as one tensor, in the type that is computed in.
Status add_pairs(Chain& chain, const Problem& problem, int64_t count, const List& first, const List& second, DType dtype,
                 const Memory& pairs)
{
    const ComputeType compute_type = sum_number(problem.compute_type);
    const uint32_t width = bits(dtype) / 8;
    const List& bound = second.count > 0 ? second : first;  // the first list stands in for a missing second one
    Gather gather = {.op = op,
                     .compute_type = compute_type,
                     .element_bytes = sum_bytes(compute_type),
                     .outputs = 2 * count,
                     .output_operand = 2,
                     .inputs = {{0, first.count, width}, {1, bound.count, width}},
                     .kernel = *variant(modules::layer_normalization_pairs, compute_type),
                     .uses_uniform = false};
    gather.reads = [firsts = first.count, seconds = bound.count](const Part& part) -> Reads {
        const int64_t begin = part.outputs.first / 2;
        const Range read = {begin, (part.outputs.end() - 1) / 2 + 1 - begin};
        return {firsts == 1 ? Range{0, 1} : read, seconds == 1 ? Range{0, 1} : read};
    };
    gather.specialization =
        specialization::LayerNormalizationPairs{.workgroup_size = workgroup_size(problem.capabilities), .dtype = uint32_t(dtype)}
            .values();
    gather.push = bytes_of(push::LayerNormalizationPairs{.firsts = uint32_t(first.count), .seconds = uint32_t(second.count)});
    const Memory operands[] = {first.memory, bound.memory, pairs};
    return chain.add(gather, operands);
}

Status add_elements(Chain& chain, const Problem& problem, const Memory& rows, const Memory& positions, uint8_t tensor_y)
{
    const LayerNormalizationGeometry& g = problem.geometry;
    Gather gather = {.op = op,
                     .compute_type = problem.compute_type,
                     .element_bytes = problem.width(),
                     .outputs = problem.outputs,
                     .output_operand = 3,
                     .inputs = {{0, problem.outputs},
                                {1, 2 * g.rows, sum_bytes(problem.compute_type)},
                                {2, 2 * g.extent, sum_bytes(problem.compute_type)}},
                     .kernel = *variant(modules::layer_normalization, problem.compute_type),
                     .uses_uniform = false};
    gather.reads = [rows = g.rows, extent = g.extent](const Part& part) -> Reads {
        const Range row = statistics_of(part.outputs, extent, 1, rows);
        const Range position = statistics_of(part.outputs, extent, extent, extent);
        return {part.outputs, {2 * row.first, 2 * row.count}, {2 * position.first, 2 * position.count}};
    };
    gather.specialization = specialization::Plain{.workgroup_size = workgroup_size(problem.capabilities)}.values();
    gather.push = bytes_of(push::LayerNormalizationElements{.extent = uint32_t(g.extent)});
    const Memory operands[] = {{.tensor = tensor_x}, rows, positions, {.tensor = tensor_y}};
    return chain.add(gather, operands);
}

Result<Plan> planned(const Problem& problem)
{
    const LayerNormalizationGeometry& g = problem.geometry;
    std::vector<uint64_t> bytes = tensor_bytes(problem);
    const auto tensor_y = uint8_t(bytes.size() - size_t(g.outputs));
    Chain chain(op, problem.capabilities, problem.options, tensor_y, std::move(bytes));
    const uint32_t width = sum_bytes(problem.compute_type);
    const Memory x = {.tensor = tensor_x};
    const Memory means = g.outputs > 1 ? Memory{.tensor = uint8_t(tensor_y + 1)} : chain.scratch(g.rows, width);
    const Memory variances = chain.scratch(g.rows, width);
    const Memory deviations = g.outputs > 2 ? Memory{.tensor = uint8_t(tensor_y + 2)} : chain.scratch(g.rows, width);
    Reduction reduction = {.compute_type = problem.compute_type,
                           .element_bytes = problem.width(),
                           .passes = problem.passes,
                           .count = g.extent,
                           .to_sums = true};
    VKONNX_RETURN_IF_ERROR(add_reduction(chain, reduction, x, means));
    reduction.term = Term::squares;
    reduction.statistics = means;
    reduction.statistic_count = g.rows;
    VKONNX_RETURN_IF_ERROR(add_reduction(chain, reduction, x, variances));
    VKONNX_RETURN_IF_ERROR(add_deviations(chain, problem, variances, deviations));
    if (problem.outputs == 0)
        return chain.take();
    const Memory rows = chain.scratch(2 * g.rows, width);
    const Memory positions = chain.scratch(2 * g.extent, width);
    VKONNX_RETURN_IF_ERROR(add_pairs(chain, problem, g.rows, {means, g.rows}, {deviations, g.rows}, sum_type(problem), rows));
    VKONNX_RETURN_IF_ERROR(add_pairs(chain, problem, g.extent, {{.tensor = tensor_scale}, g.scales},
                                     {{.tensor = tensor_b}, g.offsets}, g.output.dtype, positions));
    VKONNX_RETURN_IF_ERROR(add_elements(chain, problem, rows, positions, tensor_y));
    Plan plan = chain.take();
    plan.in_place = {tensor_x};  // the last step reads an element only where it writes it; all steps before only read X
    return plan;
}

// The kernel computes the mean of each row, then the variance around it, then 1 / sqrt(variance + epsilon), and with those the
// elements.
constexpr KernelOf<Problem> kernel = {.name = "layer_normalization",
                                      .variants = modules::layer_normalization,
                                      .keeps_order = true,
                                      .unfit = unfit,
                                      .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&rows, &kernel};

Result<Problem> problem_of(const LayerNormalizationGeometry& geometry, const Capabilities& capabilities,
                           const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 4, .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::ReductionPass)};
    Result<Problem> problem = common_problem<Problem>(
        op, needs, geometry, compute_type_of(op, geometry.output.dtype, capabilities), geometry.output, capabilities, options);
    if (!problem || !why_idle(*problem).empty())
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "X", geometry.output));
    const Rows rows = {geometry.rows, geometry.extent, 1};
    problem->passes = passes_of({&rows, 1});
    return problem;
}

}  // namespace
}  // namespace layer_normalization

Result<Plan> plan_for(const ops::LayerNormalizationGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options)
{
    return best_plan(layer_normalization::op, layer_normalization::kernels,
                     layer_normalization::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::LayerNormalizationGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(layer_normalization::op, layer_normalization::kernels,
                       layer_normalization::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
