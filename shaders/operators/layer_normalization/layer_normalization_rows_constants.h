// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of layer_normalization_rows.
#ifndef VKONNX_LAYER_NORMALIZATION_ROWS_CONSTANTS_H
#define VKONNX_LAYER_NORMALIZATION_ROWS_CONSTANTS_H

#include "shaders/library/constants.h"

// `lanes` is the number of invocations that share a row, a power of 2 that divides the workgroup's size.
#define LAYER_NORMALIZATION_ROWS_SPECIALIZATION(SIZE, CONSTANT)                                                                  \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, lanes, 1)                                                                                                        \
    CONSTANT(2, has_b, 0)

SPECIALIZATION(LayerNormalizationRows, LAYER_NORMALIZATION_ROWS_SPECIALIZATION)

#endif
