// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of cast.
#ifndef VKONNX_CAST_CONSTANTS_H
#define VKONNX_CAST_CONSTANTS_H

#include "shaders/library/constants.h"

// `from` and `to` are types, as vkonnx::DType numbers them.
#define CAST_SPECIALIZATION(SIZE, CONSTANT)                                                                                      \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, from, 1)                                                                                                         \
    CONSTANT(2, to, 1)

SPECIALIZATION(Cast, CAST_SPECIALIZATION)

#endif
