// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of elementwise and elementwise_chain. C++ and GLSL share it.
#ifndef VKONNX_ELEMENTWISE_H
#define VKONNX_ELEMENTWISE_H

#include "shaders/library/blocks.h"

// The uniform block has these words, in this order:
// - the two numbers of the kind's expression, two words each: those of a double, or of the type that it is computed in and a 0;
//   then those of each step, of which the first is the other operand where that is a number
// - the output's extents, innermost first: spec_rank of them
// - how far the elements of an input lie apart on these axes, 0 where it is broadcast: spec_rank words for each input
// Words are packed four to a vector, as std140 wants them.
#define ELEMENTWISE_STEPS 6
#define ELEMENTWISE_NUMBERS_OF_ONE 4  // words of an operator's two numbers
#define ELEMENTWISE_NUMBERS 28        // words of all numbers: of the first operator and its steps
#define ELEMENTWISE_VECTORS 256
#define ELEMENTWISE_FEW_VECTORS 16  // enough for most: every operator has a block of its own

#define ELEMENTWISE_INPUTS 3        // the most that are bound at once
#define ELEMENTWISE_ITERATIONS 128  // the most of the loops in an expression, beside that over axes

// A step has its kind in the lowest 8 bits. Above them is the other operand's input, or ELEMENTWISE_NUMBER where that is a
// number. ELEMENTWISE_SWAPPED is set where the result so far is the second operand.
#define ELEMENTWISE_OTHER 8u  // the first of its 2 bits
#define ELEMENTWISE_NUMBER 3u
#define ELEMENTWISE_SWAPPED 0x400u

#ifdef __cplusplus
namespace vkonnx::push {

struct ElementwiseProblem {
    uint words[4 * ELEMENTWISE_VECTORS];
};
static_assert(sizeof(ElementwiseProblem) <= 16384);
static_assert(ELEMENTWISE_NUMBERS == (1 + ELEMENTWISE_STEPS) * ELEMENTWISE_NUMBERS_OF_ONE);

}  // namespace vkonnx::push
#endif

#endif
