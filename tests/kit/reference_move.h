// This header has what the references of operators that move elements share.
#pragma once

#include "kit/reference.h"

namespace vkonnx::kit::movement {

using List = std::vector<int64_t>;

Status bad(const std::string& sentence);

// Returns the version that an opset means, or 0 for none.
int64_t version_of(std::span<const int64_t> versions, int64_t opset);

// Tells whether elements have 8, 16, 32 or 64 bits.
bool is_whole(DType dtype);

// Tells whether this version of an operator takes the type, if it takes bfloat16 from version 13 on and other types from the
// beginning.
bool is_common(DType dtype, int64_t version);

Status check(const TensorDesc& desc);

// Resolves an axis. Negative ones count from behind the last. Nothing is returned where there is no such axis.
std::optional<size_t> axis_of(int64_t axis, size_t rank);

// These two convert the index of an element to row-major coordinates, and back.
List coordinates_of(int64_t index, const List& dims);
int64_t index_of(const List& coordinates, const List& dims);

Answer answer_of(uint64_t word);

}  // namespace vkonnx::kit::movement
