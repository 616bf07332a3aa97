// SPDX-License-Identifier: Apache-2.0
// This file converts floats of 8 bits from and to floats, by integers.
//
//   type         sign exponent fraction  bias  greatest      infinity  NaN
//   E4M3FN          1        4        3     7  0x7e, 448     none      0x7f, 0xff
//   E4M3FNUZ        1        4        3     8  0x7f, 240     none      0x80
//   E5M2            1        5        2    15  0x7b, 57344   0x7c      0x7d to 0x7f, and with the sign
//   E5M2FNUZ        1        5        2    16  0x7f, 57344   none      0x80
//   E8M0            0        8        0   127  0xfe, 2^127   none      0xff
//
// FNUZ types have no negative zero. E8M0 has no zero at all: 0 is 2^-127.
#ifndef VKONNX_FLOAT8_GLSL
#define VKONNX_FLOAT8_GLSL

#include "shaders/library/binary32.glsl"
#include "shaders/library/data_types.h"

// These are ways to round to E8M0, as vkonnx::RoundMode numbers them. Any other number means to the nearest.
const uint FLOAT8_UP = 0u;
const uint FLOAT8_DOWN = 1u;

bool is_float8(uint type)
{
    return type >= DTYPE_FLOAT8E4M3FN && type <= DTYPE_FLOAT8E5M2FNUZ || type == DTYPE_FLOAT8E8M0;
}

bool float8_has_negative_zero(uint type)
{
    return type == DTYPE_FLOAT8E4M3FN || type == DTYPE_FLOAT8E5M2;
}

uint float8_fraction_bits(uint type)
{
    return type == DTYPE_FLOAT8E4M3FN || type == DTYPE_FLOAT8E4M3FNUZ ? 3u : 2u;
}

int float8_bias(uint type)
{
    int bias = float8_fraction_bits(type) == 3u ? 7 : 15;
    return float8_has_negative_zero(type) ? bias : bias + 1;
}

uint float8_greatest(uint type)
{
    return type == DTYPE_FLOAT8E4M3FN ? 0x7eu : type == DTYPE_FLOAT8E5M2 ? 0x7bu : 0x7fu;
}

// Returns the bits of the float that these 8 bits stand for. Floats have all of these numbers, and the least E8M0 is the only one
// that is denormal as a float.
uint float_of_float8(uint bits, uint type)
{
    if (type == DTYPE_FLOAT8E8M0)
        return bits == 0xffu ? 0x7fc00000u : bits == 0u ? 0x400000u : bits << 23u;
    uint sign = (bits & 0x80u) << 24u;
    uint magnitude = bits & 0x7fu;
    uint fraction_bits = float8_fraction_bits(type);
    if (!float8_has_negative_zero(type) && bits == 0x80u)
        return 0x7fc00000u;
    if (magnitude > float8_greatest(type)) {
        bool infinite = type == DTYPE_FLOAT8E5M2 && magnitude == 0x7cu;
        return sign | (infinite ? 0x7f800000u : 0x7fc00000u);
    }
    if (magnitude == 0u)
        return sign;
    int exponent = int(magnitude >> fraction_bits) - float8_bias(type);
    uint fraction = magnitude & (1u << fraction_bits) - 1u;
    if (magnitude >> fraction_bits == 0u) {  // a denormal
        uint up = fraction_bits - uint(findMSB(fraction));
        fraction = fraction << up & (1u << fraction_bits) - 1u;
        exponent -= int(up) - 1;
    }
    return sign | uint(exponent + 127) << 23u | fraction << 23u - fraction_bits;
}

// Returns the E8M0 that the float with these bits becomes. A number below 0 becomes a NaN.
uint float8e8m0_of_float(uint bits, bool saturate, uint round_mode)
{
    if (bits > 0x7f800000u)  // a NaN, or a number below 0
        return bits == 0x80000000u && saturate ? 0u : 0xffu;
    if (bits < 0x400000u && !saturate)
        return 0xffu;
    bits = max(bits, 0x400000u);
    uint power = bits >> 23u;
    uint rest = bits & 0x7fffffu;
    bool denormal = power == 0u;  // from 2^-127 on: the fraction has the leading bit
    uint unit = denormal ? 0x400000u : 0x800000u;
    rest = denormal ? rest - unit : rest;
    if (round_mode == FLOAT8_UP ? rest != 0u : round_mode != FLOAT8_DOWN && 2u * rest >= unit)
        ++power;
    return power < 0xffu ? power : saturate ? 0xfeu : 0xffu;
}

// Returns the number of the type that is nearest to the float with these bits, ties to even. Beyond the greatest number that is the
// result if `saturate` is set, else an infinity or a NaN.
uint float8_of_float(uint bits, uint type, bool saturate, uint round_mode)
{
    if (type == DTYPE_FLOAT8E8M0)
        return float8e8m0_of_float(bits, saturate, round_mode);
    bool signed_zero = float8_has_negative_zero(type);
    uint sign = bits >> 24u & 0x80u;
    uint nan = signed_zero ? sign | 0x7fu : 0x80u;
    uint magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return nan;
    uint fraction_bits = float8_fraction_bits(type);
    int exponent = int(magnitude >> 23u) - 127 + float8_bias(type);
    uint shift = 23u - fraction_bits + uint(clamp(1 - exponent, 0, 8));
    uint significand = magnitude & 0x7fffffu | 0x800000u;
    // The leading bit of a normal number adds 1 to the exponent, and so does a carry.
    uint rounded = rounded_shift(significand, min(shift, 31u), false) + (uint(max(exponent, 1)) - 1u << fraction_bits);
    if (rounded > float8_greatest(type)) {
        if (saturate)
            return sign | float8_greatest(type);
        return type == DTYPE_FLOAT8E5M2 ? sign | 0x7cu : nan;
    }
    return rounded == 0u && !signed_zero ? 0u : sign | rounded;
}

#endif
