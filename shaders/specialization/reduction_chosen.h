// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of the modules CHOSEN and LOGARITHM of reduction.
#ifndef VKONNX_SPECIALIZATION_REDUCTION_CHOSEN_H
#define VKONNX_SPECIALIZATION_REDUCTION_CHOSEN_H

#include "specialization/rows.h"

// `from_sums` is as in reduction.h. `exact_root` asks for rounding to nearest even. `term` and `finish` tell what is computed, as
// shared/reduction.h numbers it.
#define REDUCTION_CHOSEN_SPECIALIZATION(SIZE, CONSTANT)                                                                          \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, from_sums, 0)                                                                                                    \
    CONSTANT(2, exact_root, 0)                                                                                                   \
    CONSTANT(3, term, 0)                                                                                                         \
    CONSTANT(4, finish, 0)

SPECIALIZATION(ReductionChosen, REDUCTION_CHOSEN_SPECIALIZATION)

#endif
