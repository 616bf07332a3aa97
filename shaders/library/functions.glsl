// SPDX-License-Identifier: Apache-2.0
// This file holds functions of floats, since those of GLSL promise little. They use additions and products, each rounded by
// itself (`precise`), and integer operations, so that all devices that round sums and products to nearest give the same bits.
//
// Bounds are in units in the last place of the exact result (ULP), measured against higher precision by functions_test.cpp. No
// operation here has a denormal operand or result that matters: denormal arguments are told by their bits, and denormal results
// made of them. So devices that flush denormals differ only where they flush what they load and store.
//
// A number of twice the precision is a vec2, x + y, with |y| up to half a unit of x.
#ifndef VKONNX_FUNCTIONS_GLSL
#define VKONNX_FUNCTIONS_GLSL

#include "shaders/library/binary32.glsl"

// Returns a + b without an error, for |a| >= |b| or a = 0 (Dekker, A floating-point technique for extending the available
// precision).
vec2 exact_sum(float a, float b)
{
    precise float sum = a + b;
    precise float rest = b - (sum - a);
    return vec2(sum, rest);
}

// Returns a + b without an error, whichever is greater (Knuth).
vec2 exact_sum_of_any(float a, float b)
{
    precise float sum = a + b;
    precise float b_part = sum - a;
    precise float rest = (a - (sum - b_part)) + (b - b_part);
    return vec2(sum, rest);
}

vec2 double_sum(vec2 a, vec2 b)
{
    vec2 sum = exact_sum_of_any(a.x, b.x);
    precise float rest = sum.y + (a.y + b.y);
    return exact_sum(sum.x, rest);
}

// Returns the upper 12 bits of a, for |a| below 2^115 (Veltkamp's splitting).
float upper_half(float a)
{
    precise float scaled = 4097.0f * a;
    precise float upper = scaled - (scaled - a);
    return upper;
}

// Returns a * b without an error (Dekker), if neither the product overflows nor its rest is denormal. GLSL's fma may be rounded
// twice.
vec2 exact_product(float a, float b)
{
    float a_upper = upper_half(a);
    float b_upper = upper_half(b);
    precise float a_lower = a - a_upper;
    precise float b_lower = b - b_upper;
    precise float product = a * b;
    precise float rest = ((a_upper * b_upper - product) + a_upper * b_lower + a_lower * b_upper) + a_lower * b_lower;
    return vec2(product, rest);
}

vec2 double_product(vec2 a, vec2 b)
{
    vec2 product = exact_product(a.x, b.x);
    precise float rest = product.y + (a.x * b.y + a.y * b.x);
    return exact_sum(product.x, rest);
}

// Returns 1 / a to about a unit in the last place, for a from 2^-100 to 2^100: Newton's iteration from a guess by a's bits, a
// tenth off.
float near_reciprocal(float a)
{
    precise float r = uintBitsToFloat(0x7ef311c3u - floatBitsToUint(a));
    r = r * (2.0f - a * r);
    r = r * (2.0f - a * r);
    r = r * (2.0f - a * r);
    return r;
}

// Returns a / b for operands and quotients from 2^-60 to 2^60.
vec2 double_quotient(vec2 a, vec2 b)
{
    float r = near_reciprocal(b.x);
    precise float q = a.x * r;
    vec2 product = exact_product(q, b.x);
    precise float rest = (((a.x - product.x) - product.y) + (a.y - q * b.y)) * r;
    return exact_sum(q, rest);
}

// Returns e^r - 1 for a number of twice the precision, |r| up to 0.3475: r and r^2 times a polynomial of degree 4, within 2^-28
// of e^r (minimax, by Remez' algorithm).
float small_exponential_minus_one(vec2 r)
{
    precise float p = uintBitsToFloat(0x3ab510d6u);
    p = uintBitsToFloat(0x3c091db5u) + r.x * p;
    p = uintBitsToFloat(0x3d2aac7du) + r.x * p;
    p = uintBitsToFloat(0x3e2aaa48u) + r.x * p;
    p = uintBitsToFloat(0x3efffffeu) + r.x * p;
    precise float s = r.x + (r.y + r.x * r.x * p);
    return s;
}

// Returns m * 2^k, rounded to nearest even where it is denormal, for m from 0.5 to 2 and |k| up to 200.
float scaled_by_power_of_two(float m, int k)
{
    uint bits = floatBitsToUint(m);
    int exponent = int(bits >> 23u) + k;
    if (exponent > 254)
        return uintBitsToFloat(0x7f800000u);
    if (exponent >= 1)
        return uintBitsToFloat(bits + (uint(k) << 23u));
    return uintBitsToFloat(rounded_shift(bits & 0x7fffffu | 0x800000u, uint(min(1 - exponent, 25)), false));
}

// Returns the integer next to x / log(2), for |x| up to 300.
int power_of_two_in(float x)
{
    precise float k = floor(x * uintBitsToFloat(0x3fb8aa3bu) + 0.5f);
    return int(k);
}

// Returns x - k log(2). log(2) is in two parts (Cody and Waite), of which the first has 15 bits, so that its product with k is
// exact.
vec2 without_power_of_two(float x, int k)
{
    precise float upper = x - float(k) * uintBitsToFloat(0x3f317200u);
    precise float lower = float(k) * uintBitsToFloat(0x35bfbe8eu);
    precise float r = upper - lower;
    precise float rest = (upper - r) - lower;
    return vec2(r, rest);
}

// Returns e^x / 2^k.
vec2 exponential_without(float x, int k)
{
    return exact_sum(1.0f, small_exponential_minus_one(without_power_of_two(x, k)));
}

// Returns e^x to 1 ULP.
float exponential(float x)
{
    if (binary32_is_nan(x))
        return x;
    x = clamp(x, -104.0f, 89.0f);
    int k = power_of_two_in(x);
    return scaled_by_power_of_two(exponential_without(x, k).x, k);
}

// Returns e^x for |x| up to 80.
vec2 double_exponential(float x)
{
    int k = power_of_two_in(x);
    float scale = uintBitsToFloat(uint(127 + k) << 23u);
    precise vec2 result = exponential_without(x, k) * scale;
    return result;
}

// Returns e^x - 1 to 1 ULP for x up to 0, and to 2 above: (2^k - 1) + 2^k (e^r - 1). The first term is exact for |k| up to 24.
// Beyond that its error is at most half a unit of the result.
float exponential_minus_one(float x)
{
    if (binary32_is_nan(x) || (floatBitsToUint(x) & 0x7fffffffu) < 0x33000000u)  // below 2^-25
        return x;
    if (x > 17.5f)
        return exponential(x);
    x = max(x, -17.5f);
    int k = power_of_two_in(x);
    float scale = uintBitsToFloat(uint(127 + k) << 23u);
    float s = small_exponential_minus_one(without_power_of_two(x, k));
    precise float result = (scale - 1.0f) + scale * s;
    return result;
}

// Returns 1 / (1 + e^-x) to 1 ULP, by e^-|x|, which doesn't overflow.
float logistic(float x)
{
    if (binary32_is_nan(x))
        return x;
    if (x < -18.0f)  // 1 + e^x is 1
        return exponential(x);
    vec2 e = double_exponential(max(-abs(x), -18.0f));
    precise vec2 sum = exact_sum(1.0f, e.x);
    sum.y += e.y;
    return double_quotient(x < 0.0f ? e : vec2(1.0f, 0.0f), sum).x;
}

// Returns tanh(x) to 1 ULP: x and x^3 times a polynomial of x^2 up to 0.6 (minimax, within 2^-30 of the whole), 1 - 2 / (e^2x +
// 1) beyond.
float hyperbolic_tangent(float x)
{
    float a = abs(x);
    if (binary32_is_nan(x) || (floatBitsToUint(x) & 0x7fffffffu) < 0x39000000u)  // below 2^-13
        return x;
    if (a < 0.6f) {
        precise float z = x * x;
        precise float p = uintBitsToFloat(0x3acfb799u);
        p = uintBitsToFloat(0xbbf2cbe0u) + z * p;
        p = uintBitsToFloat(0x3cae839cu) + z * p;
        p = uintBitsToFloat(0xbd5c9443u) + z * p;
        p = uintBitsToFloat(0x3e08859eu) + z * p;
        p = uintBitsToFloat(0xbeaaaa9fu) + z * p;
        precise float result = x + x * (z * p);
        return result;
    }
    vec2 e = double_exponential(2.0f * min(a, 10.0f));
    precise vec2 sum = exact_sum(e.x, 1.0f);
    sum.y += e.y;
    vec2 quotient = double_quotient(vec2(2.0f, 0.0f), sum);
    vec2 difference = exact_sum(1.0f, -quotient.x);
    precise float result = difference.x + (difference.y - quotient.y);
    return x < 0.0f ? -result : result;
}

// Returns k + log2(m), to 2^-40 of it, for m from sqrt(1/2) to sqrt(2), of which m - 1 and m + 1 are given. With s = (m - 1) / (m
// + 1), log2(m) = 2 / log(2) (s + s^3 / 3 + s^5 / 5 + ...): the first two terms in twice the precision, the rest a polynomial of
// s^2 (minimax, within 2^-44 of the whole).
vec2 double_log2(int k, vec2 m_minus_one, vec2 m_plus_one)
{
    vec2 s = double_quotient(m_minus_one, m_plus_one);

    vec2 t = double_product(s, s);
    precise float p = uintBitsToFloat(0x3e8fe687u);
    p = uintBitsToFloat(0x3ea3ddb9u) + t.x * p;
    p = uintBitsToFloat(0x3ed30c90u) + t.x * p;
    p = uintBitsToFloat(0x3f13bb62u) + t.x * p;
    p = uintBitsToFloat(0xb1f17f01u) + t.x * p;
    vec2 terms = double_product(t, exact_sum(uintBitsToFloat(0x3f76384fu), p));  // 2 / (3 log(2))
    vec2 upper = exact_sum(uintBitsToFloat(0x4038aa3bu), terms.x);               // 2 / log(2)
    precise float lower = upper.y + (uintBitsToFloat(0x33257060u) + terms.y);
    vec2 log_m = double_product(s, vec2(upper.x, lower));

    vec2 log_x = exact_sum(float(k), log_m.x);
    precise float rest = log_x.y + log_m.y;
    return exact_sum(log_x.x, rest);
}

// Returns the integer k for which the positive finite number with these bits is 2^k m, with m from sqrt(1/2) to sqrt(2).
int power_of_two_near(uint bits)
{
    return int(bits) - 0x3f3504f3 >> 23;
}

// Returns log2 of the positive finite number with these bits, to 2^-40 of it.
vec2 double_log2(uint bits)
{
    int zeros = bits < 0x800000u ? 23 - findMSB(bits) : 0;
    bits <<= uint(zeros);
    int k = power_of_two_near(bits);
    float m = uintBitsToFloat(bits - (uint(k) << 23u));
    precise float m_minus_one = m - 1.0f;
    return double_log2(k - zeros, vec2(m_minus_one, 0.0f), exact_sum(1.0f, m));
}

vec2 double_log_of_two()
{
    return vec2(uintBitsToFloat(0x3f317218u), uintBitsToFloat(0xb102e308u));
}

// Returns the natural logarithm to 1 ULP: log2(x) log(2), in twice the precision. It is -Inf for zeros, and NaN for numbers below
// 0.
float natural_logarithm(float x)
{
    uint bits = floatBitsToUint(x);
    if (binary32_is_nan(x) || bits == 0x7f800000u)
        return x;
    if ((bits & 0x7fffffffu) == 0u)
        return uintBitsToFloat(0xff800000u);
    if (bits >= 0x80000000u)
        return uintBitsToFloat(0x7fc00000u);
    return double_product(double_log2(bits), double_log_of_two()).x;
}

// Returns erf(x) = 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x, to 1 ULP, by three polynomials (minimax, by Remez'
// algorithm). Up to 0.7 it is x and x times one of x^2, within 2^-36. Up to 1.55 it is erf(1.125) and one of x - 1.125, within
// 2^-31. Beyond that it is 1 - e^-g with one for g = -log(1 - erf(x)), within 2^-34 of the whole, and from 3.92 on 1.
float error_function(float x)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    uint sign = floatBitsToUint(x) - magnitude;
    float slope = uintBitsToFloat(0x3e0375d4u);  // 2 / sqrt(pi) - 1
    if (magnitude > 0x7f800000u)
        return x;
    if (magnitude < 0x800000u) {  // a denormal, in units of the least one
        precise float y = float(magnitude);
        y = y + y * slope;
        return uintBitsToFloat(sign | uint(y < 8388608.0f ? floor(y + 0.5f) : y));
    }
    float a = uintBitsToFloat(magnitude);
    precise float result;
    if (magnitude < 0x0d800000u) {  // below 2^-100: the product would be a denormal
        precise float y = a * 18446744073709551616.0f;
        y = y + y * slope;
        result = y * 5.421010862427522e-20f;
    } else if (a < 0.7f) {
        precise float z = a * a;
        precise float p = uintBitsToFloat(0x38cce99fu);
        p = uintBitsToFloat(0xba5c3699u) + z * p;
        p = uintBitsToFloat(0x3bab0552u) + z * p;
        p = uintBitsToFloat(0xbcdc14bau) + z * p;
        p = uintBitsToFloat(0x3de71788u) + z * p;
        p = uintBitsToFloat(0xbec093a3u) + z * p;
        p = slope + z * p;
        result = a + a * p;
    } else if (a < 1.55f) {
        precise float s = a - 1.125f;
        precise float p = uintBitsToFloat(0xb9ea76b1u);
        p = uintBitsToFloat(0xbbb530d1u) + s * p;
        p = uintBitsToFloat(0x3c1dac9au) + s * p;
        p = uintBitsToFloat(0x3c7d45f6u) + s * p;
        p = uintBitsToFloat(0xbd7b3013u) + s * p;
        p = uintBitsToFloat(0x3ce532c4u) + s * p;
        p = uintBitsToFloat(0x3e2659ebu) + s * p;
        p = uintBitsToFloat(0xbeb7536bu) + s * p;
        p = uintBitsToFloat(0x3ea2f4ceu) + s * p;
        p = uintBitsToFloat(0x3286189cu) + s * p;
        result = uintBitsToFloat(0x3f636d69u) + p;
    } else {
        a = min(a, 3.92f);
        precise float g = uintBitsToFloat(0xb8f8c211u);
        g = uintBitsToFloat(0x3b0e0d00u) + a * g;
        g = uintBitsToFloat(0xbc949059u) + a * g;
        g = uintBitsToFloat(0x3dc025d3u) + a * g;
        g = uintBitsToFloat(0x3f26b079u) + a * g;
        g = uintBitsToFloat(0x3f8f0966u) + a * g;
        g = uintBitsToFloat(0x3b578a0du) + a * g;
        result = 1.0f - exponential(-g);
    }
    return uintBitsToFloat(sign | floatBitsToUint(result));
}

// Returns 2 for an odd integer, 1 for an even one, else 0, of a finite number other than 0.
uint parity(float y)
{
    uint magnitude = floatBitsToUint(y) & 0x7fffffffu;
    uint exponent = magnitude >> 23u;
    if (exponent < 127u)
        return 0u;
    if (exponent > 150u)
        return 1u;
    uint significand = magnitude & 0x7fffffu | 0x800000u;
    uint unit = 1u << 150u - exponent;
    return (significand & unit - 1u) != 0u ? 0u : (significand & unit) != 0u ? 2u : 1u;
}

// Returns x^y of a positive finite x and a finite y: 2^(y log2(x)), all of it in twice the precision. For |y| beyond 2^34 the
// result is 1, infinite or 0 whatever y is.
float positive_power(float x, vec2 y)
{
    if (abs(y.x) > 17179869184.0f)
        y = vec2(clamp(y.x, -17179869184.0f, 17179869184.0f), 0.0f);
    vec2 product = double_product(y, double_log2(floatBitsToUint(x)));
    if (abs(product.x) > 160.0f)
        product = vec2(clamp(product.x, -160.0f, 160.0f), 0.0f);
    precise float k = floor(product.x + 0.5f);
    precise float fraction = product.x - k;
    vec2 r = exact_product(fraction, uintBitsToFloat(0x3f317218u));
    precise float rest = r.y + (fraction * uintBitsToFloat(0xb102e308u) + product.y * uintBitsToFloat(0x3f317218u));
    precise float m = 1.0f + small_exponential_minus_one(exact_sum(r.x, rest));
    return scaled_by_power_of_two(m, int(k));
}

// Returns x^y to 1 ULP, with the special cases of C: 1 for x = 1 and for y = 0, also of NaN. `kind` is y's parity, which y may
// have lost where it was rounded to what is given here.
float power(float x, vec2 y, uint kind)
{
    const uint infinity = 0x7f800000u;
    const uint one = 0x3f800000u;
    uint x_magnitude = floatBitsToUint(x) & 0x7fffffffu;
    uint y_magnitude = floatBitsToUint(y.x) & 0x7fffffffu;
    if (floatBitsToUint(x) == one || y_magnitude == 0u)
        return 1.0f;
    if (max(x_magnitude, y_magnitude) > infinity)
        return uintBitsToFloat(0x7fc00000u);
    bool x_negative = floatBitsToUint(x) != x_magnitude;
    bool y_negative = floatBitsToUint(y.x) != y_magnitude;
    if (y_magnitude == infinity) {
        if (x_magnitude == one)
            return 1.0f;
        return uintBitsToFloat((x_magnitude > one) != y_negative ? infinity : 0u);
    }
    uint sign = x_negative && kind == 2u ? 0x80000000u : 0u;
    if (x_magnitude == 0u || x_magnitude == infinity)
        return uintBitsToFloat(sign | ((x_magnitude == 0u) == y_negative ? infinity : 0u));
    if (x_negative && kind == 0u)
        return uintBitsToFloat(0x7fc00000u);
    return uintBitsToFloat(sign | floatBitsToUint(positive_power(uintBitsToFloat(x_magnitude), y)));
}

float power(float x, float y)
{
    return power(x, vec2(y, 0.0f), parity(y));
}

#endif
