// SPDX-License-Identifier: Apache-2.0
// The problem of move, shared by C++ and GLSL.
#ifndef VKONNX_SHARED_MOVE_H
#define VKONNX_SHARED_MOVE_H

#include "shared/blocks.h"

// Vectors of the uniform block: first the fill, in as many words as an element has, or else in the lowest bits of one; then a
// source behind the other, of 1 + spec_rank vectors:
// - the element at coordinates 0, and three words of no account
// - an axis each, innermost first: the output's extent, elements from one of the input's coordinates to the next, modulo 2^32,
//   the output's coordinate that is the input's 0, likewise, and the input's extent
#define MOVE_VECTORS 1024
#define MOVE_FEW_VECTORS 32  // enough for most: every operator has a block of its own

#define MOVE_SOURCES 3  // bound at once

// As vkonnx::ops::Beyond numbers them.
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
