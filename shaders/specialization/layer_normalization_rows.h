// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of layer_normalization_rows.
#ifndef VKONNX_SPECIALIZATION_LAYER_NORMALIZATION_ROWS_H
#define VKONNX_SPECIALIZATION_LAYER_NORMALIZATION_ROWS_H

#include "specialization/rows.h"

// `lanes` is the number of invocations that share a row, a power of 2 that divides the workgroup's size.
#define LAYER_NORMALIZATION_ROWS_SPECIALIZATION(SIZE, CONSTANT)                                                                  \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, lanes, 1)                                                                                                        \
    CONSTANT(2, has_b, 0)

SPECIALIZATION(LayerNormalizationRows, LAYER_NORMALIZATION_ROWS_SPECIALIZATION)

#endif
