// SPDX-License-Identifier: Apache-2.0
// This file holds the problem of matmul. C++ and GLSL share it.
#ifndef VKONNX_MATMUL_H
#define VKONNX_MATMUL_H

#include "shaders/library/blocks.h"
#include "shaders/engines/fusion/epilogue.h"

// MATMUL_AXES is the most axes in front of the matrices. Each has more than one element, and their product is below 2^31.
#define MATMUL_AXES 30

#ifdef __cplusplus
namespace vkonnx::push {
#endif

struct MatMulAxis {
    uint extent;
    uint a_step;
    uint b_step;
    uint padding_;
};

// This struct tells what a sum becomes: alpha * sum + beta * C.
struct MatMulEnd {
    uint c_row;  // elements of C from row to row, and from column to column
    uint c_column;
    uint alpha_low;  // the words of a number, in the type that the kernel computes in
    uint alpha_high;
    uint beta_low;
    uint beta_high;
    uint padding0_;
    uint padding1_;
};

struct MatMulProblem {
    MatMulAxis axes[MATMUL_AXES];  // in front of the matrices, innermost first
    uint m;
    uint k;
    uint n;
    uint padding_;
    uint a_row;  // elements of A and B from row to row, and from column to column
    uint a_column;
    uint b_row;
    uint b_column;
    MatMulEnd end;
    EpilogueNumbers epilogue;
};

#ifdef __cplusplus
static_assert(sizeof(MatMulAxis) % 16 == 0 && sizeof(MatMulEnd) % 16 == 0 && sizeof(MatMulProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
