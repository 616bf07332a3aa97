// SPDX-License-Identifier: Apache-2.0
// This file turns PrepareOptions::prologue into what kernels are told: a specialization constant `prologue`, and an operand P
// with its numbers.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "ops/geometry.h"
#include "shaders/engines/fusion/prologue.h"

namespace vkonnx::plan {

inline uint32_t constant_of(const std::optional<Prologue>& prologue)
{
    if (!prologue)
        return 0;
    return (prologue->scaled ? PROLOGUE_SCALES : 0) | (prologue->kind == ElementwiseKind::relu ? PROLOGUE_RELU : 0) |
           (prologue->kind == ElementwiseKind::prelu ? PROLOGUE_PRELU : 0);
}

// Returns how many numbers P has for each channel. If it is 0, there is no P.
inline int64_t prologue_numbers(const std::optional<Prologue>& prologue)
{
    return prologue ? ops::numbers_of(*prologue) : 0;
}

// These are the numbers of a convolution's operands: P stands behind the place of B, whether or not there is a B, and Y behind
// all inputs.
inline constexpr uint8_t operand_p = 3;

inline uint8_t operand_y(bool bias, const std::optional<Prologue>& prologue)
{
    return prologue_numbers(prologue) > 0 ? operand_p + 1 : bias ? 3 : 2;
}

}  // namespace vkonnx::plan
