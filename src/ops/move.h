// SPDX-License-Identifier: Apache-2.0
// This file has what the operators that only move elements have in common.
#pragma once

#include "ops/schema.h"

namespace vkonnx::ops {

// These are the types of Slice, Concat, Split, DepthToSpace, SpaceToDepth, Expand, Tile, and of those that gather and scatter.
inline constexpr Schema::Type movable_types[] = {
    {DType::float32, 1}, {DType::uint8, 1},     {DType::int8, 1},       {DType::uint16, 1},
    {DType::int16, 1},   {DType::int32, 1},     {DType::int64, 1},      {DType::string, 1},
    {DType::boolean, 1}, {DType::float16, 1},   {DType::float64, 1},    {DType::uint32, 1},
    {DType::uint64, 1},  {DType::complex64, 1}, {DType::complex128, 1}, {DType::bfloat16, 13},
};

// Checks that elements of the type have 8, 16, 32 or 64 bits, which is what kernels move.
Status check_movable(const Document& document, std::string_view input, DType dtype);

// Returns an axis as a number from 0 to rank - 1. A negative one counts from behind the last.
Result<size_t> axis_of(const Document& document, const Word& label, int64_t axis, size_t rank);

// Checks that indices into elements along the axis have the rank of data, and are no longer than data along the other axes.
Status check_indices_along(const Document& document, const TensorDesc& data, const TensorDesc& indices, size_t axis);

// Returns the axes that the list names, or all axes where the list is empty. Refuses a list that names one twice.
Result<std::vector<size_t>> axes_of(const Document& document, std::span<const int64_t> axes, size_t rank);

// Checks what DepthToSpace and SpaceToDepth demand of blocksize, mode and the input, but not what blocksize must divide.
template <class Op>
Status check_blocks(const Document& document, const Op& attributes, const TensorDesc& input)
{
    if (!attributes.blocksize)
        return document.refuse({"blocksize is required"});
    if (*attributes.blocksize < 1)
        return document.refuse({"blocksize = ", *attributes.blocksize, " must be at least 1"});
    if (word_of(Spellings<DepthToSpaceMode>(depth_to_space_mode_words), attributes.mode).empty())
        return document.refuse({"mode = ", int64_t(attributes.mode), " must be DCR or CRD"});
    if (Status status = check_movable(document, "input", input.dtype); !status)
        return status;
    if (input.layout != Layout::ncx)
        return document.refuse({"input.layout must be NCX"});
    if (input.dims.size() != 4)
        return document.refuse({"input has rank ", int64_t(input.dims.size()), ", but 4 is expected: N, C, H and W"});
    return check_tensor(document, "input", input);
}

// Returns coordinate * stride. The product may wrap where no tensor has elements, because then it is not used.
inline int64_t place_of(int64_t coordinate, int64_t stride)
{
    return int64_t(uint64_t(coordinate) * uint64_t(stride));
}

// Returns the elements from one coordinate to the next along each axis of a row-major tensor.
std::vector<int64_t> strides_of(std::span<const int64_t> dims);

// This struct tells how many coordinates an axis of an output has, and how many of the input's elements lie from one to the next.
struct Along {
    int64_t extent = 1;
    int64_t stride = 0;
};

// Returns the move of all elements of one input, from its first on, to an output whose elements are numbered by these axes.
Move moved_along(TensorDesc output, std::span<const Along> axes);

// Returns a source that takes each element from the place that it has in the tensor.
Source whole_source(const TensorDesc& desc);

}  // namespace vkonnx::ops
