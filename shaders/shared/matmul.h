// SPDX-License-Identifier: Apache-2.0
// The problem of matmul, shared by C++ and GLSL.
#ifndef VKONNX_SHARED_MATMUL_H
#define VKONNX_SHARED_MATMUL_H

#include "shared/blocks.h"
#include "shared/epilogue.h"

// Axes in front of the matrices, of more than one element each: their product is below 2^31.
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

// What a sum becomes: alpha * sum + beta * C.
struct MatMulEnd {
    uint c_row;  // elements from row to row, and from column to column
    uint c_column;
    uint alpha_low;  // a number, in what the kernel computes in
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
    uint a_row;  // elements from row to row, and from column to column
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
