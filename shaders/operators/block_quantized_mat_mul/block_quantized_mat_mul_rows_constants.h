// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of block_quantized_mat_mul_rows.
#ifndef VKONNX_BLOCK_QUANTIZED_MAT_MUL_ROWS_CONSTANTS_H
#define VKONNX_BLOCK_QUANTIZED_MAT_MUL_ROWS_CONSTANTS_H

#include "shaders/library/constants.h"

// `lanes` is the number of invocations that share a tile, a power of 2 that divides the workgroup's size. A tile has `rows` rows.
// An integer has `bits` bits, and a block 1 << `block_shift` integers. An invocation takes `words` words of a row at a time, 4 or 1.
#define BLOCK_QUANTIZED_MAT_MUL_ROWS_SPECIALIZATION(SIZE, CONSTANT)                                                              \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, lanes, 1)                                                                                                        \
    CONSTANT(2, rows, 1)                                                                                                         \
    CONSTANT(3, bits, 4)                                                                                                         \
    CONSTANT(4, block_shift, 5)                                                                                                  \
    CONSTANT(5, words, 4)

SPECIALIZATION(BlockQuantizedMatMulRows, BLOCK_QUANTIZED_MAT_MUL_ROWS_SPECIALIZATION)

#endif
