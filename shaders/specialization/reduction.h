// SPDX-License-Identifier: Apache-2.0
// Specialization constants of reduction.
#ifndef VKONNX_SPECIALIZATION_REDUCTION_H
#define VKONNX_SPECIALIZATION_REDUCTION_H

#include "specialization/rows.h"

// from_sums: X, of halves, holds what is computed in, as passes leave it. exact_division: rounded to nearest even. narrow: X holds
// integers of 32 bits, which are summed in 64. prologue: as shared/prologue.h says, of TERM == REDUCTION_PROLOGUE.
#define REDUCTION_SPECIALIZATION(SIZE, CONSTANT)                                                                                 \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, from_sums, 0)                                                                                                    \
    CONSTANT(2, exact_division, 0)                                                                                               \
    CONSTANT(3, narrow, 0)                                                                                                       \
    CONSTANT(4, prologue, 0)

SPECIALIZATION(Reduction, REDUCTION_SPECIALIZATION)

#endif
