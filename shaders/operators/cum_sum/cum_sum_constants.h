// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of cum_sum.
#ifndef VKONNX_CUM_SUM_CONSTANTS_H
#define VKONNX_CUM_SUM_CONSTANTS_H

#include "shaders/library/constants.h"

// `of_blocks` asks for one sum of each block. `exclusive` leaves an output's own element out, and `reverse` adds from the back.
// `prefix` tells that sums go on from what lies in front of their block, and `from_zero` that those of a row's first block begin at
// 0, where an empty sum is -0.
#define CUM_SUM_SPECIALIZATION(SIZE, CONSTANT)                                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, of_blocks, 0)                                                                                                    \
    CONSTANT(2, exclusive, 0)                                                                                                    \
    CONSTANT(3, reverse, 0)                                                                                                      \
    CONSTANT(4, prefix, 0)                                                                                                       \
    CONSTANT(5, from_zero, 0)

SPECIALIZATION(CumSum, CUM_SUM_SPECIALIZATION)

#endif
