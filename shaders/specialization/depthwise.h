// SPDX-License-Identifier: Apache-2.0
// Specialization constants of conv_transpose_depthwise.
#ifndef VKONNX_SPECIALIZATION_CONV_TRANSPOSE_DEPTHWISE_H
#define VKONNX_SPECIALIZATION_CONV_TRANSPOSE_DEPTHWISE_H

#include "specialization/rows.h"

// taps0, taps1: of a phase of the axes before the last
#define CONV_TRANSPOSE_DEPTHWISE_SPECIALIZATION(SIZE, CONSTANT)                                                                  \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, bias, 0)                                                                                                         \
    CONSTANT(2, taps0, 1)                                                                                                        \
    CONSTANT(3, taps1, 1)                                                                                                        \
    CONSTANT(4, stores_quads, 0)                                                                                                 \
    CONSTANT(5, epilogue, 0) /* see epilogue.glsl */

SPECIALIZATION(ConvTransposeDepthwise, CONV_TRANSPOSE_DEPTHWISE_SPECIALIZATION)

#endif
