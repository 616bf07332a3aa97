// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of normalization_factors.
#ifndef VKONNX_NORMALIZATION_FACTORS_CONSTANTS_H
#define VKONNX_NORMALIZATION_FACTORS_CONSTANTS_H

#include "shaders/library/constants.h"

// Types are as vkonnx::DType numbers them. `exactly` asks for a quotient and a root that are rounded to nearest even.
#define NORMALIZATION_FACTORS_SPECIALIZATION(SIZE, CONSTANT)                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, statistics_type, 1)                                                                                              \
    CONSTANT(2, scale_type, 1)                                                                                                   \
    CONSTANT(3, exactly, 0)

SPECIALIZATION(NormalizationFactors, NORMALIZATION_FACTORS_SPECIALIZATION)

#endif
