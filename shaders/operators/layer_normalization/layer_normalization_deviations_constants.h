// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of layer_normalization_deviations.
#ifndef VKONNX_LAYER_NORMALIZATION_DEVIATIONS_CONSTANTS_H
#define VKONNX_LAYER_NORMALIZATION_DEVIATIONS_CONSTANTS_H

#include "shaders/library/constants.h"

// `exactly` asks for a quotient and a root that are rounded to nearest even.
#define LAYER_NORMALIZATION_DEVIATIONS_SPECIALIZATION(SIZE, CONSTANT)                                                            \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, exactly, 0)

SPECIALIZATION(LayerNormalizationDeviations, LAYER_NORMALIZATION_DEVIATIONS_SPECIALIZATION)

#endif
