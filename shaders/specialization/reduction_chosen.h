// SPDX-License-Identifier: Apache-2.0
// Specialization constants of reduction, of its modules CHOSEN and LOGARITHM.
#ifndef VKONNX_SPECIALIZATION_REDUCTION_CHOSEN_H
#define VKONNX_SPECIALIZATION_REDUCTION_CHOSEN_H

#include "specialization/rows.h"

// from_sums: as in reduction.h. exact_root: rounded to nearest even. term, finish: what is computed, as shared/reduction.h numbers
// it.
#define REDUCTION_CHOSEN_SPECIALIZATION(SIZE, CONSTANT)                                                                          \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, from_sums, 0)                                                                                                    \
    CONSTANT(2, exact_root, 0)                                                                                                   \
    CONSTANT(3, term, 0)                                                                                                         \
    CONSTANT(4, finish, 0)

SPECIALIZATION(ReductionChosen, REDUCTION_CHOSEN_SPECIALIZATION)

#endif
