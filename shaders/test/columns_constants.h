// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of conv_transpose_columns, a kernel of the tests.
#ifndef VKONNX_COLUMNS_CONSTANTS_H
#define VKONNX_COLUMNS_CONSTANTS_H

#include "shaders/library/constants.h"

#define COLUMNS_SPECIALIZATION(SIZE, CONSTANT)                                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    SIZE(1, workgroup_rows, y)                                                                                                   \
    CONSTANT(2, tile_channels, 1)

SPECIALIZATION(Columns, COLUMNS_SPECIALIZATION)

#endif
