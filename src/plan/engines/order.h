// SPDX-License-Identifier: Apache-2.0
// This file tells kernels how elements of a type compare (shaders/library/order.glsl).
#pragma once

#include <vkonnx/vkonnx.hpp>

namespace vkonnx::plan {

// These are the values of the specialization constants of the same names.
struct Order {
    uint32_t bits = 32;      // the width of an element
    uint32_t infinity = 0;   // the high word of the type's infinity, with as many bits as a word has; 0 for integers
    bool is_signed = false;  // tells which integers there are
};

Order order_of(DType dtype);

}  // namespace vkonnx::plan
