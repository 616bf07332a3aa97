// SPDX-License-Identifier: Apache-2.0
// This file has what ONNX's ConvTranspose and oneDNN Graph's have in common: the inputs and how far the taps reach.
#pragma once

#include "ops/attributes.h"

namespace vkonnx::ops {

// A ConvTransposeForm tells how the problem lies in memory, and the number of groups.
struct ConvTransposeForm {
    Layout layout;  // of X and Y
    onednn::FilterFormat filter;
    int64_t group;
};

// Checks X, W and B against each other and begins the geometry with what they say: type, channels, and `in` and `kernel` of the
// axes. Attributes with an entry an axis are still to be filled in.
Result<ConvTransposeGeometry> read_inputs(const Document& document, const ConvTransposeForm& form,
                                          std::span<const TensorDesc> inputs);

// Returns the output's extent without any padding: stride * (in - 1) + output_padding + dilated kernel.
Exact natural_extent(const Axis& axis, int64_t output_padding);
std::string natural_text(const Terms& terms);

}  // namespace vkonnx::ops
