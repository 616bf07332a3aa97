// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of average_pool_direct and average_pool_nd.
#ifndef VKONNX_AVERAGE_POOL_CONSTANTS_H
#define VKONNX_AVERAGE_POOL_CONSTANTS_H

#include "shaders/library/blocks.h"
#include "shaders/library/constants.h"

#define AVERAGE_POOL_SPECIALIZATION(SIZE, CONSTANT)                                                                              \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, MAX_AXES)                                                                                                  \
    CONSTANT(2, count_include_pad, 0)                                                                                            \
    CONSTANT(3, exact_division, 0)

SPECIALIZATION(AveragePool, AVERAGE_POOL_SPECIALIZATION)

#endif
