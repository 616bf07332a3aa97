// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of layer_normalization_pairs.
#ifndef VKONNX_LAYER_NORMALIZATION_PAIRS_CONSTANTS_H
#define VKONNX_LAYER_NORMALIZATION_PAIRS_CONSTANTS_H

#include "shaders/library/constants.h"

// `dtype` is the lists' type, as vkonnx::DType numbers it.
#define LAYER_NORMALIZATION_PAIRS_SPECIALIZATION(SIZE, CONSTANT)                                                                 \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, dtype, 1)

SPECIALIZATION(LayerNormalizationPairs, LAYER_NORMALIZATION_PAIRS_SPECIALIZATION)

#endif
