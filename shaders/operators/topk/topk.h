// SPDX-License-Identifier: Apache-2.0
// This file holds one pass of TopK, for C++ and GLSL. Its push constants lie behind the part of the gather protocol (gather.h).
#ifndef VKONNX_TOPK_H
#define VKONNX_TOPK_H

#include "shaders/library/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// A row of X is a line of runs, each sorted. Run j has what is kept of the row's elements j * covers to (j + 1) * covers: their
// first `kept` in the order of the result. The pass merges runs 0 and 1, 2 and 3, and so on. A row of Y has `to_kept` places for
// each merged run. The last run may be shorter.
struct TopKPass {
    uint extent;    // the row's elements, as TopK has them
    uint inner;     // X and Y are (outer, width, inner): elements of a row are `inner` apart
    uint covers;    // elements of a row of TopK's X that a run stands for
    uint kept;      // places of a run in X
    uint width;     // places of a row in X
    uint to_kept;   // places of a merged run
    uint to_width;  // places of a row in Y
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
