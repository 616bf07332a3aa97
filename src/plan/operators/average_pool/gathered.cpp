// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/average_pool/gathered.h"

#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "shaders/operators/average_pool/average_pool_constants.h"

namespace vkonnx::plan::average_pool {
Gather gather_of(const Problem& problem, Kernel kernel)
{
    const PoolProblem& pool = problem.pool;
    Gather gather = {.op = "AveragePool",
                     .compute_type = problem.compute_type,
                     .element_bytes = bits(problem.dtype) / 8,
                     .outputs = problem.outputs,
                     .output_operand = 1,
                     .inputs = {{0, inputs_of(pool)}},
                     .taps = problem.taps,
                     .kernel = kernel};
    gather.reads = [&pool](const Part& part) {
        return part.adds_nothing() ? Reads() : Reads{read_by(pool, part.outputs, part.box)};
    };
    gather.specialization = specialization::AveragePool{.workgroup_size = workgroup_size(problem.capabilities),
                                                        .rank = uint32_t(pool.axes.size()),
                                                        .count_include_pad = problem.count_include_pad,
                                                        .exact_division = problem.options.reproducible}
                                .values();
    return gather;
}

Result<Plan> plan_gathered(const Problem& problem, const Gather& gather)
{
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan)
        plan->uniform = bytes_of(block_of(problem.pool));
    return plan;
}

}  // namespace vkonnx::plan::average_pool
