// SPDX-License-Identifier: Apache-2.0
// Specialization constants of cast.
#ifndef VKONNX_SPECIALIZATION_CAST_H
#define VKONNX_SPECIALIZATION_CAST_H

#include "specialization/rows.h"

// from, to: as vkonnx::DType numbers types.
#define CAST_SPECIALIZATION(SIZE, CONSTANT)                                                                                      \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, from, 1)                                                                                                         \
    CONSTANT(2, to, 1)

SPECIALIZATION(Cast, CAST_SPECIALIZATION)

#endif
