// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of max_pool and max_pool_indices.
#ifndef VKONNX_MAX_POOL_CONSTANTS_H
#define VKONNX_MAX_POOL_CONSTANTS_H

#include "shaders/library/blocks.h"
#include "shaders/library/constants.h"

// `type` is that of X and Y, as vkonnx::DType numbers it, and `bits` the size of its elements.
#define MAX_POOL_SPECIALIZATION(SIZE, CONSTANT)                                                                                  \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, MAX_AXES)                                                                                                  \
    CONSTANT(2, type, 1)                                                                                                         \
    CONSTANT(3, bits, 32)

SPECIALIZATION(MaxPool, MAX_POOL_SPECIALIZATION)

#endif
