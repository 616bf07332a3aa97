// SPDX-License-Identifier: Apache-2.0
// Kernels of AveragePool and MaxPool with several outputs an invocation, shared by C++ and GLSL: a dispatch is a TileRange.
#ifndef VKONNX_SHARED_POOL_TILES_H
#define VKONNX_SHARED_POOL_TILES_H

#include "shared/pool.h"
#include "shared/divide.h"
#include "shared/tiles.h"
#ifdef __cplusplus
#include "shared/gather.h"
#endif

#define POOL_TILED_AXES 3

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Behind its TileRange, where kernels sum one axis at a time: which, and how its tiles lie.
struct AveragePoolPass {
    Divisor tiles_of_row;
    Divisor inner_quads;  // behind the axis
    uint axis;
};

// Axes that the rank lacks stand in front.
struct PoolTiled {
    PoolAxis axes[POOL_TILED_AXES];
    Divisor tiles_of_row;                       // along the last axis
    Divisor outs[POOL_TILED_AXES - 1];  // extents of the axes before it
    Divisor inner_quads;                        // behind the axes
};

#ifdef __cplusplus
static_assert(sizeof(PoolTiled) <= sizeof(PoolProblem));
static_assert(sizeof(TileRange) + sizeof(AveragePoolPass) <= sizeof(GatherPart));

}  // namespace vkonnx::push
#endif

#endif
