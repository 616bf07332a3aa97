// SPDX-License-Identifier: Apache-2.0
// ConvTranspose and Conv of ONNX, and ConvTranspose of oneDNN Graph.
#ifndef VKONNX_OPERATORS_CONVOLUTION_HPP
#define VKONNX_OPERATORS_CONVOLUTION_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Computes the transposed convolution of X with the filter W, and adds the bias B.
// - Input X has the dimensions (N, C, D1..Dn), with n from 1 to 6.
// - Input W has the dimensions (C, M / group, k1..kn).
// - Input B has the dimension (M). It may be left out.
// - Output Y has the dimensions (N, M, O1..On).
// X and Y are in X's layout. Versions are 1, 11 and 22.
struct ConvTranspose {
    static constexpr std::string_view name = "ConvTranspose";
    int64_t opset = newest_opset;
    Rules rules = Rules::specification;
    AutoPad auto_pad = AutoPad::notset;
    std::vector<int64_t> kernel_shape = {};    // n, inferred from W when not given
    std::vector<int64_t> strides = {};         // n
    std::vector<int64_t> dilations = {};       // n
    std::vector<int64_t> pads = {};            // 2n: all begins, then all ends
    std::vector<int64_t> output_padding = {};  // n
    std::vector<int64_t> output_shape = {};    // n, or n + 2 with N and M in front
    int64_t group = 1;
};

template <MaybeConst<ConvTranspose> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(auto_pad_words));
    visit("kernel_shape", op.kernel_shape);
    visit("strides", op.strides);
    visit("dilations", op.dilations);
    visit("pads", op.pads);
    visit("output_padding", op.output_padding);
    visit("output_shape", op.output_shape);
    visit("group", op.group);
}

// Computes the convolution of X with the filter W, and adds the bias B.
// - Input X has the dimensions (N, C, D1..Dn), with n from 1 to 6.
// - Input W has the dimensions (M, C / group, k1..kn).
// - Input B has the dimension (M). It may be left out.
// - Output Y has the dimensions (N, M, O1..On).
// X and Y are in X's layout. Versions are 1, 11 and 22. Taps beside the input are skipped. They are not multiplied by zeros.
struct Conv {
    static constexpr std::string_view name = "Conv";
    int64_t opset = newest_opset;
    AutoPad auto_pad = AutoPad::notset;
    std::vector<int64_t> kernel_shape = {};  // n, inferred from W when not given
    std::vector<int64_t> strides = {};       // n
    std::vector<int64_t> dilations = {};     // n
    std::vector<int64_t> pads = {};          // 2n: all begins, then all ends
    int64_t group = 1;
};

template <MaybeConst<Conv> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(auto_pad_words));
    visit("kernel_shape", op.kernel_shape);
    visit("strides", op.strides);
    visit("dilations", op.dilations);
    visit("pads", op.pads);
    visit("group", op.group);
}

namespace onednn {

inline constexpr Spelling<AutoPad> auto_pad_words[] = {{AutoPad::notset, "None"},
                                                       {AutoPad::same_upper, "SAME_UPPER"},
                                                       {AutoPad::same_lower, "SAME_LOWER"},
                                                       {AutoPad::valid, "VALID"}};

// A FilterFormat tells how a filter lies: spatial extents X, input channels I, output channels of a group O, outermost first.
enum class FilterFormat : uint8_t { xio, oix, iox };

inline constexpr Spelling<FilterFormat> filter_format_words[] = {
    {FilterFormat::xio, "XIO"}, {FilterFormat::oix, "OIX"}, {FilterFormat::iox, "IOX"}};

// ConvTranspose-1 of oneDNN Graph, in its own words: the same sum as ONNX's, other sizes. In model files, nodes of the domain
// onednn.graph. Inputs X, W (filter_format) and optionally B (OC); output Y. `data_format` says how the dimensions of X and Y
// are to be read; their TensorDesc::layout doesn't count, and that of the output is `data_format`.
struct ConvTranspose {
    static constexpr std::string_view domain = "onednn.graph";
    static constexpr std::string_view name = "ConvTranspose";
    std::vector<int64_t> strides = {};         // n, required
    std::vector<int64_t> pads_begin = {};      // n, required, also with an auto_pad, which overrides them
    std::vector<int64_t> pads_end = {};        // n, required
    std::vector<int64_t> dilations = {};       // n, required
    AutoPad auto_pad = AutoPad::notset;        // "None"
    std::vector<int64_t> output_padding = {};  // n
    int64_t groups = 1;
    Layout data_format = Layout::nxc;
    FilterFormat filter_format = FilterFormat::xio;
};

}  // namespace onednn

template <MaybeConst<onednn::ConvTranspose> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("strides", op.strides);
    visit("pads_begin", op.pads_begin);
    visit("pads_end", op.pads_end);
    visit("dilations", op.dilations);
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(onednn::auto_pad_words));
    visit("output_padding", op.output_padding);
    visit("groups", op.groups);
    visit("data_format", op.data_format, Spellings<Layout>(layout_words));
    visit("filter_format", op.filter_format, Spellings<onednn::FilterFormat>(onednn::filter_format_words));
}

}  // namespace vkonnx

#endif
