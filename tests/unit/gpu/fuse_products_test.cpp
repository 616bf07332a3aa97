// This file tests which sums of products become fused multiply-adds, and by which words. spirv-val judges them where it is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/fuse_products.h"
#include "gpu/specialize.h"
#include "kernels.h"
#include "spirv_val.h"

namespace vkonnx::gpu {
namespace {

using Words = std::vector<uint32_t>;

enum : uint32_t { void_type = 2, function_type, float_type, vec2_type, one, pair, import, first_free = 10, bound = 40 };
enum : uint32_t { f_add = 129, f_mul = 133, vector_times_scalar = 142 };

void add(Words& words, uint32_t op, std::initializer_list<uint32_t> operands)
{
    words.push_back(uint32_t(operands.size() + 1) << 16 | op);
    words.insert(words.end(), operands);
}

// Returns a compute shader of these instructions, which can compute with a float `one` and a vector `pair`.
Words module_of(const Words& instructions, const Words& decorations = {}, bool imports = true)
{
    Words words = {0x07230203, 0x00010300, 0, bound, 0};
    add(words, 17, {1});  // Shader
    if (imports)
        add(words, 11, {import, 0x4c534c47, 0x6474732e, 0x3035342e, 0});  // "GLSL.std.450"
    add(words, 14, {0, 1});                                               // logical addressing, GLSL450
    add(words, 15, {5, 1, 0x6e69616d, 0});                                // GLCompute %1 "main"
    add(words, 16, {1, 17, 1, 1, 1});                                     // LocalSize 1 1 1
    words.insert(words.end(), decorations.begin(), decorations.end());
    add(words, 19, {void_type});
    add(words, 33, {function_type, void_type});
    add(words, 22, {float_type, 32});
    add(words, 23, {vec2_type, float_type, 2});
    add(words, 43, {float_type, one, 0x3f800000});
    add(words, 44, {vec2_type, pair, one, one});
    add(words, 54, {void_type, 1, 0, function_type});
    add(words, 248, {9});
    words.insert(words.end(), instructions.begin(), instructions.end());
    add(words, 253, {});
    add(words, 56, {});
    return words;
}

Words no_contraction(uint32_t id)
{
    Words words;
    add(words, 71, {id, 42});
    return words;
}

// Returns the words of the instructions between the function's label and its return.
Words body_of(const Words& module)
{
    Words body;
    bool inside = false;
    for (size_t at = 5; at < module.size(); at += module[at] >> 16) {
        const uint32_t op = module[at] & 0xffff;
        inside = inside && op != 253;
        if (inside)
            body.insert(body.end(), module.begin() + std::ptrdiff_t(at),
                        module.begin() + std::ptrdiff_t(at + (module[at] >> 16)));
        inside = inside || op == 248;
    }
    return body;
}

TEST(FuseProducts, ASumOfAProductInEitherPlace)
{
    for (const bool product_first : {true, false}) {
        Words given, expected;
        add(given, f_mul, {float_type, 10, one, one});
        expected = given;
        if (product_first)
            add(given, f_add, {float_type, 11, 10, one});
        else
            add(given, f_add, {float_type, 11, one, 10});
        add(expected, 12, {float_type, 11, import, 50, one, one, one});
        const Words made = with_fused_products(module_of(given));
        EXPECT_EQ(body_of(made), expected);
        EXPECT_TRUE(!has_judge(made) || is_valid(made));
    }
}

TEST(FuseProducts, AVectorByAScalar)
{
    Words given, expected;
    add(given, vector_times_scalar, {vec2_type, 10, pair, one});
    expected = given;
    add(given, f_add, {vec2_type, 11, 10, pair});
    add(expected, 80, {vec2_type, bound, one, one});
    add(expected, 12, {vec2_type, 11, import, 50, pair, bound, pair});
    const Words made = with_fused_products(module_of(given));
    EXPECT_EQ(body_of(made), expected);
    EXPECT_EQ(made[3], bound + 1) << "there is an id more";
    EXPECT_TRUE(!has_judge(made) || is_valid(made));
}

TEST(FuseProducts, ImportsWhatFmaIsOf)
{
    Words given, expected;
    add(given, f_mul, {float_type, 10, one, one});
    expected = given;
    add(given, f_add, {float_type, 11, 10, one});
    add(expected, 12, {float_type, 11, bound, 50, one, one, one});
    const Words made = with_fused_products(module_of(given, {}, false));
    EXPECT_EQ(body_of(made), expected);
    EXPECT_EQ(made[3], bound + 1);
    EXPECT_TRUE(!has_judge(made) || is_valid(made));
}

TEST(FuseProducts, LeavesWhatIsPreciseOrReadTwice)
{
    Words once, twice, both;
    add(once, f_mul, {float_type, 10, one, one});
    add(once, f_add, {float_type, 11, 10, one});
    for (const uint32_t precise : {10u, 11u}) {
        const Words module = module_of(once, no_contraction(precise));
        EXPECT_EQ(with_fused_products(module), module) << precise;
    }
    twice = once;
    add(twice, f_mul, {float_type, 12, 10, one});
    EXPECT_EQ(with_fused_products(module_of(twice)), module_of(twice));
    add(both, f_mul, {float_type, 10, one, one});
    add(both, f_add, {float_type, 11, 10, 10});
    EXPECT_EQ(with_fused_products(module_of(both)), module_of(both));
    const Words none = {1, 2, 3};
    EXPECT_EQ(with_fused_products(none), none);
}

TEST(FuseProducts, LeavesEveryKernelValid)
{
    size_t changed = 0;
    for (size_t i = 0; i < kernel_count(); ++i) {
        const auto kernel = Kernel(i);
        if (spirv(kernel).empty())
            continue;
        SCOPED_TRACE(kernel_name(kernel));
        Words values(specialization_of(kernel).size(), 1);
        values[0] = 64;
        const Words given = specialized(spirv(kernel), values);
        const Words made = with_fused_products(given);
        if (made == given)
            continue;
        ++changed;
        EXPECT_TRUE(!has_judge(made) || is_valid(made));
    }
    EXPECT_GT(changed, 0u);
}

// Counts the calls of GLSL's fma in the module.
size_t count_fma(std::span<const uint32_t> code)
{
    size_t count = 0;
    for (size_t at = 5; at < code.size(); at += code[at] >> 16)
        count += (code[at] & 0xffff) == 12 && code[at + 4] == 50;
    return count;
}

// Counts the products that a driver may fuse with what they are added to. A product by a constant does not count: in these
// modules the constant is a power of 2, so that the product is exact.
size_t count_imprecise_products(std::span<const uint32_t> code)
{
    constexpr uint32_t constant = 43, decorate = 71, no_contraction_decoration = 42;
    std::set<uint32_t> constants, precise;
    size_t count = 0;
    for (size_t at = 5; at < code.size(); at += code[at] >> 16) {
        const uint32_t op = code[at] & 0xffff;
        if (op == decorate && code[at + 2] == no_contraction_decoration)
            precise.insert(code[at + 1]);
        if (op == constant)
            constants.insert(code[at + 2]);
        if ((op == f_mul || op == vector_times_scalar) && !precise.contains(code[at + 2]))
            count += !constants.contains(code[at + 3]) && !constants.contains(code[at + 4]);
    }
    return count;
}

// What a kernel computes in the operator's order has the same bits everywhere. There each product is rounded before it is added,
// whatever spirv-opt and the driver would rather do.
TEST(FuseProducts, OnlySumsThatHaveAnOrderOfTheirOwnAreFused)
{
    constexpr std::string_view own_order[] = {"implicit_gemm",
                                              "matmul_vector",
                                              "dot_product_attention_tiles",
                                              "conv_transpose_columns",
                                              "probe_flops",
                                              "block_quantized_mat_mul_rows",
                                              "self_test"};
    size_t checked = 0;
    for (size_t i = 0; i < kernel_count(); ++i) {
        const std::string_view name = kernel_name(Kernel(i));
        if (std::ranges::any_of(own_order, [&](std::string_view own) { return name.starts_with(own); }))
            continue;
        EXPECT_EQ(count_fma(with_fused_products(spirv(Kernel(i)))), 0u) << name;
        EXPECT_EQ(count_imprecise_products(spirv(Kernel(i))), 0u) << name;
        ++checked;
    }
    EXPECT_GT(checked, 0u);
}

// Prologues and epilogues must round as the operators do that stand alone, even where the sum between them does not.
TEST(FuseProducts, ProloguesAndEpiloguesAreNot)
{
    EXPECT_EQ(count_fma(with_fused_products(spirv(Kernel::implicit_gemm_inputs_f32))), 0u);
    EXPECT_LE(count_fma(with_fused_products(spirv(Kernel::matmul_vector_f32))), 8u) << "the sum has some";
    // The prologue was the first that spirv-opt fused. It leaves sums of vectors to the driver.
    EXPECT_EQ(count_fma(spirv(Kernel::implicit_gemm_points_rows16_columns4_texels1_f32)), 0u);
    EXPECT_EQ(count_fma(spirv(Kernel::implicit_gemm_points_rows16_columns8_texels1_f32)), 0u);
}

// In the engine's main loop an invocation has 8 by 8 outputs, and adds four channels of two taps at once, in vectors of four
// rows.
TEST(FuseProducts, TakesAllOfTheMainLoop)
{
    EXPECT_GE(count_fma(with_fused_products(spirv(Kernel::implicit_gemm_shared_rows64_columns128_f32))), 8u * 2 * 4 * 2);
}

}  // namespace
}  // namespace vkonnx::gpu
