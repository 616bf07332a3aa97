// SPDX-License-Identifier: Apache-2.0
// This file plans resize_nearest, a gather of no taps. Coordinates are divided where the scale is a whole number, and else looked
// up in the table.
#include "modules.h"
#include "plan/core/limits.h"
#include "plan/operators/resize/problem.h"

namespace vkonnx::plan::resize {
namespace {

std::string unfit(const Problem& problem)
{
    if (!problem.copies)
        return "it copies elements, and does not sum";
    if (int64_t(problem.axes.size()) > loop_limit(problem.compute_type, problem.capabilities))
        return too_many_iterations("its loop over " + std::to_string(problem.axes.size()) + " axes", problem.capabilities);
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    return plan_gathered(problem, gather_of(problem, *variant(modules::resize_nearest, problem.compute_type)));
}

}  // namespace

constinit const KernelOf<Problem> nearest = {
    .name = "resize_nearest", .variants = modules::resize_nearest, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::resize
