// SPDX-License-Identifier: Apache-2.0
// average_pool_direct: 1 to 3 axes. All taps of a window in nested loops, and a division, in one dispatch.
#include "plan/average_pool/gathered.h"

namespace vkonnx::plan::average_pool {
namespace {

constexpr Variant variants[] = {
    {Number::f32, Kernel::average_pool_direct_f32},           {Number::f16, Kernel::average_pool_direct_f16},
    {Number::bf16, Kernel::average_pool_direct_bf16},         {Number::f64, Kernel::average_pool_direct_f64},
    {Number::f64_soft, Kernel::average_pool_direct_f64_soft},
};

std::string unfit(const Problem& problem)
{
    if (problem.taps.size() > 3)
        return "it takes at most 3 spatial axes, not " + std::to_string(problem.taps.size());
    if (nested_iterations(problem.taps) > loop_limit(problem.number, problem.capabilities))
        return "its loops over a window would exceed the device's " + std::to_string(problem.capabilities.max_loop_iterations) +
               " iterations";
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    Gather gather = gather_of(problem, *variant(variants, problem.number));
    gather.takes_boxes = gather.goes_on = false;  // what it adds it divides
    return plan_gathered(problem, gather);
}

}  // namespace

constinit const KernelOf<Problem> direct = {
    .name = "average_pool_direct", .variants = variants, .keeps_order = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::average_pool
