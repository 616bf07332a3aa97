// SPDX-License-Identifier: Apache-2.0
// resize_nd: up to 6 axes with several taps, any number of them; a box at a time.
#include "plan/resize/problem.h"

namespace vkonnx::plan::resize {
namespace {

constexpr Variant variants[] = {
    {Number::f32, Kernel::resize_nd_f32}, {Number::f16, Kernel::resize_nd_f16},           {Number::bf16, Kernel::resize_nd_bf16},
    {Number::f64, Kernel::resize_nd_f64}, {Number::f64_soft, Kernel::resize_nd_f64_soft},
};

std::string unfit(const Problem& problem)
{
    if (problem.copies)
        return "elements are copied, and it sums";
    return unfit_for_boxes(problem.taps, problem.number, problem.capabilities);
}

Result<Plan> planned(const Problem& problem)
{
    Gather gather = gather_of(problem, *variant(variants, problem.number));
    gather.takes_boxes = gather.goes_on = true;
    return plan_gathered(problem, gather);
}

}  // namespace

constinit const KernelOf<Problem> nd = {
    .name = "resize_nd", .variants = variants, .keeps_order = true, .last_resort = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::resize
