// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of conv_depthwise. C++ and GLSL share it. A dispatch is a TileRange.
#ifndef VKONNX_CONV_DEPTHWISE_H
#define VKONNX_CONV_DEPTHWISE_H

#include "shaders/operators/conv/conv.h"
#include "shaders/library/divide.h"
#include "shaders/engines/fusion/epilogue.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds the whole problem. Axes that the rank lacks stand in front.
struct ConvDepthwiseProblem {
    ConvAxis axes[3];
    EpilogueNumbers epilogue;
    Divisor tiles_of_row;  // tiles of a row along the last axis
    Divisor outs[2];       // extents of the axes before it
    Divisor channels;      // of Y
    Divisor multiplier;    // channels of Y that one channel of X makes
};

#ifdef __cplusplus
static_assert(sizeof(ConvDepthwiseProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
