// SPDX-License-Identifier: Apache-2.0
// Specialization constants of logic.
#ifndef VKONNX_SPECIALIZATION_LOGIC_H
#define VKONNX_SPECIALIZATION_LOGIC_H

#include "specialization/rows.h"

// kind: as vkonnx::LogicKind numbers them. rank: of the merged axes; 0 where every input lies as the output does. type: of the
// elements that are compared or shifted, as vkonnx::DType numbers it. width: bits of an element of each input but Where's
// condition. option: LOGIC_DETECTS_NEGATIVE and others (shared/logic.h).
#define LOGIC_SPECIALIZATION(SIZE, CONSTANT)                                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, kind, 0)                                                                                                         \
    CONSTANT(2, rank, 0)                                                                                                         \
    CONSTANT(3, type, 1)                                                                                                         \
    CONSTANT(4, width, 32)                                                                                                       \
    CONSTANT(5, option, 0)

SPECIALIZATION(Logic, LOGIC_SPECIALIZATION)

#endif
