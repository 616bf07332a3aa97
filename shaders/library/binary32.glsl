// SPDX-License-Identifier: Apache-2.0
// This file divides floats and takes their square roots by integer operations, rounded to nearest even: a device's own may be off
// by 2.5 units in the last place and more. Denormals, signed zeros and infinities go in and come out; an invalid operation gives
// a quiet NaN.
#ifndef VKONNX_BINARY32_GLSL
#define VKONNX_BINARY32_GLSL

// Returns v / 2^shift rounded to nearest even, for a shift from 1 to 31. `sticky` tells that v had more below its last bit.
uint rounded_shift(uint v, uint shift, bool sticky)
{
    uint quotient = v >> shift;
    uint rest = v & ((1u << shift) - 1u);
    uint half_way = 1u << shift - 1u;
    bool up = rest > half_way || (rest == half_way && (sticky || (quotient & 1u) != 0u));
    return quotient + (up ? 1u : 0u);
}

bool binary32_is_nan(float x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}

// Returns the float of a half's bits. There is no branch: modules convert dozens of halves, and each branch would cost some
// drivers seconds and memory to compile.
float binary32_from_half(uint bits)
{
    uint magnitude = bits & 0x7fffu;
    uint denormal = floatBitsToUint(float(magnitude) * 5.9604644775390625e-8f);  // a multiple of 2^-24, and normal in float
    uint normal = (magnitude << 13u) + (magnitude < 0x7c00u ? 0x38000000u : 0x70000000u);
    return uintBitsToFloat((bits & 0x8000u) << 16u | (magnitude < 0x400u ? denormal : normal));
}

// Returns the half that is nearest to a float with these bits, ties to even. A NaN keeps its sign, and is quiet.
uint half_of_binary32(uint bits)
{
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

uint bfloat16_of_binary32(uint bits)
{
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return bits >> 16u & 0x8000u | 0x7fc0u;
    return bits + 0x7fffu + (bits >> 16u & 1u) >> 16u;
}

// Returns the nearest integer, of two the even one, or else the next one that is not above x (`below`), or not below it. A zero
// keeps x's sign.
float binary32_whole(float x, bool nearest, bool below)
{
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint sign = bits - magnitude;
    bool away = !nearest && below == (sign != 0u);  // from 0
    if (magnitude >= 0x4b000000u)                   // 2^23 and more, infinity and NaN
        return x;
    if (magnitude < 0x3f800000u) {
        bool one = nearest ? magnitude > 0x3f000000u : away && magnitude != 0u;
        return uintBitsToFloat(sign | (one ? 0x3f800000u : 0u));
    }
    uint shift = 150u - (magnitude >> 23u);
    uint fraction = (1u << shift) - 1u;
    uint added = nearest ? (fraction >> 1u) + (bits >> shift & 1u) : away ? fraction : 0u;
    return uintBitsToFloat(bits + added & ~fraction);
}

// A finite number other than 0 is significand * 2^(exponent - 150), with bit 23 of the significand set. These two functions take
// the bits of |x| and return its exponent and its significand.
int binary32_exponent(uint magnitude)
{
    return magnitude < 0x800000u ? findMSB(magnitude) - 22 : int(magnitude >> 23u);
}

uint binary32_significand(uint magnitude)
{
    return magnitude < 0x800000u ? magnitude << uint(23 - findMSB(magnitude)) : magnitude & 0x7fffffu | 0x800000u;
}

// Returns dividend / divisor * 2^(exponent - 127) with this sign, by long division. The quotient is above 1/2 and below 2, the
// dividend below 2^32 and the divisor below 2^31.
float binary32_quotient(uint sign, int exponent, uint dividend, uint divisor)
{
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
    if (exponent > 254)
        return uintBitsToFloat(sign | 0x7f800000u);
    // A quotient with its leading bit in place counts 1 in the exponent; denormal results lose more than one bit.
    uint shift = exponent >= 1 ? 1u : uint(min(2 - exponent, 26));
    uint rounded = rounded_shift(quotient, shift, dividend != 0u);
    return uintBitsToFloat(sign | (exponent >= 1 ? uint(exponent - 1) << 23u : 0u) + rounded);
}

float binary32_divide(float a, float b)
{
    uint a_magnitude = floatBitsToUint(a) & 0x7fffffffu;
    uint b_magnitude = floatBitsToUint(b) & 0x7fffffffu;
    uint sign = (floatBitsToUint(a) ^ floatBitsToUint(b)) & 0x80000000u;
    const uint infinity = 0x7f800000u;
    bool invalid = a_magnitude == b_magnitude && (a_magnitude == 0u || a_magnitude == infinity);
    if (invalid || max(a_magnitude, b_magnitude) > infinity)
        return uintBitsToFloat(0x7fc00000u);
    if (a_magnitude == infinity || b_magnitude == 0u)
        return uintBitsToFloat(sign | infinity);
    if (a_magnitude == 0u || b_magnitude == infinity)
        return uintBitsToFloat(sign);
    int exponent = binary32_exponent(a_magnitude) - binary32_exponent(b_magnitude) + 127;
    return binary32_quotient(sign, exponent, binary32_significand(a_magnitude), binary32_significand(b_magnitude));
}

// Returns a / count, rounded to nearest even. A NaN comes out as it went in. The count is not 0.
float binary32_divide_by_uint(float a, uint count)
{
    uint sign = floatBitsToUint(a) & 0x80000000u;
    uint magnitude = floatBitsToUint(a) ^ sign;
    if (magnitude == 0u || magnitude >= 0x7f800000u)
        return a;
    int scale = findMSB(count);
    return binary32_quotient(sign, binary32_exponent(magnitude) - scale, binary32_significand(magnitude) << 7u,
                             count << uint(30 - scale));
}

float binary32_square_root(float x)
{
    uint bits = floatBitsToUint(x);
    if ((bits & 0x7fffffffu) == 0u || bits == 0x7f800000u)
        return x;
    if (bits > 0x7f800000u)  // NaN, or negative
        return uintBitsToFloat(0x7fc00000u);
    int exponent = binary32_exponent(bits);
    // The root of radicand * 2^24 has 25 bits, one more than a float holds. Two bits of the radicand make one bit of the root.
    uint radicand = binary32_significand(bits) << uint(2 - (exponent & 1));
    uint root = 0u;
    uint rest = 0u;
    for (uint i = 0u; i < 25u; ++i) {
        rest = rest << 2u | radicand >> 24u & 3u;
        radicand <<= 2u;
        uint trial = root << 2u | 1u;
        root <<= 1u;
        if (rest >= trial) {
            rest -= trial;
            root |= 1u;
        }
    }
    uint half_exponent = uint(exponent + 126 + (exponent & 1)) >> 1u;
    return uintBitsToFloat((half_exponent - 1u << 23u) + rounded_shift(root, 1u, rest != 0u));
}

#endif
