// SPDX-License-Identifier: Apache-2.0
// elementwise: any kind, any rank, any number of inputs. Where steps follow, modules of their own compute them: drivers take
// longer to compile these. Modules without functions are for kinds and steps that are none.
#include "plan/elementwise/problem.h"

namespace vkonnx::plan::elementwise {
namespace {

constexpr Variant variants[] = {
    {Number::f32, Kernel::elementwise_f32},   {Number::f16, Kernel::elementwise_f16},
    {Number::bf16, Kernel::elementwise_bf16}, {Number::f64, Kernel::elementwise_f64},
    {Number::i8, Kernel::elementwise_i8},     {Number::f64_soft, Kernel::elementwise_f64_soft},
    {Number::i16, Kernel::elementwise_i16},   {Number::i32, Kernel::elementwise_i32},
    {Number::i64, Kernel::elementwise_i64},   {Number::u8, Kernel::elementwise_u8},
    {Number::u16, Kernel::elementwise_u16},   {Number::u32, Kernel::elementwise_u32},
    {Number::u64, Kernel::elementwise_u64},
};

constexpr Variant chain_variants[] = {
    {Number::f32, Kernel::elementwise_chain_f32},   {Number::f16, Kernel::elementwise_chain_f16},
    {Number::bf16, Kernel::elementwise_chain_bf16}, {Number::f64, Kernel::elementwise_chain_f64},
    {Number::i8, Kernel::elementwise_chain_i8},     {Number::f64_soft, Kernel::elementwise_chain_f64_soft},
    {Number::i16, Kernel::elementwise_chain_i16},   {Number::i32, Kernel::elementwise_chain_i32},
    {Number::i64, Kernel::elementwise_chain_i64},   {Number::u8, Kernel::elementwise_chain_u8},
    {Number::u16, Kernel::elementwise_chain_u16},   {Number::u32, Kernel::elementwise_chain_u32},
    {Number::u64, Kernel::elementwise_chain_u64},
};

// Without what is more than a few additions, multiplications and comparisons.
constexpr Variant plain_variants[] = {
    {Number::f32, Kernel::elementwise_functions0_f32},
    {Number::f16, Kernel::elementwise_functions0_f16},
    {Number::bf16, Kernel::elementwise_functions0_bf16},
    {Number::f64, Kernel::elementwise_functions0_f64},
};

constexpr Variant plain_chain_variants[] = {
    {Number::f32, Kernel::elementwise_chain_functions0_f32},
    {Number::f16, Kernel::elementwise_chain_functions0_f16},
    {Number::bf16, Kernel::elementwise_chain_functions0_bf16},
    {Number::f64, Kernel::elementwise_chain_functions0_f64},
};

Kernel module_of(const Problem& problem)
{
    const bool chain = !problem.geometry.then.empty();
    const std::optional<Kernel> plain =
        has_functions(problem) ? std::nullopt : variant(chain ? plain_chain_variants : plain_variants, problem.number);
    return plain ? *plain : *variant(chain ? chain_variants : variants, problem.number);
}

std::string unfit(const Problem& problem)
{
    return unfit_for_gather(problem, elements_per_word(problem.number));
}

Result<Plan> planned(const Problem& problem)
{
    return plan_gathered(problem, {.kernel = module_of(problem)});
}

}  // namespace

constinit const KernelOf<Problem> any_rank = {
    .name = "elementwise", .variants = variants, .keeps_order = true, .last_resort = true, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::elementwise
