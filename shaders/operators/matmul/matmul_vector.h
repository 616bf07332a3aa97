// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of matmul_vector, for C++ and GLSL. A tile is four columns of a row of Y. A dispatch is a
// TileRange, whose x is B.
#ifndef VKONNX_MATMUL_VECTOR_H
#define VKONNX_MATMUL_VECTOR_H

#include "shaders/library/divide.h"
#include "shaders/operators/matmul/matmul.h"
#include "shaders/engines/tiles/tiles.h"

#define MATMUL_TILE 4

#ifdef __cplusplus
namespace vkonnx::push {
#endif

struct MatMulVectorProblem {
    Divisor tiles_of_row;
    Divisor by_m;    // rows of one of A's matrices
    uint k;
    uint n;
    uint b_matrix;   // elements of B from one matrix to the next, 0 where all have the same
    uint padding_;
    MatMulEnd end;
    EpilogueNumbers epilogue;
};

#ifdef __cplusplus
static_assert(sizeof(MatMulVectorProblem) % 16 == 0 && sizeof(MatMulVectorProblem) <= sizeof(MatMulProblem));

}  // namespace vkonnx::push
#endif

#endif
