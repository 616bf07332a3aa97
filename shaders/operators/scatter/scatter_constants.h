// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of scatter.
#ifndef VKONNX_SCATTER_CONSTANTS_H
#define VKONNX_SCATTER_CONSTANTS_H

#include "shaders/library/constants.h"

// `rank` is the number of merged axes of data, in slices. `reduction` is one of those of scatter.h.
#define SCATTER_SPECIALIZATION(SIZE, CONSTANT)                                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, 0)                                                                                                         \
    CONSTANT(2, reduction, 0)

SPECIALIZATION(Scatter, SCATTER_SPECIALIZATION)

#endif
