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
const uint HARD_SWISH = 6u;
const uint SIGMOID = 16u;
const uint TANH = 17u;

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

// `first` and `second`: the numbers of the kind's expression.
Real activation(uint kind, Real a, Real first, Real second)
{
    switch (kind) {
    case RELU:
        return less(a, zero()) ? zero() : a;
    case CLIP:
        return clipped(a, first, second);
#ifdef REALS
    case LEAKY_RELU:
        return less(a, zero()) ? times(first, a) : a;
    case HARD_SWISH:
        return times(a, hard_sigmoid(a, first, second));
#endif
#ifdef ACTIVATION_FUNCTIONS
    case SIGMOID:
        return logistic(a);
    case TANH:
        return hyperbolic_tangent(a);
#endif
    }
    return a;
}

#endif
