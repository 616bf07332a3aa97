// SPDX-License-Identifier: Apache-2.0
// This file holds what the kernels of BlockQuantizedMatMul are told, for C++ and GLSL.
#ifndef VKONNX_BLOCK_QUANTIZED_MAT_MUL_H
#define VKONNX_BLOCK_QUANTIZED_MAT_MUL_H

#include "shaders/library/divide.h"

// A tile of block_quantized_mat_mul_rows has so many columns of Y.
#define BLOCK_QUANTIZED_COLUMNS 4

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct is the uniform block of both kernels.
struct BlockQuantizedProblem {
    Divisor tiles_of_row;  // of a row of tiles
    uint rows;             // of A and Y
    uint inner;            // elements of a row of A
    uint columns;          // of Y
    uint blocks;           // of a row of W
    uint row_words;        // words of a row of B
    uint zero_bytes;       // bytes of a row of zero_points
    uint padding_[2];
};

#ifdef __cplusplus
static_assert(sizeof(BlockQuantizedProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
