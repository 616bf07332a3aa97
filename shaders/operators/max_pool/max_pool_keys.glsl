// SPDX-License-Identifier: Apache-2.0
// This file compares elements for MaxPool's kernels, in integers. It is included behind the integer type that carries their bits.
// The kernel's list has a constant `type`.
#include "shaders/library/data_types.h"

// Elements are compared by their keys. Zeros of both signs have the same key, and a NaN has the least.
#if BITS == 64

#define Key uvec2

const uvec2 NOT_A_NUMBER = uvec2(0u);

// Returns an element's key, moved by 2^63, so that keys compare as unsigned numbers.
Key key_of(Real element)
{
    const uint infinity = 0x7ff00000u;
    uvec2 magnitude = uvec2(element.x, element.y & 0x7fffffffu);
    if (magnitude.y > infinity || (magnitude.y == infinity && magnitude.x != 0u))
        return NOT_A_NUMBER;
    uvec2 signed_magnitude = element.y == magnitude.y ? magnitude : minus(zero(), magnitude);
    return uvec2(signed_magnitude.x, signed_magnitude.y ^ 0x80000000u);
}

const uvec2 ABOVE_ALL = uvec2(0xffffffffu);

bool is_greater(Key a, Key b)
{
    return below(b, a);
}

// Returns the lowest finite number.
Real lowest()
{
    return uvec2(0xffffffffu, 0xffefffffu);
}

#else

#define Key int

const int NOT_A_NUMBER = int(0x80000000u);
const int ABOVE_ALL = 0x7fffffff;

#if BITS == 8

Key key_of(Real element)
{
    return spec_type == DTYPE_INT8 ? int(element << 24u) >> 24 : int(element);
}

Real lowest()
{
    return spec_type == DTYPE_INT8 ? 0x80u : 0u;
}

#else

uint infinity()
{
#if BITS == 32
    return 0x7f800000u;
#else
    return spec_type == DTYPE_BFLOAT16 ? 0x7f80u : 0x7c00u;
#endif
}

Key key_of(Real element)
{
    const uint sign = 1u << BITS - 1;
    int magnitude = int(element & ~sign);
    if (magnitude > int(infinity()))
        return NOT_A_NUMBER;
    return (element & sign) != 0u ? -magnitude : magnitude;
}

Real lowest()
{
    return (1u << BITS - 1) + infinity() - 1u;
}

#endif

bool is_greater(Key a, Key b)
{
    return a > b;
}

#endif

// Returns the key that an element must exceed to replace this one. A NaN stays once it is there, which only the window's first
// element can be.
Key key_to_exceed(Real element)
{
    Key key = key_of(element);
    return key == NOT_A_NUMBER ? ABOVE_ALL : key;
}
