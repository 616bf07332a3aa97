// SPDX-License-Identifier: Apache-2.0
// How many windows an axis has, in words and numbers: what pooling and convolution have in common.
#pragma once

#include "ops/attributes.h"

namespace vkonnx::ops {

enum class Sizing : uint8_t { floor, ceil, same };

// "out = ceil(in / stride), ...", or one axis's numbers.
std::string window_formula(Sizing sizing, const Terms& terms);

// Fills in `out`, and `begin` and `end` where they follow from it: the extra of an odd total lies where `extra` says.
Status size_windows(const Document& document, Axis& axis, size_t index, Sizing sizing, Extra extra);

}  // namespace vkonnx::ops
