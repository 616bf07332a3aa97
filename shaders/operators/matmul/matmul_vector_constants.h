// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of matmul_vector.
#ifndef VKONNX_MATMUL_VECTOR_CONSTANTS_H
#define VKONNX_MATMUL_VECTOR_CONSTANTS_H

#include "shaders/library/constants.h"

// `lanes` is the number of invocations that share a tile, a power of 2 that divides the workgroup's size. `columns` tells that B
// lies by columns, and `has_c` that there is a C. epilogue.glsl tells of `epilogue`.
#define MATMUL_VECTOR_SPECIALIZATION(SIZE, CONSTANT)                                                                             \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, lanes, 1)                                                                                                        \
    CONSTANT(2, columns, 0)                                                                                                      \
    CONSTANT(3, has_c, 0)                                                                                                        \
    CONSTANT(4, epilogue, 0)

SPECIALIZATION(MatMulVector, MATMUL_VECTOR_SPECIALIZATION)

#endif
