// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Cast: one invocation converts an element, or those whose results share a word. TYPE_ is the unsigned
// integer as wide as the result, which carries its bits.
//
// The shader computes with integers alone, so that every device gives the same bits and needs no type but words. An element is
// taken apart into a sign, a magnitude of 64 bits and an exponent, and the result is made from those.
//
// Layouts: X and Y as they lie. Elements with less than 8 bits lie several to a byte, the first one in its lowest bits. Of such an X
// push.x_base counts bytes, and of such a Y a byte is an output.
// Assumptions:
// - element numbers fit 31 bits
// - where Y is the memory of X, elements are equally wide, and each is read by the invocation that writes it
// Specialization: cast_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/cast/cast_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/data_types.h"
#include "shaders/library/store.glsl"

#include "shaders/library/binary32.glsl"
#include "shaders/library/binary64.glsl"
#include "shaders/operators/cast/cast.h"
#include "shaders/operators/cast/float8.glsl"

layout(binding = 0) readonly buffer InputX
{
    uint x[];
};

#define OUTPUT_BINDING 1
#define STAGE CastEnd
#include "shaders/engines/gather/gather.glsl"

uint width_of(uint type)
{
    if (is_float8(type))
        return 8u;
    switch (type) {
    case DTYPE_UINT2:
    case DTYPE_INT2:
        return 2u;
    case DTYPE_UINT4:
    case DTYPE_INT4:
    case DTYPE_FLOAT4E2M1:
        return 4u;
    case DTYPE_UINT8:
    case DTYPE_INT8:
    case DTYPE_BOOLEAN:
        return 8u;
    case DTYPE_UINT16:
    case DTYPE_INT16:
    case DTYPE_FLOAT16:
    case DTYPE_BFLOAT16:
        return 16u;
    case DTYPE_INT64:
    case DTYPE_UINT64:
    case DTYPE_FLOAT64:
        return 64u;
    }
    return 32u;
}

bool has_sign(uint type)
{
    return type == DTYPE_INT2 || type == DTYPE_INT4 || type == DTYPE_INT8 || type == DTYPE_INT16 || type == DTYPE_INT32 ||
           type == DTYPE_INT64;
}

bool is_float(uint type)
{
    return type == DTYPE_FLOAT32 || type == DTYPE_FLOAT16 || type == DTYPE_BFLOAT16 || type == DTYPE_FLOAT64 ||
           type == DTYPE_FLOAT4E2M1 || is_float8(type);
}

// Returns element number i of X, with zeros above its bits.
uvec2 element_at(uint i)
{
    switch (width_of(spec_from)) {
    case 2u:
        return uvec2(x[i >> 4] >> 2u * (i & 15u) & 3u, 0u);
    case 4u:
        return uvec2(x[i >> 3] >> 4u * (i & 7u) & 15u, 0u);
    case 8u:
        return uvec2(x[i >> 2] >> 8u * (i & 3u) & 0xffu, 0u);
    case 16u:
        return uvec2(x[i >> 1] >> 16u * (i & 1u) & 0xffffu, 0u);
    case 64u:
        return uvec2(x[2u * i], x[2u * i + 1u]);
    }
    return uvec2(x[i], 0u);
}

uvec2 negated_words(uvec2 a)
{
    return uvec2(0u - a.x, ~a.y + uint(a.x == 0u));
}

// Returns a / 2^shift, rounded down, for a shift up to 64.
uvec2 shifted_right(uvec2 a, uint shift)
{
    if (shift >= 64u)
        return uvec2(0u);
    a = shift >= 32u ? uvec2(a.y, 0u) : a;
    uint rest = shift & 31u;
    return uvec2(a.x >> rest | a.y << 1u << 31u - rest, a.y >> rest);
}

// A number is magnitude * 2^exponent. An infinity has an exponent beyond all types.
struct Number {
    bool negative;
    bool nan;
    uvec2 magnitude;
    int exponent;
};

const int INFINITE = 4096;

Number number_of_float(uint bits)
{
    uint magnitude = bits & 0x7fffffffu;
    uint significand = (magnitude & 0x7fffffu) | (magnitude >= 0x800000u ? 0x800000u : 0u);
    int exponent = max(int(magnitude >> 23u), 1) - 150;
    return Number(bits != magnitude, magnitude > 0x7f800000u, uvec2(significand, 0u),
                  magnitude == 0x7f800000u ? INFINITE : exponent);
}

Number number_of_double(uvec2 bits)
{
    uint rank = binary64_rank(bits);
    uvec2 significand = uvec2(bits.x, (bits.y & 0xfffffu) | min(bits.y & BINARY64_INFINITY, 0x100000u));
    return Number(bits.y >= BINARY64_SIGN, rank > BINARY64_INFINITY, significand,
                  rank == BINARY64_INFINITY ? INFINITE : binary64_exponent(bits) - 1075);
}

// Float4e2m1 has a sign, an exponent of two bits with the bias 1, and a bit of the fraction: 0, 0.5, 1, 1.5, 2, 3, 4 and 6.
Number number_of_float4(uint bits)
{
    uint exponent = bits >> 1u & 3u;
    uint significand = (bits & 1u) + (exponent != 0u ? 2u : 0u);
    return Number(bits >= 8u, false, uvec2(significand, 0u), max(int(exponent), 1) - 2);
}

// Returns the float4e2m1 that is nearest to a float with these bits, ties to even. What is beyond 6 becomes that. There is no NaN: it
// becomes the zero of the other sign, as in ONNX's reference.
uint float4_of_float(uint bits)
{
    uint magnitude = bits & 0x7fffffffu;
    uint sign = bits >> 28u & 8u;
    if (magnitude > 0x7f800000u)
        return sign ^ 8u;
    // These are the numbers halfway between two neighbours, of which the even one is taken.
    return sign | uint(magnitude > floatBitsToUint(0.25)) + uint(magnitude >= floatBitsToUint(0.75)) +
                      uint(magnitude > floatBitsToUint(1.25)) + uint(magnitude >= floatBitsToUint(1.75)) +
                      uint(magnitude > floatBitsToUint(2.5)) + uint(magnitude >= floatBitsToUint(3.5)) +
                      uint(magnitude > floatBitsToUint(5.0));
}

Number number_at(uint i)
{
    uvec2 bits = element_at(i);
    if (is_float8(spec_from))
        return number_of_float(float_of_float8(bits.x, spec_from));
    switch (spec_from) {
    case DTYPE_FLOAT32:
        return number_of_float(bits.x);
    case DTYPE_FLOAT16:
        return number_of_float(floatBitsToUint(binary32_from_half(bits.x)));
    case DTYPE_BFLOAT16:
        return number_of_float(bits.x << 16u);
    case DTYPE_FLOAT64:
        return number_of_double(bits);
    case DTYPE_FLOAT4E2M1:
        return number_of_float4(bits.x);
    case DTYPE_BOOLEAN:
        return Number(false, false, uvec2(uint(bits.x != 0u), 0u), 0);
    }
    uint width = width_of(spec_from);
    bool negative = has_sign(spec_from) && ((width == 64u ? bits.y : bits.x << 32u - min(width, 32u)) & 0x80000000u) != 0u;
    if (negative && width < 64u)
        bits = uvec2(bits.x | (width < 32u ? 0xffffffffu << width : 0u), 0xffffffffu);
    return Number(negative, false, negative ? negated_words(bits) : bits, 0);
}

// Returns the bits of the nearest float, ties to even.
uint float_of(Number number)
{
    uint sign = number.negative ? 0x80000000u : 0u;
    if (number.nan)
        return sign | 0x7fc00000u;
    if (number.magnitude == uvec2(0u))
        return sign;
    uint zeros = binary64_leading_zeros(number.magnitude);
    uvec2 normalized_magnitude = binary64_shift_left(number.magnitude, zeros);
    uint significand = normalized_magnitude.y | uint(normalized_magnitude.x != 0u);  // 32 bits, the lowest sticky
    int exponent = number.exponent + 63 - int(zeros) + 127;
    if (exponent > 254)
        return sign | 0x7f800000u;
    uint shift = exponent >= 1 ? 8u : uint(min(9 - exponent, 39));
    if (shift > 31u) {
        significand = significand >> 8u | uint((significand & 0xffu) != 0u);
        shift -= 8u;
    }
    // The leading bit of a normal number adds 1 to the exponent, and so does a carry, up to infinity.
    return sign | (exponent >= 1 ? uint(exponent - 1) << 23u : 0u) + rounded_shift(significand, shift, false);
}

// Returns the bits of the nearest double, for numbers of all types but double.
uvec2 double_of(Number number)
{
    uint sign = number.negative ? BINARY64_SIGN : 0u;
    if (number.nan)
        return BINARY64_NAN | uvec2(0u, sign);
    if (number.magnitude == uvec2(0u))
        return uvec2(0u, sign);
    uint zeros = binary64_leading_zeros(number.magnitude);
    return binary64_rounded(sign, number.exponent + 63 - int(zeros) + 1023, binary64_shift_left(number.magnitude, zeros));
}

// Truncates a number toward zero to an integer of 64 bits, or of 32, whose low bits are the result. Where that type has no such
// integer, the result is its least number.
uvec2 integer_of(Number number)
{
    uvec2 least = width_of(spec_to) == 64u || spec_to == DTYPE_UINT32 ? uvec2(0u, 0x80000000u) : uvec2(0x80000000u, 0u);
    bool large = number.exponent > int(binary64_leading_zeros(number.magnitude));  // 2^64 or more
    if (number.nan || (large && (number.negative || spec_to != DTYPE_UINT64)))
        return least;
    if (large)
        return uvec2(0u);
    uvec2 magnitude = number.exponent >= 0 ? binary64_shift_left(number.magnitude, uint(number.exponent))
                                           : shifted_right(number.magnitude, uint(min(-number.exponent, 64)));
    bool beyond = magnitude.y > least.y || (magnitude.y == least.y && magnitude.x >= least.x);
    if (beyond && (number.negative || spec_to != DTYPE_UINT64))
        return least;
    return number.negative ? negated_words(magnitude) : magnitude;
}

uvec2 converted(uint i)
{
    if (spec_from == spec_to)
        return element_at(i);
    Number number = number_at(i);
    if (is_float8(spec_to))
        return uvec2(float8_of_float(float_of(number), spec_to, spec_saturate != 0u, spec_round_mode), 0u);
    switch (spec_to) {
    case DTYPE_FLOAT32:
        return uvec2(float_of(number), 0u);
    case DTYPE_FLOAT16:
        return uvec2(half_of_binary32(float_of(number)), 0u);
    case DTYPE_BFLOAT16:
        return uvec2(bfloat16_of_binary32(float_of(number)), 0u);
    case DTYPE_FLOAT64:
        return double_of(number);
    case DTYPE_FLOAT4E2M1:
        return uvec2(float4_of_float(float_of(number)), 0u);
    case DTYPE_BOOLEAN:
        return uvec2(uint(number.nan || number.magnitude != uvec2(0u)), 0u);
    }
    if (is_float(spec_from))
        return integer_of(number);
    return number.negative ? negated_words(number.magnitude) : number.magnitude;
}

Real output_at(uint index)
{
    uint x_first = push.x_base * max(8u / width_of(spec_from), 1u);  // the element that the bound window of X begins with
    uint width = width_of(spec_to);
    if (width >= 8u)
        return real_of(converted(index - x_first));
    uint byte = 0u;
    uint first = index * (8u / width);
    for (uint element = first; element < min(first + 8u / width, stage.elements); ++element)
        byte |= (converted(element - x_first).x & (1u << width) - 1u) << (element - first) * width;
    return real_of(uvec2(byte, 0u));
}
