// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of take_nd.
#ifndef VKONNX_TAKE_ND_CONSTANTS_H
#define VKONNX_TAKE_ND_CONSTANTS_H

#include "shaders/library/constants.h"

// `rank` is that of the merged axes of the output, and 0 where it has one element. `coordinates` is the number of coordinates of
// an index.
#define TAKE_ND_SPECIALIZATION(SIZE, CONSTANT)                                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, 0)                                                                                                         \
    CONSTANT(2, coordinates, 1)

SPECIALIZATION(TakeNd, TAKE_ND_SPECIALIZATION)

#endif
