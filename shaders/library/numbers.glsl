// SPDX-License-Identifier: Apache-2.0
// This file holds the four floating-point tensor types: how elements lie in buffers, what is computed in (Real), and its
// arithmetic. Each operation is rounded by itself (`precise`), so that an order of operations decides the bits.
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

#define REALS 1  // the types are no integers

#if defined(TYPE_f64) || defined(TYPE_f64_soft)
#include "shaders/library/binary64.glsl"
#else
#include "shaders/library/binary32.glsl"
#define FLOATS 1  // Real is float
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

Real minus(Real a, Real b)
{
    return binary64_add(a, binary64_negated(b));
}

Real quotient(Real a, Real b)
{
    return binary64_divide(a, b);
}

Real quotient_exactly(Real a, Real b)
{
    return binary64_divide(a, b);
}

Real square_root(Real a)
{
    return binary64_square_root(a);
}

Real square_root_exactly(Real a)
{
    return binary64_square_root(a);
}

Real negated(Real a)
{
    return binary64_negated(a);
}

Real absolute(Real a)
{
    return binary64_absolute(a);
}

bool less(Real a, Real b)
{
    return binary64_less(a, b);
}

bool is_nan(Real a)
{
    return binary64_rank(a) > BINARY64_INFINITY;
}

Real whole(Real a, bool nearest, bool below)
{
    return binary64_whole(a, nearest, below);
}

Real one()
{
    return uvec2(0u, 0x3ff00000u);
}

// Returns the number that a host holds in these words.
Real real_of(uvec2 words)
{
    return words;
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

Real minus(Real a, Real b)
{
    precise Real difference = a - b;
    return difference;
}

// Returns a / b as the device divides: it may be off by 2.5 units in the last place.
Real quotient(Real a, Real b)
{
    precise Real result = a / b;
    return result;
}

// Returns the square root as the device computes it: it may be off by 5 units in the last place.
Real square_root(Real a)
{
    return sqrt(a);
}

// Tells whether a < b, false where one is NaN.
bool less(Real a, Real b)
{
    return a < b;
}

Real one()
{
    return Real(1);
}

Real zero()
{
    return Real(0);
}

#ifdef TYPE_f64

Real real_of(uvec2 words)
{
    return packDouble2x32(words);
}

Real negated(Real a)
{
    return packDouble2x32(binary64_negated(unpackDouble2x32(a)));
}

Real absolute(Real a)
{
    return packDouble2x32(binary64_absolute(unpackDouble2x32(a)));
}

Real quotient_exactly(Real a, Real b)
{
    return packDouble2x32(binary64_divide(unpackDouble2x32(a), unpackDouble2x32(b)));
}

Real square_root_exactly(Real a)
{
    return packDouble2x32(binary64_square_root(unpackDouble2x32(a)));
}

bool is_nan(Real a)
{
    return binary64_rank(unpackDouble2x32(a)) > BINARY64_INFINITY;
}

Real whole(Real a, bool nearest, bool below)
{
    return packDouble2x32(binary64_whole(unpackDouble2x32(a), nearest, below));
}

// Returns sum / count. `exactly` asks for rounding to nearest even, which Vulkan asks of no device's division.
Real over(Real sum, uint count, bool exactly)
{
    if (exactly)
        return packDouble2x32(binary64_divide(unpackDouble2x32(sum), binary64_from_uint(count)));
    return sum / Real(count);
}

// Returns what a sum starts from: -0.0, the one value that changes no first term. -0.0 + x is x, also for x = -0.0.
Real empty_sum()
{
    return packDouble2x32(uvec2(0u, 0x80000000u));
}

#else

// Returns the number that a host holds in the first of these words.
Real real_of(uvec2 words)
{
    return uintBitsToFloat(words.x);
}

// These functions work on bits, because a device might optimize arithmetic away, or flush a result.
Real negated(Real a)
{
    return uintBitsToFloat(floatBitsToUint(a) ^ 0x80000000u);
}

Real absolute(Real a)
{
    return uintBitsToFloat(floatBitsToUint(a) & 0x7fffffffu);
}

bool is_nan(Real a)
{
    return binary32_is_nan(a);
}

Real whole(Real a, bool nearest, bool below)
{
    return binary32_whole(a, nearest, below);
}

Real quotient_exactly(Real a, Real b)
{
    return binary32_divide(a, b);
}

Real square_root_exactly(Real a)
{
    return binary32_square_root(a);
}

Real empty_sum()
{
    return uintBitsToFloat(0x80000000u);
}

Real over(Real sum, uint count, bool exactly)
{
    return exactly ? binary32_divide_by_uint(sum, count) : sum / Real(count);
}

#endif
#endif

#ifdef TYPE_f16

// Returns the half in the lower 16 bits of a word as a float.
float widened(uint word)
{
    return binary32_from_half(word & 0xffffu);
}

uint narrowed(float value)
{
    return half_of_binary32(floatBitsToUint(value));
}

#elif defined(TYPE_bf16)

float widened(uint word)
{
    return uintBitsToFloat(word << 16u);
}

uint narrowed(float value)
{
    return bfloat16_of_binary32(floatBitsToUint(value));
}

#endif
