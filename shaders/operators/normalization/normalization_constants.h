// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of normalization.
#ifndef VKONNX_NORMALIZATION_CONSTANTS_H
#define VKONNX_NORMALIZATION_CONSTANTS_H

#include "shaders/library/constants.h"

// `bias_type` is as vkonnx::DType numbers it.
#define NORMALIZATION_SPECIALIZATION(SIZE, CONSTANT)                                                                             \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, bias_type, 1)

SPECIALIZATION(Normalization, NORMALIZATION_SPECIALIZATION)

#endif
