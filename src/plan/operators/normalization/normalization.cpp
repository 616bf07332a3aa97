// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include <limits>

#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/chain.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/engines/reduction/reduction.h"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/operators/normalization/normalization_constants.h"
#include "shaders/operators/normalization/normalization_factors_constants.h"
#include "shaders/operators/normalization/normalization_running_constants.h"

namespace vkonnx::plan {
namespace normalization {
namespace {

using ops::NormalizationGeometry;
using Statistics = NormalizationGeometry::Statistics;

// These are the numbers of the operands.
constexpr uint8_t tensor_x = 0;
constexpr uint8_t tensor_scale = 1;
constexpr uint8_t tensor_b = 2;
constexpr uint8_t tensor_mean = 3;
constexpr uint8_t tensor_var = 4;

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const NormalizationGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;     // elements of Y; the rest does not count where why_idle() tells why nothing runs
    int64_t statistics = 0;  // how many means and how many variances there are
    Rows rows = {};          // of X: element i is of statistic i / (extent * inner) * inner + i % inner, modulo `statistics`
    std::vector<Pass> passes = {};
};

std::string why_idle(const Problem& problem)
{
    const bool idle = problem.outputs == 0 && (problem.geometry.outputs == 1 || problem.geometry.channels == 0);
    return idle ? "the output is empty" : "";
}

uint32_t width_of(DType dtype)
{
    return bits(dtype) / 8;
}

std::string unfit(const Problem& problem)
{
    return unfit_for_passes(problem.passes, problem.compute_type, problem.capabilities);
}

Range modulo(const Range& range, int64_t count)
{
    const int64_t last = range.end() - 1;
    return range.first / count == last / count ? Range{range.first % count, range.count} : Range{0, count};
}

// Moments are the means and the variances, wherever they lie.
struct Moments {
    Memory mean = {.tensor = tensor_mean};
    Memory variance = {.tensor = tensor_var};
    DType dtype = DType::float32;
};

// Adds the passes over X that compute the means and then the variances.
Status add_moments(Chain& chain, const Problem& problem, Moments& moments)
{
    const ComputeType compute_type = problem.compute_type;
    const Memory x = {.tensor = tensor_x};
    moments.mean = chain.scratch(problem.statistics, sum_bytes(compute_type));
    moments.variance = chain.scratch(problem.statistics, sum_bytes(compute_type));
    moments.dtype = sum_bytes(compute_type) == 8 ? DType::float64 : DType::float32;
    Reduction reduction = {.compute_type = compute_type,
                           .element_bytes = width_of(problem.geometry.output.dtype),
                           .passes = problem.passes,
                           .count = problem.outputs / problem.statistics,
                           .to_sums = true};
    VKONNX_RETURN_IF_ERROR(add_reduction(chain, reduction, x, moments.mean));
    reduction.term = Term::squares;
    reduction.statistics = moments.mean;
    reduction.statistic_count = problem.statistics;
    return add_reduction(chain, reduction, x, moments.variance);
}

// Adds the steps that update a given statistic by the current one. Without elements there is no current one, and the result is
// NaN.
Status add_running(Chain& chain, const Problem& problem, const Memory& given, const Memory& current, uint8_t output)
{
    const NormalizationGeometry& g = problem.geometry;
    const Result<ComputeType> compute_type = compute_type_of(g.op, g.statistics_type, problem.capabilities);
    VKONNX_RETURN_IF_ERROR(compute_type.status());
    Gather gather = {.op = g.op,
                     .compute_type = *compute_type,
                     .element_bytes = width_of(g.statistics_type),
                     .outputs = g.channels,
                     .output_operand = 2,
                     .inputs = {{0, g.channels}, {1, g.channels, sum_bytes(*compute_type)}},
                     .kernel = *variant(modules::normalization_running, *compute_type),
                     .uses_uniform = false};
    gather.reads = [](const Part& part) { return Reads{part.outputs, part.outputs}; };
    gather.specialization = specialization::NormalizationRunning{.workgroup_size = workgroup_size(problem.capabilities)}.values();
    const bool none = problem.outputs == 0;
    const double left = sum_bytes(*compute_type) == 8 ? 1 - double(g.momentum) : double(1 - g.momentum);
    const uint64_t momentum = bits_of(*compute_type, g.momentum);
    const uint64_t rest = bits_of(*compute_type, none ? std::numeric_limits<double>::quiet_NaN() : left);
    gather.push = bytes_of(push::NormalizationRunning{.momentum = {uint32_t(momentum), uint32_t(momentum >> 32)},
                                                      .rest = {uint32_t(rest), uint32_t(rest >> 32)}});
    const Memory operands[] = {given, current, {.tensor = output}};
    return chain.add(gather, operands);
}

// Adds the steps that compute the factors: pairs of what is subtracted from an element and what it is then multiplied by.
Status add_factors(Chain& chain, const Problem& problem, const Moments& moments, const Memory& factors)
{
    const NormalizationGeometry& g = problem.geometry;
    const ComputeType compute_type = sum_number(problem.compute_type);
    Gather gather = {.op = g.op,
                     .compute_type = compute_type,
                     .element_bytes = sum_bytes(compute_type),
                     .outputs = 2 * problem.statistics,
                     .output_operand = 3,
                     .inputs = {{0, problem.statistics, width_of(moments.dtype)},
                                {1, problem.statistics, width_of(moments.dtype)},
                                {2, g.channels, width_of(g.scale_type)}},
                     .kernel = *variant(modules::normalization_factors, compute_type),
                     .uses_uniform = false};
    gather.reads = [channels = g.channels](const Part& part) -> Reads {
        const int64_t first = part.outputs.first / 2;
        const Range read = {first, (part.outputs.end() - 1) / 2 + 1 - first};
        return {read, read, modulo(read, channels)};
    };
    gather.specialization = specialization::NormalizationFactors{.workgroup_size = workgroup_size(problem.capabilities),
                                                                 .statistics_type = uint32_t(moments.dtype),
                                                                 .scale_type = uint32_t(g.scale_type),
                                                                 .exactly = problem.options.reproducible}
                                .values();
    const uint64_t epsilon = bits_of(compute_type, g.epsilon);
    gather.push = bytes_of(
        push::NormalizationFactors{.channels = uint32_t(g.channels), .epsilon = {uint32_t(epsilon), uint32_t(epsilon >> 32)}});
    const Memory operands[] = {moments.mean, moments.variance, {.tensor = tensor_scale}, factors};
    return chain.add(gather, operands);
}

Status add_elements(Chain& chain, const Problem& problem, const Memory& factors, uint8_t tensor_y)
{
    const NormalizationGeometry& g = problem.geometry;
    const int64_t row = problem.rows.extent * problem.rows.inner;
    const int64_t inner = problem.rows.inner;
    const int64_t statistics = problem.statistics;
    const int64_t channels = g.channels;
    Gather gather = {.op = g.op,
                     .compute_type = problem.compute_type,
                     .element_bytes = width_of(g.output.dtype),
                     .outputs = problem.outputs,
                     .output_operand = 3,
                     .inputs = {{0, problem.outputs},
                                {1, 2 * statistics, sum_bytes(problem.compute_type)},
                                {2, channels, width_of(g.scale_type)}},
                     .kernel = *variant(modules::normalization, problem.compute_type),
                     .uses_uniform = false};
    gather.reads = [=](const Part& part) -> Reads {
        const Range pairs = statistics_of(part.outputs, row, inner, statistics);
        return {part.outputs, {2 * pairs.first, 2 * pairs.count}, statistics_of(part.outputs, row, inner, channels)};
    };
    gather.specialization =
        specialization::Normalization{.workgroup_size = workgroup_size(problem.capabilities), .bias_type = uint32_t(g.scale_type)}
            .values();
    gather.push = bytes_of(push::NormalizationRows{
        .row = uint32_t(row), .inner = uint32_t(inner), .statistics = uint32_t(statistics), .channels = uint32_t(channels)});
    const Memory operands[] = {{.tensor = tensor_x}, factors, {.tensor = tensor_b}, {.tensor = tensor_y}};
    return chain.add(gather, operands);
}

std::vector<uint64_t> tensor_bytes(const Problem& problem)
{
    const NormalizationGeometry& g = problem.geometry;
    const uint64_t x = buffer_bytes(uint64_t(problem.outputs) * width_of(g.output.dtype));
    const uint64_t scale = buffer_bytes(uint64_t(g.channels) * width_of(g.scale_type));
    const uint64_t moment = buffer_bytes(uint64_t(g.channels) * width_of(g.statistics_type));
    if (g.statistics == Statistics::of_instance)
        return {x, scale, scale, x};
    std::vector<uint64_t> bytes = {x, scale, scale, moment, moment, x};
    bytes.resize(bytes.size() + size_t(g.outputs) - 1, moment);
    return bytes;
}

Result<Plan> planned(const Problem& problem)
{
    const NormalizationGeometry& g = problem.geometry;
    std::vector<uint64_t> bytes = tensor_bytes(problem);
    const auto tensor_y = uint8_t(bytes.size() - size_t(g.outputs));
    Chain chain(g.op, problem.capabilities, problem.options, tensor_y, std::move(bytes));
    Moments moments = {.dtype = g.statistics_type};
    if (g.statistics != Statistics::given)
        VKONNX_RETURN_IF_ERROR(add_moments(chain, problem, moments));
    if (g.outputs > 1)
        VKONNX_RETURN_IF_ERROR(add_running(chain, problem, {.tensor = tensor_mean}, moments.mean, uint8_t(tensor_y + 1)));
    if (g.outputs > 2)
        VKONNX_RETURN_IF_ERROR(add_running(chain, problem, {.tensor = tensor_var}, moments.variance, uint8_t(tensor_y + 2)));
    if (problem.outputs == 0)
        return chain.take();
    const Memory factors = chain.scratch(2 * problem.statistics, sum_bytes(problem.compute_type));
    VKONNX_RETURN_IF_ERROR(add_factors(chain, problem, moments, factors));
    VKONNX_RETURN_IF_ERROR(add_elements(chain, problem, factors, tensor_y));
    Plan plan = chain.take();
    plan.in_place = {tensor_x};  // the last step reads an element only where it writes it; all steps before only read X
    return plan;
}

// The kernel computes the means and then the variances around them where they are not given, from them and the scales the
// factors, and with those the elements.
constexpr KernelOf<Problem> kernel = {
    .name = "normalization", .variants = modules::normalization, .keeps_order = true, .unfit = unfit, .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&kernel};

// Finds where the elements of a statistic lie, and the passes over them.
void find_rows(Problem& problem)
{
    const NormalizationGeometry& g = problem.geometry;
    const bool by_instance = g.statistics == Statistics::of_instance;
    problem.statistics = by_instance ? g.batch * g.channels : g.channels;
    if (g.channels_last)
        problem.rows = by_instance ? Rows{g.batch, g.positions, g.channels} : Rows{1, g.batch * g.positions, g.channels};
    else
        problem.rows = {g.batch * g.channels, g.positions, 1};
    if (g.statistics == Statistics::given)
        return;
    if (problem.outputs == 0)
        problem.passes = {{.rows = {.outer = problem.statistics, .extent = 0}}};
    else if (by_instance || g.channels_last)
        problem.passes = passes_of({&problem.rows, 1});
    else {
        const Rows groups[] = {{1, g.batch, g.channels}, problem.rows};
        problem.passes = passes_of(groups);
    }
}

Result<Problem> problem_of(const NormalizationGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const std::string_view op = geometry.op;
    constexpr Needs needs = {.storage_buffers = 4, .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::ReductionPass)};
    Result<Problem> problem = common_problem<Problem>(
        op, needs, geometry, compute_type_of(op, geometry.output.dtype, capabilities), geometry.output, capabilities, options);
    if (!problem || !why_idle(*problem).empty())
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "X", geometry.output));
    find_rows(*problem);
    return problem;
}

}  // namespace
}  // namespace normalization

Result<Plan> plan_for(const ops::NormalizationGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(geometry.op, normalization::kernels, normalization::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::NormalizationGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(geometry.op, normalization::kernels, normalization::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
