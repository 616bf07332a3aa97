// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of average_pool_rows.
#ifndef VKONNX_AVERAGE_POOL_ROWS_CONSTANTS_H
#define VKONNX_AVERAGE_POOL_ROWS_CONSTANTS_H

#include "shaders/library/constants.h"

#define AVERAGE_POOL_ROWS_SPECIALIZATION(SIZE, CONSTANT)                                                                         \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, count_include_pad, 0)                                                                                            \
    CONSTANT(2, kernel0, 1)                                                                                                      \
    CONSTANT(3, kernel1, 1)                                                                                                      \
    CONSTANT(4, shifted, 1)                                                                                                      \
    CONSTANT(5, stores_quads, 0)

SPECIALIZATION(AveragePoolRows, AVERAGE_POOL_ROWS_SPECIALIZATION)

#endif
