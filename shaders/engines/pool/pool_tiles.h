// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of those kernels of AveragePool and MaxPool whose invocations have several outputs, for C++ and
// GLSL. A dispatch is a TileRange.
#ifndef VKONNX_POOL_TILES_H
#define VKONNX_POOL_TILES_H

#include "shaders/engines/pool/pool.h"
#include "shaders/library/divide.h"
#include "shaders/engines/tiles/tiles.h"
#ifdef __cplusplus
#include "shaders/engines/gather/gather.h"
#endif

#define POOL_TILED_AXES 3

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct lies behind a pass's TileRange, where kernels sum one axis at a time. It tells which axis that is, and how the
// pass's tiles lie.
struct AveragePoolPass {
    Divisor tiles_of_row;
    Divisor inner_quads;  // quads behind the axis
    uint axis;
};

// This struct holds the whole problem. Axes that the rank lacks stand in front.
struct PoolTiled {
    PoolAxis axes[POOL_TILED_AXES];
    Divisor tiles_of_row;                       // tiles of a row along the last axis
    Divisor outs[POOL_TILED_AXES - 1];  // extents of the axes before it
    Divisor inner_quads;                        // quads behind the axes
};

#ifdef __cplusplus
static_assert(sizeof(PoolTiled) <= sizeof(PoolProblem));
static_assert(sizeof(TileRange) + sizeof(AveragePoolPass) <= sizeof(GatherPart));

}  // namespace vkonnx::push
#endif

#endif
