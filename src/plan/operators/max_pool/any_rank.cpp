// SPDX-License-Identifier: Apache-2.0
// This file plans max_pool, for any rank and any window, a box of its taps at a time. It finds the elements, and then where in X
// each of them is.
#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/engines/chain.h"
#include "plan/operators/max_pool/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/max_pool/max_pool_constants.h"

namespace vkonnx::plan::max_pool {
namespace {

std::string unfit(const Problem& problem)
{
    return unfit_for_boxes(problem.taps, problem.compute_type, problem.capabilities);
}

// Sets how Indices count the elements of X: those of a channel row-major, or with the first axis fastest.
void number_elements(const Problem& problem, push::PoolProblem& block)
{
    const std::vector<ops::Axis>& axes = problem.pool.axes;
    const size_t count = axes.size();
    push::PoolAxis* own = std::end(block.axes) - count;
    int64_t step = 1;
    for (size_t i = 0; i < count; ++i) {
        const size_t a = problem.geometry.column_major ? i : count - 1 - i;
        own[a].index_step = uint32_t(step);
        step *= axes[a].in;
    }
    block.index_inner = uint32_t(step);
    block.index_outer = uint32_t(step * problem.pool.inner);
}

Gather gather_of(const Problem& problem, ComputeType compute_type, uint32_t element_bytes, Kernel kernel)
{
    Gather gather = {.op = op,
                     .compute_type = compute_type,
                     .element_bytes = element_bytes,
                     .outputs = problem.outputs,
                     .inputs = {{0, inputs_of(problem.pool), width_of(problem)}},
                     .taps = problem.taps,
                     .kernel = kernel,
                     .goes_on = true,
                     .takes_boxes = true};
    gather.reads = [&pool = problem.pool](const Part& part) {
        return Reads{read_by(pool, part.outputs, part.box), part.outputs};
    };
    gather.specialization = specialization::MaxPool{.workgroup_size = workgroup_size(problem.capabilities),
                                                    .rank = uint32_t(problem.pool.axes.size()),
                                                    .type = uint32_t(problem.geometry.dtype),
                                                    .bits = bits(problem.geometry.dtype)}
                                .values();
    return gather;
}

Status add_elements(Chain& chain, const Problem& problem)
{
    Gather gather =
        gather_of(problem, problem.compute_type, width_of(problem), *variant(modules::max_pool, problem.compute_type));
    gather.output_operand = 1;
    const Memory operands[] = {{.tensor = 0}, {.tensor = 1}};
    return chain.add(gather, operands);
}

Status add_indices(Chain& chain, const Problem& problem)
{
    Gather gather = gather_of(problem, ComputeType::u64, sizeof(int64_t), Kernel::max_pool_indices_u64);
    gather.inputs.push_back({1, problem.outputs, width_of(problem)});
    gather.output_operand = 2;
    const Memory operands[] = {{.tensor = 0}, {.tensor = 1}, {.tensor = 2}};
    return chain.add(gather, operands);
}

Result<Plan> planned(const Problem& problem)
{
    std::vector<uint64_t> bytes = {buffer_bytes(uint64_t(inputs_of(problem.pool)) * width_of(problem)),
                                   buffer_bytes(uint64_t(problem.outputs) * width_of(problem))};
    if (has_indices(problem.geometry))
        bytes.push_back(uint64_t(problem.outputs) * sizeof(int64_t));
    Chain chain(op, problem.capabilities, problem.options, 1, std::move(bytes));
    VKONNX_RETURN_IF_ERROR(add_elements(chain, problem));
    push::PoolProblem block = block_of(problem.pool);
    if (has_indices(problem.geometry)) {
        number_elements(problem, block);
        VKONNX_RETURN_IF_ERROR(add_indices(chain, problem));
    }
    Plan plan = chain.take();
    plan.uniform = bytes_of(block);
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> any_rank = {
    .name = "max_pool", .variants = modules::max_pool, .keeps_order = true, .last_resort = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::max_pool
