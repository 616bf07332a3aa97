// SPDX-License-Identifier: Apache-2.0
// Elements of float, float16, bfloat16 and double tensors as doubles, and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace vkonnx::graph {

bool is_real(DType dtype);
bool is_half(DType dtype);  // float16 or bfloat16

// Whether a number is at most the greatest of a real type, by magnitude. NaN is not.
bool is_within(DType dtype, double value);
// Whether it is also at least the least normal number, so that rounding to the type puts it off by at most half a unit in its
// last place.
bool is_normal(DType dtype, double value);

// The elements of a tensor of a real type.
std::vector<double> reals_of(const HostTensor& tensor);

// Rounded to nearest even; to what has 16 bits by way of float. One for each element of `desc`, of such a type.
HostTensor rounded(const TensorDesc& desc, std::span<const double> values);

}  // namespace vkonnx::graph
