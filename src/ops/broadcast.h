// SPDX-License-Identifier: Apache-2.0
// How inputs of different shapes are broadcast to one another, in every direction.
#pragma once

#include <functional>

#include "ops/attributes.h"

namespace vkonnx::ops {

// The dimensions with as many 1s in front as make them `rank`.
std::vector<int64_t> aligned(const std::vector<int64_t>& dims, size_t rank);

// The output's dimensions, once each input is broadcast to them. An input of no type counts for nothing. `name_of` gives an
// input's name.
Result<std::vector<int64_t>> broadcast(const Document& document, std::span<const TensorDesc> inputs,
                                       const std::function<std::string(size_t)>& name_of);

// The element of an input that is broadcast to `dims` which belongs to element `index` of these; `input` is aligned with them.
size_t broadcast_place(size_t index, const std::vector<int64_t>& dims, const std::vector<int64_t>& input);

}  // namespace vkonnx::ops
