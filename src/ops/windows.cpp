// SPDX-License-Identifier: Apache-2.0
#include "ops/windows.h"

namespace vkonnx::ops {

namespace {

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
    axis.out = dropped ? strides.value : strides.value + 1;  // the sum fits, since the dilated kernel took at least 1
    return axis.out < 1 ? refuse_empty(document, axis, index) : Status();
}

}  // namespace

std::string window_formula(Sizing sizing, const Terms& terms)
{
    if (sizing == Sizing::same)
        return join({terms.out, " = ceil(", terms.in, " / ", terms.stride, "), ", terms.total, " = max((", terms.out, " - 1)*",
                     terms.stride, " + ", terms.dilated_kernel, " - ", terms.in, ", 0)"});
    return join({terms.out, sizing == Sizing::ceil ? " = ceil((" : " = floor((", terms.in, " + ", terms.pads, " - ",
                 terms.dilated_kernel, ") / ", terms.stride, ") + 1"});
}

Status size_windows(const Document& document, Axis& axis, size_t index, Sizing sizing, Extra extra)
{
    return sizing == Sizing::same ? size_same(document, axis, index, extra)
                                  : size_window(document, axis, index, sizing == Sizing::ceil);
}

}  // namespace vkonnx::ops
