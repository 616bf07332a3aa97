// This file tests Conv: its sizes, what is told of them, and what is refused.
#include "expect.h"

namespace vkonnx::ops {
namespace {

Sizes conv_sizes(const Conv& op, int64_t in, int64_t kernel)
{
    const auto geometry = resolve(op, std::vector{f32({1, 1, in}), f32({1, 1, kernel})});
    return geometry ? sizes_of(geometry->axes[0]) : Sizes();
}

// The sizes are worked out by hand from the document's formulas of output_shape.
TEST(Conv, Sizes)
{
    EXPECT_EQ(conv_sizes({}, 7, 3), (Sizes{5, 0, 0}));
    EXPECT_EQ(conv_sizes({.strides = {2}, .pads = {1, 2}}, 7, 3), (Sizes{4, 1, 2}));
    EXPECT_EQ(conv_sizes({.dilations = {3}}, 7, 3), (Sizes{1, 0, 0}));
    EXPECT_EQ(conv_sizes({.auto_pad = AutoPad::valid, .strides = {2}}, 8, 3), (Sizes{3, 0, 0}));
    EXPECT_EQ(conv_sizes({.auto_pad = AutoPad::same_upper, .strides = {2}}, 8, 3), (Sizes{4, 0, 1}));
    EXPECT_EQ(conv_sizes({.auto_pad = AutoPad::same_lower, .strides = {2}}, 8, 3), (Sizes{4, 1, 0}));
    EXPECT_EQ(conv_sizes({.auto_pad = AutoPad::same_upper, .strides = {3}}, 8, 1), (Sizes{3, 0, 0})) << "no padding is negative";
}

TEST(Conv, TellsItsSizes)
{
    const auto geometry = resolve(Conv{.strides = {2}, .pads = {1, 2}}, std::vector{f32({1, 1, 7}), f32({1, 1, 3})});
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(geometry->equation, "ONNX Conv-22, explicit pads: out = floor((in + pads - dilated kernel) / stride) + 1\n"
                                  "axis 0: 4 = floor((7 + 3 - 3) / 2) + 1");
}

TEST(Conv, RefusesInOneSentence)
{
    const Refusal<Conv> table[] = {
        {{}, {f32({1, 2, 5})}, "Conv: expects 2 or 3 inputs, but 1 is given"},
        {{}, {f32({1, 2}), f32({3, 2})}, "Conv: X has rank 2, but 3 to 8 is expected: N, C and 1 to 6 spatial axes"},
        {{}, {f32({1, 2, 5}), f32({3, 2})}, "Conv: W has rank 2, but must have X's rank 3"},
        {{}, {f32({1, 2, 5}), f32({3, 2, 2}), f32({3, 1})}, "Conv: B has rank 2, but must have 1"},
        {{}, {f32({1, 2, 5}), {DType::float16, {3, 2, 2}}}, "Conv: W has type float16, but must have X's type float"},
        {{.group = 0}, {f32({1, 2, 5}), f32({3, 2, 2})}, "Conv: group = 0 must be at least 1"},
        {{.group = 2}, {f32({1, 3, 5}), f32({4, 2, 2})}, "Conv: X.dims[1] = 3 must be a multiple of group = 2"},
        {{.group = 2}, {f32({1, 4, 5}), f32({3, 2, 2})}, "Conv: W.dims[0] = 3 must be a multiple of group = 2"},
        {{.group = 2}, {f32({1, 4, 5}), f32({4, 4, 2})}, "Conv: W.dims[1] = 4 must equal X.dims[1] / group = 2"},
        {{}, {f32({1, 2, 5}), f32({3, 2, 2}), f32({2})}, "Conv: B.dims[0] = 2 must equal M = W.dims[0] = 3"},
        {{}, {f32({1, 2, 5}), f32({3, 2, 0})}, "Conv: W.dims[2] = 0 must be at least 1"},
        {{.kernel_shape = {3}}, {f32({1, 2, 5}), f32({3, 2, 2})}, "Conv: kernel_shape[0] = 3 must equal W.dims[2] = 2"},
        {{.strides = {1, 1}}, {f32({1, 2, 5}), f32({3, 2, 2})}, "Conv: strides has 2 entries, but 1 must be given"},
        {{.pads = {0, -1}}, {f32({1, 2, 5}), f32({3, 2, 2})}, "Conv: pads[1] = -1 must be at least 0"},
        {{.auto_pad = AutoPad::valid, .pads = {0, 0}},
         {f32({1, 2, 5}), f32({3, 2, 2})},
         "Conv: auto_pad = VALID must be NOTSET when pads is given"},
        {{},
         {f32({1, 2, 3}), f32({3, 2, 4})},
         "Conv: kernel_shape[0] = 4 with dilation 1 spans 4, which must not be more than the padded input's 3"},
        {{.opset = 21},
         {{DType::bfloat16, {1, 2, 5}}, {DType::bfloat16, {3, 2, 2}}},
         "Conv: X has type bfloat16, which exists from version 22, and opset 21 means version 11"},
    };
    for (const Refusal<Conv>& refusal : table)
        expect_refused(refusal);
}

}  // namespace
}  // namespace vkonnx::ops
