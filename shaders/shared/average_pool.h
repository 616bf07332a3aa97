// SPDX-License-Identifier: Apache-2.0
// The problem of average_pool_direct and average_pool_nd, shared by C++ and GLSL.
#ifndef VKONNX_SHARED_AVERAGE_POOL_H
#define VKONNX_SHARED_AVERAGE_POOL_H

#include "shared/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// A spatial axis. Window o holds positions o * stride - begin + t * dilation for taps t.
struct AveragePoolAxis {
    uint in_extent;
    uint out_extent;
    uint kernel;
    uint stride;
    uint dilation;
    uint begin;
    uint end;
    uint padding_;
};

struct AveragePoolProblem {
    AveragePoolAxis axes[MAX_AXES];
    uint inner;  // elements of a position: 1, or the extents behind the pooled axes
    uint padding_[3];
};

#ifdef __cplusplus
static_assert(sizeof(AveragePoolAxis) % 16 == 0 && sizeof(AveragePoolProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
