// SPDX-License-Identifier: Apache-2.0
// conv_transpose_nd: any rank, any stride, any number of taps; a box of them at a time.
#include "plan/arithmetic.h"
#include "plan/conv_transpose/gathered.h"
#include "plan/convolution.h"

namespace vkonnx::plan::conv_transpose {
namespace {

constexpr Variant variants[] = {
    {Number::f32, Kernel::conv_transpose_nd_f32},           {Number::f16, Kernel::conv_transpose_nd_f16},
    {Number::bf16, Kernel::conv_transpose_nd_bf16},         {Number::f64, Kernel::conv_transpose_nd_f64},
    {Number::f64_soft, Kernel::conv_transpose_nd_f64_soft},
};
constexpr Variant with_prologue[] = {
    {Number::f32, Kernel::conv_transpose_nd_prologue1_f32},           {Number::f16, Kernel::conv_transpose_nd_prologue1_f16},
    {Number::bf16, Kernel::conv_transpose_nd_prologue1_bf16},         {Number::f64, Kernel::conv_transpose_nd_prologue1_f64},
    {Number::f64_soft, Kernel::conv_transpose_nd_prologue1_f64_soft},
};

std::string unfit(const Problem& problem)
{
    std::string reason = unfit_for_operands(problem.capabilities, problem.options.prologue);
    return reason.empty() ? unfit_for_boxes(problem.taps, problem.number, problem.capabilities) : reason;
}

Result<Plan> planned(const Problem& problem)
{
    const int64_t limit = loop_limit(problem.number, problem.capabilities);
    Gather gather = gather_of(problem, *variant(problem.options.prologue ? with_prologue : variants, problem.number));
    gather.takes_boxes = gather.goes_on = true;
    gather.channels_at_once = (limit - GATHER_ND_ITERATIONS - 1) / saturated_sum(row_iterations(problem.taps), 1);
    return plan_gathered(problem, gather);
}

}  // namespace

constinit const KernelOf<Problem> nd = {.name = "conv_transpose_nd",
                                        .variants = variants,
                                        .keeps_order = true,
                                        .takes_epilogue = true,
                                        .takes_prologue = true,
                                        .last_resort = true,
                                        .unfit = unfit,
                                        .plan = planned};

}  // namespace vkonnx::plan::conv_transpose
