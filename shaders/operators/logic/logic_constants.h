// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of logic.
#ifndef VKONNX_LOGIC_CONSTANTS_H
#define VKONNX_LOGIC_CONSTANTS_H

#include "shaders/library/constants.h"

// `kind` is as vkonnx::LogicKind numbers it. `rank` is that of the merged axes, and 0 where every input lies as the output does.
// `type` is that of the elements that are compared or shifted, as vkonnx::DType numbers it. `width` is the bits of an element of
// each input but Where's condition. `option` is LOGIC_DETECTS_NEGATIVE and others (logic.h).
#define LOGIC_SPECIALIZATION(SIZE, CONSTANT)                                                                                     \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, kind, 0)                                                                                                         \
    CONSTANT(2, rank, 0)                                                                                                         \
    CONSTANT(3, type, 1)                                                                                                         \
    CONSTANT(4, width, 32)                                                                                                       \
    CONSTANT(5, option, 0)

SPECIALIZATION(Logic, LOGIC_SPECIALIZATION)

#endif
