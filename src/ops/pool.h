// SPDX-License-Identifier: Apache-2.0
// This file has what AveragePool and MaxPool have in common.
#pragma once

#include "ops/windows.h"

namespace vkonnx::ops {

// PoolWindows holds the attributes of windows. Both operators have them under the same names.
struct PoolWindows {
    Rules rules = Rules::specification;
    AutoPad auto_pad = AutoPad::notset;
    bool ceil_mode = false;
    std::span<const int64_t> kernel_shape = {};
    std::span<const int64_t> strides = {};
    std::span<const int64_t> dilations = {};
    std::span<const int64_t> pads = {};
};

// Returns the attributes' windows, whose lists refer to those of the attributes.
template <class Attributes>
PoolWindows windows_of(const Attributes& attributes)
{
    return {.rules = attributes.rules,
            .auto_pad = attributes.auto_pad,
            .ceil_mode = attributes.ceil_mode.value_or(0) == 1,
            .kernel_shape = attributes.kernel_shape,
            .strides = attributes.strides,
            .dilations = attributes.dilations,
            .pads = attributes.pads};
}

// Checks X, the only input.
Status check_pool_input(const Document& document, const TensorDesc& x);

// Checks the windows (the first wrong number is refused), and fills in X's axes and the equation.
Status size_pool(const Document& document, const PoolWindows& windows, const TensorDesc& x, PoolGeometry& geometry);

}  // namespace vkonnx::ops
