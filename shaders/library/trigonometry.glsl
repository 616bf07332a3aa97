// SPDX-License-Identifier: Apache-2.0
// This file holds trigonometric functions of floats and their inverses. They are not in functions.glsl because only elementwise
// kernels compute them.
#ifndef VKONNX_TRIGONOMETRY_GLSL
#define VKONNX_TRIGONOMETRY_GLSL

#include "shaders/library/functions.glsl"

// ---- sines, cosines and tangents

// This struct holds a number of quarters of a turn, modulo 4, and what is left of the angle: up to pi / 4, in twice the
// precision.
struct Angle {
    uint quarters;
    vec2 rest;
};

// Returns word number one + 2 * two + 4 * four of five words, where a true one counts 1. Nothing has an index at run time, for
// which compilers use memory.
uint word_further(bool one, bool two, bool four, uint a, uint b, uint c, uint d, uint e)
{
    return four ? e : two ? (one ? d : c) : one ? b : a;
}

// Reduces the finite |x| with these bits, from pi / 4 on (Payne and Hanek). |x| is m * 2^(e - 23) for an integer m of 24 bits,
// and 2 / pi has the bits of d1 to d7 behind 32 zeros. Bits of it that stand for whole turns in the product do not matter. The 96
// bits behind those leave an error of 2^-62 quarters, where no float is nearer to a whole number of them than 2^-31.
Angle angle_of(uint magnitude)
{
    const uint d1 = 0xa2f9836eu, d2 = 0x4e441529u, d3 = 0xfc2757d1u, d4 = 0xf534ddc0u, d5 = 0xdb629599u, d6 = 0x3c439041u,
               d7 = 0xfe5163abu;
    uint first = (magnitude >> 23u) - 120u;  // the first bit that matters: e + 7
    bool one = (first & 32u) != 0u;
    bool two = (first & 64u) != 0u;
    bool four = (first & 128u) != 0u;
    uint word0 = word_further(one, two, four, 0u, d1, d2, d3, d4);
    uint word1 = word_further(one, two, four, d1, d2, d3, d4, d5);
    uint word2 = word_further(one, two, four, d2, d3, d4, d5, d6);
    uint word3 = word_further(one, two, four, d3, d4, d5, d6, d7);
    uint shift = first & 31u;
    uint upper = word0 << shift | word1 >> 1u >> 31u - shift;
    uint middle = word1 << shift | word2 >> 1u >> 31u - shift;
    uint lower = word2 << shift | word3 >> 1u >> 31u - shift;

    // This is the product modulo 2^96 without its last word, in units of 2^-62 quarters.
    uint m = magnitude & 0x7fffffu | 0x800000u;
    uint carried, low, last, last_carried;
    umulExtended(m, middle, carried, low);
    umulExtended(m, lower, last_carried, last);
    uint sum = low + last_carried;
    uint high = m * upper + carried + (sum < low ? 1u : 0u);

    Angle angle;
    angle.quarters = high + 0x20000000u >> 30u;
    uint fraction = high << 2u | sum >> 30u;  // in units of 2^-32 of a quarter; the rest in 2^-64
    uint rest = sum << 2u;
    bool negative = fraction >= 0x80000000u;
    fraction = negative ? ~fraction : fraction;
    rest = negative ? ~rest : rest;
    uint zeros = uint(31 - findMSB(fraction | 1u));  // at least 1: the fraction is at most a half
    fraction = fraction << zeros | rest >> 32u - zeros;
    rest <<= zeros;
    float unit = uintBitsToFloat(103u - zeros << 23u);  // 2^(-24 - zeros)
    precise float leading = float(fraction >> 8u) * unit;
    precise float trailing = float((fraction & 0xffu) << 16u | rest >> 16u) * (unit * 5.9604644775390625e-8f);
    vec2 quarter = vec2(uintBitsToFloat(0x3fc90fdbu), uintBitsToFloat(0xb33bbd2eu));  // pi / 2
    angle.rest = double_product(exact_sum(leading, trailing), quarter);
    if (negative)
        angle.rest = vec2(-angle.rest.x, -angle.rest.y);
    return angle;
}

Angle angle_of(float x)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    Angle angle;
    angle.quarters = 0u;
    angle.rest = vec2(uintBitsToFloat(magnitude), 0.0f);
    if (magnitude > 0x3f490fdau)
        angle = angle_of(magnitude);
    return angle;
}

// Returns the sine of an angle r up to pi / 4: r, and r^3 times a polynomial of r^2 (minimax, by Remez' algorithm, within 2^-32).
// The rounding error of r counts times the slope there.
vec2 small_sine(vec2 r)
{
    precise float z = r.x * r.x;
    precise float p = uintBitsToFloat(0x363e6a0eu);
    p = uintBitsToFloat(0xb9502dd9u) + z * p;
    p = uintBitsToFloat(0x3c0888bbu) + z * p;
    p = uintBitsToFloat(0xbe2aaaabu) + z * p;
    precise float rest = (r.y - 0.5f * z * r.y) + r.x * (z * p);
    return exact_sum(r.x, rest);
}

// Returns the cosine of such an angle: 1 - r^2 / 2, and r^4 times a polynomial of r^2 (within 2^-33). The rounding error of r^2
// counts, as the square's own rest.
vec2 small_cosine(vec2 r)
{
    vec2 square = exact_product(r.x, r.x);
    precise float z = square.x;
    precise float p = uintBitsToFloat(0x37ccf077u);
    p = uintBitsToFloat(0xbab6060du) + z * p;
    p = uintBitsToFloat(0x3d2aaaa5u) + z * p;
    precise float minus_half = -0.5f * z;
    vec2 upper = exact_sum(1.0f, minus_half);
    precise float rest = upper.y + (z * z * p - 0.5f * square.y - r.x * r.y);
    return exact_sum(upper.x, rest);
}

bool is_infinite_or_nan(float x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) >= 0x7f800000u;
}

// Returns sin(x) to 1 ULP, of any float. Infinities give NaN.
float sine(float x)
{
    if (is_infinite_or_nan(x))
        return uintBitsToFloat(0x7fc00000u);
    if ((floatBitsToUint(x) & 0x7fffffffu) < 0x39000000u)  // below 2^-13
        return x;
    Angle angle = angle_of(x);
    float result = (angle.quarters & 1u) != 0u ? small_cosine(angle.rest).x : small_sine(angle.rest).x;
    return uintBitsToFloat(floatBitsToUint(result) ^ ((angle.quarters & 2u) << 30u) ^ (floatBitsToUint(x) & 0x80000000u));
}

// Returns cos(x) to 1 ULP, of any float. Infinities give NaN.
float cosine(float x)
{
    if (is_infinite_or_nan(x))
        return uintBitsToFloat(0x7fc00000u);
    if ((floatBitsToUint(x) & 0x7fffffffu) < 0x39000000u)
        return 1.0f;
    Angle angle = angle_of(x);
    float result = (angle.quarters & 1u) != 0u ? small_sine(angle.rest).x : small_cosine(angle.rest).x;
    return uintBitsToFloat(floatBitsToUint(result) ^ ((angle.quarters + 1u & 2u) << 30u));
}

// Returns tan(x) to 1 ULP, of any float. Infinities give NaN.
float tangent(float x)
{
    if (is_infinite_or_nan(x))
        return uintBitsToFloat(0x7fc00000u);
    if ((floatBitsToUint(x) & 0x7fffffffu) < 0x39000000u)
        return x;
    Angle angle = angle_of(x);
    vec2 s = small_sine(angle.rest);
    vec2 c = small_cosine(angle.rest);
    bool turned = (angle.quarters & 1u) != 0u;
    float result = turned ? double_quotient(c, vec2(-s.x, -s.y)).x : double_quotient(s, c).x;
    return uintBitsToFloat(floatBitsToUint(result) ^ (floatBitsToUint(x) & 0x80000000u));
}

// ---- their inverses

// Returns the square root of a number from 2^-60 to 2^60, or of 0: Newton's iteration from a guess by the number's bits.
vec2 double_square_root(vec2 a)
{
    precise float r = uintBitsToFloat(0x5f3759dfu - (floatBitsToUint(a.x) >> 1u));
    precise float half_of_a = 0.5f * a.x;
    r = r * (1.5f - half_of_a * r * r);
    r = r * (1.5f - half_of_a * r * r);
    r = r * (1.5f - half_of_a * r * r);
    precise float root = a.x * r;
    vec2 square = exact_product(root, root);
    precise float rest = (((a.x - square.x) - square.y) + a.y) * (0.5f * r);
    return exact_sum(root, rest);
}

// Returns asin(s) for s up to 1/2: s, and s^3 times a polynomial of s^2 (minimax, within 2^-31).
vec2 small_arc_sine(vec2 s)
{
    precise float z = s.x * s.x;
    precise float p = uintBitsToFloat(0x3d1a4f25u);
    p = uintBitsToFloat(0x3c6ac4f8u) + z * p;
    p = uintBitsToFloat(0x3d026686u) + z * p;
    p = uintBitsToFloat(0x3d3653eeu) + z * p;
    p = uintBitsToFloat(0x3d999c55u) + z * p;
    p = uintBitsToFloat(0x3e2aaaa6u) + z * p;
    precise float rest = s.y + s.x * (z * p);
    return exact_sum(s.x, rest);
}

// Returns acos(a) = 2 asin(sqrt((1 - a) / 2)), for a from 1/2 to 1.
vec2 small_arc_cosine(float a)
{
    precise float rest = 0.5f - 0.5f * a;
    precise vec2 angle = small_arc_sine(double_square_root(vec2(rest, 0.0f))) * 2.0f;
    return angle;
}

// Returns asin(x) to 1 ULP. For |x| beyond 1/2 it is pi / 2 - acos(|x|) with x's sign, and beyond 1 NaN.
float arc_sine(float x)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    if (magnitude > 0x3f800000u)
        return uintBitsToFloat(0x7fc00000u);
    if (magnitude < 0x39000000u)  // below 2^-13
        return x;
    float a = uintBitsToFloat(magnitude);
    if (a <= 0.5f)
        return small_arc_sine(vec2(x, 0.0f)).x;
    vec2 angle = small_arc_cosine(a);
    vec2 upper = exact_sum(uintBitsToFloat(0x3fc90fdbu), -angle.x);
    precise float result = upper.x + (upper.y + (uintBitsToFloat(0xb33bbd2eu) - angle.y));
    return x < 0.0f ? -result : result;
}

// Returns acos(x) to 1 ULP. For |x| up to 1/2 it is pi / 2 - asin(x), for x below -1/2 pi - acos(-x), and for |x| beyond 1 NaN.
float arc_cosine(float x)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    if (magnitude > 0x3f800000u)
        return uintBitsToFloat(0x7fc00000u);
    float a = uintBitsToFloat(magnitude);
    precise float result;
    if (a <= 0.5f) {
        vec2 angle = vec2(x, 0.0f);
        if (magnitude >= 0x31000000u)  // else asin(x) is x, and of denormals nothing is left
            angle = small_arc_sine(angle);
        vec2 upper = exact_sum(uintBitsToFloat(0x3fc90fdbu), -angle.x);
        result = upper.x + (upper.y + (uintBitsToFloat(0xb33bbd2eu) - angle.y));
        return result;
    }
    vec2 angle = small_arc_cosine(a);
    if (x > 0.0f)
        return angle.x;
    vec2 upper = exact_sum(uintBitsToFloat(0x40490fdbu), -angle.x);
    result = upper.x + (upper.y + (uintBitsToFloat(0xb3bbbd2eu) - angle.y));
    return result;
}

// Returns atan(x) to 1 ULP. It is 0, pi / 4 or pi / 2 and the rest of |x|'s angle, whose tangent t is up to tan(pi / 8): t, and
// t^3 times a polynomial of t^2 (minimax, within 2^-30).
float arc_tangent(float x)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    if (magnitude > 0x7f800000u || magnitude < 0x39000000u)  // NaN, or below 2^-13
        return x;
    float a = min(uintBitsToFloat(magnitude), 1099511627776.0f);  // beyond 2^40 it is pi / 2
    vec2 t = vec2(a, 0.0f);
    vec2 base = vec2(0.0f, 0.0f);
    if (a > 2.4142137f) {
        t = double_quotient(vec2(-1.0f, 0.0f), t);
        base = vec2(uintBitsToFloat(0x3fc90fdbu), uintBitsToFloat(0xb33bbd2eu));
    } else if (a > 0.41421357f) {
        t = double_quotient(exact_sum_of_any(a, -1.0f), exact_sum_of_any(a, 1.0f));
        base = vec2(uintBitsToFloat(0x3f490fdbu), uintBitsToFloat(0xb2bbbd2eu));
    }
    precise float z = t.x * t.x;
    precise float p = uintBitsToFloat(0xbd7982bcu);
    p = uintBitsToFloat(0x3dd91555u) + z * p;
    p = uintBitsToFloat(0xbe11dd04u) + z * p;
    p = uintBitsToFloat(0x3e4cc8f3u) + z * p;
    p = uintBitsToFloat(0xbeaaaaa5u) + z * p;
    vec2 upper = exact_sum(base.x, t.x);
    precise float result = upper.x + (upper.y + (base.y + t.y + t.x * (z * p)));
    return uintBitsToFloat(floatBitsToUint(result) | (floatBitsToUint(x) ^ magnitude));
}

#endif
