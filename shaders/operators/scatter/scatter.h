// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of a scatter, for C++ and GLSL: the uniform block that its kernels share.
#ifndef VKONNX_SCATTER_H
#define VKONNX_SCATTER_H

#include "shaders/library/blocks.h"

// These are the words of the uniform block. Data and updates consist of slices: elements that lie side by side and go to the same
// index. An update is a slice of updates.
#define SCATTER_SLICE 0u        // elements of a slice
#define SCATTER_STEP 1u         // updates from one to the next of those that may be for the same slice of data
#define SCATTER_INDEX_WORDS 2u  // words of a coordinate of an index, 1 or 2
#define SCATTER_INDEXED 4u      // for each coordinate the extent of its axis, and slices of data from one to the next along it
// The axes of the updates, innermost first: their extents, and then slices of data from one coordinate to the next.
#define SCATTER_UPDATE_AXES 132u
// The axes of data in slices, innermost first: their extents, then the coordinates of each from which on there are no updates, and
// then updates from one coordinate to the next.
#define SCATTER_AXES 192u
#define SCATTER_VECTORS 71u

#define SCATTER_COORDINATES 64  // the most coordinates of an index
#define SCATTER_MOST_AXES 30    // with two coordinates or more each, and fewer than 2^31 together

// These are the values of a reduction.
#define SCATTER_NONE 0u
#define SCATTER_ADD 1u
#define SCATTER_MUL 2u
#define SCATTER_MAX 3u
#define SCATTER_MIN 4u

#ifdef __cplusplus
namespace vkonnx::push {

struct ScatterProblem {
    uint words[4 * SCATTER_VECTORS];
};
static_assert(SCATTER_INDEXED + 2 * SCATTER_COORDINATES <= SCATTER_UPDATE_AXES);
static_assert(SCATTER_UPDATE_AXES + 2 * SCATTER_MOST_AXES <= SCATTER_AXES);
static_assert(SCATTER_AXES + 3 * SCATTER_MOST_AXES <= 4 * SCATTER_VECTORS);

}  // namespace vkonnx::push
#endif

#endif
