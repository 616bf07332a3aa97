// SPDX-License-Identifier: Apache-2.0
#version 450
// The elementwise operators: one invocation computes an element, or those that share a word.
//
// Layouts: row-major; an input lies as the output does, or is broadcast by a stride of 0.
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loop: spec_rank iterations an element
// - up to 3 inputs are bound; where there are more of them (Sum, Min, Max), parts go on from what those before them left: inputs
//   are the channels of the gather protocol, and spec_given is 1
// - where Y is the memory of an input, that input is read at the element that is written, and not later
// Specialization: specialization/elementwise.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "specialization/elementwise.h"

#include "common.glsl"
#include "shared/elementwise.h"
#include "store.glsl"

#include "activations.glsl"
#if defined(FLOATS) || defined(TYPE_i32) || defined(TYPE_i64)
#define POWERS 1
#include "powers.glsl"
#endif

INPUT(0, InputX, x, x_at)
INPUT(1, InputW, w, w_at)
INPUT(2, InputB, b, b_at)

layout(binding = UNIFORM_BINDING) uniform Problem
{
    uvec4 words[ELEMENTWISE_WORDS / 4];
};

#define OUTPUT_BINDING 3
#include "gather.glsl"

uint word(uint i)
{
    return words[i >> 2][i & 3u];
}

// Where in the bound inputs the elements lie that belong to output `index`.
uvec3 places_of(uint index)
{
    uvec3 places = uvec3(index);
    if (spec_rank != 0u) {
        places = uvec3(0u);
        uint rest = index;
        uint strides = ELEMENTWISE_NUMBERS + (1u + push.first_channel) * spec_rank;
        for (uint i = 0u; i < spec_rank; ++i) {
            uint extent = word(ELEMENTWISE_NUMBERS + i);
            uvec3 step = uvec3(word(strides + i), word(strides + spec_rank + i), word(strides + 2u * spec_rank + i));
            places += rest % extent * step;
            rest /= extent;
        }
    }
    return places - uvec3(push.x_base, push.w_base, push.b_base);
}

// Number i of the kind's expression.
Real number(uint i)
{
    return real_of(uvec2(word(2u * i), word(2u * i + 1u)));
}

// As vkonnx::ElementwiseKind numbers them; others are in activations.glsl.
const uint PRELU = 3u;
const uint HARD_SIGMOID = 5u;
const uint NEG = 7u;
const uint ABS = 8u;
const uint ADD = 9u;
const uint SUB = 10u;
const uint MUL = 11u;
const uint DIV = 12u;
const uint SUM = 13u;
const uint MIN = 14u;
const uint MAX = 15u;
const uint ELU = 18u;
const uint EXP = 19u;
const uint SQRT = 20u;
const uint POW = 21u;
const uint RECIPROCAL = 22u;

// NaN where one is.
Real least(Real a, Real b)
{
    return is_nan(a) ? a : is_nan(b) || less(b, a) ? b : a;
}

Real greatest(Real a, Real b)
{
    return is_nan(a) ? a : is_nan(b) || less(a, b) ? b : a;
}

// What a kind of any number of inputs makes of two of them.
Real joined(Real a, Real b)
{
    switch (spec_kind) {
    case MIN:
        return least(a, b);
    case MAX:
        return greatest(a, b);
    }
    return plus(a, b);
}

Real divided(Real a, Real b)
{
#ifdef REALS
    if (spec_exact_division != 0u)
        return quotient_exactly(a, b);
#endif
    return quotient(a, b);
}

#ifdef REALS
Real root(Real a)
{
    return spec_exact_division != 0u ? square_root_exactly(a) : square_root(a);
}
#endif

Real output_at(uint index)
{
    if (push.channel_count == 0u)  // only what came before becomes an element
        return sum_so_far(index);
    uvec3 places = places_of(index);
    Real a = x_at(places.x);
    switch (spec_kind) {
    case IDENTITY:
        return a;
    case RELU:
    case LEAKY_RELU:
    case HARD_SWISH:
    case SIGMOID:
    case TANH:
        return activation(spec_kind, a, number(0u), number(1u));
#ifdef REALS
    case SQRT:
        return root(a);
    case RECIPROCAL:
        return divided(one(), a);
    case HARD_SIGMOID:
        return hard_sigmoid(a, number(0u), number(1u));
#endif
#ifdef FLOATS
    case ELU:
        return less(a, zero()) ? times(number(0u), exponential_minus_one(a)) : a;
    case EXP:
        return exponential(a);
#endif
#ifdef POWERS
    case POW:
        return power_at(a, places.y);
#endif
    case PRELU:
        return less(a, zero()) ? times(w_at(places.y), a) : a;
    case CLIP:
        return activation(CLIP, a, (spec_given & 2u) != 0u ? w_at(places.y) : number(0u),
                          (spec_given & 4u) != 0u ? b_at(places.z) : number(1u));
    case NEG:
        return negated(a);
    case ABS:
        return absolute(a);
    case ADD:
        return plus(a, w_at(places.y));
    case SUB:
        return minus(a, w_at(places.y));
    case MUL:
        return times(a, w_at(places.y));
    case DIV:
        return divided(a, w_at(places.y));
    }
    // SUM, MIN, MAX of those that are given, or of as many as the part adds
    uint inputs = max(push.channel_count, uint(bitCount(spec_given)));
    if (push.starts == 0u)
        a = joined(sum_so_far(index), a);
    if (inputs > 1u)
        a = joined(a, w_at(places.y));
    if (inputs > 2u)
        a = joined(a, b_at(places.z));
    return a;
}
