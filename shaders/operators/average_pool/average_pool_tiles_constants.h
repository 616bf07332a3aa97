// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of average_pool_runs and average_pool_channels.
#ifndef VKONNX_AVERAGE_POOL_TILES_CONSTANTS_H
#define VKONNX_AVERAGE_POOL_TILES_CONSTANTS_H

#include "shaders/library/constants.h"

#define AVERAGE_POOL_TILES_SPECIALIZATION(SIZE, CONSTANT)                                                                        \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, count_include_pad, 0)

SPECIALIZATION(AveragePoolTiles, AVERAGE_POOL_TILES_SPECIALIZATION)

#endif
