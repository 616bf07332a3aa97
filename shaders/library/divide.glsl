// SPDX-License-Identifier: Apache-2.0
// This file divides by a number that the host knows, as divide.h describes.
#ifndef VKONNX_DIVIDE_GLSL
#define VKONNX_DIVIDE_GLSL

#include "shaders/library/divide.h"

// Returns n / divisor.number, for n below 2^31.
uint divided(uint n, Divisor divisor)
{
    uint high, low;
    umulExtended(n << 1u, divisor.multiplier, high, low);
    return high >> divisor.shift;
}

#endif
