// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of conv_transpose_direct and conv_transpose_nd.
#ifndef VKONNX_CONV_TRANSPOSE_CONSTANTS_H
#define VKONNX_CONV_TRANSPOSE_CONSTANTS_H

#include "shaders/library/blocks.h"
#include "shaders/library/constants.h"

// These are the values of `layout` and `filter`, as vkonnx::Layout and onednn::FilterFormat number them.
#define LAYOUT_NCX 0
#define LAYOUT_NXC 1
#define FILTER_XIO 0
#define FILTER_OIX 1
#define FILTER_IOX 2

// epilogue.glsl tells of `epilogue`, and prologue.glsl of `prologue`.
#define CONV_TRANSPOSE_SPECIALIZATION(SIZE, CONSTANT)                                                                            \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, MAX_AXES)                                                                                                  \
    CONSTANT(2, bias, 0)                                                                                                         \
    CONSTANT(3, layout, LAYOUT_NCX)                                                                                              \
    CONSTANT(4, filter, FILTER_IOX)                                                                                              \
    CONSTANT(5, epilogue, 0)                                                                                                     \
    CONSTANT(6, prologue, 0)

SPECIALIZATION(ConvTranspose, CONV_TRANSPOSE_SPECIALIZATION)

#endif
