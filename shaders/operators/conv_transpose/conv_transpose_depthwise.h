// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of conv_transpose_depthwise and conv_transpose_depthwise_channels. C++ and GLSL share it. A
// dispatch is a TileRange.
#ifndef VKONNX_CONV_TRANSPOSE_DEPTHWISE_H
#define VKONNX_CONV_TRANSPOSE_DEPTHWISE_H

#include "shaders/operators/conv_transpose/conv_transpose.h"
#include "shaders/library/divide.h"
#include "shaders/engines/fusion/epilogue.h"

#define DEPTHWISE_AXES 3

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds a spatial axis without dilation.
struct DepthwiseAxis {
    uint in_extent;
    uint out_extent;
    uint kernel;
    uint begin;
    Divisor stride;
};

// This struct holds the whole problem. Axes that the rank lacks stand in front.
struct DepthwiseProblem {
    DepthwiseAxis axes[DEPTHWISE_AXES];
    EpilogueNumbers epilogue;
    Divisor tiles_of_row;              // tiles of a row along the last axis
    Divisor outs[DEPTHWISE_AXES - 1];  // extents of the axes before it
    Divisor channels;                  // of Y
    Divisor multiplier;                // channels of Y that one channel of X makes
    uint w_channel;                    // W's elements from a channel of X to the next
    uint w_column;                     // likewise from a channel of Y to the next, of the same channel of X
    uint w_tap;
    uint padding_;
};

#ifdef __cplusplus
static_assert(sizeof(DepthwiseAxis) % 16 == 0 && sizeof(DepthwiseProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
