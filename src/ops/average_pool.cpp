// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/attributes.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 6> versions = {1, 7, 10, 11, 19, 22};

enum class Sizing : uint8_t { floor, ceil, same };

Sizing sizing_of(const AveragePool& attributes)
{
    if (is_same(attributes.auto_pad))
        return Sizing::same;
    const bool ceil = attributes.ceil_mode.value_or(0) == 1;
    // The documents' formula for VALID adds no window in ceil mode; ONNX Runtime does not treat VALID apart.
    const bool ignored = attributes.auto_pad == AutoPad::valid && attributes.rules == Rules::specification;
    return ceil && !ignored ? Sizing::ceil : Sizing::floor;
}

std::string formula(Sizing sizing, const Terms& terms)
{
    if (sizing == Sizing::same)
        return join({terms.out, " = ceil(", terms.in, " / ", terms.stride, "), ", terms.total, " = max((", terms.out, " - 1)*",
                     terms.stride, " + ", terms.dilated_kernel, " - ", terms.in, ", 0)"});
    return join({terms.out, sizing == Sizing::ceil ? " = ceil((" : " = floor((", terms.in, " + ", terms.pads, " - ",
                 terms.dilated_kernel, ") / ", terms.stride, ") + 1"});
}

// Whether ceil_mode's last window was taken back.
bool is_short(const Axis& axis)
{
    const Exact room = Exact(axis.in) + axis.begin + axis.end - axis.dilated_kernel();
    return axis.out == ceil_divide(room, axis.stride).value;
}

std::string equation_of(const Document& document, const AveragePool& attributes, Sizing sizing, std::span<const Axis> axes)
{
    const AutoPad auto_pad = attributes.auto_pad;
    std::string text =
        join({document.title(attributes.rules), ", ", auto_pad == AutoPad::notset ? "explicit pads" : name(document, auto_pad),
              attributes.ceil_mode.value_or(0) == 1 ? ", ceil_mode" : "", ": ", formula(sizing, {})});
    if (sizing == Sizing::same)
        text += join({", split with the extra at the ", auto_pad == AutoPad::same_upper ? "end" : "beginning"});
    if (sizing == Sizing::ceil)
        text += ", less a last window that starts in the end padding";
    for (size_t i = 0; i < axes.size(); ++i)
        text += axis_line(i) + formula(sizing, terms_of(axes[i])) + (sizing == Sizing::ceil && is_short(axes[i]) ? " - 1" : "");
    return text;
}

Status size_same(const Document& document, Axis& axis, size_t index, Extra extra)
{
    const Exact out = ceil_divide(axis.in, axis.stride);
    axis.out = out.value;
    if (axis.out < 1)
        return refuse_empty(document, axis, index);
    const Exact total = (out - 1) * axis.stride + dilated_kernel(axis) - axis.in;
    if (!total.fits)
        return refuse_overflow(document, axis, index);
    split_pads(axis, total.value, extra);
    return {};
}

Status size_window(const Document& document, Axis& axis, size_t index, bool ceil)
{
    const Exact padded = Exact(axis.in) + axis.begin + axis.end;
    const Exact dilated = dilated_kernel(axis);
    const Exact room = padded - dilated;
    if (!room.fits)
        return refuse_overflow(document, axis, index);
    if (room.value < 0)
        return document.refuse({"kernel_shape[", int64_t(index), "] = ", axis.kernel, " with dilation ", axis.dilation, " spans ",
                                dilated.value, ", which must not be more than the padded input's ", padded.value});
    const Exact strides = ceil ? ceil_divide(room, axis.stride) : floor_divide(room, axis.stride);
    const Exact last_start = strides * axis.stride;
    const bool dropped = ceil && (!last_start.fits || last_start.value >= axis.in + axis.begin);
    axis.out = dropped ? strides.value : strides.value + 1;  // fits, since the dilated kernel took at least 1
    return axis.out < 1 ? refuse_empty(document, axis, index) : Status();
}

Status check_attributes(const Document& document, const AveragePool& attributes)
{
    if (Status status = check_since(document, "dilations", !attributes.dilations.empty(), 19); !status)
        return status;
    if (Status status = check_since(document, "ceil_mode", attributes.ceil_mode.has_value(), 10); !status)
        return status;
    if (Status status = check_since(document, "count_include_pad", attributes.count_include_pad.has_value(), 7); !status)
        return status;
    if (Status status = check_flag(document, "ceil_mode", attributes.ceil_mode); !status)
        return status;
    return check_flag(document, "count_include_pad", attributes.count_include_pad);
}

Status check_input(const Document& document, std::span<const TensorDesc> inputs)
{
    if (Status status = check_input_count(document, inputs.size(), 1, 1); !status)
        return status;
    const TensorDesc& x = inputs[0];
    if (Status status = check_type(document, "X", x.dtype, float_types()); !status)
        return status;
    if (Status status = check_layout(document, "X.layout", x.layout); !status)
        return status;
    if (Status status = check_spatial_rank(document, x); !status)
        return status;
    return check_tensor(document, "X", x);
}

// Checks the attributes (the first wrong one is refused) and fills the axes: the pads as given, whatever auto_pad says.
Status read_axes(const Document& document, const AveragePool& attributes, std::span<const int64_t> extents, std::span<Axis> axes)
{
    const size_t n = axes.size();
    if (Status status = check_lists(document, {{"kernel_shape", attributes.kernel_shape, n, 1, Presence::required}}); !status)
        return status;
    if (Status status = check_auto_pad(document, attributes.auto_pad); !status)
        return status;
    if (Status status = check_lists(document, {{"strides", attributes.strides, n, 1},
                                               {"dilations", attributes.dilations, n, 1},
                                               {"pads", attributes.pads, 2 * n, 0}});
        !status)
        return status;
    if (Status status = check_pads_alone(document, attributes.auto_pad, attributes.pads); !status)
        return status;
    for (size_t i = 0; i < n; ++i)
        axes[i] = {.in = extents[i],
                   .kernel = attributes.kernel_shape[i],
                   .stride = entry(attributes.strides, i, 1),
                   .dilation = entry(attributes.dilations, i, 1),
                   .begin = entry(attributes.pads, i, 0),
                   .end = entry(attributes.pads, n + i, 0)};
    return {};
}

}  // namespace

Result<AveragePoolGeometry> resolve(const AveragePool& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(AveragePool::name, versions, attributes.opset);
    if (!document)
        return document.status();
    if (Status status = check_attributes(*document, attributes); !status)
        return status;
    if (Status status = check_input(*document, inputs); !status)
        return status;
    const TensorDesc& x = inputs[0];
    const Places places = places_of(x.layout, x.dims.size());
    AveragePoolGeometry geometry = {.dtype = x.dtype,
                                    .batch = x.dims[0],
                                    .channels = x.dims[places.channels],
                                    .count_include_pad = attributes.count_include_pad.value_or(0) == 1,
                                    .layout = x.layout,
                                    .axes = std::vector<Axis>(x.dims.size() - 2)};
    std::vector<Axis>& axes = geometry.axes;
    if (Status status = read_axes(*document, attributes, std::span(x.dims).subspan(places.spatial, axes.size()), axes); !status)
        return status;

    const Sizing sizing = sizing_of(attributes);
    const Extra extra = attributes.auto_pad == AutoPad::same_upper ? Extra::end : Extra::begin;
    for (size_t i = 0; i < axes.size(); ++i) {
        Status status = sizing == Sizing::same ? size_same(*document, axes[i], i, extra)
                                               : size_window(*document, axes[i], i, sizing == Sizing::ceil);
        if (!status)
            return status;
    }
    geometry.equation = equation_of(*document, attributes, sizing, axes);
    if (Status status = check_tensor(*document, "Y", output_of(geometry)); !status)
        return status;
    return geometry;
}

TensorDesc output_of(const AveragePoolGeometry& geometry)
{
    return output_desc(geometry.dtype, geometry.batch, geometry.channels, geometry.axes, geometry.layout);
}

Signature signature_of(const AveragePool& attributes)
{
    return {.inputs = {"X"}, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
