// SPDX-License-Identifier: Apache-2.0
// This file has what pooling and convolution have in common: how many windows an axis has, in words and numbers.
#pragma once

#include "ops/attributes.h"

namespace vkonnx::ops {

enum class Sizing : uint8_t { floor, ceil, same };

// Returns the formula of the output's extent, as in "out = ceil(in / stride), ...", or with one axis's numbers.
std::string window_formula(Sizing sizing, const Terms& terms);

// Fills in `out`, and `begin` and `end` where they follow from it: the extra of an odd total lies where `extra` says.
Status size_windows(const Document& document, Axis& axis, size_t index, Sizing sizing, Extra extra);

}  // namespace vkonnx::ops
