// SPDX-License-Identifier: Apache-2.0
// The problem of elementwise, shared by C++ and GLSL.
#ifndef VKONNX_SHARED_ELEMENTWISE_H
#define VKONNX_SHARED_ELEMENTWISE_H

#include "shared/blocks.h"

// Words of the uniform block, in this order:
// - the two numbers of the kind's expression, two words each: those of a double, or of whatever it is computed in and a 0; then
//   those of each step, of which the first is the other operand where that is a number
// - the output's extents, innermost first: spec_rank of them
// - how far the elements of an input lie apart on these axes, 0 where it is broadcast: spec_rank words an input
// Words are packed four to a vector, as std140 wants them.
#define ELEMENTWISE_STEPS 6
#define ELEMENTWISE_NUMBERS_OF_ONE 4  // words of them
#define ELEMENTWISE_NUMBERS 28        // of all: of the first operator and its steps
#define ELEMENTWISE_VECTORS 256
#define ELEMENTWISE_FEW_VECTORS 16  // enough for most: every operator has a block of its own

#define ELEMENTWISE_INPUTS 3        // bound at once
#define ELEMENTWISE_ITERATIONS 128  // of the loops in an expression, at most, beside that over axes

// A step: its kind, in 8 bits; the other operand's input, or this where it is a number; whether what was made before is the
// second.
#define ELEMENTWISE_OTHER 8u  // from this bit on, 2 of them
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
