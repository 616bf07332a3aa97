// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of scatter_targets.
#ifndef VKONNX_SCATTER_TARGETS_CONSTANTS_H
#define VKONNX_SCATTER_TARGETS_CONSTANTS_H

#include "shaders/library/constants.h"

// `rank` is the number of the updates' merged axes, and `coordinates` the number of coordinates of an index. `clears` asks for
// zeros.
#define SCATTER_TARGETS_SPECIALIZATION(SIZE, CONSTANT)                                                                           \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, 0)                                                                                                         \
    CONSTANT(2, coordinates, 1)                                                                                                  \
    CONSTANT(3, clears, 0)

SPECIALIZATION(ScatterTargets, SCATTER_TARGETS_SPECIALIZATION)

#endif
