// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of average_pool_moving. `kernel` is that of the last axis; only modules for short
// windows look at it.
#ifndef VKONNX_AVERAGE_POOL_MOVING_CONSTANTS_H
#define VKONNX_AVERAGE_POOL_MOVING_CONSTANTS_H

#include "shaders/library/constants.h"

#define AVERAGE_POOL_MOVING_SPECIALIZATION(SIZE, CONSTANT)                                                                       \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, count_include_pad, 0)                                                                                            \
    CONSTANT(2, kernel, 0)                                                                                                       \
    CONSTANT(3, stores_quads, 0)

SPECIALIZATION(AveragePoolMoving, AVERAGE_POOL_MOVING_SPECIALIZATION)

#endif
