// SPDX-License-Identifier: Apache-2.0
// This file turns elements of float, float16, bfloat16 and double tensors into doubles, and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace vkonnx::graph {

bool is_real(DType dtype);
bool is_half(DType dtype);  // float16 or bfloat16

// Tells whether a number is at most the greatest of a real type, by magnitude. NaN is not.
bool is_within(DType dtype, double value);
// Tells whether it is also at least the least normal number, so that rounding to the type puts it off by at most half a unit in
// its last place.
bool is_normal(DType dtype, double value);

// Returns the elements of a tensor of a real type.
std::vector<double> reals_of(const HostTensor& tensor);

// Returns the values rounded to nearest even; those for 16 bits are rounded to float first. There is one for each element of
// `desc`, which has a real type.
HostTensor rounded(const TensorDesc& desc, std::span<const double> values);

}  // namespace vkonnx::graph
