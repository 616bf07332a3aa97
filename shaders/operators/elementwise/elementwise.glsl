// SPDX-License-Identifier: Apache-2.0
// This file holds what elementwise and elementwise_chain share: the problem, and every kind's expression, for the first operator
// and for the steps behind it. It is included behind the specialization constants of elementwise and steps_read, before
// output_of.
//
// Where OUTPUTS is 4, main() is that of elementwise_quads.glsl.
//
// FUNCTIONS 0 leaves out what is more than a few additions, multiplications and comparisons: SwiftShader computes every kind's
// expression, whatever a specialization constant says, and other drivers take longer to compile the module.
#include "shaders/library/common.glsl"
#include "shaders/operators/elementwise/elementwise.h"
#include "shaders/library/store.glsl"

#ifndef FUNCTIONS
#define FUNCTIONS 1
#endif

#include "shaders/library/activations.glsl"
#if FUNCTIONS && defined(FLOATS)
#include "shaders/library/exponentials.glsl"
#include "shaders/library/trigonometry.glsl"
#endif
#if FUNCTIONS && (defined(FLOATS) || defined(TYPE_i32) || defined(TYPE_i64))
#define POWERS 1
#include "shaders/library/powers.glsl"
#endif

INPUT(0, InputX, x, x_at)
INPUT(1, InputW, w, w_at)
INPUT(2, InputB, b, b_at)

layout(binding = UNIFORM_BINDING) uniform Problem
{
    uvec4 words[spec_vectors];
};

#define OUTPUT_BINDING 3
#if OUTPUTS == 4
#define OWN_MAIN 1
#endif
#include "shaders/engines/gather/gather.glsl"

#define BROADCAST_WORDS ELEMENTWISE_NUMBERS
#include "shaders/engines/gather/broadcast.glsl"

// Returns number i of the expressions: the first two are of the first operator, and each step has two more.
Real number(uint i)
{
    return real_of(uvec2(word(2u * i), word(2u * i + 1u)));
}

// min_of and max_of return a NaN where an operand is a NaN.
Real min_of(Real a, Real b)
{
    return is_nan(a) ? a : is_nan(b) || less(b, a) ? b : a;
}

Real max_of(Real a, Real b)
{
    return is_nan(a) ? a : is_nan(b) || less(a, b) ? b : a;
}

Real sum_of(Real a, Real b)
{
    return plus(a, b);
}

Real mean_of(Real a, Real b)
{
    return plus(a, b);
}

#define KIND_CASE(number, NAME, name) case NAME:

// Returns what a kind of any number of inputs makes of two of them.
Real joined(uint kind, Real a, Real b)
{
    switch (kind) {
#define JOIN_CASE(number, NAME, name)                                                                                            \
    case NAME:                                                                                                                   \
        return name##_of(a, b);
        ELEMENTWISE_JOINED(JOIN_CASE)
        ELEMENTWISE_JOINED_FUNCTIONS(JOIN_CASE)
    }
    return a;
}

bool is_joined(uint kind)
{
    switch (kind) {
        ELEMENTWISE_JOINED(KIND_CASE)
        return true;
    }
    return false;
}

// The functions name_of() are the kinds' expressions. `first` and `second` are the numbers that stand in them. `b` does not
// matter where a kind has one operand.
Real identity_of(Real a, Real b, Real first, Real second)
{
    return a;
}

Real neg_of(Real a, Real b, Real first, Real second)
{
    return negated(a);
}

Real abs_of(Real a, Real b, Real first, Real second)
{
    return absolute(a);
}

// Returns a itself where it is a NaN or a zero.
Real sign_of(Real a, Real b, Real first, Real second)
{
    return less(a, zero()) ? negated(one()) : less(zero(), a) ? one() : a;
}

Real thresholded_relu_of(Real a, Real b, Real first, Real second)
{
    return less(first, a) ? a : zero();
}

Real prelu_of(Real a, Real b, Real first, Real second)
{
    return less(a, zero()) ? times(b, a) : a;
}

Real add_of(Real a, Real b, Real first, Real second)
{
    return plus(a, b);
}

Real sub_of(Real a, Real b, Real first, Real second)
{
    return minus(a, b);
}

Real mul_of(Real a, Real b, Real first, Real second)
{
    return times(a, b);
}

#if FUNCTIONS
Real div_of(Real a, Real b, Real first, Real second)
{
#ifdef REALS
    if (spec_exact_division != 0u)
        return quotient_exactly(a, b);
#endif
    return quotient(a, b);
}

#ifdef FLOATS
// Returns what is left of a, with its sign, when b is subtracted as often as possible: C's fmod, which is exact. This is a long
// division of eight bits a round, whose quotient is not kept.
float truncated_mod(float a, float b)
{
    uint bits = floatBitsToUint(a);
    uint magnitude = bits & 0x7fffffffu;
    uint divisor = floatBitsToUint(b) & 0x7fffffffu;
    if (magnitude >= 0x7f800000u || divisor > 0x7f800000u || divisor == 0u)
        return uintBitsToFloat(0x7fc00000u);
    if (magnitude < divisor)
        return a;
    int exponent = binary32_exponent(divisor);
    uint significand = binary32_significand(divisor);
    uint rest = binary32_significand(magnitude) % significand;
    for (int shift = binary32_exponent(magnitude) - exponent; shift > 0; shift -= 8)
        rest = (rest << uint(min(shift, 8))) % significand;
    uint sign = bits - magnitude;
    if (rest == 0u)
        return uintBitsToFloat(sign);
    int up = 23 - findMSB(rest);
    rest <<= uint(up);
    exponent -= up;
    return uintBitsToFloat(sign | (exponent > 0 ? rest & 0x7fffffu | uint(exponent) << 23u : rest >> uint(1 - exponent)));
}

// `first` is 1 where the result has the sign of a, else it has that of b, also where it is a zero.
Real mod_of(Real a, Real b, Real first, Real second)
{
    float rest = truncated_mod(a, b);
    uint turned = (floatBitsToUint(rest) ^ floatBitsToUint(b)) & 0x80000000u;
    if (first != 0.0f || turned == 0u)
        return rest;
    return (floatBitsToUint(rest) & 0x7fffffffu) == 0u ? uintBitsToFloat(floatBitsToUint(rest) ^ turned) : rest + b;
}

#elif !defined(REALS)
// `first` is 1 where the result has the sign of a, else it has that of b.
Real mod_of(Real a, Real b, Real first, Real second)
{
    if (!less(b, zero()) && !less(zero(), b))
        return zero();
    Real rest = minus(a, times(quotient(a, b), b));
    bool is_turned = less(rest, zero()) ? less(zero(), b) : less(zero(), rest) && less(b, zero());
    return is_turned && !less(zero(), first) ? plus(rest, b) : rest;
}
#endif

#ifdef REALS
Real sqrt_of(Real a, Real b, Real first, Real second)
{
    return spec_exact_division != 0u ? square_root_exactly(a) : square_root(a);
}

Real reciprocal_of(Real a, Real b, Real first, Real second)
{
    return div_of(one(), a, first, second);
}

Real floor_of(Real a, Real b, Real first, Real second)
{
    return whole(a, false, true);
}

Real ceil_of(Real a, Real b, Real first, Real second)
{
    return whole(a, false, false);
}

Real round_of(Real a, Real b, Real first, Real second)
{
    return whole(a, true, false);
}
#endif

#ifdef FLOATS
Real elu_of(Real a, Real b, Real first, Real second)
{
    return less(a, zero()) ? times(first, exponential_minus_one(a)) : a;
}

Real exp_of(Real a, Real b, Real first, Real second)
{
    return exponential(a);
}

Real log_of(Real a, Real b, Real first, Real second)
{
    return natural_logarithm(a);
}

Real erf_of(Real a, Real b, Real first, Real second)
{
    return error_function(a);
}

#define FUNCTION_OF(name, function)                                                                                              \
    Real name##_of(Real a, Real b, Real first, Real second)                                                                      \
    {                                                                                                                            \
        return function(a);                                                                                                      \
    }
FUNCTION_OF(sin, sine)
FUNCTION_OF(cos, cosine)
FUNCTION_OF(tan, tangent)
FUNCTION_OF(asin, arc_sine)
FUNCTION_OF(acos, arc_cosine)
FUNCTION_OF(atan, arc_tangent)
FUNCTION_OF(sinh, hyperbolic_sine)
FUNCTION_OF(cosh, hyperbolic_cosine)
FUNCTION_OF(asinh, inverse_hyperbolic_sine)
FUNCTION_OF(acosh, inverse_hyperbolic_cosine)
FUNCTION_OF(atanh, inverse_hyperbolic_tangent)
FUNCTION_OF(softplus, soft_plus)
FUNCTION_OF(softsign, soft_sign)
FUNCTION_OF(mish, mish)

Real selu_of(Real a, Real b, Real first, Real second)
{
    return times(second, less(zero(), a) ? a : times(first, exponential_minus_one(a)));
}

Real celu_of(Real a, Real b, Real first, Real second)
{
    return less(zero(), a) ? a : times(first, exponential_minus_one(quotient_exactly(a, first)));
}

// `first` is 1 where the function is approximated by the hyperbolic tangent.
Real gelu_of(Real a, Real b, Real first, Real second)
{
    return less(zero(), first) ? gelu_by_tangent(a) : gelu(a);
}

Real swish_of(Real a, Real b, Real first, Real second)
{
    return swish(a, first);
}

Real pow_of(Real a, Real b)
{
    return power(a, b);
}
#endif
#endif

// Returns what a kind makes of a, and of b where it has a second operand. Kinds of any number of inputs and powers are computed
// elsewhere.
Real result_of(uint kind, Real a, Real b, Real first, Real second)
{
#if FUNCTIONS
#define RETURN_RESULT(number, NAME, name)                                                                                        \
    if (MAY_BE(NAME) && kind == NAME)                                                                                            \
        return name##_of(a, b, first, second);
    ELEMENTWISE_BINARY_FUNCTIONS(RETURN_RESULT)
#if defined(FLOATS) || !defined(REALS)
    ELEMENTWISE_BINARY_FUNCTIONS_BUT_OF_DOUBLES(RETURN_RESULT)
#endif
#ifdef REALS
    ELEMENTWISE_FUNCTIONS_OF_REALS(RETURN_RESULT)
#endif
#ifdef FLOATS
    ELEMENTWISE_FUNCTIONS_OF_FLOATS(RETURN_RESULT)
#endif
#endif
    switch (kind) {
        ELEMENTWISE_ACTIVATIONS(KIND_CASE)
        ELEMENTWISE_ACTIVATIONS_OF_REALS(KIND_CASE)
        ELEMENTWISE_ACTIVATION_FUNCTIONS(KIND_CASE)
        return activation(kind, a, first, second);
#define RESULT_CASE(number, NAME, name)                                                                                          \
    case NAME:                                                                                                                   \
        return name##_of(a, b, first, second);
        ELEMENTWISE_UNARY(RESULT_CASE)
        ELEMENTWISE_BINARY(RESULT_CASE)
    }
    return a;
}

bool has_second_operand(uint kind)
{
    switch (kind) {
        ELEMENTWISE_BINARY(KIND_CASE)
        ELEMENTWISE_BINARY_FUNCTIONS(KIND_CASE)
        ELEMENTWISE_BINARY_FUNCTIONS_BUT_OF_DOUBLES(KIND_CASE)
        return true;
    }
    return false;
}

// Operands hold what the bound inputs have for an output: with OUTPUTS 4 the elements, else where they lie.
#if OUTPUTS == 4
struct Operands {
    Real x;
    Real w;
    Real b;
};
#define X_OF(operands) (operands).x
#define W_OF(operands) (operands).w
#define B_OF(operands) (operands).b
#else
#define Operands uvec3
#define X_OF(operands) x_at((operands).x)
#define W_OF(operands) w_at((operands).y)
#define B_OF(operands) b_at((operands).z)
#endif

// Joins the inputs that are given, or as many as the part adds.
Real all_joined(uint index, Operands operands)
{
    Real a = X_OF(operands);
    uint inputs = max(push.channel_count, uint(bitCount(spec_given)));
    if (push.starts == 0u)
        a = joined(spec_kind, sum_so_far(index), a);
    if (inputs > 1u)
        a = joined(spec_kind, a, W_OF(operands));
    if (inputs > 2u)
        a = joined(spec_kind, a, B_OF(operands));
    return a;
}

// Returns what becomes of all joined inputs in the part that has the last of them.
Real finished(Real a)
{
#if FUNCTIONS && defined(REALS)
    if (spec_kind == MEAN && push.finishes != 0u)
        return div_of(a, number(0u), zero(), zero());
#endif
    return a;
}

// Returns output number `index` of the first operator.
Real first_result(uint index, Operands operands)
{
    switch (spec_kind) {
        ELEMENTWISE_JOINED(KIND_CASE)
        ELEMENTWISE_JOINED_FUNCTIONS(KIND_CASE)
        return finished(all_joined(index, operands));
    case CLIP:
        return clipped(X_OF(operands), (spec_given & 2u) != 0u ? W_OF(operands) : number(0u),
                       (spec_given & 4u) != 0u ? B_OF(operands) : number(1u));
#ifdef POWERS
#define POWER_CASE(number, NAME, name)                                                                                           \
    case NAME:                                                                                                                   \
        return name##_at(X_OF(operands), operands.y);
        ELEMENTWISE_POWERS(POWER_CASE)
#endif
    }
    Real b = has_second_operand(spec_kind) ? W_OF(operands) : zero();
    return result_of(spec_kind, X_OF(operands), b, number(0u), number(1u));
}

// A kernel that includes this file defines output_of, which returns output number `index` from these operands.
Real output_of(uint index, Operands operands);

#if OUTPUTS == 4
#include "shaders/operators/elementwise/elementwise_quads.glsl"
#else

Real output_at(uint index)
{
    if (push.channel_count == 0u)  // this part adds no input: the sum so far only becomes an element
        return finished(sum_so_far(index));
    return output_of(index, places_of(index));
}

#endif
