// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Gemm and MatMul, of any rank and type. One invocation adds one part of an output: a range of K.
//
// Layouts: A and B by steps of their own, in front of their matrices and along them; Y row-major; C, where there is one, by
// steps. Assumptions:
// - element numbers fit 31 bits
// - the device allows the loops: channel_count + rank iterations an output
// Specialization: matmul_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/matmul/matmul_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/matmul/matmul.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)
INPUT(1, InputW, w, w_at)
INPUT(2, InputB, b, b_at)

layout(binding = UNIFORM_BINDING) uniform Problem
{
    MatMulProblem problem;
};

#include "shaders/engines/fusion/epilogue.glsl"
#define OUTPUT_BINDING 3
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint column = index % problem.n;
    uint row = index / problem.n % problem.m;
    uint rest = index / problem.n / problem.m;
    uint a = row * problem.a_row - push.x_base;
    uint b = column * problem.b_column - push.w_base;
    for (uint i = 0u; i < spec_rank; ++i) {
        uint place = rest % problem.axes[i].extent;
        rest /= problem.axes[i].extent;
        a += place * problem.axes[i].a_step;
        b += place * problem.axes[i].b_step;
    }
    Real sum = sum_so_far(index);
    uint end = push.first_channel + push.channel_count;
    for (uint k = push.first_channel; k < end; ++k)
        sum = plus(sum, times(x_at(a + k * problem.a_column), w_at(b + k * problem.b_row)));
    if (push.finishes == 0u)
        return sum;
    bool empty = problem.k == 0u;  // then only C counts, and without C the result is +0
    sum = empty ? zero() : times(real_of(uvec2(problem.end.alpha_low, problem.end.alpha_high)), sum);
    if (spec_has_c != 0u) {
        Real c = times(real_of(uvec2(problem.end.beta_low, problem.end.beta_high)),
                       b_at(row * problem.end.c_row + column * problem.end.c_column - push.b_base));
        sum = empty ? c : plus(sum, c);
    }
    return epilogue(sum);
}
