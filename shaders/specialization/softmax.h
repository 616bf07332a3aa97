// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of softmax.
#ifndef VKONNX_SPECIALIZATION_SOFTMAX_H
#define VKONNX_SPECIALIZATION_SOFTMAX_H

#include "specialization/rows.h"

#define SOFTMAX_SPECIALIZATION(SIZE, CONSTANT)                                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, exact_division, 0)                                                                                               \
    CONSTANT(2, logarithm, 0)

SPECIALIZATION(Softmax, SOFTMAX_SPECIALIZATION)

#endif
