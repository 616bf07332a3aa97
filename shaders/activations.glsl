// SPDX-License-Identifier: Apache-2.0
// The expressions of elementwise operators that another operator's kernel may compute, too, before it stores its results: one
// definition for elementwise.comp and for epilogue.glsl.
#ifndef VKONNX_ACTIVATIONS_GLSL
#define VKONNX_ACTIVATIONS_GLSL

// FUNCTIONS 0 leaves out Sigmoid and Tanh.
#if defined(FLOATS) && (!defined(FUNCTIONS) || FUNCTIONS)
#define ACTIVATION_FUNCTIONS 1
#include "functions.glsl"
#endif

// As vkonnx::ElementwiseKind numbers them.
const uint IDENTITY = 0u;
const uint RELU = 1u;
const uint LEAKY_RELU = 2u;
const uint CLIP = 4u;
const uint HARD_SIGMOID = 5u;
const uint HARD_SWISH = 6u;
const uint SIGMOID = 16u;
const uint TANH = 17u;

// Whether a kernel computes a kind at all. Where its kinds are known at run time only, it says which by constants: drivers then
// leave out the others, which they compile for long.
#ifndef MAY_BE
#define MAY_BE(kind) true
#endif

Real clipped(Real a, Real low, Real high)
{
    a = less(a, low) ? low : a;
    return less(high, a) ? high : a;
}

#ifdef REALS
Real hard_sigmoid(Real a, Real alpha, Real beta)
{
    return clipped(plus(times(alpha, a), beta), zero(), one());
}
#endif

// `first` and `second`: the numbers of the kind's expression. Without Sigmoid and Tanh. No branches: where the kind is known at run
// time only, drivers for CPUs would take each of them, and longer to compile.
Real plain_activation(uint kind, Real a, Real first, Real second)
{
    bool below = less(a, zero());
    Real clip = clipped(a, first, second);
    Real value = below && kind == RELU ? zero() : a;
    value = kind == CLIP ? clip : value;
#ifdef REALS
    Real scaled = times(first, a);
    Real gate = hard_sigmoid(a, first, second);
    Real gated = times(a, gate);
    value = below && kind == LEAKY_RELU ? scaled : value;
    value = kind == HARD_SIGMOID ? gate : value;
    value = kind == HARD_SWISH ? gated : value;
#endif
    return value;
}

// Of any kind.
Real activation(uint kind, Real a, Real first, Real second)
{
#ifdef ACTIVATION_FUNCTIONS
    if (MAY_BE(SIGMOID) && kind == SIGMOID)
        return logistic(a);
    if (MAY_BE(TANH) && kind == TANH)
        return hyperbolic_tangent(a);
#endif
    return plain_activation(kind, a, first, second);
}

#endif
