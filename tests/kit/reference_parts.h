// This header has what the references of several operators share.
#pragma once

#include <string>

#include "kit/reference.h"

namespace vkonnx::kit {

using List = std::vector<int64_t>;

// Returns the status by which a reference refuses a problem.
Status refusal(const std::string& sentence);

// These two refuse tensors whose number of elements element_count() refuses.
Status check_count(const TensorDesc& desc);
Status check_counts(std::span<const TensorDesc> descs);

// Tells whether elements of the type are floating-point numbers.
bool is_real(DType dtype);

// Returns the newest version that is not newer than the opset, or 0 where there is none.
int64_t version_of(std::span<const int64_t> versions, int64_t opset);

// Compares words that stand for integers or booleans of the type.
bool is_less(DType dtype, uint64_t a, uint64_t b);

// These two convert the index of an element in row-major order to a coordinate along each dimension, and back.
List coordinates_of(int64_t index, const List& dims);
int64_t index_of(const List& coordinates, const List& dims);

}  // namespace vkonnx::kit
