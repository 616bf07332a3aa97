// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of average_pool_sliding.
#ifndef VKONNX_AVERAGE_POOL_SLIDING_CONSTANTS_H
#define VKONNX_AVERAGE_POOL_SLIDING_CONSTANTS_H

#include "shaders/library/constants.h"

#define AVERAGE_POOL_SLIDING_SPECIALIZATION(SIZE, CONSTANT)                                                                      \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, count_include_pad, 0)                                                                                            \
    CONSTANT(2, kernel0, 1)                                                                                                      \
    CONSTANT(3, dilation1, 1)                                                                                                    \
    CONSTANT(4, rows, 1)                                                                                                         \
    CONSTANT(5, shifted, 1)                                                                                                      \
    CONSTANT(6, stores_quads, 0)

SPECIALIZATION(AveragePoolSliding, AVERAGE_POOL_SLIDING_SPECIALIZATION)

#endif
