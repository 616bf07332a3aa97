// SPDX-License-Identifier: Apache-2.0
// What elementwise and elementwise_chain share: the problem, and every kind's expression, once for the first operator and for the
// steps behind it. Included behind the specialization constants of elementwise and steps_read, before output_of.
//
// OUTPUTS 4 makes it the main of elementwise_quads.glsl.
//
// FUNCTIONS 0 leaves out what is more than a few additions, multiplications and comparisons: SwiftShader computes every kind's
// expression, whatever a specialization constant says, and others take longer to compile the module.
#include "common.glsl"
#include "shared/elementwise.h"
#include "store.glsl"

#ifndef FUNCTIONS
#define FUNCTIONS 1
#endif

#include "activations.glsl"
#if FUNCTIONS && (defined(FLOATS) || defined(TYPE_i32) || defined(TYPE_i64))
#define POWERS 1
#include "powers.glsl"
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
            uint above = i + 1u < spec_rank ? rest / extent : 0u;  // divisions are what this takes its time for
            places += (rest - above * extent) * step;
            rest = above;
        }
    }
    return places - uvec3(push.x_base, push.w_base, push.b_base);
}

// Number i of the expressions: two of the first operator's, then two of each step's.
Real number(uint i)
{
    return real_of(uvec2(word(2u * i), word(2u * i + 1u)));
}

// As vkonnx::ElementwiseKind numbers them; others are in activations.glsl.
const uint PRELU = 3u;
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
Real joined(uint kind, Real a, Real b)
{
    switch (kind) {
    case MIN:
        return least(a, b);
    case MAX:
        return greatest(a, b);
    }
    return plus(a, b);
}

#if FUNCTIONS
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
#endif

// What a kind makes of a, and of b where it has a second operand; `first` and `second` are the numbers of its expression. Others
// are joined(), or power() and power_at().
Real result_of(uint kind, Real a, Real b, Real first, Real second)
{
#if FUNCTIONS
    if (MAY_BE(DIV) && kind == DIV)
        return divided(a, b);
#ifdef REALS
    if (MAY_BE(SQRT) && kind == SQRT)
        return root(a);
    if (MAY_BE(RECIPROCAL) && kind == RECIPROCAL)
        return divided(one(), a);
#endif
#ifdef FLOATS
    if (MAY_BE(ELU) && kind == ELU)
        return less(a, zero()) ? times(first, exponential_minus_one(a)) : a;
    if (MAY_BE(EXP) && kind == EXP)
        return exponential(a);
#endif
#endif
    switch (kind) {
    case RELU:
    case LEAKY_RELU:
    case CLIP:
    case HARD_SIGMOID:
    case HARD_SWISH:
    case SIGMOID:
    case TANH:
        return activation(kind, a, first, second);
    case PRELU:
        return less(a, zero()) ? times(b, a) : a;
    case NEG:
        return negated(a);
    case ABS:
        return absolute(a);
    case ADD:
        return plus(a, b);
    case SUB:
        return minus(a, b);
    case MUL:
        return times(a, b);
    }
    return a;  // IDENTITY
}

bool has_second_operand(uint kind)
{
    return kind == PRELU || kind == ADD || kind == SUB || kind == MUL || kind == DIV;
}

// The elements of the bound inputs that belong to an output: loaded, or where they are.
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

// SUM, MIN, MAX of the inputs that are given, or of as many as the part adds.
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

// Output number `index` of the first operator.
Real first_result(uint index, Operands operands)
{
    switch (spec_kind) {
    case SUM:
    case MIN:
    case MAX:
        return all_joined(index, operands);
    case CLIP:
        return clipped(X_OF(operands), (spec_given & 2u) != 0u ? W_OF(operands) : number(0u),
                       (spec_given & 4u) != 0u ? B_OF(operands) : number(1u));
#ifdef POWERS
    case POW:
        return power_at(X_OF(operands), operands.y);
#endif
    }
    Real b = has_second_operand(spec_kind) ? W_OF(operands) : zero();
    return result_of(spec_kind, X_OF(operands), b, number(0u), number(1u));
}

// Output number `index`, of a kernel of these.
Real output_of(uint index, Operands operands);

#if OUTPUTS == 4
#include "elementwise_quads.glsl"
#else

Real output_at(uint index)
{
    if (push.channel_count == 0u)  // only what came before becomes an element
        return sum_so_far(index);
    return output_of(index, places_of(index));
}

#endif
