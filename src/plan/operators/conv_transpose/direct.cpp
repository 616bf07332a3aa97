// SPDX-License-Identifier: Apache-2.0
// The kernel conv_transpose_direct takes 1 to 3 axes. It adds all taps of a channel in nested loops. It finds a phase's first tap
// by one product in 32 bits.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"
#include "plan/operators/conv_transpose/gathered.h"

namespace vkonnx::plan::conv_transpose {
namespace {

std::string unfit(const Problem& problem)
{
    std::string unfit;
    if (problem.axes.size() > 3)
        unfit = "it takes at most 3 spatial axes, not " + std::to_string(problem.axes.size());
    else if (saturated_sum(nested_iterations(problem.taps), 2) > loop_limit(problem.compute_type, problem.capabilities))
        unfit = too_many_iterations("its loops over one channel's taps", problem.capabilities);
    for (const push::ConvTransposeAxis& axis : problem.axes)
        if (axis.stride > 65536 && axis.inverse > 1)
            unfit = "it multiplies phases in 32 bits, and stride / gcd(stride, dilation) = " + std::to_string(axis.stride) +
                    " is beyond 65536";
    return unfit;
}

Result<Plan> planned(const Problem& problem)
{
    const int64_t limit = loop_limit(problem.compute_type, problem.capabilities);
    Gather gather = gather_of(problem, *variant(modules::conv_transpose_direct, problem.compute_type));
    gather.channels_at_once = (limit - 1) / saturated_sum(nested_iterations(problem.taps), 1);
    gather.goes_on = gather.channels > 1;  // a single channel is never divided among parts
    return plan_gathered(problem, gather);
}

}  // namespace

constinit const KernelOf<Problem> direct = {.name = "conv_transpose_direct",
                                            .variants = modules::conv_transpose_direct,
                                            .keeps_order = true,
                                            .takes_epilogue = true,
                                            .unfit = unfit,
                                            .plan = planned};

}  // namespace vkonnx::plan::conv_transpose
