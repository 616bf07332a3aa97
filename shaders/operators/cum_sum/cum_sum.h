// SPDX-License-Identifier: Apache-2.0
// This file holds one pass of CumSum, for C++ and GLSL. Its push constants lie behind the part of the gather protocol
// (gather.h).
#ifndef VKONNX_CUM_SUM_H
#define VKONNX_CUM_SUM_H

#include "shaders/library/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// X (outer, extent, inner) becomes Y (outer, count, inner). A row of X is cut into blocks of so many elements.
struct CumSumPass {
    uint extent;
    uint inner;
    uint count;  // the extent, or the number of blocks where each gets one sum
    uint block;
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
