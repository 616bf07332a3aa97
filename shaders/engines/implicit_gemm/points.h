// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of implicit_gemm_points, for C++ and GLSL. Packed weights are those of implicit_gemm.h. X
// and Y are read and written as they lie, four positions of a channel at once. A dispatch is a GemmPart.
#ifndef VKONNX_POINTS_H
#define VKONNX_POINTS_H

#include "shaders/engines/implicit_gemm/implicit_gemm.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

struct PointsProblem {
    uint quads;         // quads of input channels of a group
    uint groups;
    uint channels_in;   // of one group
    uint channels_out;
    uint plane;         // quads of positions of one channel
    uint columns;       // quads of positions of all images
    uint column_tiles;  // the number of tiles of columns that share rows
    uint lanes;         // quads of positions from one of an invocation's to its next
    uint tiles;         // tiles of rows of a group
    uint first_weight;  // where weights begin in a group's packed weights: behind its descriptions
    uint group_texels;
    uint bias;          // 1 where there is a bias
    EpilogueNumbers epilogue;
    Divisor by_plane;
};

#ifdef __cplusplus
static_assert(sizeof(PointsProblem) % 16 == 0);
}  // namespace vkonnx::push
#endif

#endif
