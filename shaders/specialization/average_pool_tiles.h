// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of average_pool_runs and average_pool_channels.
#ifndef VKONNX_SPECIALIZATION_AVERAGE_POOL_TILES_H
#define VKONNX_SPECIALIZATION_AVERAGE_POOL_TILES_H

#include "specialization/rows.h"

#define AVERAGE_POOL_TILES_SPECIALIZATION(SIZE, CONSTANT)                                                                        \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, count_include_pad, 0)

SPECIALIZATION(AveragePoolTiles, AVERAGE_POOL_TILES_SPECIALIZATION)

#endif
