// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of matmul.
#ifndef VKONNX_MATMUL_CONSTANTS_H
#define VKONNX_MATMUL_CONSTANTS_H

#include "shaders/library/constants.h"

// `rank` is the number of axes in front of the matrices. `has_c` tells that there is a C. epilogue.glsl tells of `epilogue`.
#define MATMUL_SPECIALIZATION(SIZE, CONSTANT)                                                                                    \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, 0)                                                                                                         \
    CONSTANT(2, has_c, 0)                                                                                                        \
    CONSTANT(3, epilogue, 0)

SPECIALIZATION(MatMul, MATMUL_SPECIALIZATION)

#endif
