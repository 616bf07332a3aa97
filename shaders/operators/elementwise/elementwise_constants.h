// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of elementwise.
#ifndef VKONNX_ELEMENTWISE_CONSTANTS_H
#define VKONNX_ELEMENTWISE_CONSTANTS_H

#include "shaders/operators/elementwise/elementwise.h"
#include "shaders/engines/tiles/tiles.h"
#include "shaders/library/constants.h"

// `kind` is as vkonnx::ElementwiseKind numbers it. `rank` is that of the merged axes, and 0 where every input lies as the output
// does. `given` has bit i where input i of the first three is given. `exact_division` asks for rounding to nearest even.
// `exponent` is the type of Pow's second input, as vkonnx::DType numbers it. `quads` tells whether four outputs are read and
// written at once (tiles.h). `advances` has bit i where bound input i advances along the innermost axis.
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
