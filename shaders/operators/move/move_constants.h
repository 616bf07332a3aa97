// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of move.
#ifndef VKONNX_MOVE_CONSTANTS_H
#define VKONNX_MOVE_CONSTANTS_H

#include "shaders/operators/move/move.h"
#include "shaders/library/constants.h"

// `rank` is that of the merged axes. `sources` is the number of an output's sources where all are bound at once, and 0 where each
// part has some of them. `beyond` tells what lies beyond a source (move.h). `fill_bound` tells that the fill is element 0
// of the buffer that is bound as W.
#define MOVE_SPECIALIZATION(SIZE, CONSTANT)                                                                                      \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, 0)                                                                                                         \
    CONSTANT(2, sources, 1)                                                                                                      \
    CONSTANT(3, beyond, 0)                                                                                                       \
    CONSTANT(4, fill_bound, 0)                                                                                                   \
    CONSTANT(5, vectors, MOVE_VECTORS) /* of the uniform block: MOVE_FEW_VECTORS or all */

SPECIALIZATION(Move, MOVE_SPECIALIZATION)

#endif
