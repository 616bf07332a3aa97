// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes BlockQuantizedMatMul of any sizes. One invocation adds one part of an output: a range of K.
//
// Layouts: A and Y row-major; B in words, a whole number of them for each row of W; scales (N, blocks); zero points in bytes.
// Order of the sum: K ascending.
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loop: channel_count iterations an output
// Specialization: block_quantized_mat_mul_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/block_quantized_mat_mul/block_quantized_mat_mul_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/store.glsl"
#include "shaders/operators/block_quantized_mat_mul/block_quantized_mat_mul.h"

INPUT(0, InputX, x, x_at)
layout(binding = 1) readonly buffer InputW
{
    uint w[];
};
INPUT(2, InputScales, scales, scale_at)
layout(binding = UNIFORM_BINDING) uniform Problem
{
    BlockQuantizedProblem problem;
};
#include "shaders/operators/block_quantized_mat_mul/block_quantized.glsl"
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint column = index % problem.columns;
    uint row = index / problem.columns;
    uint x_first = row * problem.inner - push.x_base;
    uint w_first = column * problem.row_words - (push.w_base >> 2);
    uint scale_first = column * problem.blocks - push.b_base;
    Real sum = push.starts != 0u ? zero() : sum_so_far(index);  // of nothing but zeros it is +0
    uint end = push.first_channel + push.channel_count;
    for (uint k = push.first_channel; k < end; ++k) {
        uint block = k >> spec_block_shift;
        uint bit = k * spec_bits;
        Real number = Real(w[w_first + (bit >> 5)] >> (bit & 31u) & INTEGER_MASK);
        Real weight = times(minus(number, zero_point(column, block, push.p_base)), scale_at(scale_first + block));
        sum = plus(sum, times(x_at(x_first + k), weight));
    }
    return sum;
}
