// SPDX-License-Identifier: Apache-2.0
// The kernel average_pool_direct takes 1 to 3 axes. It adds all taps of a window in nested loops, and divides, in one dispatch.
#include "modules.h"
#include "plan/core/limits.h"
#include "plan/operators/average_pool/gathered.h"

namespace vkonnx::plan::average_pool {
namespace {

std::string unfit(const Problem& problem)
{
    if (problem.taps.size() > 3)
        return "it takes at most 3 spatial axes, not " + std::to_string(problem.taps.size());
    if (nested_iterations(problem.taps) > loop_limit(problem.compute_type, problem.capabilities))
        return too_many_iterations("its loops over a window", problem.capabilities);
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    Gather gather = gather_of(problem, *variant(modules::average_pool_direct, problem.compute_type));
    gather.takes_boxes = gather.goes_on = false;  // the dispatch that adds also divides
    return plan_gathered(problem, gather);
}

}  // namespace

constinit const KernelOf<Problem> direct = {.name = "average_pool_direct",
                                            .variants = modules::average_pool_direct,
                                            .keeps_order = true,
                                            .unfit = unfit,
                                            .plan = planned};

}  // namespace vkonnx::plan::average_pool
