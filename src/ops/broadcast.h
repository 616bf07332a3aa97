// SPDX-License-Identifier: Apache-2.0
// This file broadcasts inputs of different shapes to one another, in every direction.
#pragma once

#include <functional>

#include "ops/attributes.h"

namespace vkonnx::ops {

// Returns the dimensions with as many 1s in front as make them `rank`.
std::vector<int64_t> aligned(const std::vector<int64_t>& dims, size_t rank);

// Returns the output's dimensions, to which every input is broadcast. An input without dimensions, such as one that was left out,
// changes nothing. `name_of` gives an input's name.
Result<std::vector<int64_t>> broadcast(const Document& document, std::span<const TensorDesc> inputs,
                                       const std::function<std::string(size_t)>& name_of);

// Returns the element of an input that is broadcast to element `index` of `dims`, both counted row-major. `input` holds the
// input's dimensions, aligned with `dims`.
size_t broadcast_place(size_t index, const std::vector<int64_t>& dims, const std::vector<int64_t>& input);

}  // namespace vkonnx::ops
