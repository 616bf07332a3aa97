// SPDX-License-Identifier: Apache-2.0
// This file computes Pow of floats and of integers of 32 and 64 bits. Exponents may be of another type: they are read from the
// words that hold them. It is included behind store.glsl, with the specialization constant spec_exponent, the exponents' type.
#include "shaders/library/functions.glsl"
#include "shaders/library/data_types.h"

layout(binding = 1) readonly buffer Exponents
{
    uint exponents[];
};

bool exponent_is_integer()
{
    return spec_exponent != DTYPE_FLOAT32 && spec_exponent != DTYPE_FLOAT16 && spec_exponent != DTYPE_BFLOAT16;
}

bool exponent_has_sign()
{
    return spec_exponent == DTYPE_INT8 || spec_exponent == DTYPE_INT16 || spec_exponent == DTYPE_INT32 ||
           spec_exponent == DTYPE_INT64;
}

// Returns exponent number i in the upper bits, where `count` exponents lie in a word.
uint upper_exponent(uint i, uint count)
{
    uint bits = 32u / count;
    return exponents[i / count] >> bits * (i % count) << 32u - bits;
}

uvec2 sign_extended(int value)
{
    return uvec2(value, value >> 31);
}

// Returns exponent number i in 64 bits, in two's complement if exponent_has_sign().
uvec2 integer_exponent(uint i)
{
    switch (spec_exponent) {
    case DTYPE_UINT8:
        return uvec2(upper_exponent(i, 4u) >> 24u, 0u);
    case DTYPE_UINT16:
        return uvec2(upper_exponent(i, 2u) >> 16u, 0u);
    case DTYPE_UINT32:
        return uvec2(exponents[i], 0u);
    case DTYPE_INT8:
        return sign_extended(int(upper_exponent(i, 4u)) >> 24);
    case DTYPE_INT16:
        return sign_extended(int(upper_exponent(i, 2u)) >> 16);
    case DTYPE_INT32:
        return sign_extended(int(exponents[i]));
    }
    return uvec2(exponents[2u * i], exponents[2u * i + 1u]);
}

float float_exponent(uint i)
{
    switch (spec_exponent) {
    case DTYPE_FLOAT16:
        return binary32_from_half(upper_exponent(i, 2u) >> 16u);
    case DTYPE_BFLOAT16:
        return uintBitsToFloat(upper_exponent(i, 2u));
    }
    return uintBitsToFloat(exponents[i]);
}

// Returns an integer of 64 bits, of which 48 count, with its sign apart. It adds the halves of its words, which floats hold
// exactly.
vec2 double_of_integer(uvec2 words, bool negative)
{
    if (negative)
        words = uvec2(0u - words.x, ~words.y + uint(words.x == 0u));
    vec2 high = exact_sum(float(words.y >> 16u) * 65536.0f, float(words.y & 0xffffu));
    vec2 low = exact_sum(float(words.x >> 16u) * 65536.0f, float(words.x & 0xffffu));
    precise vec2 scaled = high * 4294967296.0f;
    precise vec2 sum = exact_sum(scaled.x, low.x);
    sum.y += scaled.y + low.y;
    vec2 magnitude = exact_sum(sum.x, sum.y);
    return negative ? -magnitude : magnitude;
}

#ifdef REALS

// Returns a to the power of exponent number i. Of an integer exponent 48 bits count, but all bits for whether it is odd or even.
Real pow_at(Real a, uint i)
{
    if (!exponent_is_integer())
        return power(a, float_exponent(i));
    uvec2 y = integer_exponent(i);
    return power(a, double_of_integer(y, exponent_has_sign() && y.y >= 0x80000000u), 1u + (y.x & 1u));
}

#else

// Returns the integer part of a float from 1 to 2^64, by the bits of its magnitude.
uvec2 integer_part(uint magnitude)
{
    uint shift = (magnitude >> 23u) - 127u;
    uint significand = magnitude & 0x7fffffu | 0x800000u;
    if (shift < 24u)
        return uvec2(significand >> 23u - shift, 0u);
    shift -= 23u;
    return shift < 32u ? uvec2(significand << shift, significand >> 32u - shift) : uvec2(0u, significand << shift - 32u);
}

// Truncates toward zero. Returns the nearest integer of the type where it has none so large, and 0 for NaN.
Real truncated(float value)
{
    uint magnitude = floatBitsToUint(value) & 0x7fffffffu;
    bool negative = floatBitsToUint(value) != magnitude;
    if (magnitude < 0x3f800000u || magnitude > 0x7f800000u)
        return zero();
    if (magnitude >= uint(127 + BITS - 1) << 23u) {
        Real least = real_of(uvec2(BITS == 32 ? 0x80000000u : 0u, 0x80000000u));
        return negative ? least : minus(least, one());
    }
    Real part = real_of(integer_part(magnitude));
    return negative ? negated(part) : part;
}

// Returns a to the power of exponent number i. Where both are integers, if only by value, it computes in integers. Else it
// computes in floats, to which a is rounded, and truncates the result.
Real pow_at(Real a, uint i)
{
    if (exponent_is_integer()) {
        uvec2 y = integer_exponent(i);
        return integer_power(a, y, exponent_has_sign() && y.y >= 0x80000000u);
    }
    float y = float_exponent(i);
    uint magnitude = floatBitsToUint(y) & 0x7fffffffu;
    bool negative = floatBitsToUint(y) != magnitude;
    if (magnitude == 0u)
        return one();
    // A power modulo 2^64 no longer changes from exponent 2^63 on: that of an odd number is 1, that of an even one 0.
    if (magnitude < 0x7f800000u && parity(y) != 0u)
        return integer_power(a, integer_part(min(magnitude, 0x5f000000u)), negative);
    bool a_negative = less(a, zero());
#if BITS == 64
    vec2 base = double_of_integer(a, a_negative);
#else
    vec2 base = double_of_integer(sign_extended(int(a)), a_negative);
#endif
    return truncated(power(base.x, y));
}

#endif
