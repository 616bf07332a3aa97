// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/conv_transpose_common.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using onednn::FilterFormat;

constexpr Document document = {
    .op = onednn::ConvTranspose::name,
    .version = 1,
    .opset = 1,
    .vocabulary = {.family = "oneDNN Graph", .auto_pads = onednn::auto_pad_words, .group = "groups", .channels_out = "OC"}};

// The document has no f64. It is accepted, because kernels compute it anyway, by doubles of the device or in integers.
constexpr Schema::Type onednn_conv_transpose_types[] = {
    {DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 1}, {DType::float64, 1}};

constexpr int64_t onednn_conv_transpose_versions[] = {1};
constexpr Schema::Input onednn_conv_transpose_inputs[] = {{"X", "T", onednn_conv_transpose_types},
                                                          {"W", "T", onednn_conv_transpose_types},
                                                          {"B", "T", onednn_conv_transpose_types, Schema::Option::optional}};
constexpr Schema::Attribute onednn_conv_transpose_attributes[] = {{"strides"},   {"pads_begin"},  {"pads_end"},
                                                                  {"dilations"}, {"auto_pad"},    {"output_padding"},
                                                                  {"groups"},    {"data_format"}, {"filter_format"}};
constexpr Schema onednn_conv_transpose_schema = {.domain = onednn::ConvTranspose::domain,
                                                 .name = onednn::ConvTranspose::name,
                                                 .versions = onednn_conv_transpose_versions,
                                                 .inputs = onednn_conv_transpose_inputs,
                                                 .outputs = single_output,
                                                 .attributes = onednn_conv_transpose_attributes};

std::string formula(AutoPad auto_pad, const Terms& terms)
{
    std::string text = join({terms.out, " = ", natural_text(terms)});
    if (auto_pad != AutoPad::valid)
        text += join({" - ", terms.pads});
    if (is_same(auto_pad))
        text += join({", ", terms.total, " = max(", terms.dilated_kernel, " - ", terms.stride, ", 0)"});
    return text;
}

std::string equation_of(const onednn::ConvTranspose& attributes, std::span<const Axis> axes)
{
    const AutoPad auto_pad = attributes.auto_pad;
    std::string text = join({document.title(), ", ", auto_pad == AutoPad::notset ? "explicit pads" : name(document, auto_pad),
                             ": ", formula(auto_pad, {})});
    if (is_same(auto_pad))
        text += join({", split with the extra at the ", auto_pad == AutoPad::same_upper ? "end" : "beginning"});
    for (size_t i = 0; i < axes.size(); ++i)
        text += axis_line(i) + formula(auto_pad, terms_of(axes[i], entry(attributes.output_padding, i, 0)));
    return text;
}

Status check_formats(const onednn::ConvTranspose& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_layout(document, "data_format", attributes.data_format));
    if (attributes.filter_format <= FilterFormat::iox)
        return {};
    return document.refuse({"filter_format = ", int64_t(attributes.filter_format), " must be one of XIO, OIX, IOX"});
}

// Checks the attributes (the first wrong one is refused) and fills the axes. The pads are taken as given, whatever auto_pad says.
Status read_axes(const onednn::ConvTranspose& attributes, std::span<Axis> axes)
{
    const size_t n = axes.size();
    VKONNX_RETURN_IF_ERROR(check_lists(document, {{"strides", attributes.strides, n, 1, Presence::required},
                                                  {"pads_begin", attributes.pads_begin, n, 0, Presence::required},
                                                  {"pads_end", attributes.pads_end, n, 0, Presence::required},
                                                  {"dilations", attributes.dilations, n, 1, Presence::required}}));
    for (size_t i = 0; i < n; ++i) {
        axes[i].stride = attributes.strides[i];
        axes[i].dilation = attributes.dilations[i];
        axes[i].begin = attributes.pads_begin[i];
        axes[i].end = attributes.pads_end[i];
    }
    VKONNX_RETURN_IF_ERROR(check_auto_pad(document, attributes.auto_pad));
    return check_lists(document, {{"output_padding", attributes.output_padding, n, 0}});
}

Status size_axis(Axis& axis, size_t index, AutoPad auto_pad, int64_t output_padding)
{
    const Exact natural = natural_extent(axis, output_padding);
    if (is_same(auto_pad)) {
        const Exact total = dilated_kernel(axis) - axis.stride;
        if (!total.fits)
            return refuse_overflow(document, axis, index);
        split_pads(axis, total.value, auto_pad == AutoPad::same_upper ? Extra::end : Extra::begin);
    } else if (auto_pad == AutoPad::valid) {
        axis.begin = axis.end = 0;
    }
    const Exact out = natural - axis.begin - axis.end;
    if (!out.fits)
        return refuse_overflow(document, axis, index);
    axis.out = out.value;
    return axis.out < 1 ? refuse_empty(document, axis, index) : Status();
}

}  // namespace

const Schema& schema_of(const onednn::ConvTranspose&)
{
    return onednn_conv_transpose_schema;
}

Result<ConvTransposeGeometry> resolve(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(check_inputs(document, onednn_conv_transpose_schema, inputs));
    VKONNX_RETURN_IF_ERROR(check_formats(attributes));
    const ConvTransposeForm form = {attributes.data_format, attributes.filter_format, attributes.groups};
    Result<ConvTransposeGeometry> geometry = read_inputs(document, form, inputs);
    if (!geometry)
        return geometry;
    std::vector<Axis>& axes = geometry->axes;
    VKONNX_RETURN_IF_ERROR(read_axes(attributes, axes));

    for (size_t i = 0; i < axes.size(); ++i)
        VKONNX_RETURN_IF_ERROR(size_axis(axes[i], i, attributes.auto_pad, entry(attributes.output_padding, i, 0)));
    geometry->equation = equation_of(attributes, axes);
    VKONNX_RETURN_IF_ERROR(check_tensor(document, "Y", output_of(*geometry)));
    return geometry;
}

}  // namespace vkonnx::ops
