// This header has what the references of operators that move elements share.
#pragma once

#include "kit/reference_parts.h"

namespace vkonnx::kit::movement {

// Tells whether elements have 8, 16, 32 or 64 bits.
bool is_whole(DType dtype);

// Tells whether this version of an operator takes the type, if it takes bfloat16 from version 13 on and other types from the
// beginning.
bool is_common(DType dtype, int64_t version);

// Resolves an axis. Negative ones count from behind the last. Nothing is returned where there is no such axis.
std::optional<size_t> axis_of(int64_t axis, size_t rank);

Answer word_answer(uint64_t word);

// Returns the index at these coordinates of a tensor of int32 or int64.
int64_t index_at(const RealTensor& indices, const List& coordinates);

// Returns which element lies at these coordinates, of which negative ones count from behind the last, or nothing where there is
// none.
std::optional<size_t> place_at(const List& dims, List coordinates);

}  // namespace vkonnx::kit::movement
