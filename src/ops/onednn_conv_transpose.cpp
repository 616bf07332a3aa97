// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/conv_transpose_common.h"

namespace vkonnx::ops {

namespace {

using onednn::FilterFormat;

constexpr Document document = {
    .op = onednn::ConvTranspose::name,
    .version = 1,
    .opset = 1,
    .vocabulary = {.family = "oneDNN Graph", .auto_pads = onednn::auto_pad_words, .group = "groups", .channels_out = "OC"}};

// The document has no f64; a device that has it, or computes it in integers, needs no other kernel for this dialect.
constexpr std::array<TypeSince, 4> types = {
    {{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 1}, {DType::float64, 1}}};

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
        text += axis_line(i) + formula(auto_pad, terms_of(axes[i], entry(attributes.output_padding, i)));
    return text;
}

Status check_formats(const onednn::ConvTranspose& attributes)
{
    if (Status checked = check_layout(document, "data_format", attributes.data_format); !checked)
        return checked;
    if (attributes.filter_format <= FilterFormat::iox)
        return {};
    return document.refuse({"filter_format = ", static_cast<int64_t>(attributes.filter_format), " must be one of XIO, OIX, IOX"});
}

Status read_axes(const onednn::ConvTranspose& attributes, std::span<Axis> axes)
{
    struct List {
        std::string_view name;
        std::span<const int64_t> entries;
        int64_t least;
        int64_t Axis::*member;
    };
    const List lists[] = {{"strides", attributes.strides, 1, &Axis::stride},
                          {"pads_begin", attributes.pads_begin, 0, &Axis::begin},
                          {"pads_end", attributes.pads_end, 0, &Axis::end},
                          {"dilations", attributes.dilations, 1, &Axis::dilation}};
    for (const List& list : lists) {
        if (Status checked = check_required_list(document, list.name, list.entries, axes.size(), list.least); !checked)
            return checked;
        set_axes(axes, list.member, list.entries);
    }
    if (Status checked = check_auto_pad(document, attributes.auto_pad); !checked)
        return checked;
    return check_list(document, "output_padding", attributes.output_padding, axes.size(), 0);
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

Result<ConvTransposeGeometry> resolve(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs)
{
    if (Status checked = check_formats(attributes); !checked)
        return checked;
    const ConvTransposeForm form = {attributes.data_format, attributes.filter_format, attributes.groups};
    Result<ConvTransposeGeometry> geometry = read_inputs(document, form, inputs, types);
    if (!geometry)
        return geometry;
    std::span<Axis> axes = geometry->axes;
    if (Status checked = read_axes(attributes, axes); !checked)
        return checked;
    for (size_t i = 0; i < axes.size(); ++i)
        if (Status sized = size_axis(axes[i], i, attributes.auto_pad, entry(attributes.output_padding, i)); !sized)
            return sized;
    geometry->equation = equation_of(attributes, axes);
    if (Status checked = check_tensor(document, "Y", output_of(*geometry)); !checked)
        return checked;
    return geometry;
}

}  // namespace vkonnx::ops
