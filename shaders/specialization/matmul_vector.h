// SPDX-License-Identifier: Apache-2.0
// Specialization constants of matmul_vector.
#ifndef VKONNX_SPECIALIZATION_MATMUL_VECTOR_H
#define VKONNX_SPECIALIZATION_MATMUL_VECTOR_H

#include "specialization/rows.h"

// lanes: invocations that share a tile, a power of 2 that divides the workgroup's size. columns: B lies by columns. has_c: there is
// a C. epilogue: see epilogue.glsl.
#define MATMUL_VECTOR_SPECIALIZATION(SIZE, CONSTANT)                                                                             \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, lanes, 1)                                                                                                        \
    CONSTANT(2, columns, 0)                                                                                                      \
    CONSTANT(3, has_c, 0)                                                                                                        \
    CONSTANT(4, epilogue, 0)

SPECIALIZATION(MatMulVector, MATMUL_VECTOR_SPECIALIZATION)

#endif
