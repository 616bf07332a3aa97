// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of implicit_gemm_matrices.
#ifndef VKONNX_IMPLICIT_GEMM_MATRICES_CONSTANTS_H
#define VKONNX_IMPLICIT_GEMM_MATRICES_CONSTANTS_H

#include "shaders/library/constants.h"

#define IMPLICIT_GEMM_MATRICES_SPECIALIZATION(SIZE, CONSTANT)                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, matrix_rows, 16) /* the device's: M, N and K of Capabilities::cooperative_matrix */                              \
    CONSTANT(2, matrix_columns, 16)                                                                                              \
    CONSTANT(3, matrix_depth, 16)                                                                                                \
    CONSTANT(4, row_matrices, 4) /* of a subgroup; those of all subgroups are the tile */                                        \
    CONSTANT(5, column_matrices, 4)                                                                                              \
    CONSTANT(6, epilogue, 0)

SPECIALIZATION(ImplicitGemmMatrices, IMPLICIT_GEMM_MATRICES_SPECIALIZATION)

#endif
