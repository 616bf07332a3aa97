// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of conv_transpose_direct and conv_transpose_nd. C++ and GLSL share it.
#ifndef VKONNX_CONV_TRANSPOSE_H
#define VKONNX_CONV_TRANSPOSE_H

#include "shaders/library/blocks.h"
#include "shaders/engines/fusion/epilogue.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds a spatial axis. An output o lies at p = o + begin = q * s + t * d for input q and tap t, with stride s and
// dilation d. With g = gcd(s, d), only a p that g divides has taps. They are t = t0, t0 + s/g, t0 + 2 s/g, ... where t0 = (p/g) *
// inverse mod s/g, and each step in t moves q back by d/g.
struct ConvTransposeAxis {
    uint in_extent;
    uint out_extent;
    uint kernel;
    uint begin;
    uint gcd;
    uint stride;    // s / g
    uint dilation;  // d / g
    uint inverse;   // of d/g modulo s/g; 0 where s/g = 1
};

struct ConvTransposeProblem {
    ConvTransposeAxis axes[MAX_AXES];
    uint channels_in;   // of one group
    uint channels_out;  // of one group
    uint group;
    uint padding_;
    EpilogueNumbers epilogue;
};

#ifdef __cplusplus
static_assert(sizeof(ConvTransposeAxis) % 16 == 0 && sizeof(ConvTransposeProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
