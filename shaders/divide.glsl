// SPDX-License-Identifier: Apache-2.0
// Division by a number that the host knows: shared/divide.h.
#ifndef VKONNX_DIVIDE_GLSL
#define VKONNX_DIVIDE_GLSL

#include "shared/divide.h"

// n / divisor.number, for n below 2^31.
uint divided(uint n, Divisor divisor)
{
    uint high, low;
    umulExtended(n << 1u, divisor.multiplier, high, low);
    return high >> divisor.shift;
}

#endif
