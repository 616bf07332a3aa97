// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of block_quantized_mat_mul.
#ifndef VKONNX_BLOCK_QUANTIZED_MAT_MUL_CONSTANTS_H
#define VKONNX_BLOCK_QUANTIZED_MAT_MUL_CONSTANTS_H

#include "shaders/library/constants.h"

// An integer has `bits` bits, and a block 1 << `block_shift` integers.
#define BLOCK_QUANTIZED_MAT_MUL_SPECIALIZATION(SIZE, CONSTANT)                                                                   \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, bits, 4)                                                                                                         \
    CONSTANT(2, block_shift, 5)

SPECIALIZATION(BlockQuantizedMatMul, BLOCK_QUANTIZED_MAT_MUL_SPECIALIZATION)

#endif
