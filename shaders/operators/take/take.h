// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of take. C++ and GLSL share it.
#ifndef VKONNX_TAKE_H
#define VKONNX_TAKE_H

#include "shaders/library/divide.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// The output has the extents (outer, count, inner), and X has (outer, extent, inner), in elements as the kernel moves them. The
// "channels" of the gather protocol are pieces of the extent, of `piece` coordinates each.
struct TakeProblem {
    Divisor inner;
    Divisor count;
    uint extent;
    uint piece;
    uint index_words;  // the words of an index, 1 or 2
    uint padding_;
};

#ifdef __cplusplus
static_assert(sizeof(TakeProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
