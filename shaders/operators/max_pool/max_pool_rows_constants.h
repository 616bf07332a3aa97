// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of max_pool_rows.
#ifndef VKONNX_MAX_POOL_ROWS_CONSTANTS_H
#define VKONNX_MAX_POOL_ROWS_CONSTANTS_H

#include "shaders/library/constants.h"

// `type` is that of X and Y, as vkonnx::DType numbers it. The others are as in average_pool_rows_constants.h.
#define MAX_POOL_ROWS_SPECIALIZATION(SIZE, CONSTANT)                                                                             \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, type, 1)                                                                                                         \
    CONSTANT(2, kernel0, 1)                                                                                                      \
    CONSTANT(3, kernel1, 1)                                                                                                      \
    CONSTANT(4, shifted, 1)                                                                                                      \
    CONSTANT(5, stores_quads, 0)

SPECIALIZATION(MaxPoolRows, MAX_POOL_ROWS_SPECIALIZATION)

#endif
