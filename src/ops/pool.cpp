// SPDX-License-Identifier: Apache-2.0
#include "ops/pool.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

Sizing sizing_of(const PoolWindows& windows)
{
    if (is_same(windows.auto_pad))
        return Sizing::same;
    // The documents' formula for VALID adds no window in ceil mode; ONNX Runtime does not treat VALID apart.
    const bool ignored = windows.auto_pad == AutoPad::valid && windows.rules == Rules::specification;
    return windows.ceil_mode && !ignored ? Sizing::ceil : Sizing::floor;
}

// Tells whether ceil_mode's last window was dropped, because it starts in the end padding.
bool is_short(const Axis& axis)
{
    const Exact room = Exact(axis.in) + axis.begin + axis.end - axis.dilated_kernel();
    return axis.out == ceil_divide(room, axis.stride).value;
}

std::string equation_of(const Document& document, const PoolWindows& windows, Sizing sizing, std::span<const Axis> axes)
{
    const AutoPad auto_pad = windows.auto_pad;
    std::string text =
        join({document.title(windows.rules), ", ", auto_pad == AutoPad::notset ? "explicit pads" : name(document, auto_pad),
              windows.ceil_mode ? ", ceil_mode" : "", ": ", window_formula(sizing, {})});
    if (sizing == Sizing::same)
        text += join({", split with the extra at the ", auto_pad == AutoPad::same_upper ? "end" : "beginning"});
    if (sizing == Sizing::ceil)
        text += ", less a last window that starts in the end padding";
    for (size_t i = 0; i < axes.size(); ++i)
        text += axis_line(i) + window_formula(sizing, terms_of(axes[i])) +
                (sizing == Sizing::ceil && is_short(axes[i]) ? " - 1" : "");
    return text;
}

// Checks the numbers (the first wrong one is refused) and fills the axes. The pads are taken as given, whatever auto_pad says.
Status read_axes(const Document& document, const PoolWindows& windows, std::span<const int64_t> extents, std::span<Axis> axes)
{
    const size_t n = axes.size();
    VKONNX_RETURN_IF_ERROR(check_lists(document, {{"kernel_shape", windows.kernel_shape, n, 1, Presence::required}}));
    VKONNX_RETURN_IF_ERROR(check_auto_pad(document, windows.auto_pad));
    VKONNX_RETURN_IF_ERROR(check_lists(
        document,
        {{"strides", windows.strides, n, 1}, {"dilations", windows.dilations, n, 1}, {"pads", windows.pads, 2 * n, 0}}));
    VKONNX_RETURN_IF_ERROR(check_pads_alone(document, windows.auto_pad, windows.pads));
    for (size_t i = 0; i < n; ++i)
        axes[i] = {.in = extents[i],
                   .kernel = windows.kernel_shape[i],
                   .stride = entry(windows.strides, i, 1),
                   .dilation = entry(windows.dilations, i, 1),
                   .begin = entry(windows.pads, i, 0),
                   .end = entry(windows.pads, n + i, 0)};
    return {};
}

}  // namespace

Status check_pool_input(const Document& document, const TensorDesc& x)
{
    VKONNX_RETURN_IF_ERROR(check_layout(document, "X.layout", x.layout));
    VKONNX_RETURN_IF_ERROR(check_spatial_rank(document, x));
    return check_tensor(document, "X", x);
}

Status size_pool(const Document& document, const PoolWindows& windows, const TensorDesc& x, PoolGeometry& geometry)
{
    const Places places = places_of(x.layout, x.dims.size());
    geometry.dtype = x.dtype;
    geometry.batch = x.dims[0];
    geometry.channels = x.dims[places.channels];
    geometry.layout = x.layout;
    std::vector<Axis>& axes = geometry.axes;
    axes.resize(x.dims.size() - 2);
    VKONNX_RETURN_IF_ERROR(read_axes(document, windows, std::span(x.dims).subspan(places.spatial, axes.size()), axes));
    const Sizing sizing = sizing_of(windows);
    const Extra extra = windows.auto_pad == AutoPad::same_upper ? Extra::end : Extra::begin;
    for (size_t i = 0; i < axes.size(); ++i) {
        VKONNX_RETURN_IF_ERROR(size_windows(document, axes[i], i, sizing, extra));
    }
    geometry.equation = equation_of(document, windows, sizing, axes);
    return check_tensor(document, "Y", output_of(geometry));
}

TensorDesc output_of(const PoolGeometry& geometry)
{
    return output_desc(geometry.dtype, geometry.batch, geometry.channels, geometry.axes, geometry.layout);
}

}  // namespace vkonnx::ops
