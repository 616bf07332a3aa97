// SPDX-License-Identifier: Apache-2.0
// This file plans resize_direct, for up to 3 axes with several taps: all of them in nested loops, in one dispatch.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"
#include "plan/operators/resize/problem.h"
#include "shaders/operators/resize/resize.h"

namespace vkonnx::plan::resize {
namespace {

std::string unfit(const Problem& problem)
{
    if (problem.copies)
        return "elements are copied, and it sums";
    if (tapped(problem) > RESIZE_DIRECT_AXES)
        return "it takes at most " + std::to_string(RESIZE_DIRECT_AXES) + " axes that change, not " +
               std::to_string(tapped(problem));
    const int64_t loops = saturated_sum(nested_iterations(problem.taps), int64_t(problem.axes.size()) + 4);
    if (loops > loop_limit(problem.compute_type, problem.capabilities))
        return too_many_iterations("its loops over axes and taps", problem.capabilities);
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    return plan_gathered(problem, gather_of(problem, *variant(modules::resize_direct, problem.compute_type)));
}

}  // namespace

constinit const KernelOf<Problem> direct = {
    .name = "resize_direct", .variants = modules::resize_direct, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::resize
