// What the references of operators share that move elements.
#pragma once

#include "kit/reference.h"

namespace vkonnx::kit::movement {

using List = std::vector<int64_t>;

Status bad(const std::string& sentence);

// The version that an opset means; 0 for none.
int64_t version_of(std::span<const int64_t> versions, int64_t opset);

// Whether elements have 8, 16, 32 or 64 bits.
bool is_whole(DType dtype);

// Whether documents take the type that take every type from the beginning, and bfloat16 from version 13 on.
bool is_common(DType dtype, int64_t version);

Status check(const TensorDesc& desc);

// Negative axes count from behind the last. Nothing where there is no such axis.
std::optional<size_t> axis_of(int64_t axis, size_t rank);

// Row-major coordinates of element `index`, and back.
List coordinates_of(int64_t index, const List& dims);
int64_t index_of(const List& coordinates, const List& dims);

Answer answer_of(uint64_t word);

}  // namespace vkonnx::kit::movement
