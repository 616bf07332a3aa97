// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of the modules CHOSEN and LOGARITHM of reduction.
#ifndef VKONNX_REDUCTION_CHOSEN_CONSTANTS_H
#define VKONNX_REDUCTION_CHOSEN_CONSTANTS_H

#include "shaders/library/constants.h"

// `from_sums` is as in reduction.h. `exact_root` asks for rounding to nearest even. `term` and `finish` tell what is computed, as
// reduction.h numbers it.
#define REDUCTION_CHOSEN_SPECIALIZATION(SIZE, CONSTANT)                                                                          \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, from_sums, 0)                                                                                                    \
    CONSTANT(2, exact_root, 0)                                                                                                   \
    CONSTANT(3, term, 0)                                                                                                         \
    CONSTANT(4, finish, 0)

SPECIALIZATION(ReductionChosen, REDUCTION_CHOSEN_SPECIALIZATION)

#endif
