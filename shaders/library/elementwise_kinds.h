// SPDX-License-Identifier: Apache-2.0
// This file lists all kinds of elementwise operators, for C++ and GLSL: a row KIND(number, NAME, name) for each. `number` is the
// value of vkonnx::ElementwiseKind for `name`, and of NAME in GLSL.
//
// A kind stands in one list, which says how it is computed. Shaders expand the lists to branches that call name_of(), the kind's
// own function, so that a kind without one does not compile. C++ learns from the same lists which kinds are functions.
#ifndef VKONNX_ELEMENTWISE_KINDS_H
#define VKONNX_ELEMENTWISE_KINDS_H

// ---- activations, which other kernels compute, too, before they store: name_of(a, first, second), in activations.glsl

#define ELEMENTWISE_ACTIVATIONS(KIND)                                                                                            \
    KIND(1, RELU, relu)                                                                                                          \
    KIND(4, CLIP, clip)

#define ELEMENTWISE_ACTIVATIONS_OF_REALS(KIND)                                                                                   \
    KIND(2, LEAKY_RELU, leaky_relu)                                                                                              \
    KIND(5, HARD_SIGMOID, hard_sigmoid)                                                                                          \
    KIND(6, HARD_SWISH, hard_swish)

#define ELEMENTWISE_ACTIVATION_FUNCTIONS(KIND) /* of floats */                                                                   \
    KIND(16, SIGMOID, sigmoid)                                                                                                   \
    KIND(17, TANH, tanh)

// ---- others with one operand or two: name_of(a, b, first, second), in elementwise.glsl

#define ELEMENTWISE_UNARY(KIND)                                                                                                  \
    KIND(0, IDENTITY, identity)                                                                                                  \
    KIND(7, NEG, neg)                                                                                                            \
    KIND(8, ABS, abs)                                                                                                            \
    KIND(24, SIGN, sign)                                                                                                         \
    KIND(29, THRESHOLDED_RELU, thresholded_relu)

#define ELEMENTWISE_BINARY(KIND)                                                                                                 \
    KIND(3, PRELU, prelu)                                                                                                        \
    KIND(9, ADD, add)                                                                                                            \
    KIND(10, SUB, sub)                                                                                                           \
    KIND(11, MUL, mul)

#define ELEMENTWISE_BINARY_FUNCTIONS(KIND) KIND(12, DIV, div)

#define ELEMENTWISE_BINARY_FUNCTIONS_BUT_OF_DOUBLES(KIND) KIND(49, MOD, mod)

#define ELEMENTWISE_FUNCTIONS_OF_REALS(KIND)                                                                                     \
    KIND(20, SQRT, sqrt)                                                                                                         \
    KIND(22, RECIPROCAL, reciprocal)                                                                                             \
    KIND(25, FLOOR, floor)                                                                                                       \
    KIND(26, CEIL, ceil)                                                                                                         \
    KIND(27, ROUND, round)

#define ELEMENTWISE_FUNCTIONS_OF_FLOATS(KIND)                                                                                    \
    KIND(18, ELU, elu)                                                                                                           \
    KIND(19, EXP, exp)                                                                                                           \
    KIND(23, LOG, log)                                                                                                           \
    KIND(28, ERF, erf)                                                                                                           \
    KIND(30, SIN, sin)                                                                                                           \
    KIND(31, COS, cos)                                                                                                           \
    KIND(32, TAN, tan)                                                                                                           \
    KIND(33, ASIN, asin)                                                                                                         \
    KIND(34, ACOS, acos)                                                                                                         \
    KIND(35, ATAN, atan)                                                                                                         \
    KIND(36, SINH, sinh)                                                                                                         \
    KIND(37, COSH, cosh)                                                                                                         \
    KIND(38, ASINH, asinh)                                                                                                       \
    KIND(39, ACOSH, acosh)                                                                                                       \
    KIND(40, ATANH, atanh)                                                                                                       \
    KIND(41, SOFTPLUS, softplus)                                                                                                 \
    KIND(42, SOFTSIGN, softsign)                                                                                                 \
    KIND(43, MISH, mish)                                                                                                         \
    KIND(44, SELU, selu)                                                                                                         \
    KIND(45, CELU, celu)                                                                                                         \
    KIND(46, GELU, gelu)                                                                                                         \
    KIND(47, SWISH, swish)

// ---- kinds of any number of inputs: name_of(a, b) joins what came before with the next one

#define ELEMENTWISE_JOINED(KIND)                                                                                                 \
    KIND(13, SUM, sum)                                                                                                           \
    KIND(14, MIN, min)                                                                                                           \
    KIND(15, MAX, max)

#define ELEMENTWISE_JOINED_FUNCTIONS(KIND) KIND(48, MEAN, mean) /* of reals: the sum is divided when all inputs are joined */

// ---- kinds whose second input may have a type of its own: then name_at(a, place of it), in powers.glsl, else name_of(a, b)

#define ELEMENTWISE_POWERS(KIND) KIND(21, POW, pow)

// ---- lists of several lists

// These kinds take more than a few additions, multiplications and comparisons: modules of FUNCTIONS 0 have none of them.
#define ELEMENTWISE_FUNCTIONS(KIND)                                                                                              \
    ELEMENTWISE_ACTIVATION_FUNCTIONS(KIND)                                                                                       \
    ELEMENTWISE_BINARY_FUNCTIONS(KIND)                                                                                           \
    ELEMENTWISE_BINARY_FUNCTIONS_BUT_OF_DOUBLES(KIND)                                                                            \
    ELEMENTWISE_FUNCTIONS_OF_REALS(KIND)                                                                                         \
    ELEMENTWISE_FUNCTIONS_OF_FLOATS(KIND)                                                                                        \
    ELEMENTWISE_JOINED_FUNCTIONS(KIND)                                                                                           \
    ELEMENTWISE_POWERS(KIND)

#define ELEMENTWISE_KINDS(KIND)                                                                                                  \
    ELEMENTWISE_ACTIVATIONS(KIND)                                                                                                \
    ELEMENTWISE_ACTIVATIONS_OF_REALS(KIND)                                                                                       \
    ELEMENTWISE_UNARY(KIND)                                                                                                      \
    ELEMENTWISE_BINARY(KIND)                                                                                                     \
    ELEMENTWISE_JOINED(KIND)                                                                                                     \
    ELEMENTWISE_FUNCTIONS(KIND)

#ifdef __cplusplus
#include <cstdint>

namespace vkonnx::push {

#define ELEMENTWISE_BIT(number, NAME, name) | uint64_t(1) << (number)
#define ELEMENTWISE_ONE(number, NAME, name) +1

// These are sets of kinds, with bit `number` for each kind.
inline constexpr uint64_t elementwise_kinds = 0 ELEMENTWISE_KINDS(ELEMENTWISE_BIT);
inline constexpr uint64_t elementwise_functions = 0 ELEMENTWISE_FUNCTIONS(ELEMENTWISE_BIT);
inline constexpr uint64_t elementwise_activations =
    0 ELEMENTWISE_ACTIVATIONS(ELEMENTWISE_BIT) ELEMENTWISE_ACTIVATIONS_OF_REALS(ELEMENTWISE_BIT)
        ELEMENTWISE_ACTIVATION_FUNCTIONS(ELEMENTWISE_BIT);
inline constexpr int elementwise_kind_count = 0 ELEMENTWISE_KINDS(ELEMENTWISE_ONE);

#undef ELEMENTWISE_BIT
#undef ELEMENTWISE_ONE

static_assert(elementwise_kind_count <= 64, "elementwise_chain.comp keeps a bit for each kind in two words");
static_assert(elementwise_kinds == (uint64_t(1) << elementwise_kind_count) - 1, "each number stands once, and none is left out");

}  // namespace vkonnx::push
#endif

#endif
