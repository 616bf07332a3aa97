// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of move. C++ and GLSL share it.
#ifndef VKONNX_MOVE_H
#define VKONNX_MOVE_H

#include "shaders/library/blocks.h"

// The uniform block has these vectors: first the fill, in as many words as an element has, or else in the lowest bits of one
// word; then one source behind the other, each of 1 + spec_rank vectors:
// - the element at coordinates 0, and three words that do not matter
// - for each axis, innermost first: the output's extent, the elements from one of the input's coordinates to the next, the
//   output's coordinate that is the input's 0, and the input's extent; the second and the third are modulo 2^32
#define MOVE_VECTORS 1024
#define MOVE_FEW_VECTORS 32  // enough for most: every operator has a block of its own

#define MOVE_SOURCES 3  // the most that are bound at once

// The constant `beyond` tells what lies beyond an input, in the numbers of vkonnx::ops::Beyond.
#define MOVE_NEVER 0
#define MOVE_OTHER 1
#define MOVE_EDGE 2
#define MOVE_REFLECT 3
#define MOVE_WRAP 4

#ifdef __cplusplus
namespace vkonnx::push {

struct MoveProblem {
    uint words[MOVE_VECTORS][4];
};
static_assert(sizeof(MoveProblem) <= 16384);

}  // namespace vkonnx::push
#endif

#endif
