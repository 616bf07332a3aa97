// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of take_nd. C++ and GLSL share it.
#ifndef VKONNX_TAKE_ND_H
#define VKONNX_TAKE_ND_H

#include "shaders/library/blocks.h"

// These are the words of the uniform block.
#define TAKE_ND_PIECE 0u        // elements of X that the gather protocol counts as a channel
#define TAKE_ND_INDEX_WORDS 1u  // words of a coordinate of an index, 1 or 2
#define TAKE_ND_INDEXED 4u      // for each coordinate the extent of its axis, and X's elements from one to the next along it
#define TAKE_ND_AXES 132u       // the output's axes: what put_axes of src/plan/engines/broadcast.h writes for X, the indices and nothing
#define TAKE_ND_VECTORS 63u

#define TAKE_ND_COORDINATES 64  // the most coordinates of an index

#ifdef __cplusplus
namespace vkonnx::push {

struct TakeNdProblem {
    uint words[4 * TAKE_ND_VECTORS];
};
static_assert(TAKE_ND_INDEXED + 2 * TAKE_ND_COORDINATES <= TAKE_ND_AXES);
static_assert(TAKE_ND_AXES + (1 + 3) * 30 <= 4 * TAKE_ND_VECTORS);

}  // namespace vkonnx::push
#endif

#endif
