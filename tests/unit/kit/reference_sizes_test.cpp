// This file tests sizes and pads of the reference against the worked examples of the rules and against numbers found by hand.
#include "kit/operators.h"

#include <gtest/gtest.h>

namespace vkonnx::kit {
namespace {

// An axis is {out, begin, end}.
using Axis = std::array<int64_t, 3>;

// Returns the only spatial axis, or {-1, -1, -1} when the problem is refused.
template <class Attributes>
Axis axis_of(const Attributes& attributes, std::vector<TensorDesc> inputs)
{
    const Result<Resolution> resolution = resolve(attributes, inputs);
    if (!resolution)
        return {-1, -1, -1};
    const ReferenceAxis& axis = resolution->axes.at(0);
    EXPECT_EQ(resolution->output.dims.at(2), axis.out);
    return {axis.out, axis.begin, axis.end};
}

Axis conv(const ConvTranspose& attributes, int64_t in, int64_t kernel)
{
    return axis_of(attributes, {{DType::float32, {1, 1, in}}, {DType::float32, {1, 1, kernel}}});
}

Axis pool(const AveragePool& attributes, int64_t in)
{
    return axis_of(attributes, {{DType::float32, {1, 1, in}}});
}

constexpr Axis refused = {-1, -1, -1};

TEST(ReferenceSizes, ConvTransposeSplitsOutputShapeByVersion)
{
    EXPECT_EQ(conv({.opset = 11, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 2, 1}));
    EXPECT_EQ(conv({.opset = 22, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 2, 1}));
    EXPECT_EQ(conv({.opset = 1, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 1, 2}));
    EXPECT_EQ(conv({.opset = 10, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 1, 2})) << "opset 10 is version 1";
    EXPECT_EQ(conv({.opset = 1, .rules = Rules::onnxruntime, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 2, 1}));
    EXPECT_EQ(conv({.opset = 11, .auto_pad = AutoPad::same_upper, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 1, 2}));
    EXPECT_EQ(conv({.opset = 11, .auto_pad = AutoPad::valid, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 2, 1}));
    EXPECT_EQ(conv({.opset = 1, .auto_pad = AutoPad::same_upper, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 2, 1}));
    EXPECT_EQ(conv({.opset = 1, .auto_pad = AutoPad::same_lower, .strides = {2}, .output_shape = {4}}, 3, 3), (Axis{4, 1, 2}));
    EXPECT_EQ(conv({.strides = {2}, .output_shape = {8}}, 3, 3), (Axis{8, 0, 0})) << "negative total";
    EXPECT_EQ(conv({.strides = {2}, .pads = {1, 1}, .output_shape = {4}}, 3, 3), (Axis{4, 2, 1})) << "pads are ignored";
    EXPECT_EQ(conv({.output_shape = {1, 1, 2}}, 3, 3), (Axis{2, 2, 1}));
    EXPECT_EQ(conv({.output_shape = {1, 2, 2}}, 3, 3), refused) << "M is 1";
    EXPECT_EQ(conv({.output_shape = {0}}, 3, 3), refused);
}

TEST(ReferenceSizes, ConvTransposeSame)
{
    EXPECT_EQ(conv({.auto_pad = AutoPad::same_upper, .strides = {3}}, 3, 1), (Axis{9, 0, 0}));
    EXPECT_EQ(conv({.rules = Rules::onnxruntime, .auto_pad = AutoPad::same_upper, .strides = {3}}, 3, 1), (Axis{7, 0, 0}));
    EXPECT_EQ(conv({.auto_pad = AutoPad::same_upper, .strides = {2}}, 3, 3), (Axis{6, 0, 1}));
    EXPECT_EQ(conv({.auto_pad = AutoPad::same_lower, .strides = {2}}, 3, 3), (Axis{6, 1, 0}));
    EXPECT_EQ(conv({.auto_pad = AutoPad::same_lower, .strides = {2}, .dilations = {3}}, 3, 3), (Axis{6, 3, 2})) << "7 - 2";
    EXPECT_EQ(conv({.auto_pad = AutoPad::same_upper, .strides = {2}, .output_padding = {1}}, 3, 3), (Axis{6, 1, 1}));
    EXPECT_EQ(conv({.auto_pad = AutoPad::same_upper, .strides = {2}}, 0, 3), refused) << "no output position";
}

TEST(ReferenceSizes, ConvTransposeExplicitAndValid)
{
    EXPECT_EQ(conv({.strides = {2}, .dilations = {3}}, 4, 3), (Axis{13, 0, 0}));
    EXPECT_EQ(conv({.strides = {2}, .pads = {1, 2}, .output_padding = {1}}, 4, 3), (Axis{7, 1, 2}));
    EXPECT_EQ(conv({.auto_pad = AutoPad::valid, .strides = {2}}, 4, 3), (Axis{9, 0, 0}));
    EXPECT_EQ(conv({.auto_pad = AutoPad::valid, .pads = {0, 0}}, 4, 3), refused);
    EXPECT_EQ(conv({.rules = Rules::onnxruntime, .auto_pad = AutoPad::valid, .pads = {1, 2}}, 4, 3), (Axis{3, 1, 2}));
    EXPECT_EQ(conv({.rules = Rules::onnxruntime, .auto_pad = AutoPad::same_upper, .pads = {1, 2}}, 4, 3), (Axis{4, 1, 1}));
    EXPECT_EQ(conv({.pads = {3, 3}}, 4, 3), refused) << "no output position";
    EXPECT_EQ(conv({.strides = {2}}, 0, 4), (Axis{2, 0, 0})) << "an empty input: K - s";
    EXPECT_EQ(conv({.strides = {2}}, 0, 2), refused);
    EXPECT_EQ(conv({.strides = {2}, .output_padding = {2}}, 3, 3), refused);
    EXPECT_EQ(conv({.opset = 1, .strides = {2}, .output_padding = {2}}, 3, 3), (Axis{9, 0, 0}));
    EXPECT_EQ(conv({.opset = 1, .rules = Rules::onnxruntime, .strides = {2}, .output_padding = {2}}, 3, 3), refused);
    EXPECT_EQ(conv({.strides = {2}, .dilations = {3}, .output_padding = {2}}, 3, 2), (Axis{10, 0, 0})) << "below dilation";
    EXPECT_EQ(conv({.opset = 0}, 3, 3), refused);
}

TEST(ReferenceSizes, ConvTransposeRefusesWrongTensors)
{
    const TensorDesc x = {DType::float32, {2, 6, 5}};
    const auto accepts = [&](const ConvTranspose& attributes, std::vector<TensorDesc> inputs) {
        inputs.insert(inputs.begin(), x);
        return resolve(attributes, inputs).ok();
    };
    EXPECT_TRUE(accepts({.group = 3}, {{DType::float32, {6, 2, 3}}, {DType::float32, {6}}}));
    EXPECT_FALSE(accepts({.group = 3}, {{DType::float32, {6, 2, 3}}, {DType::float32, {2}}})) << "B has M elements";
    EXPECT_FALSE(accepts({.group = 4}, {{DType::float32, {6, 2, 3}}})) << "6 % 4";
    EXPECT_FALSE(accepts({.group = 0}, {{DType::float32, {6, 2, 3}}}));
    EXPECT_FALSE(accepts({}, {{DType::float32, {5, 2, 3}}})) << "C";
    EXPECT_FALSE(accepts({}, {{DType::float64, {6, 2, 3}}})) << "two types";
    EXPECT_FALSE(accepts({}, {{DType::float32, {6, 2, 0}}})) << "a kernel of 0";
    EXPECT_FALSE(accepts({.kernel_shape = {2}}, {{DType::float32, {6, 2, 3}}}));
    EXPECT_FALSE(accepts({.strides = {1, 1}}, {{DType::float32, {6, 2, 3}}}));
    EXPECT_FALSE(accepts({.pads = {-1, 0}}, {{DType::float32, {6, 2, 3}}}));
}

// Returns the only spatial axis, with channels first and ONNX's filter, so that the tests below read like those above.
Axis onednn_conv(onednn::ConvTranspose attributes, int64_t in, int64_t kernel)
{
    for (auto* list : {&attributes.strides, &attributes.dilations})
        if (list->empty())
            *list = {1};
    for (auto* list : {&attributes.pads_begin, &attributes.pads_end})
        if (list->empty())
            *list = {0};
    attributes.data_format = Layout::ncx;
    attributes.filter_format = onednn::FilterFormat::iox;
    return axis_of(attributes, {{DType::float32, {1, 1, in}}, {DType::float32, {1, 1, kernel}}});
}

TEST(ReferenceSizes, OnednnConvTranspose)
{
    EXPECT_EQ(onednn_conv({.strides = {2}}, 3, 3), (Axis{7, 0, 0}));
    EXPECT_EQ(onednn_conv({.strides = {2}, .pads_begin = {1}, .pads_end = {2}}, 4, 3), (Axis{6, 1, 2}));
    EXPECT_EQ(onednn_conv({.strides = {2}, .auto_pad = AutoPad::same_upper, .output_padding = {1}}, 3, 3), (Axis{7, 0, 1}))
        << "the worked example: output_padding is not absorbed";
    EXPECT_EQ(onednn_conv({.strides = {2}, .auto_pad = AutoPad::same_lower, .output_padding = {1}}, 3, 3), (Axis{7, 1, 0}));
    EXPECT_EQ(onednn_conv({.auto_pad = AutoPad::same_upper}, 5, 4), (Axis{5, 1, 2}));
    EXPECT_EQ(onednn_conv({.auto_pad = AutoPad::same_lower}, 5, 4), (Axis{5, 2, 1}));
    EXPECT_EQ(onednn_conv({.strides = {2}, .dilations = {3}, .auto_pad = AutoPad::same_lower}, 3, 3), (Axis{6, 3, 2}));
    EXPECT_EQ(onednn_conv({.strides = {3}, .auto_pad = AutoPad::same_upper}, 3, 1), (Axis{7, 0, 0})) << "K < s: the clamp at 0";
    EXPECT_EQ(onednn_conv({.strides = {3}, .pads_begin = {4}, .pads_end = {9}, .auto_pad = AutoPad::same_upper}, 3, 3),
              (Axis{9, 0, 0}))
        << "auto_pad overrides the pads";
    EXPECT_EQ(onednn_conv({.pads_begin = {1}, .pads_end = {1}, .auto_pad = AutoPad::valid}, 3, 3), (Axis{5, 0, 0}));
    EXPECT_EQ(onednn_conv({.output_padding = {7}}, 3, 3), (Axis{12, 0, 0})) << "no upper limit";
    EXPECT_EQ(onednn_conv({.strides = {2}}, 0, 4), (Axis{2, 0, 0}));
    EXPECT_EQ(onednn_conv({.pads_begin = {3}, .pads_end = {3}}, 4, 3), refused) << "no output position";
    EXPECT_EQ(onednn_conv({.output_padding = {-1}}, 3, 3), refused);
    EXPECT_EQ(onednn_conv({.pads_begin = {-1}}, 3, 3), refused);
    EXPECT_EQ(onednn_conv({.pads_begin = {-1}, .auto_pad = AutoPad::valid}, 3, 3), refused) << "wrong, though it would not count";
    EXPECT_EQ(onednn_conv({.strides = {0}}, 3, 3), refused);
    EXPECT_EQ(onednn_conv({.strides = {1, 1}}, 3, 3), refused);
    EXPECT_EQ(onednn_conv({.groups = 0}, 3, 3), refused);
}

TEST(ReferenceSizes, OnednnListsAreRequired)
{
    const onednn::ConvTranspose complete = {.strides = {1}, .pads_begin = {0}, .pads_end = {0}, .dilations = {1}};
    const std::vector<TensorDesc> inputs = {{DType::float64, {2, 5, 6}}, {DType::float64, {3, 6, 2}}};
    ASSERT_TRUE(resolve(complete, inputs));
    for (auto list : {&onednn::ConvTranspose::strides, &onednn::ConvTranspose::pads_begin, &onednn::ConvTranspose::pads_end,
                      &onednn::ConvTranspose::dilations}) {
        onednn::ConvTranspose without = complete;
        (without.*list).clear();
        EXPECT_FALSE(resolve(without, inputs));
        without.auto_pad = AutoPad::same_upper;
        EXPECT_FALSE(resolve(without, inputs)) << "also with auto_pad";
    }
}

TEST(ReferenceSizes, OnednnFormatsPlaceTheDimensions)
{
    using onednn::FilterFormat;
    onednn::ConvTranspose a = {.strides = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .dilations = {1, 1}, .groups = 3};
    const auto output = [&](std::vector<int64_t> x, std::vector<int64_t> w, int64_t b) {
        const std::vector<TensorDesc> inputs = {
            {DType::float32, std::move(x)}, {DType::float32, std::move(w)}, {DType::float32, {b}}};
        const Result<Resolution> resolution = resolve(a, inputs);
        return resolution ? resolution->output : TensorDesc();
    };
    EXPECT_EQ(output({2, 7, 8, 6}, {3, 4, 6, 5}, 15), (TensorDesc{DType::float32, {2, 9, 11, 15}, Layout::nxc}));
    EXPECT_EQ(output({2, 7, 8, 6}, {3, 4, 6, 5}, 5), TensorDesc()) << "B has an element for each output channel";
    EXPECT_EQ(output({2, 6, 7, 8}, {3, 4, 6, 5}, 15), TensorDesc()) << "the channels stand last";
    a.filter_format = FilterFormat::oix;
    EXPECT_EQ(output({2, 7, 8, 6}, {5, 6, 3, 4}, 15), (TensorDesc{DType::float32, {2, 9, 11, 15}, Layout::nxc}));
    a.data_format = Layout::ncx;
    EXPECT_EQ(output({2, 6, 7, 8}, {5, 6, 3, 4}, 15), (TensorDesc{DType::float32, {2, 15, 9, 11}}));
    a.filter_format = FilterFormat::iox;
    EXPECT_EQ(output({2, 6, 7, 8}, {6, 5, 3, 4}, 15), (TensorDesc{DType::float32, {2, 15, 9, 11}}));
    EXPECT_EQ(output({6, 7, 8}, {6, 5, 3}, 15), TensorDesc()) << "lists for two axes, tensors of one";
    EXPECT_EQ(output({2, 5, 7, 8}, {5, 5, 3, 4}, 15), TensorDesc()) << "5 % 3";
}

TEST(ReferenceSizes, AveragePoolFloorAndCeil)
{
    EXPECT_EQ(pool({.kernel_shape = {2}, .strides = {2}}, 5), (Axis{2, 0, 0}));
    EXPECT_EQ(pool({.kernel_shape = {2}, .strides = {2}, .ceil_mode = 1}, 5), (Axis{3, 0, 0}));
    EXPECT_EQ(pool({.kernel_shape = {3}, .strides = {3}, .ceil_mode = 1}, 4), (Axis{2, 0, 0}));
    EXPECT_EQ(pool({.kernel_shape = {1}, .pads = {0, 3}, .ceil_mode = 1}, 2), (Axis{4, 0, 3})) << "dropped once, not twice";
    EXPECT_EQ(pool({.kernel_shape = {1}, .pads = {0, 3}}, 2), (Axis{5, 0, 3})) << "floor drops nothing";
    EXPECT_EQ(pool({.kernel_shape = {2}, .strides = {3}, .pads = {0, 1}, .ceil_mode = 1}, 6), (Axis{2, 0, 1}));
    EXPECT_EQ(pool({.kernel_shape = {3}, .strides = {2}, .pads = {1, 1}}, 7), (Axis{4, 1, 1}));
    EXPECT_EQ(pool({.kernel_shape = {3}, .dilations = {3}}, 7), (Axis{1, 0, 0}));
    EXPECT_EQ(pool({.kernel_shape = {3}, .dilations = {3}}, 6), refused) << "larger than the input";
    EXPECT_EQ(pool({.kernel_shape = {7}, .ceil_mode = 1}, 6), refused);
    EXPECT_EQ(pool({.kernel_shape = {2}, .pads = {0, 3}, .ceil_mode = 1}, 0), (Axis{1, 0, 3}));
    EXPECT_EQ(pool({.kernel_shape = {3}, .pads = {0, 3}, .ceil_mode = 1}, 0), refused) << "the only window is dropped";
}

TEST(ReferenceSizes, AveragePoolSameAndValid)
{
    EXPECT_EQ(pool({.auto_pad = AutoPad::same_upper, .kernel_shape = {3}, .dilations = {2}}, 5), (Axis{5, 2, 2}));
    EXPECT_EQ(pool({.auto_pad = AutoPad::same_upper, .kernel_shape = {4}}, 5), (Axis{5, 1, 2}));
    EXPECT_EQ(pool({.auto_pad = AutoPad::same_lower, .kernel_shape = {4}}, 5), (Axis{5, 2, 1}));
    EXPECT_EQ(pool({.auto_pad = AutoPad::same_lower, .kernel_shape = {2}, .strides = {3}}, 5), (Axis{2, 0, 0})) << "reads 0..4";
    EXPECT_EQ(pool({.auto_pad = AutoPad::same_lower, .kernel_shape = {1}, .strides = {3}}, 6), (Axis{2, 0, 0}));
    EXPECT_EQ(pool({.opset = 11, .auto_pad = AutoPad::same_upper, .kernel_shape = {3}, .strides = {2}}, 7), (Axis{4, 1, 1}));
    EXPECT_EQ(pool({.auto_pad = AutoPad::valid, .kernel_shape = {2}, .strides = {2}, .ceil_mode = 1}, 5), (Axis{2, 0, 0}));
    EXPECT_EQ(
        pool({.rules = Rules::onnxruntime, .auto_pad = AutoPad::valid, .kernel_shape = {2}, .strides = {2}, .ceil_mode = 1}, 5),
        (Axis{3, 0, 0}));
    EXPECT_EQ(pool({.auto_pad = AutoPad::valid, .kernel_shape = {2}, .pads = {0, 0}}, 5), refused);
    EXPECT_EQ(pool({.rules = Rules::onnxruntime, .auto_pad = AutoPad::valid, .kernel_shape = {2}, .pads = {0, 0}}, 5), refused);
}

TEST(ReferenceSizes, AveragePoolAttributesByVersion)
{
    EXPECT_EQ(pool({.opset = 6, .kernel_shape = {2}, .count_include_pad = 0}, 5), refused);
    EXPECT_EQ(pool({.opset = 7, .kernel_shape = {2}, .count_include_pad = 0}, 5), (Axis{4, 0, 0}));
    EXPECT_EQ(pool({.opset = 9, .kernel_shape = {2}, .ceil_mode = 0}, 5), refused);
    EXPECT_EQ(pool({.opset = 10, .kernel_shape = {2}, .ceil_mode = 0}, 5), (Axis{4, 0, 0}));
    EXPECT_EQ(pool({.opset = 18, .kernel_shape = {2}, .dilations = {1}}, 5), refused);
    EXPECT_EQ(pool({.opset = 19, .kernel_shape = {2}, .dilations = {2}}, 5), (Axis{3, 0, 0}));
    EXPECT_EQ(pool({.opset = 99, .kernel_shape = {2}, .dilations = {2}}, 5), (Axis{3, 0, 0})) << "the newest we know";
    EXPECT_EQ(pool({}, 5), refused) << "kernel_shape is required";
}

TEST(ReferenceSizes, Shape)
{
    const TensorDesc x = {DType::float32, {2, 3, 5, 7}};
    const auto shape = [&](const Shape& attributes) { return *reference(attributes, x); };
    using Dims = std::vector<int64_t>;
    EXPECT_EQ(shape({}), (Dims{2, 3, 5, 7}));
    EXPECT_EQ(shape({.start = 1, .end = -1}), (Dims{3, 5}));
    EXPECT_EQ(shape({.start = -9}), (Dims{2, 3, 5, 7}));
    EXPECT_EQ(shape({.start = -2}), (Dims{5, 7}));
    EXPECT_EQ(shape({.start = 0, .end = -9}), Dims{});
    EXPECT_EQ(shape({.start = 3, .end = 1}), Dims{});
    EXPECT_EQ(shape({.end = 9}), (Dims{2, 3, 5, 7}));
    EXPECT_EQ(*reference(Shape(), TensorDesc()), Dims{});
    EXPECT_FALSE(reference(Shape{.opset = 14, .start = 0}, x));
    EXPECT_FALSE(reference(Shape{.opset = 12}, {DType::bfloat16, {2}}));
    EXPECT_FALSE(reference(Shape{.opset = 24}, {DType::int2, {2}}));
    EXPECT_TRUE(reference(Shape{.opset = 25}, {DType::int2, {2}}));
}

}  // namespace
}  // namespace vkonnx::kit
