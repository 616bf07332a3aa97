// SPDX-License-Identifier: Apache-2.0
// The kernel average_pool_nd takes any rank and any window. A dispatch adds a box of the window's taps.
#include "modules.h"
#include "plan/operators/average_pool/gathered.h"

namespace vkonnx::plan::average_pool {
namespace {

std::string unfit(const Problem& problem)
{
    return unfit_for_boxes(problem.taps, problem.compute_type, problem.capabilities);
}

Result<Plan> planned(const Problem& problem)
{
    Gather gather = gather_of(problem, *variant(modules::average_pool_nd, problem.compute_type));
    gather.takes_boxes = gather.goes_on = true;
    return plan_gathered(problem, gather);
}

}  // namespace

constinit const KernelOf<Problem> nd = {.name = "average_pool_nd",
                                        .variants = modules::average_pool_nd,
                                        .keeps_order = true,
                                        .last_resort = true,
                                        .unfit = unfit,
                                        .plan = planned};

}  // namespace vkonnx::plan::average_pool
