// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of recurrent_copy.
#ifndef VKONNX_SPECIALIZATION_RECURRENT_COPY_H
#define VKONNX_SPECIALIZATION_RECURRENT_COPY_H

#include "specialization/rows.h"

// `dtype` is the input's type, as vkonnx::DType numbers it.
#define RECURRENT_COPY_SPECIALIZATION(SIZE, CONSTANT)                                                                            \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, dtype, 1)

SPECIALIZATION(RecurrentCopy, RECURRENT_COPY_SPECIALIZATION)

#endif
