// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of those kernels of AveragePool and MaxPool that gather. C++ and GLSL share it.
#ifndef VKONNX_POOL_H
#define VKONNX_POOL_H

#include "shaders/library/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds a spatial axis. Window o holds positions o * stride - begin + t * dilation for taps t.
struct PoolAxis {
    uint in_extent;
    uint out_extent;
    uint kernel;
    uint stride;
    uint dilation;
    uint begin;
    uint end;
    uint index_step;  // what MaxPool's Indices grow by from one position to the next
};

struct PoolProblem {
    PoolAxis axes[MAX_AXES];
    uint inner;        // elements of a position: 1, or the extents behind the pooled axes
    uint index_inner;  // likewise from element to element behind the axes, and in front of them
    uint index_outer;
    uint padding_;
};

#ifdef __cplusplus
static_assert(sizeof(PoolAxis) % 16 == 0 && sizeof(PoolProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
