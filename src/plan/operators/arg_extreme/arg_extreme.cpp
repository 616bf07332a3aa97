// SPDX-License-Identifier: Apache-2.0
// This file plans ArgMax and ArgMin, in the passes of a reduction. Passes leave pairs of an element's place and its key. Because
// pairs are compared by both, the bits of a result do not depend on the passes.
#include "shaders/operators/arg_extreme/arg_extreme.h"
#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/chain.h"
#include "plan/engines/order.h"
#include "plan/operators/operators.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/arg_extreme/arg_extreme_constants.h"

namespace vkonnx::plan {
namespace arg_extreme {
namespace {

using ops::ArgExtremeGeometry;

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ArgExtremeGeometry& geometry;
    ComputeType compute_type = ComputeType::u64;  // the type that carries a pair
    int64_t outputs = 0;
    std::vector<Pass> passes = {};
};

uint32_t pair_bytes(const Problem& problem)
{
    return problem.compute_type == ComputeType::u128 ? 16 : 8;
}

std::string unfit(const Problem& problem)
{
    return unfit_for_passes(problem.passes, problem.compute_type, problem.capabilities);
}

Status add_pass(Chain& chain, const Problem& problem, size_t i, const Memory& from, const Memory& to)
{
    const ArgExtremeGeometry& geometry = problem.geometry;
    const Pass& pass = problem.passes[i];
    const bool first = i == 0;
    const bool last = i + 1 == problem.passes.size();
    const ComputeType compute_type = last ? ComputeType::u64 : problem.compute_type;
    const uint32_t pair = pair_bytes(problem);
    const Order order = order_of(geometry.input.dtype);
    Gather gather = {.op = geometry.op,
                     .compute_type = compute_type,
                     .element_bytes = last ? uint32_t(sizeof(int64_t)) : pair,
                     .outputs = pass.outputs(),
                     .output_operand = 1,
                     .inputs = {{0, pass.rows.outer * pass.rows.extent * pass.rows.inner, first ? order.bits / 8 : pair}},
                     .taps = {taps_of(pass)},
                     .kernel = *variant(modules::arg_extreme, compute_type),
                     .uses_uniform = false,
                     .goes_on = true,
                     .takes_boxes = true};
    gather.reads = [pass](const Part& part) { return Reads{read_by(pass, part.outputs, part.box)}; };
    gather.specialization = specialization::ArgExtreme{.workgroup_size = workgroup_size(problem.capabilities),
                                                       .bits = order.bits,
                                                       .infinity = order.infinity,
                                                       .is_signed = order.is_signed,
                                                       .least = geometry.least,
                                                       .last = geometry.last,
                                                       .pair_words = first ? 0 : pair / 4,
                                                       .to_pairs = !last}
                                .values();
    gather.push = bytes_of(push::ArgExtremePass{.row = uint32_t(pass.rows.extent * pass.rows.inner),
                                                .width = uint32_t(pass.parts * pass.rows.inner),
                                                .inner = uint32_t(pass.rows.inner),
                                                .parts = uint32_t(pass.parts)});
    const Memory operands[] = {from, to};
    return chain.add(gather, operands);
}

Result<Plan> planned(const Problem& problem)
{
    const uint64_t input_bytes = buffer_bytes(*byte_size(problem.geometry.input));
    Chain chain(problem.geometry.op, problem.capabilities, problem.options, 1,
                {input_bytes, uint64_t(problem.outputs) * sizeof(int64_t)});
    Memory from = {.tensor = 0};
    for (size_t i = 0; i < problem.passes.size(); ++i) {
        const bool last = i + 1 == problem.passes.size();
        const Memory to = last ? Memory{.tensor = 1} : chain.scratch(problem.passes[i].outputs(), pair_bytes(problem));
        VKONNX_RETURN_IF_ERROR(add_pass(chain, problem, i, from, to));
        from = to;
    }
    return chain.take();
}

// The kernel takes any rank and axis. Its passes are those of a reduction.
constexpr KernelOf<Problem> kernel = {
    .name = "arg_extreme", .variants = modules::arg_extreme, .keeps_order = true, .unfit = unfit, .plan = planned};
constexpr const KernelOf<Problem>* kernels[] = {&kernel};

Result<Problem> problem_of(const ArgExtremeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    constexpr Needs needs = {.storage_buffers = 2,
                             .push_constant_bytes = sizeof(push::GatherPart) + sizeof(push::ArgExtremePass)};
    const bool wide = bits(geometry.input.dtype) == 64;
    Result<Problem> problem = common_problem<Problem>(geometry.op, needs, geometry, wide ? ComputeType::u128 : ComputeType::u64,
                                                      geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(geometry.op, "data", geometry.input));
    const Rows rows = {geometry.outer, geometry.extent, geometry.inner};
    problem->passes = passes_of({&rows, 1});
    if (wide)
        problem->passes.push_back({.rows = {.outer = problem->outputs}});
    return problem;
}

}  // namespace
}  // namespace arg_extreme

Result<Plan> plan_for(const ops::ArgExtremeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(geometry.op, arg_extreme::kernels, arg_extreme::problem_of(geometry, capabilities, options));
}

Kernels kernels_for(const ops::ArgExtremeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return all_choices(geometry.op, arg_extreme::kernels, arg_extreme::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
