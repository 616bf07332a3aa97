// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of conv_transpose_depthwise_channels.
#ifndef VKONNX_CONV_TRANSPOSE_DEPTHWISE_CHANNELS_CONSTANTS_H
#define VKONNX_CONV_TRANSPOSE_DEPTHWISE_CHANNELS_CONSTANTS_H

#include "shaders/library/constants.h"

// `taps0`, `taps1` and `taps2` are the taps of a phase of each axis.
#define CONV_TRANSPOSE_DEPTHWISE_CHANNELS_SPECIALIZATION(SIZE, CONSTANT)                                                         \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, bias, 0)                                                                                                         \
    CONSTANT(2, taps0, 1)                                                                                                        \
    CONSTANT(3, taps1, 1)                                                                                                        \
    CONSTANT(4, taps2, 1)                                                                                                        \
    CONSTANT(5, epilogue, 0) /* see epilogue.glsl */

SPECIALIZATION(ConvTransposeDepthwiseChannels, CONV_TRANSPOSE_DEPTHWISE_CHANNELS_SPECIALIZATION)

#endif
