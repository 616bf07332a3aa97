// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of softmax_rows.
#ifndef VKONNX_SOFTMAX_ROWS_CONSTANTS_H
#define VKONNX_SOFTMAX_ROWS_CONSTANTS_H

#include "shaders/library/constants.h"

// `lanes` is the number of invocations that share a row, a power of 2 that divides the workgroup's size. `extent` is that of a row,
// or 0 where a push constant tells it. On CPUs it is set: where the loops of this kernel ended at a number from a buffer, lavapipe of
// Mesa 22.3 compiled it again in each dispatch, for some extents, in 0.7 ms.
#define SOFTMAX_ROWS_SPECIALIZATION(SIZE, CONSTANT)                                                                              \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, lanes, 1)                                                                                                        \
    CONSTANT(2, logarithm, 0)                                                                                                    \
    CONSTANT(3, extent, 0)

SPECIALIZATION(SoftmaxRows, SOFTMAX_ROWS_SPECIALIZATION)

#endif
