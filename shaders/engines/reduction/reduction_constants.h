// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of reduction.
#ifndef VKONNX_REDUCTION_CONSTANTS_H
#define VKONNX_REDUCTION_CONSTANTS_H

#include "shaders/library/constants.h"

// `from_sums` tells, for halves, that X holds floats, as earlier passes leave them. `exact_division` asks for rounding to nearest
// even. `narrow` tells that X holds integers of 32 bits, which are summed in 64. `prologue` is as prologue.h says, for
// TERM == REDUCTION_PROLOGUE.
#define REDUCTION_SPECIALIZATION(SIZE, CONSTANT)                                                                                 \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, from_sums, 0)                                                                                                    \
    CONSTANT(2, exact_division, 0)                                                                                               \
    CONSTANT(3, narrow, 0)                                                                                                       \
    CONSTANT(4, prologue, 0)

SPECIALIZATION(Reduction, REDUCTION_SPECIALIZATION)

#endif
