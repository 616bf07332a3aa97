// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"
#include "ops/windows.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t conv_versions[] = {1, 11, 22};
constexpr Schema::Input conv_inputs[] = {
    {"X", "T", float_types}, {"W", "T", float_types}, {"B", "T", float_types, Schema::Option::optional}};
constexpr Schema::Attribute conv_attributes[] = {{"auto_pad"}, {"kernel_shape"}, {"strides"}, {"dilations"}, {"pads"}, {"group"}};
constexpr Schema conv_schema = {.name = Conv::name,
                                .versions = conv_versions,
                                .inputs = conv_inputs,
                                .outputs = single_output,
                                .attributes = conv_attributes};

// Returns a text such as "W.dims[2]".
Word dim(std::string_view input, size_t index)
{
    return join({input, ".dims[", int64_t(index), "]"});
}

Status check_descs(const Document& document, std::span<const TensorDesc> inputs)
{
    static constexpr std::array<std::string_view, 3> names = {"X", "W", "B"};
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_layout(document, "X.layout", x.layout));
    VKONNX_RETURN_IF_ERROR(check_spatial_rank(document, x));
    if (inputs[1].dims.size() != x.dims.size())
        return document.refuse(
            {"W has rank ", int64_t(inputs[1].dims.size()), ", but must have X's rank ", int64_t(x.dims.size())});
    if (inputs.size() == 3 && inputs[2].dtype == DType::undefined)
        return refuse_missing(document, "B");
    if (inputs.size() == 3 && inputs[2].dims.size() != 1)
        return document.refuse({"B has rank ", int64_t(inputs[2].dims.size()), ", but must have 1"});
    for (size_t i = 0; i < inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_tensor(document, names[i], inputs[i]));
    return {};
}

Status check_channels(const Document& document, int64_t group, std::span<const TensorDesc> inputs)
{
    const TensorDesc& x = inputs[0];
    const std::span<const int64_t> w = inputs[1].dims;
    const size_t place = places_of(x.layout, x.dims.size()).channels;
    if (group < 1)
        return document.refuse({"group = ", group, " must be at least 1"});
    if (x.dims[place] % group != 0)
        return document.refuse({dim("X", place), " = ", x.dims[place], " must be a multiple of group = ", group});
    if (w[0] % group != 0)
        return document.refuse({"W.dims[0] = ", w[0], " must be a multiple of group = ", group});
    if (w[1] != x.dims[place] / group)
        return document.refuse({"W.dims[1] = ", w[1], " must equal ", dim("X", place), " / group = ", x.dims[place] / group});
    if (inputs.size() == 3 && inputs[2].dims[0] != w[0])
        return document.refuse({"B.dims[0] = ", inputs[2].dims[0], " must equal M = W.dims[0] = ", w[0]});
    return {};
}

// Checks the attributes and fills the axes. The pads are taken as given, whatever auto_pad says.
Status read_axes(const Document& document, const Conv& attributes, std::span<const int64_t> extents,
                 std::span<const int64_t> kernel, std::span<Axis> axes)
{
    const size_t n = axes.size();
    VKONNX_RETURN_IF_ERROR(check_auto_pad(document, attributes.auto_pad));
    VKONNX_RETURN_IF_ERROR(check_lists(document, {{"kernel_shape", attributes.kernel_shape, n, 1},
                                                  {"strides", attributes.strides, n, 1},
                                                  {"dilations", attributes.dilations, n, 1},
                                                  {"pads", attributes.pads, 2 * n, 0}}));
    VKONNX_RETURN_IF_ERROR(check_pads_alone(document, attributes.auto_pad, attributes.pads));
    for (size_t i = 0; i < n; ++i) {
        if (kernel[i] < 1)
            return document.refuse({dim("W", i + 2), " = ", kernel[i], " must be at least 1"});
        if (entry(attributes.kernel_shape, i, kernel[i]) != kernel[i])
            return document.refuse({"kernel_shape[", int64_t(i), "] = ", attributes.kernel_shape[i], " must equal ",
                                    dim("W", i + 2), " = ", kernel[i]});
        axes[i] = {.in = extents[i],
                   .kernel = kernel[i],
                   .stride = entry(attributes.strides, i, 1),
                   .dilation = entry(attributes.dilations, i, 1),
                   .begin = entry(attributes.pads, i, 0),
                   .end = entry(attributes.pads, n + i, 0)};
    }
    return {};
}

}  // namespace

const Schema& schema_of(const Conv&)
{
    return conv_schema;
}

Result<ConvGeometry> resolve(const Conv& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_descs(*document, inputs));
    VKONNX_RETURN_IF_ERROR(check_channels(*document, attributes.group, inputs));
    const TensorDesc& x = inputs[0];
    const Places places = places_of(x.layout, x.dims.size());
    ConvGeometry geometry = {.dtype = x.dtype,
                             .batch = x.dims[0],
                             .channels_in = x.dims[places.channels],
                             .channels_out = inputs[1].dims[0],
                             .group = attributes.group,
                             .bias = inputs.size() == 3,
                             .layout = x.layout,
                             .axes = std::vector<Axis>(x.dims.size() - 2)};
    std::vector<Axis>& axes = geometry.axes;
    VKONNX_RETURN_IF_ERROR(read_axes(*document, attributes, std::span(x.dims).subspan(places.spatial, axes.size()),
                                     std::span(inputs[1].dims).subspan(2), axes));

    const Sizing sizing = is_same(attributes.auto_pad) ? Sizing::same : Sizing::floor;
    const Extra extra = attributes.auto_pad == AutoPad::same_upper ? Extra::end : Extra::begin;
    geometry.equation = join({document->title(), ", ",
                              attributes.auto_pad == AutoPad::notset ? "explicit pads" : name(*document, attributes.auto_pad),
                              ": ", window_formula(sizing, {})});
    if (sizing == Sizing::same)
        geometry.equation += join({", split with the extra at the ", extra == Extra::end ? "end" : "beginning"});
    for (size_t i = 0; i < axes.size(); ++i) {
        VKONNX_RETURN_IF_ERROR(size_windows(*document, axes[i], i, sizing, extra));
        geometry.equation += axis_line(i) + window_formula(sizing, terms_of(axes[i]));
    }
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", output_of(geometry)));
    return geometry;
}

TensorDesc output_of(const ConvGeometry& geometry)
{
    return output_desc(geometry.dtype, geometry.batch, geometry.channels_out, geometry.axes, geometry.layout);
}

}  // namespace vkonnx::ops
