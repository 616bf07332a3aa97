// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of recurrent_copy.
#ifndef VKONNX_RECURRENT_COPY_CONSTANTS_H
#define VKONNX_RECURRENT_COPY_CONSTANTS_H

#include "shaders/library/constants.h"

// `dtype` is the input's type, as vkonnx::DType numbers it.
#define RECURRENT_COPY_SPECIALIZATION(SIZE, CONSTANT)                                                                            \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, dtype, 1)

SPECIALIZATION(RecurrentCopy, RECURRENT_COPY_SPECIALIZATION)

#endif
