// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"

#include "return_if_error.h"

namespace vkonnx::ops {

Status check_movable(const Document& document, std::string_view input, DType dtype)
{
    const uint32_t width = bits(dtype);
    if (width == 8 || width == 16 || width == 32 || width == 64)
        return {};
    return document.refuse({input, " has type ", vkonnx::name(dtype), ", but only elements of 8, 16, 32 and 64 bits are moved"},
                           Code::unsupported);
}

Result<size_t> axis_of(const Document& document, const Word& label, int64_t axis, size_t rank)
{
    const auto limit = int64_t(rank);
    if (axis >= -limit && axis < limit)
        return size_t(axis < 0 ? axis + limit : axis);
    if (rank == 0)
        return document.refuse({label, " = ", axis, " names an axis, but the input has none"});
    return document.refuse({label, " = ", axis, " must be in [", -limit, ", ", limit - 1, "] for rank ", limit});
}

Result<std::vector<size_t>> axes_of(const Document& document, std::span<const int64_t> axes, size_t rank)
{
    std::vector<size_t> resolved;
    if (axes.empty())
        for (size_t i = 0; i < rank; ++i)
            resolved.push_back(i);
    for (size_t i = 0; i < axes.size(); ++i) {
        const Result<size_t> axis = axis_of(document, join({"axes[", int64_t(i), "]"}), axes[i], rank);
        VKONNX_RETURN_IF_ERROR(axis.status());
        if (std::find(resolved.begin(), resolved.end(), *axis) != resolved.end())
            return document.refuse({"axes[", int64_t(i), "] = ", axes[i], " names an axis twice"});
        resolved.push_back(*axis);
    }
    return resolved;
}

std::vector<int64_t> strides_of(std::span<const int64_t> dims)
{
    std::vector<int64_t> strides(dims.size());
    uint64_t stride = 1;  // may wrap where there are no elements, because then it is not used
    for (size_t i = dims.size(); i-- > 0;) {
        strides[i] = int64_t(stride);
        stride *= uint64_t(dims[i]);
    }
    return strides;
}

Move moved_along(TensorDesc output, std::span<const Along> axes)
{
    Move move;
    move.output = std::move(output);
    move.sources.resize(1);
    for (const auto& [extent, stride] : axes) {
        move.extents.push_back(extent);
        move.sources[0].axes.push_back({.stride = stride, .extent = extent});
    }
    return move;
}

Status check_indices_along(const Document& document, const TensorDesc& data, const TensorDesc& indices, size_t axis)
{
    const size_t rank = data.dims.size();
    if (indices.dims.size() != rank)
        return document.refuse({"indices have rank ", int64_t(indices.dims.size()), ", but data has rank ", int64_t(rank)});
    for (size_t a = 0; a < rank; ++a)
        if (a != axis && indices.dims[a] > data.dims[a])
            return document.refuse({"indices.dims[", int64_t(a), "] = ", indices.dims[a], " must be at most data.dims[",
                                    int64_t(a), "] = ", data.dims[a], "; only axis ", int64_t(axis), " may be longer"});
    return {};
}

Source whole_source(const TensorDesc& desc)
{
    const std::vector<int64_t> strides = strides_of(desc.dims);
    Source source;
    for (size_t i = 0; i < desc.dims.size(); ++i)
        source.axes.push_back({.stride = strides[i], .extent = desc.dims[i]});
    return source;
}

TensorDesc output_of(const MoveGeometry& geometry)
{
    return geometry.moves.front().output;
}

std::vector<TensorDesc> outputs_of(const MoveGeometry& geometry)
{
    std::vector<TensorDesc> outputs;
    for (const Move& move : geometry.moves)
        outputs.push_back(move.output);
    return outputs;
}

}  // namespace vkonnx::ops
