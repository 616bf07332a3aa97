// SPDX-License-Identifier: Apache-2.0
// Specialization constants of elementwise.
#ifndef VKONNX_SPECIALIZATION_ELEMENTWISE_H
#define VKONNX_SPECIALIZATION_ELEMENTWISE_H

#include "shared/elementwise.h"
#include "shared/tiles.h"
#include "specialization/rows.h"

// kind: as vkonnx::ElementwiseKind numbers them. rank: of the merged axes; 0 where every input lies as the output does.
// given: bit i where input i of the first three is. exact_division: rounded to nearest even. exponent: of Pow, the type of its
// second input, as vkonnx::DType numbers it. quads: whether four outputs are read and written at once (shared/tiles.h).
// advances: bit i where bound input i does along the innermost axis.
#define ELEMENTWISE_SPECIALIZATION(SIZE, CONSTANT)                                                                               \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, kind, 0)                                                                                                         \
    CONSTANT(2, rank, 0)                                                                                                         \
    CONSTANT(3, given, 1)                                                                                                        \
    CONSTANT(4, exact_division, 0)                                                                                               \
    CONSTANT(5, exponent, 1)                                                                                                     \
    CONSTANT(6, vectors, ELEMENTWISE_VECTORS) /* of the uniform block: ELEMENTWISE_FEW_VECTORS or all */                         \
    CONSTANT(7, quads, QUADS_NEVER)                                                                                              \
    CONSTANT(8, advances, 0)

SPECIALIZATION(Elementwise, ELEMENTWISE_SPECIALIZATION)

#endif
