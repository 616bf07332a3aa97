// SPDX-License-Identifier: Apache-2.0
// The four tensor types: how elements lie in buffers, what is computed in (Real), and its arithmetic, each operation rounded by
// itself (`precise`), so that an order of operations decides the bits.
//
//   TYPE_f32       floats
//   TYPE_f16       halves, two to a word, computed in float
//   TYPE_bf16      bfloat16, likewise
//   TYPE_f64       doubles, where the device has them
//   TYPE_f64_soft  doubles in integer words
//
// Conversions of halves are integer operations: those of a device may flush denormals and round as they like.

#if defined(TYPE_f32)
#define Element float
#define Real float
#elif defined(TYPE_f16) || defined(TYPE_bf16)
#define HALVES 1
#define Element uint
#define Real float
#elif defined(TYPE_f64)
#define Element double
#define Real double
#elif defined(TYPE_f64_soft)
#define Element uvec2
#define Real uvec2
#endif

#if defined(TYPE_f64) || defined(TYPE_f64_soft)
#include "binary64.glsl"
#endif

#ifdef TYPE_f64_soft

Real plus(Real a, Real b)
{
    return binary64_add(a, b);
}

Real times(Real a, Real b)
{
    return binary64_multiply(a, b);
}

Real over(Real sum, uint count, bool exactly)
{
    return binary64_divide(sum, binary64_from_uint(count));
}

Real zero()
{
    return uvec2(0u);
}

Real empty_sum()
{
    return uvec2(0u, 0x80000000u);
}

#else

Real plus(Real a, Real b)
{
    precise Real sum = a + b;
    return sum;
}

Real times(Real a, Real b)
{
    precise Real product = a * b;
    return product;
}

Real zero()
{
    return Real(0);
}

#ifdef TYPE_f64

// `exactly`: rounded to nearest even, which Vulkan asks of no device's division.
Real over(Real sum, uint count, bool exactly)
{
    if (exactly)
        return packDouble2x32(binary64_divide(unpackDouble2x32(sum), binary64_from_uint(count)));
    return sum / Real(count);
}

// A sum starts from -0.0, the one value that changes no first term: -0.0 + x is x, also for x = -0.0.
Real empty_sum()
{
    return packDouble2x32(uvec2(0u, 0x80000000u));
}

#else

Real empty_sum()
{
    return uintBitsToFloat(0x80000000u);
}

// v / 2^shift rounded to nearest even, for shift from 1 to 31.
uint rounded_shift(uint v, uint shift, bool sticky)
{
    uint quotient = v >> shift;
    uint rest = v & ((1u << shift) - 1u);
    uint half_way = 1u << shift - 1u;
    bool up = rest > half_way || (rest == half_way && (sticky || (quotient & 1u) != 0u));
    return quotient + (up ? 1u : 0u);
}

// sum / count rounded to nearest even, by long division: a device's own may be off by 2.5 units in the last place.
Real divided_exactly(Real sum, uint count)
{
    uint bits = floatBitsToUint(sum);
    uint sign = bits & 0x80000000u;
    uint magnitude = bits ^ sign;
    if (magnitude == 0u || magnitude >= 0x7f800000u)
        return sum;
    int exponent = int(magnitude >> 23u);
    uint significand = magnitude & 0x7fffffu;
    if (exponent == 0) {  // denormal
        int leading = findMSB(significand);
        significand <<= uint(23 - leading);
        exponent = leading - 22;
    } else {
        significand |= 0x800000u;
    }

    // dividend / divisor in [1, 2), both below 2^32 and the divisor below 2^31
    int scale = findMSB(count);
    uint divisor = count << uint(30 - scale);
    uint dividend = significand << 7u;
    exponent -= scale;
    if (dividend < divisor) {
        dividend <<= 1u;
        exponent -= 1;
    }
    uint quotient = 0u;  // 25 bits, one more than a float holds
    for (uint i = 0u; i < 25u; ++i) {
        quotient <<= 1u;
        if (dividend >= divisor) {
            dividend -= divisor;
            quotient |= 1u;
        }
        dividend <<= 1u;
    }
    // A quotient with its leading bit in place counts 1 in the exponent; denormal results lose more than one bit.
    uint shift = exponent >= 1 ? 1u : uint(min(2 - exponent, 26));
    uint rounded = rounded_shift(quotient, shift, dividend != 0u);
    return uintBitsToFloat(sign | (exponent >= 1 ? uint(exponent - 1) << 23u : 0u) + rounded);
}

Real over(Real sum, uint count, bool exactly)
{
    return exactly ? divided_exactly(sum, count) : sum / Real(count);
}

#endif
#endif

#ifdef TYPE_f16

// The lower half of a word.
float widened(uint word)
{
    uint sign = (word & 0x8000u) << 16u;
    uint magnitude = word & 0x7fffu;
    if (magnitude < 0x400u)  // a multiple of 2^-24, and normal in float
        return uintBitsToFloat(sign | floatBitsToUint(float(magnitude) * 5.9604644775390625e-8));
    return uintBitsToFloat(sign | (magnitude << 13u) + (magnitude < 0x7c00u ? 0x38000000u : 0x70000000u));
}

uint narrowed(float value)
{
    uint bits = floatBitsToUint(value);
    uint sign = bits >> 16u & 0x8000u;
    uint magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return sign | 0x7e00u;
    if (magnitude >= 0x477ff000u)  // 65520 and more: infinity
        return sign | 0x7c00u;
    if (magnitude >= 0x38800000u)
        return sign | rounded_shift(magnitude - 0x38000000u, 13u, false);
    uint exponent = magnitude >> 23u;
    if (exponent < 102u)  // below 2^-25
        return sign;
    return sign | rounded_shift(magnitude & 0x7fffffu | 0x800000u, 126u - exponent, false);
}

#elif defined(TYPE_bf16)

float widened(uint word)
{
    return uintBitsToFloat(word << 16u);
}

uint narrowed(float value)
{
    uint bits = floatBitsToUint(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return bits >> 16u & 0x8000u | 0x7fc0u;
    return bits + 0x7fffu + (bits >> 16u & 1u) >> 16u;
}

#endif
