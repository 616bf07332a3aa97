// SPDX-License-Identifier: Apache-2.0
// The kernel conv_transpose_nd takes any rank, any stride and any number of taps. A dispatch adds a box of the taps.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/engines/convolution.h"
#include "plan/operators/conv_transpose/gathered.h"

namespace vkonnx::plan::conv_transpose {
namespace {

std::string unfit(const Problem& problem)
{
    std::string reason = unfit_for_operands(problem.capabilities, problem.options.prologue);
    return reason.empty() ? unfit_for_boxes(problem.taps, problem.compute_type, problem.capabilities) : reason;
}

Result<Plan> planned(const Problem& problem)
{
    const int64_t limit = loop_limit(problem.compute_type, problem.capabilities);
    Gather gather =
        gather_of(problem, *variant(problem.options.prologue ? modules::conv_transpose_nd_prologue1 : modules::conv_transpose_nd,
                                    problem.compute_type));
    gather.takes_boxes = gather.goes_on = true;
    gather.channels_at_once = (limit - GATHER_ND_ITERATIONS - 1) / saturated_sum(row_iterations(problem.taps), 1);
    return plan_gathered(problem, gather);
}

}  // namespace

constinit const KernelOf<Problem> nd = {.name = "conv_transpose_nd",
                                        .variants = modules::conv_transpose_nd,
                                        .keeps_order = true,
                                        .takes_epilogue = true,
                                        .takes_prologue = true,
                                        .last_resort = true,
                                        .unfit = unfit,
                                        .plan = planned};

}  // namespace vkonnx::plan::conv_transpose
