// SPDX-License-Identifier: Apache-2.0
// Specialization constants of move.
#ifndef VKONNX_SPECIALIZATION_MOVE_H
#define VKONNX_SPECIALIZATION_MOVE_H

#include "shared/move.h"
#include "specialization/rows.h"

// rank: of the merged axes. sources: of an output, where they are bound all at once; 0 where parts have some of them each.
// beyond: what lies there, see shared/move.h. fill_bound: the fill is element 0 of what is bound as W.
#define MOVE_SPECIALIZATION(SIZE, CONSTANT)                                                                                      \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, rank, 0)                                                                                                         \
    CONSTANT(2, sources, 1)                                                                                                      \
    CONSTANT(3, beyond, 0)                                                                                                       \
    CONSTANT(4, fill_bound, 0)                                                                                                   \
    CONSTANT(5, vectors, MOVE_VECTORS) /* of the uniform block: MOVE_FEW_VECTORS or all */

SPECIALIZATION(Move, MOVE_SPECIALIZATION)

#endif
