// SPDX-License-Identifier: Apache-2.0
// Specialization constants of conv_transpose_matrices.
#ifndef VKONNX_SPECIALIZATION_CONV_TRANSPOSE_MATRICES_H
#define VKONNX_SPECIALIZATION_CONV_TRANSPOSE_MATRICES_H

#include "specialization/rows.h"

#define CONV_TRANSPOSE_MATRICES_SPECIALIZATION(SIZE, CONSTANT)                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, bias, 0) /* PHASES_BIAS_... of shared/conv_transpose_phases.h */                                                 \
    CONSTANT(2, matrix_rows, 16) /* the device's: M, N and K of Capabilities::cooperative_matrix */                              \
    CONSTANT(3, matrix_columns, 16)                                                                                              \
    CONSTANT(4, matrix_depth, 16)                                                                                                \
    CONSTANT(5, row_matrices, 4) /* of a subgroup; those of all subgroups are the tile */                                        \
    CONSTANT(6, column_matrices, 4)

SPECIALIZATION(ConvTransposeMatrices, CONV_TRANSPOSE_MATRICES_SPECIALIZATION)

#endif
