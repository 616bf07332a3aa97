// SPDX-License-Identifier: Apache-2.0
// The problem of elementwise, shared by C++ and GLSL.
#ifndef VKONNX_SHARED_ELEMENTWISE_H
#define VKONNX_SHARED_ELEMENTWISE_H

#include "shared/blocks.h"

// Words of the uniform block, in this order:
// - the two numbers of the kind's expression, two words each: those of a double, or of whatever it is computed in and a 0
// - the output's extents, innermost first: spec_rank of them
// - how far the elements of an input lie apart on these axes, 0 where it is broadcast: spec_rank words an input
// Words are packed four to a vector, as std140 wants them.
#define ELEMENTWISE_NUMBERS 4  // words of them
#define ELEMENTWISE_WORDS 1024

#define ELEMENTWISE_INPUTS 3        // bound at once
#define ELEMENTWISE_ITERATIONS 128  // of the loops in an expression, at most, beside that over axes

#ifdef __cplusplus
namespace vkonnx::push {

struct ElementwiseProblem {
    uint words[ELEMENTWISE_WORDS];
};
static_assert(sizeof(ElementwiseProblem) <= 16384);

}  // namespace vkonnx::push
#endif

#endif
