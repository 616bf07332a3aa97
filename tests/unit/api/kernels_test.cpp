// This file tests kernels(), which lists an operator's kernels and what each says of a problem.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace vkonnx {
namespace {

const TensorDesc x = {DType::float32, {1, 4, 8, 8}};
const TensorDesc w = {DType::float32, {4, 2, 3, 3}};

// Returns the kernels that may be picked. The tests' build has one more.
std::vector<KernelInfo> listed(const Operator& op, std::vector<TensorDesc> inputs, const Capabilities& capabilities = {},
                               const PrepareOptions& options = {})
{
    const auto all = kernels(op, inputs, capabilities, options);
    EXPECT_TRUE(all) << all.message();
    std::vector<KernelInfo> picked;
    if (all)
        std::copy_if(all->begin(), all->end(), std::back_inserter(picked),
                     [](const KernelInfo& kernel) { return !kernel.only_by_name; });
    return picked;
}

TEST(Kernels, AreListedWithWhatTheyTake)
{
    const std::vector<KernelInfo> all = listed(ConvTranspose{}, {x, w});
    ASSERT_EQ(all.size(), 8u);
    EXPECT_EQ(all[0].name, "conv_transpose_depthwise");
    EXPECT_EQ(all[1].name, "conv_transpose_depthwise_channels");
    for (const size_t i : {0, 1})
        EXPECT_EQ(all[i].unfit, "it takes groups of one channel of X, not of 4");
    EXPECT_EQ(all[2].name, "conv_transpose_phases");
    EXPECT_EQ(all[3].name, "conv_transpose_phases_shared");
    for (const size_t i : {2, 3}) {
        EXPECT_FALSE(all[i].keeps_order);
        EXPECT_GT(all[i].seconds, 0);
    }
    EXPECT_EQ(all[4].name, "conv_transpose_matrices_unpacked");
    EXPECT_EQ(all[5].name, "conv_transpose_matrices");
    for (const size_t i : {4, 5})
        EXPECT_EQ(all[i].unfit, "it is not compiled for f32");
    EXPECT_EQ(all[6].name, "conv_transpose_direct");
    EXPECT_EQ(all[7].name, "conv_transpose_nd");
    for (size_t i = 0; i < 8; ++i)
        EXPECT_EQ(all[i].last_resort, i == 7);
    for (const KernelInfo& kernel : std::span(all).subspan(6)) {
        EXPECT_EQ(kernel.unfit, "");
        EXPECT_TRUE(kernel.keeps_order);
        EXPECT_DOUBLE_EQ(kernel.seconds, 2 * 10 * 10 * (4 * 9 + 16) / 1e8) << kernel.name;
    }
    EXPECT_EQ(listed(AveragePool{.kernel_shape = {2, 2}}, {x}).back().name, "average_pool_nd");
}

TEST(Kernels, SayWhyTheyDoNotFit)
{
    const TensorDesc deep = {DType::float32, {1, 1, 2, 3, 4, 5}};
    const std::vector<KernelInfo> pools = listed(AveragePool{.kernel_shape = {2, 2, 2, 2}}, {deep});
    ASSERT_EQ(pools.size(), 8u);
    for (size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(pools[i].unfit, "it takes at most 3 spatial axes, not 4") << pools[i].name;
        EXPECT_EQ(pools[i].seconds, 0);
    }
    EXPECT_EQ(pools[7].unfit, "");

    Capabilities exact;
    exact.rounds_to_nearest = true;
    const PrepareOptions options = {.reproducible = true, .constants = {{.input = 1}}};
    const auto all = kernels(ConvTranspose{}, std::vector{x, w}, exact, options);
    ASSERT_TRUE(all) << all.message();
    ASSERT_EQ(all->size(), 9u);
    EXPECT_EQ(all->at(6).unfit, "");
    for (const size_t i : {2, 3, 4, 5, 8})
        EXPECT_EQ(all->at(i).unfit, "it adds in an order of its own, and PrepareOptions::reproducible asks for the operator's");
    EXPECT_EQ(
        explain(ConvTranspose{}, std::vector{x, w}, exact, {.kernel = "conv_transpose_columns", .reproducible = true}).message(),
        "ConvTranspose: kernel \"conv_transpose_columns\" does not fit, because it adds in an order of its own, and "
        "PrepareOptions::reproducible asks for the operator's; those that fit: conv_transpose_direct, conv_transpose_nd");
}

TEST(Kernels, AreNoneWhereNothingRuns)
{
    EXPECT_TRUE(listed(Shape{}, {x}).empty());
    EXPECT_TRUE(listed(ConvTranspose{}, {{DType::float32, {0, 4, 8, 8}}, w}).empty());
}

TEST(Kernels, RefuseWhatExplainRefuses)
{
    EXPECT_EQ(kernels(AveragePool{}, std::vector{x}, Capabilities()).message(),
              explain(AveragePool{}, std::vector{x}, Capabilities()).message());
    EXPECT_EQ(kernels(ConvTranspose{}, std::vector{x, w}, Capabilities(), {.constants = {{.input = 2}}}).message(),
              "ConvTranspose: PrepareOptions::constants[0].input = 2 must be less than the number of inputs, 2");
}

}  // namespace
}  // namespace vkonnx
