// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/conv_transpose_common.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t conv_transpose_versions[] = {1, 11, 22};
constexpr Schema::Input conv_transpose_inputs[] = {
    {"X", "T", float_types}, {"W", "T", float_types}, {"B", "T", float_types, Schema::Option::optional}};
constexpr Schema::Attribute conv_transpose_attributes[] = {{"auto_pad"}, {"kernel_shape"},   {"strides"},      {"dilations"},
                                                           {"pads"},     {"output_padding"}, {"output_shape"}, {"group"}};
constexpr Schema conv_transpose_schema = {.name = ConvTranspose::name,
                                          .versions = conv_transpose_versions,
                                          .inputs = conv_transpose_inputs,
                                          .outputs = single_output,
                                          .attributes = conv_transpose_attributes};

// Sizing tells where an axis's output extent comes from.
enum class Sizing : uint8_t {
    output_shape,     // given; the padding follows from it
    same,             // in * stride
    same_or_natural,  // in * stride, but never more than the taps reach
    padded,           // the taps' reach less the pads
};

struct Rule {
    Sizing sizing;
    Extra extra = Extra::end;  // which side gets the extra position of an odd total padding
};

Rule rule_of(const Document& document, const ConvTranspose& attributes)
{
    const bool as_document = attributes.rules == Rules::specification;
    const bool upper = attributes.auto_pad == AutoPad::same_upper;
    if (!attributes.output_shape.empty()) {
        // The equation of version 1 has the extra position on the other side than that of later versions.
        const bool at_end = document.version == 1 && as_document ? !upper : upper;
        return {Sizing::output_shape, at_end ? Extra::end : Extra::begin};
    }
    if (is_same(attributes.auto_pad))
        return {as_document ? Sizing::same : Sizing::same_or_natural, upper ? Extra::end : Extra::begin};
    return {Sizing::padded};
}

std::string formula(Sizing sizing, bool has_pads, const Terms& terms)
{
    const std::string natural = natural_text(terms);
    const std::string total = join({terms.total, " = max(", natural, " - ", terms.out, ", 0)"});
    switch (sizing) {
    case Sizing::output_shape:
        return total;
    case Sizing::same:
        return join({terms.out, " = ", terms.in, "*", terms.stride, ", ", total});
    case Sizing::same_or_natural:
        return join({terms.out, " = min(", terms.in, "*", terms.stride, ", ", natural, "), ", total});
    case Sizing::padded:
        break;
    }
    return join({terms.out, " = ", natural, has_pads ? join({" - ", terms.pads}) : ""});
}

std::string equation_of(const Document& document, const ConvTranspose& attributes, Rule rule, std::span<const Axis> axes)
{
    const AutoPad auto_pad = attributes.auto_pad;
    const bool is_given = rule.sizing == Sizing::output_shape;
    const bool has_pads = auto_pad != AutoPad::valid || !attributes.pads.empty();
    const std::string_view how = auto_pad == AutoPad::notset && !is_given ? "explicit pads" : name(document, auto_pad);
    const std::string_view extra = rule.extra == Extra::end ? "end" : "beginning";
    std::string text = join({document.title(attributes.rules), is_given ? ", output_shape given, " : ", ", how, ": ",
                             formula(rule.sizing, has_pads, {})});
    if (rule.sizing != Sizing::padded)
        text += join({", split with the extra at the ", extra});
    for (size_t i = 0; i < axes.size(); ++i)
        text += axis_line(i) + formula(rule.sizing, has_pads, terms_of(axes[i], entry(attributes.output_padding, i, 0)));
    return text;
}

Status size_axis(const Document& document, Axis& axis, size_t index, Rule rule, int64_t output_padding, int64_t requested)
{
    const Exact natural = natural_extent(axis, output_padding);
    Exact out = requested;
    switch (rule.sizing) {
    case Sizing::output_shape:
        break;
    case Sizing::same:
        out = Exact(axis.in) * axis.stride;
        break;
    case Sizing::same_or_natural:
        out = lesser(Exact(axis.in) * axis.stride, natural);
        break;
    case Sizing::padded:
        out = natural - axis.begin - axis.end;
        break;
    }
    const Exact total = natural - out;
    if (!total.fits)
        return refuse_overflow(document, axis, index);
    axis.out = out.value;
    if (rule.sizing != Sizing::padded)
        split_pads(axis, total.value, rule.extra);
    return axis.out < 1 ? refuse_empty(document, axis, index) : Status();
}

// Checks kernel_shape: W's spatial extents are the kernel, and the attribute can only repeat them.
Status check_kernel(const Document& document, std::span<const int64_t> kernel_shape, std::span<const Axis> axes)
{
    VKONNX_RETURN_IF_ERROR(check_lists(document, {{"kernel_shape", kernel_shape, axes.size(), 1}}));
    for (size_t i = 0; i < kernel_shape.size(); ++i) {
        const auto index = int64_t(i);
        if (kernel_shape[i] != axes[i].kernel)
            return document.refuse(
                {"kernel_shape[", index, "] = ", kernel_shape[i], " must equal W.dims[", index + 2, "] = ", axes[i].kernel});
    }
    return {};
}

Status check_output_padding(const Document& document, const ConvTranspose& attributes, std::span<const Axis> axes)
{
    const std::span<const int64_t> list = attributes.output_padding;
    VKONNX_RETURN_IF_ERROR(check_lists(document, {{"output_padding", list, axes.size(), 0}}));
    if (document.version == 1 && attributes.rules == Rules::specification)
        return {};
    for (size_t i = 0; i < list.size(); ++i)
        if (list[i] >= std::max(axes[i].stride, axes[i].dilation))
            return document.refuse({"output_padding[", int64_t(i), "] = ", list[i], " must be less than max(stride ",
                                    axes[i].stride, ", dilation ", axes[i].dilation, ")"});
    return {};
}

// Checks output_shape, which may have n spatial extents, or N and M in front of them.
Status check_output_shape(const Document& document, std::span<const int64_t> list, size_t n, int64_t batch, int64_t channels)
{
    if (list.empty() || list.size() == n)
        return check_lists(document, {{"output_shape", list, n, 1}});
    if (list.size() != n + 2)
        return document.refuse({"output_shape has ", int64_t(list.size()), " entries, but ", int64_t(n),
                                " spatial extents must be given, or ", int64_t(n + 2), " with N and M in front"});
    if (list[0] != batch)
        return document.refuse({"output_shape[0] = ", list[0], " must equal N = ", batch});
    if (list[1] != channels)
        return document.refuse({"output_shape[1] = ", list[1], " must equal M = ", channels});
    for (size_t i = 2; i < list.size(); ++i)
        if (list[i] < 1)
            return document.refuse({"output_shape[", int64_t(i), "] = ", list[i], " must be at least 1"});
    return {};
}

// Checks the attributes (the first wrong one is refused) and fills the axes. The pads are taken as given, whatever auto_pad says.
Status read_axes(const Document& document, const ConvTranspose& attributes, ConvTransposeGeometry& geometry)
{
    std::vector<Axis>& axes = geometry.axes;
    const size_t n = axes.size();
    VKONNX_RETURN_IF_ERROR(check_kernel(document, attributes.kernel_shape, axes));
    VKONNX_RETURN_IF_ERROR(check_auto_pad(document, attributes.auto_pad));
    VKONNX_RETURN_IF_ERROR(check_lists(
        document,
        {{"strides", attributes.strides, n, 1}, {"dilations", attributes.dilations, n, 1}, {"pads", attributes.pads, 2 * n, 0}}));
    if (attributes.rules == Rules::specification)
        VKONNX_RETURN_IF_ERROR(check_pads_alone(document, attributes.auto_pad, attributes.pads));
    for (size_t i = 0; i < n; ++i) {
        axes[i].stride = entry(attributes.strides, i, 1);
        axes[i].dilation = entry(attributes.dilations, i, 1);
        axes[i].begin = entry(attributes.pads, i, 0);
        axes[i].end = entry(attributes.pads, n + i, 0);
    }
    VKONNX_RETURN_IF_ERROR(check_output_padding(document, attributes, axes));
    return check_output_shape(document, attributes.output_shape, n, geometry.batch, geometry.channels_out);
}

}  // namespace

const Schema& schema_of(const ConvTranspose&)
{
    return conv_transpose_schema;
}

Result<ConvTransposeGeometry> resolve(const ConvTranspose& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const ConvTransposeForm form = {inputs[0].layout, onednn::FilterFormat::iox, attributes.group};
    Result<ConvTransposeGeometry> geometry = read_inputs(*document, form, inputs);
    if (!geometry)
        return geometry;
    VKONNX_RETURN_IF_ERROR(read_axes(*document, attributes, *geometry));

    std::vector<Axis>& axes = geometry->axes;
    const std::span requested = attributes.output_shape;
    const Rule rule = rule_of(*document, attributes);
    for (size_t i = 0; i < axes.size(); ++i) {
        const int64_t output_padding = entry(attributes.output_padding, i, 0);
        const int64_t extent = requested.empty() ? 0 : requested.last(axes.size())[i];
        VKONNX_RETURN_IF_ERROR(size_axis(*document, axes[i], i, rule, output_padding, extent));
    }
    geometry->equation = equation_of(*document, attributes, rule, axes);
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", output_of(*geometry)));
    return geometry;
}

}  // namespace vkonnx::ops
