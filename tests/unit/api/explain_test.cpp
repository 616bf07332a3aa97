#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace vkonnx {
namespace {

using Pads = std::vector<int64_t>;

TEST(Explain, AveragePool)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 3, 32, 32}}};
    const AveragePool pool = {.auto_pad = AutoPad::same_upper, .kernel_shape = {2, 3}, .strides = {1, 2}};
    const auto told = explain(pool, inputs, Capabilities());
    ASSERT_TRUE(told) << told.message();
    EXPECT_EQ(told->outputs, (std::vector<TensorDesc>{{DType::float32, {1, 3, 32, 16}}}));
    EXPECT_EQ(told->outputs, *infer(pool, inputs));
    EXPECT_EQ(told->pads_begin, (Pads{0, 0}));
    EXPECT_EQ(told->pads_end, (Pads{1, 1}));
    EXPECT_EQ(told->kernel, "average_pool_direct_f32");
    ASSERT_EQ(told->grids.size(), 1u);
    ASSERT_FALSE(told->specialization.empty());
    EXPECT_EQ(told->specialization[0].first, "workgroup_size");
    const uint64_t groups = uint64_t(told->grids[0][0]) * told->grids[0][1] * told->grids[0][2];
    EXPECT_GE(groups * told->specialization[0].second, 3u * 32 * 16);
    EXPECT_LE(told->specialization[0].second, 128u) << "what the minimum offers";
    EXPECT_FALSE(told->equation.empty());
    EXPECT_FALSE(told->why.empty());
}

TEST(Explain, ConvTransposeAndAForcedKernel)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 2, 5}}, {DType::float32, {2, 4, 3}}};
    const ConvTranspose up = {.strides = {2}, .pads = {1, 0}};
    const auto told = explain(up, inputs, Capabilities());
    ASSERT_TRUE(told) << told.message();
    EXPECT_EQ(told->kernel, "conv_transpose_direct_f32");
    EXPECT_EQ(told->outputs, (std::vector<TensorDesc>{{DType::float32, {1, 4, 10}}}));
    EXPECT_EQ(told->pads_begin, Pads{1});
    EXPECT_EQ(told->pads_end, Pads{0});
    const auto forced = explain(up, inputs, Capabilities(), {.kernel = "conv_transpose_nd"});
    ASSERT_TRUE(forced) << forced.message();
    EXPECT_EQ(forced->kernel, "conv_transpose_nd_f32");
    EXPECT_EQ(forced->outputs, told->outputs);
}

TEST(Explain, ShapeRunsOnTheHost)
{
    const std::vector<TensorDesc> inputs = {{DType::string, {4, 5, 6}}};
    const auto told = explain(Shape{.start = -2}, inputs, Capabilities());
    ASSERT_TRUE(told) << told.message();
    EXPECT_EQ(told->outputs, (std::vector<TensorDesc>{{DType::int64, {2}}}));
    EXPECT_EQ(told->kernel, "host");
    EXPECT_TRUE(told->grids.empty());
    EXPECT_TRUE(told->pads_begin.empty());
    EXPECT_FALSE(told->why.empty());
    const auto forced = explain(Shape{}, inputs, Capabilities(), {.kernel = "shape_direct"});
    EXPECT_EQ(forced.code(), Code::invalid_argument);
    EXPECT_EQ(forced.message(), "Shape: kernel 'shape_direct' does not fit; it runs on the host, without a kernel");
}

TEST(Explain, PassesOnWhatIsWrong)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 3, 32}}};
    EXPECT_EQ(explain(AveragePool{}, inputs, Capabilities()).code(), Code::invalid_argument);
    EXPECT_EQ(explain(AveragePool{.kernel_shape = {2}}, inputs, Capabilities(), {.kernel = "none"}).code(),
              Code::invalid_argument);
    Capabilities tiny;
    tiny.max_storage_buffer_range = 100;
    EXPECT_EQ(explain(AveragePool{.kernel_shape = {2}}, inputs, tiny).code(), Code::unsupported);
}

}  // namespace
}  // namespace vkonnx
