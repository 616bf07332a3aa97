// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of conv_nd.
#ifndef VKONNX_CONV_CONSTANTS_H
#define VKONNX_CONV_CONSTANTS_H

#include "shaders/library/blocks.h"
#include "shaders/library/constants.h"

// These are the values of `layout`, as vkonnx::Layout numbers them.
#define LAYOUT_NCX 0
#define LAYOUT_NXC 1

// epilogue.glsl tells of `epilogue`, and prologue.glsl of `prologue`.
#define CONV_SPECIALIZATION(SIZE, CONSTANT)                                                                                      \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, MAX_AXES)                                                                                                  \
    CONSTANT(2, bias, 0)                                                                                                         \
    CONSTANT(3, layout, LAYOUT_NCX)                                                                                              \
    CONSTANT(4, epilogue, 0)                                                                                                     \
    CONSTANT(5, prologue, 0)

SPECIALIZATION(Conv, CONV_SPECIALIZATION)

#endif
