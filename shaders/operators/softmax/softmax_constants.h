// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of softmax.
#ifndef VKONNX_SOFTMAX_CONSTANTS_H
#define VKONNX_SOFTMAX_CONSTANTS_H

#include "shaders/library/constants.h"

#define SOFTMAX_SPECIALIZATION(SIZE, CONSTANT)                                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, exact_division, 0)                                                                                               \
    CONSTANT(2, logarithm, 0)

SPECIALIZATION(Softmax, SOFTMAX_SPECIALIZATION)

#endif
