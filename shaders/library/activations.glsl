// SPDX-License-Identifier: Apache-2.0
// This file holds the expressions of elementwise operators that other kernels may compute, too, before they store their results.
// It is the one definition for elementwise.comp and epilogue.glsl.
#ifndef VKONNX_ACTIVATIONS_GLSL
#define VKONNX_ACTIVATIONS_GLSL

#include "shaders/library/elementwise_kinds.h"

// FUNCTIONS 0 leaves out Sigmoid and Tanh.
#if defined(FLOATS) && (!defined(FUNCTIONS) || FUNCTIONS)
#define ACTIVATION_FUNCTIONS 1
#include "shaders/library/functions.glsl"
#endif

#define KIND_CONSTANT(number, NAME, name) const uint NAME = uint(number);
ELEMENTWISE_KINDS(KIND_CONSTANT)

// MAY_BE tells whether a kernel computes a kind at all. A kernel that knows its kinds only at run time says so by constants:
// drivers then leave out the other kinds, which would take them long to compile.
#ifndef MAY_BE
#define MAY_BE(kind) true
#endif

Real clipped(Real a, Real low, Real high)
{
    a = less(a, low) ? low : a;
    return less(high, a) ? high : a;
}

// The functions name_of() are the kinds' expressions. `first` and `second` are the numbers that stand in them.
Real relu_of(Real a, Real first, Real second)
{
    return less(a, zero()) ? zero() : a;
}

Real clip_of(Real a, Real first, Real second)
{
    return clipped(a, first, second);
}

#ifdef REALS
Real leaky_relu_of(Real a, Real first, Real second)
{
    Real scaled = times(first, a);
    return less(a, zero()) ? scaled : a;
}

Real hard_sigmoid_of(Real a, Real first, Real second)
{
    return clipped(plus(times(first, a), second), zero(), one());
}

Real hard_swish_of(Real a, Real first, Real second)
{
    return times(a, hard_sigmoid_of(a, first, second));
}
#endif

#ifdef ACTIVATION_FUNCTIONS
Real sigmoid_of(Real a, Real first, Real second)
{
    return logistic(a);
}

Real tanh_of(Real a, Real first, Real second)
{
    return hyperbolic_tangent(a);
}
#endif

// Returns what an activation without function calls makes of `a`, and `a` itself for other kinds. There are no branches: where
// the kind is known only at run time, drivers for CPUs would take each of them, and compile for longer.
Real plain_activation(uint kind, Real a, Real first, Real second)
{
    Real value = a;
#define SELECT_KIND(number, NAME, name)                                                                                          \
    Real of_##name = name##_of(a, first, second);                                                                                \
    value = kind == NAME ? of_##name : value;
    ELEMENTWISE_ACTIVATIONS(SELECT_KIND)
#ifdef REALS
    ELEMENTWISE_ACTIVATIONS_OF_REALS(SELECT_KIND)
#endif
    return value;
}

// Returns what an activation of any kind makes of `a`.
Real activation(uint kind, Real a, Real first, Real second)
{
#ifdef ACTIVATION_FUNCTIONS
#define RETURN_ACTIVATION(number, NAME, name)                                                                                    \
    if (MAY_BE(NAME) && kind == NAME)                                                                                            \
        return name##_of(a, first, second);
    ELEMENTWISE_ACTIVATION_FUNCTIONS(RETURN_ACTIVATION)
#endif
    return plain_activation(kind, a, first, second);
}

#endif
