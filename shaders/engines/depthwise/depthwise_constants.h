// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of conv_depthwise and conv_transpose_depthwise.
#ifndef VKONNX_DEPTHWISE_CONSTANTS_H
#define VKONNX_DEPTHWISE_CONSTANTS_H

#include "shaders/library/constants.h"

// `taps0` and `taps1` are the taps of the axes before the last, in ConvTranspose those of a phase.
#define DEPTHWISE_SPECIALIZATION(SIZE, CONSTANT)                                                                  \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, bias, 0)                                                                                                         \
    CONSTANT(2, taps0, 1)                                                                                                        \
    CONSTANT(3, taps1, 1)                                                                                                        \
    CONSTANT(4, stores_quads, 0)                                                                                                 \
    CONSTANT(5, epilogue, 0) /* see epilogue.glsl */

SPECIALIZATION(Depthwise, DEPTHWISE_SPECIALIZATION)

#endif
