// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of recurrent.
#ifndef VKONNX_RECURRENT_CONSTANTS_H
#define VKONNX_RECURRENT_CONSTANTS_H

#include "shaders/library/constants.h"

// `shares` tells that a workgroup does many steps of a row. `parts` is the number of parts of a sum over H. `quads` is the number
// of quads of hidden units. `kind` and `direction` are as recurrent.h numbers them. `f`, `g`, `h` and `f1`, `g1`, `h1` are the
// functions of the first and of the second direction, as vkonnx::RecurrentActivation numbers them. With `rounds_h` H is rounded to 8
// bits before it is multiplied by R.
#define RECURRENT_SPECIALIZATION(SIZE, CONSTANT)                                                                                 \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, shares, 0)                                                                                                       \
    CONSTANT(2, quads, 1)                                                                                                        \
    CONSTANT(3, kind, 0)                                                                                                         \
    CONSTANT(4, direction, 0)                                                                                                    \
    CONSTANT(5, linear_before_reset, 0)                                                                                          \
    CONSTANT(6, input_forget, 0)                                                                                                 \
    CONSTANT(7, batch_first, 0)                                                                                                  \
    CONSTANT(8, has_b, 0)                                                                                                        \
    CONSTANT(9, has_lengths, 0)                                                                                                  \
    CONSTANT(10, has_h, 0)                                                                                                       \
    CONSTANT(11, has_c, 0)                                                                                                       \
    CONSTANT(12, has_p, 0)                                                                                                       \
    CONSTANT(13, clips, 0)                                                                                                       \
    CONSTANT(14, exactly, 0)                                                                                                     \
    CONSTANT(15, f, 1)                                                                                                           \
    CONSTANT(16, g, 1)                                                                                                           \
    CONSTANT(17, h, 1)                                                                                                           \
    CONSTANT(18, f1, 1)                                                                                                          \
    CONSTANT(19, g1, 1)                                                                                                          \
    CONSTANT(20, h1, 1)                                                                                                          \
    CONSTANT(21, parts, 1)                                                                                                       \
    CONSTANT(22, rounds_h, 0)

SPECIALIZATION(Recurrent, RECURRENT_SPECIALIZATION)

#endif
