// SPDX-License-Identifier: Apache-2.0
// average_pool_nd: any rank, any window; a box of its taps at a time.
#include "plan/average_pool/gathered.h"

namespace vkonnx::plan::average_pool {
namespace {

constexpr Variant variants[] = {
    {Number::f32, Kernel::average_pool_nd_f32},           {Number::f16, Kernel::average_pool_nd_f16},
    {Number::bf16, Kernel::average_pool_nd_bf16},         {Number::f64, Kernel::average_pool_nd_f64},
    {Number::f64_soft, Kernel::average_pool_nd_f64_soft},
};

std::string unfit(const Problem& problem)
{
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
    .name = "average_pool_nd", .variants = variants, .keeps_order = true, .last_resort = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::average_pool
