// SPDX-License-Identifier: Apache-2.0
// This file plans resize_nd, for up to 6 axes with any number of taps, a box of them at a time.
#include "modules.h"
#include "plan/operators/resize/problem.h"

namespace vkonnx::plan::resize {
namespace {

std::string unfit(const Problem& problem)
{
    if (problem.copies)
        return "elements are copied, and it sums";
    return unfit_for_boxes(problem.taps, problem.compute_type, problem.capabilities);
}

Result<Plan> planned(const Problem& problem)
{
    Gather gather = gather_of(problem, *variant(modules::resize_nd, problem.compute_type));
    gather.takes_boxes = gather.goes_on = true;
    return plan_gathered(problem, gather);
}

}  // namespace

constinit const KernelOf<Problem> nd = {.name = "resize_nd",
                                        .variants = modules::resize_nd,
                                        .keeps_order = true,
                                        .last_resort = true,
                                        .unfit = unfit,
                                        .plan = planned};

}  // namespace vkonnx::plan::resize
