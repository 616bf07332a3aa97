// SPDX-License-Identifier: Apache-2.0
// This file plans block_quantized_mat_mul, for any sizes: a gather whose channels are K.
#include "plan/operators/operators.h"

#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/gather.h"
#include "plan/operators/block_quantized_mat_mul/problem.h"
#include "return_if_error.h"
#include "shaders/operators/block_quantized_mat_mul/block_quantized_mat_mul.h"
#include "shaders/operators/block_quantized_mat_mul/block_quantized_mat_mul_constants.h"

namespace vkonnx::plan {
namespace block_quantized_mat_mul {

using ops::BlockQuantizedMatMulGeometry;

std::vector<std::byte> uniform_of(const Problem& problem, int64_t tiles_of_row)
{
    const BlockQuantizedMatMulGeometry& g = problem.geometry;
    return bytes_of(push::BlockQuantizedProblem{.tiles_of_row = push::divisor_of(uint32_t(tiles_of_row)),
                                                .rows = uint32_t(g.rows),
                                                .inner = uint32_t(g.inner),
                                                .columns = uint32_t(g.columns),
                                                .blocks = uint32_t(g.blocks),
                                                .row_words = uint32_t(g.bytes_of_row() / 4),
                                                .zero_bytes = uint32_t(g.bytes_of_zeros()),
                                                .padding_ = {}});
}

namespace {

constexpr int64_t loop_rest = 8;  // iterations beside those over K

std::string unfit(const Problem& problem)
{
    if (loop_rest >= loop_limit(problem.compute_type, problem.capabilities))
        return too_many_iterations("its loops", problem.capabilities);
    return "";
}

Reads reads_of(const BlockQuantizedMatMulGeometry& g, const Part& part)
{
    if (part.channels.count == 0)
        return {};
    Range rows, columns;
    visit_bounds(part.outputs, std::array{g.rows, g.columns},
                 [&](size_t i, const Range& range) { (i == 0 ? rows : columns) = range; });
    const Range k = part.channels;
    // Returns the range from what the first row has to what the last one has.
    const auto read = [](const Range& of, int64_t step, int64_t first, int64_t end) {
        return Range{of.first * step + first, (of.count - 1) * step + end - first};
    };
    const int64_t last = k.end() - 1;
    Reads reads = {};
    reads[0] = read(rows, g.inner, k.first, k.end());
    reads[1] = read(columns, g.bytes_of_row(), k.first * g.bits / 8, last * g.bits / 8 + 1);
    reads[2] = read(columns, g.blocks, k.first / g.block_size, last / g.block_size + 1);
    if (g.has_zeros())
        reads[3] = read(columns, g.bytes_of_zeros(), k.first / g.block_size * g.bits / 8, last / g.block_size * g.bits / 8 + 1);
    return reads;
}

Result<Plan> planned(const Problem& problem)
{
    const BlockQuantizedMatMulGeometry& g = problem.geometry;
    const std::span<const Variant> variants =
        g.has_zeros() ? modules::block_quantized_mat_mul_zeros1 : modules::block_quantized_mat_mul;
    Gather gather = {.op = op,
                     .compute_type = problem.compute_type,
                     .element_bytes = problem.width(),
                     .outputs = problem.outputs,
                     .output_operand = uint8_t(g.inputs.size()),
                     .reads = [&g](const Part& part) { return reads_of(g, part); },
                     .channels = g.inner,
                     .kernel = *variant(variants, problem.compute_type),
                     .goes_on = true,
                     .channels_at_once = loop_limit(problem.compute_type, problem.capabilities) - loop_rest};
    for (uint8_t i = 0; i < g.inputs.size(); ++i)
        gather.inputs.push_back({i, *element_count(g.inputs[i]), bits(g.inputs[i].dtype) / 8});
    gather.specialization = specialization::BlockQuantizedMatMul{.workgroup_size = workgroup_size(problem.capabilities),
                                                                 .bits = uint32_t(g.bits),
                                                                 .block_shift = problem.block_shift()}
                                .values();
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan)
        plan->uniform = uniform_of(problem, 1);
    return plan;
}

constexpr KernelOf<Problem> any = {.name = "block_quantized_mat_mul",
                                   .variants = modules::block_quantized_mat_mul,
                                   .keeps_order = true,
                                   .last_resort = true,
                                   .unfit = unfit,
                                   .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&rows, &any};

Result<Problem> problem_of(const BlockQuantizedMatMulGeometry& geometry, const Capabilities& capabilities,
                           const PrepareOptions& options)
{
    const Needs needs = {.storage_buffers = geometry.has_zeros() ? 5u : 4u,
                         .push_constant_bytes = sizeof(push::GatherPart),
                         .uniform_bytes = sizeof(push::BlockQuantizedProblem)};
    Result<Problem> problem = common_problem<Problem>(
        op, needs, geometry, compute_type_of(op, geometry.output.dtype, capabilities), geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    static constexpr std::string_view names[] = {"input A", "input B", "input scales", "input zero_points"};
    for (size_t i = 0; i < geometry.inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_addressable(op, names[i], geometry.inputs[i]));
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "output Y", geometry.output));
    return problem;
}

}  // namespace
}  // namespace block_quantized_mat_mul

Result<Plan> plan_for(const ops::BlockQuantizedMatMulGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options)
{
    return best_plan(block_quantized_mat_mul::op, block_quantized_mat_mul::kernels,
                     block_quantized_mat_mul::problem_of(geometry, capabilities, options));
}

Kernels kernels_for(const ops::BlockQuantizedMatMulGeometry& geometry, const Capabilities& capabilities,
                    const PrepareOptions& options)
{
    return all_choices(block_quantized_mat_mul::op, block_quantized_mat_mul::kernels,
                       block_quantized_mat_mul::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
