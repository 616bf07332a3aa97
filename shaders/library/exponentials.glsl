// SPDX-License-Identifier: Apache-2.0
// This file holds hyperbolic functions of floats, their inverses, and activations made of exponentials. They are not in
// functions.glsl because only elementwise kernels compute them.
#ifndef VKONNX_EXPONENTIALS_GLSL
#define VKONNX_EXPONENTIALS_GLSL

#include "shaders/library/functions.glsl"
#include "shaders/library/trigonometry.glsl"

// ---- exponentials

// Returns e^x / 2^k. Both x and the result have twice the precision.
vec2 exponential_without(vec2 x, int k)
{
    vec2 r = double_sum(without_power_of_two(x.x, k), vec2(x.y, 0.0f));
    return exact_sum(1.0f, small_exponential_minus_one(r));
}

// Returns sinh(x) to 1 ULP: x and x^3 times a polynomial of x^2 up to 1 (minimax, within 2^-31), half of e^|x| - e^-|x| beyond.
float hyperbolic_sine(float x)
{
    float a = abs(x);
    if (binary32_is_nan(x) || (floatBitsToUint(x) & 0x7fffffffu) < 0x39000000u)  // below 2^-13
        return x;
    precise float result;
    if (a < 1.0f) {
        precise float z = x * x;
        precise float p = uintBitsToFloat(0x363ad37au);
        p = uintBitsToFloat(0x395010abu) + z * p;
        p = uintBitsToFloat(0x3c088871u) + z * p;
        p = uintBitsToFloat(0x3e2aaaabu) + z * p;
        result = x + x * (z * p);
        return result;
    }
    if (a < 12.0f) {
        vec2 e = double_exponential(a);
        vec2 inverse = double_quotient(vec2(0.5f, 0.0f), e);
        precise vec2 half_of_e = e * 0.5f;
        result = double_sum(half_of_e, vec2(-inverse.x, -inverse.y)).x;
    } else {
        a = min(a, 95.0f);
        int k = power_of_two_in(a);
        result = scaled_by_power_of_two(exponential_without(a, k).x, k - 1);
    }
    return x < 0.0f ? -result : result;
}

// Returns cosh(x) to 1 ULP: half of e^|x| + e^-|x|.
float hyperbolic_cosine(float x)
{
    if (binary32_is_nan(x))
        return x;
    float a = min(abs(x), 95.0f);
    if (a < 12.0f) {
        vec2 e = double_exponential(a);
        vec2 inverse = double_quotient(vec2(0.5f, 0.0f), e);
        precise vec2 half_of_e = e * 0.5f;
        return double_sum(half_of_e, inverse).x;
    }
    int k = power_of_two_in(a);
    return scaled_by_power_of_two(exponential_without(a, k).x, k - 1);
}

// ---- logarithms

// Returns log(1 + u) to 2^-40 of it, for u from 2^-60 to 2^60.
vec2 double_logarithm_of_more(vec2 u)
{
    const vec2 one = vec2(1.0f, 0.0f);
    vec2 sum = double_sum(one, u);
    int k = power_of_two_near(floatBitsToUint(sum.x));
    float scale = uintBitsToFloat(uint(127 - k) << 23u);
    precise vec2 m = sum * scale;
    vec2 minus_one = k == 0 ? u : double_sum(m, vec2(-1.0f, 0.0f));
    return double_product(double_log2(k, minus_one, double_sum(m, one)), double_log_of_two());
}

// Returns log(2 x) of the positive finite number x with these bits.
float logarithm_of_twice(uint bits)
{
    return double_product(double_sum(double_log2(bits), vec2(1.0f, 0.0f)), double_log_of_two()).x;
}

// Returns asinh(x) to 1 ULP: log(1 + a + a^2 / (1 + sqrt(1 + a^2))) for a = |x|, and log(2 a) from 2^14 on.
float inverse_hyperbolic_sine(float x)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    if (magnitude >= 0x7f800000u || magnitude < 0x39000000u)  // below 2^-13
        return x;
    float a = uintBitsToFloat(magnitude);
    float result;
    if (a < 16384.0f) {
        const vec2 one = vec2(1.0f, 0.0f);
        vec2 square = exact_product(a, a);
        vec2 divisor = double_sum(one, double_square_root(double_sum(one, square)));
        result = double_logarithm_of_more(double_sum(vec2(a, 0.0f), double_quotient(square, divisor))).x;
    } else {
        result = logarithm_of_twice(magnitude);
    }
    return uintBitsToFloat(floatBitsToUint(result) | (floatBitsToUint(x) ^ magnitude));
}

// Returns acosh(x) to 1 ULP: log(1 + t + sqrt(t (t + 2))) for t = x - 1, and log(2 x) from 2^14 on. It is NaN below 1.
float inverse_hyperbolic_cosine(float x)
{
    uint bits = floatBitsToUint(x);
    if (bits == 0x7f800000u)
        return x;
    if (bits < 0x3f800000u || bits > 0x7f800000u)
        return uintBitsToFloat(0x7fc00000u);
    if (bits == 0x3f800000u)
        return 0.0f;
    if (bits >= 0x46800000u)
        return logarithm_of_twice(bits);
    vec2 t = exact_sum(x, -1.0f);
    vec2 square = double_product(t, double_sum(t, vec2(2.0f, 0.0f)));
    return double_logarithm_of_more(double_sum(t, double_square_root(square))).x;
}

// Returns atanh(x) to 1 ULP: half of log(1 + 2 a / (1 - a)) for a = |x|. It is infinite at 1 and -1, and NaN beyond.
float inverse_hyperbolic_tangent(float x)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    uint sign = floatBitsToUint(x) ^ magnitude;
    if (magnitude > 0x3f800000u)
        return uintBitsToFloat(0x7fc00000u);
    if (magnitude == 0x3f800000u)
        return uintBitsToFloat(sign | 0x7f800000u);
    if (magnitude < 0x39000000u)  // below 2^-13
        return x;
    float a = uintBitsToFloat(magnitude);
    vec2 u = double_quotient(vec2(2.0f * a, 0.0f), exact_sum(1.0f, -a));
    precise float result = 0.5f * double_logarithm_of_more(u).x;
    return uintBitsToFloat(sign | floatBitsToUint(result));
}

// Returns log(1 + e^x) to 1 ULP: the greater of x and 0, and log(1 + e^-|x|) added to it.
float soft_plus(float x)
{
    if (binary32_is_nan(x) || x > 18.0f)
        return x;
    if (x < -30.0f)
        return exponential(x);
    return double_sum(vec2(max(x, 0.0f), 0.0f), double_logarithm_of_more(double_exponential(-abs(x)))).x;
}

// Returns x / (1 + |x|) to 1 ULP, and NaN for infinities.
float soft_sign(float x)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    if (magnitude >= 0x7f800000u)
        return uintBitsToFloat(0x7fc00000u);
    if (magnitude < 0x33000000u)  // below 2^-25
        return x;
    float a = min(uintBitsToFloat(magnitude), 1099511627776.0f);
    float result = double_quotient(vec2(a, 0.0f), exact_sum_of_any(a, 1.0f)).x;
    return uintBitsToFloat(floatBitsToUint(result) | (floatBitsToUint(x) ^ magnitude));
}

// ---- activations that multiply x by a smooth step from 0 to 1

// Returns x * factor * 2^k, rounded once where it is no denormal, for a finite x, and a factor from 2^-60 to 2^60.
float scaled_product(float x, vec2 factor, int k)
{
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    if (magnitude == 0u)
        return x;
    float significand = uintBitsToFloat(binary32_significand(magnitude) + 0x3f000000u);
    vec2 product = exact_product(significand, factor.x);
    precise float sum = product.x + (product.y + significand * factor.y);
    float result = scaled_by_power_of_two(sum, binary32_exponent(magnitude) - 127 + k);
    return uintBitsToFloat(floatBitsToUint(result) | (floatBitsToUint(x) ^ magnitude));
}

// Returns x times a step for an x that is infinite or NaN, if the step is 0 at -Inf: the product is NaN there.
float of_no_number(float x)
{
    return floatBitsToUint(x) == 0x7f800000u ? x : uintBitsToFloat(0x7fc00000u);
}

// Returns x / (1 + e^-u) for a finite x. For u above 18 that is x.
float times_logistic(float x, vec2 u)
{
    if (u.x > 18.0f)
        return x;
    u = u.x < -240.0f ? vec2(-240.0f, 0.0f) : u;
    if (u.x < -30.0f) {  // 1 + e^u is 1
        int k = power_of_two_in(u.x);
        return scaled_product(x, exponential_without(u, k), k);
    }
    vec2 e = u.x < 0.0f ? u : vec2(-u.x, -u.y);
    int k = power_of_two_in(e.x);
    float scale = uintBitsToFloat(uint(127 + k) << 23u);
    precise vec2 power = exponential_without(e, k) * scale;
    const vec2 one = vec2(1.0f, 0.0f);
    return scaled_product(x, double_quotient(u.x < 0.0f ? power : one, double_sum(one, power)), 0);
}

// Returns x / (1 + e^(-alpha x)) to 2 ULP. The exponents of alpha and x are added as integers: devices may take a denormal for 0,
// and the product may be beyond all floats.
float swish(float x, float alpha)
{
    const uint infinite = 0x7f800000u;
    uint x_magnitude = floatBitsToUint(x) & 0x7fffffffu;
    uint alpha_magnitude = floatBitsToUint(alpha) & 0x7fffffffu;
    bool negative = (floatBitsToUint(x) ^ floatBitsToUint(alpha)) >= 0x80000000u;  // tells whether alpha x is
    uint least = min(x_magnitude, alpha_magnitude);
    uint most = max(x_magnitude, alpha_magnitude);
    if (most > infinite || (most == infinite && least == 0u) || (x_magnitude == infinite && negative))
        return uintBitsToFloat(0x7fc00000u);
    if (x_magnitude == 0u || x_magnitude == infinite)
        return x;
    if (alpha_magnitude == infinite)
        return negative ? uintBitsToFloat(floatBitsToUint(x) & 0x80000000u) : x;
    int exponent = -1000;
    if (alpha_magnitude != 0u)
        exponent = binary32_exponent(x_magnitude) + binary32_exponent(alpha_magnitude) - 254;
    if (exponent < -40)  // e^(-alpha x) is 1
        return times_logistic(x, vec2(0.0f, 0.0f));
    if (exponent > 8)
        return times_logistic(x, vec2(negative ? -300.0f : 300.0f, 0.0f));
    float x_significand = uintBitsToFloat(binary32_significand(x_magnitude) + 0x3f000000u);  // from 1 to 2
    float alpha_significand = uintBitsToFloat(binary32_significand(alpha_magnitude) + 0x3f000000u);
    float scale = uintBitsToFloat(uint(127 + exponent) << 23u | (negative ? 0x80000000u : 0u));
    precise vec2 u = exact_product(x_significand, alpha_significand) * scale;
    return times_logistic(x, u);
}

// Returns x tanh(log(1 + e^x)) to 1 ULP: with e = e^x, that is x n / (n + 2) for n = e (e + 2).
float mish(float x)
{
    if (is_infinite_or_nan(x))
        return of_no_number(x);
    if (x > 12.0f)  // n / (n + 2) is 1
        return x;
    if (x < -18.0f) {  // it is e^x
        float least = max(x, -240.0f);
        int k = power_of_two_in(least);
        return scaled_product(x, exponential_without(least, k), k);
    }
    const vec2 two = vec2(2.0f, 0.0f);
    vec2 e = double_exponential(x);
    vec2 n = double_product(e, double_sum(e, two));
    return scaled_product(x, double_quotient(n, double_sum(n, two)), 0);
}

// Returns x times the normal distribution's integral up to x, to 6 ULP. Up to -a = -|x| the integral is e^(-a^2 / 2) times a
// quotient of polynomials of a (minimax, within 2^-26).
float gelu(float x)
{
    if (is_infinite_or_nan(x))
        return of_no_number(x);
    float a = min(abs(x), 20.0f);
    precise float numerator = uintBitsToFloat(0x3b871f83u);
    numerator = uintBitsToFloat(0x3d26ae4fu) + a * numerator;
    numerator = uintBitsToFloat(0x3e3bd4fdu) + a * numerator;
    numerator = uintBitsToFloat(0x3ee08dbdu) + a * numerator;
    precise float denominator = uintBitsToFloat(0x3c29598cu);
    denominator = uintBitsToFloat(0x3dd0ea98u) + a * denominator;
    denominator = uintBitsToFloat(0x3ef0a11eu) + a * denominator;
    denominator = uintBitsToFloat(0x3f9a075du) + a * denominator;
    denominator = uintBitsToFloat(0x3fd667f6u) + a * denominator;
    if (a < 1.0e-15f)
        a = 0.0f;  // or products would be denormals
    vec2 square = exact_product(a, a);
    vec2 tail = double_quotient(double_sum(vec2(0.5f, 0.0f), exact_product(a, numerator)),
                                double_sum(vec2(1.0f, 0.0f), exact_product(a, denominator)));
    precise vec2 power = square * -0.5f;
    int k = power_of_two_in(power.x);
    tail = double_product(tail, exponential_without(power, k));
    if (x < 0.0f)
        return scaled_product(x, tail, k);
    float scale = uintBitsToFloat(uint(127 + max(k, -100)) << 23u);
    precise vec2 lacking = tail * -scale;
    return scaled_product(x, double_sum(vec2(1.0f, 0.0f), lacking), 0);
}

// Returns the approximation that ONNX gives for Gelu: x / (1 + e^-u) for u = 2 sqrt(2 / pi) (x + 0.044715 x^3), to 2 ULP.
float gelu_by_tangent(float x)
{
    if (is_infinite_or_nan(x))
        return of_no_number(x);
    if (abs(x) < 1.0e-15f)
        return times_logistic(x, vec2(0.0f, 0.0f));
    float bounded = clamp(x, -20.0f, 20.0f);
    vec2 cubic = double_product(exact_product(bounded, bounded), vec2(uintBitsToFloat(0x3d922279u), uintBitsToFloat(0x3124d8b5u)));
    vec2 linear = vec2(uintBitsToFloat(0x3fcc422au), uintBitsToFloat(0xb342bc9bu));
    return times_logistic(x, double_product(vec2(bounded, 0.0f), double_sum(linear, cubic)));
}

#endif
