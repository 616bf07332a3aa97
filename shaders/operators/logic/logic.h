// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of logic, for C++ and GLSL, and lists all kinds: a row KIND(number, NAME, name) for each. `number`
// is the value of vkonnx::LogicKind for `name`, and of NAME in GLSL.
#ifndef VKONNX_LOGIC_H
#define VKONNX_LOGIC_H

#include "shaders/library/blocks.h"

#define LOGIC_KINDS(KIND)                                                                                                        \
    KIND(0, EQUAL, equal)                                                                                                        \
    KIND(1, GREATER, greater)                                                                                                    \
    KIND(2, GREATER_OR_EQUAL, greater_or_equal)                                                                                  \
    KIND(3, LESS, less)                                                                                                          \
    KIND(4, LESS_OR_EQUAL, less_or_equal)                                                                                        \
    KIND(5, IS_NAN, is_nan)                                                                                                      \
    KIND(6, IS_INF, is_inf)                                                                                                      \
    KIND(7, LOGICAL_AND, logical_and)                                                                                            \
    KIND(8, LOGICAL_OR, logical_or)                                                                                              \
    KIND(9, LOGICAL_XOR, logical_xor)                                                                                            \
    KIND(10, LOGICAL_NOT, logical_not)                                                                                           \
    KIND(11, WHERE, where)                                                                                                       \
    KIND(12, BITWISE_AND, bitwise_and)                                                                                           \
    KIND(13, BITWISE_OR, bitwise_or)                                                                                             \
    KIND(14, BITWISE_XOR, bitwise_xor)                                                                                           \
    KIND(15, BITWISE_NOT, bitwise_not)                                                                                           \
    KIND(16, BIT_SHIFT, bit_shift)

// The uniform block has what put_axes of src/plan/engines/broadcast.h writes for up to 3 inputs and 30 axes.
#define LOGIC_INPUTS 3
#define LOGIC_AXES 30
#define LOGIC_VECTORS 30

// These are the options of kinds, in the constant `option`.
#define LOGIC_DETECTS_NEGATIVE 1u  // of IsInf
#define LOGIC_DETECTS_POSITIVE 2u
#define LOGIC_SHIFTS_RIGHT 1u  // of BitShift

#ifdef __cplusplus
namespace vkonnx::push {

struct LogicProblem {
    uint words[4 * LOGIC_VECTORS];
};
static_assert((1 + LOGIC_INPUTS) * LOGIC_AXES <= 4 * LOGIC_VECTORS);

}  // namespace vkonnx::push
#else
#define LOGIC_KIND_CONSTANT(number, NAME, name) const uint NAME = uint(number);
LOGIC_KINDS(LOGIC_KIND_CONSTANT)
#endif

#endif
