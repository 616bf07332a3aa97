// SPDX-License-Identifier: Apache-2.0
// Specialization constants of average_pool_moving. kernel: of the last axis, which only modules for short windows look at.
#ifndef VKONNX_SPECIALIZATION_AVERAGE_POOL_MOVING_H
#define VKONNX_SPECIALIZATION_AVERAGE_POOL_MOVING_H

#include "specialization/rows.h"

#define AVERAGE_POOL_MOVING_SPECIALIZATION(SIZE, CONSTANT)                                                                       \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, count_include_pad, 0)                                                                                            \
    CONSTANT(2, kernel, 0)                                                                                                       \
    CONSTANT(3, stores_quads, 0)

SPECIALIZATION(AveragePoolMoving, AVERAGE_POOL_MOVING_SPECIALIZATION)

#endif
