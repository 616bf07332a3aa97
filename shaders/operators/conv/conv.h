// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of conv_nd. C++ and GLSL share it.
#ifndef VKONNX_CONV_H
#define VKONNX_CONV_H

#include "shaders/library/blocks.h"
#include "shaders/engines/fusion/epilogue.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds a spatial axis. Output o reads positions o * stride - begin + t * dilation for taps t, as far as the input
// has them.
struct ConvAxis {
    uint in_extent;
    uint out_extent;
    uint kernel;
    uint stride;
    uint dilation;
    uint begin;
    uint padding0_;
    uint padding1_;
};

struct ConvProblem {
    ConvAxis axes[MAX_AXES];
    uint channels_in;   // of one group
    uint channels_out;  // of one group
    uint group;
    uint padding_;
    EpilogueNumbers epilogue;
};

#ifdef __cplusplus
static_assert(sizeof(ConvAxis) % 16 == 0 && sizeof(ConvProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
