// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of cast.
#ifndef VKONNX_CAST_CONSTANTS_H
#define VKONNX_CAST_CONSTANTS_H

#include "shaders/library/constants.h"

// `from` and `to` are types, as vkonnx::DType numbers them. The other two tell how numbers become floats of 8 bits: whether one that
// is beyond the greatest becomes that, and `round_mode` is a vkonnx::RoundMode.
#define CAST_SPECIALIZATION(SIZE, CONSTANT)                                                                                      \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, from, 1)                                                                                                         \
    CONSTANT(2, to, 1)                                                                                                           \
    CONSTANT(3, saturate, 1)                                                                                                     \
    CONSTANT(4, round_mode, 0)

SPECIALIZATION(Cast, CAST_SPECIALIZATION)

#endif
