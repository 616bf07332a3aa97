// SPDX-License-Identifier: Apache-2.0
// This file replaces divisions by a number that the host knows, for C++ and GLSL: they are slow on GPUs, and slower on software
// drivers. n / number = n * multiplier >> 31 + shift for all n below 2^31 (Granlund and Montgomery, 1994).
#ifndef VKONNX_DIVIDE_H
#define VKONNX_DIVIDE_H

#include "shaders/library/blocks.h"

#ifdef __cplusplus
#include <bit>

namespace vkonnx::push {
#endif

struct Divisor {
    uint number;
    uint multiplier;
    uint shift;
    uint padding_;
};

#ifdef __cplusplus
static_assert(sizeof(Divisor) % 16 == 0);

// Returns the divisor of a number from 1 to 2^31 - 1.
constexpr Divisor divisor_of(uint number)
{
    const uint shift = uint(std::bit_width(number - 1));
    return {number, uint((uint64_t(1) << (31 + shift)) / number + 1), shift, 0};
}

}  // namespace vkonnx::push
#endif

#endif
