// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes DotProductAttention for any sizes. An invocation computes an element of Y; of halves the two of a word. It
// computes each score twice: for the greatest one of its query, and for the sums.
//
// Layouts: Q, K, V, Y and, with BIAS, bias by steps.
// Order of the sums: elements of a key ascending, keys ascending.
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loops: 2 * keys * (size + 1) iterations for an element
// Specialization: dot_product_attention_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/dot_product_attention/dot_product_attention_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/functions.glsl"
#include "shaders/library/store.glsl"
#include "shaders/operators/dot_product_attention/dot_product_attention.h"

INPUT(0, InputQ, x, x_at)
INPUT(1, InputK, k, k_at)
INPUT(2, InputV, v, v_at)
#if BIAS
INPUT(3, InputBias, bias, bias_at)
#define OUTPUT_BINDING 4
#else
#define OUTPUT_BINDING 3
#endif
layout(binding = UNIFORM_BINDING) uniform Problem
{
    DotProductAttentionProblem problem;
};
#include "shaders/engines/gather/gather.glsl"

// Returns the score of a key. The numbers are those of the first elements of the query and the key, and of the element of bias.
Real score_of(uint q_first, uint k_first, uint bias_place)
{
    Real sum = empty_sum();
    for (uint i = 0u; i < problem.size; ++i)
        sum = plus(sum, times(x_at(q_first + i), k_at(k_first + i)));
    sum = times(sum, real_of(uvec2(problem.scale, 0u)));
#if BIAS
    sum = plus(sum, bias_at(bias_place));
#endif
    return sum;
}

Real output_at(uint index)
{
    uint column = index % problem.value_size;
    uint row = index / problem.value_size;
    uint query, head, batch;
    if (problem.joins_heads != 0u) {
        head = row % problem.heads;
        query = row / problem.heads % problem.queries;
        batch = row / problem.heads / problem.queries;
    } else {
        query = row % problem.queries;
        head = row / problem.queries % problem.heads;
        batch = row / problem.queries / problem.heads;
    }
    uint key_head = head / problem.heads_per_key_head;
    uint q_first = batch * problem.q_batch + head * problem.q_head + query * problem.q_row - push.x_base;
    uint k_first = batch * problem.k_batch + key_head * problem.k_head - push.w_base;
    uint v_first = batch * problem.v_batch + key_head * problem.v_head + column - push.b_base;
    uint bias_first = batch * problem.bias_batch + head * problem.bias_head + query * problem.bias_query - push.p_base;

    Real greatest = uintBitsToFloat(0xff800000u);  // -Inf
    for (uint key = 0u; key < problem.keys; ++key) {
        Real score = score_of(q_first, k_first + key * problem.k_row, bias_first + key * problem.bias_key);
        greatest = less(greatest, score) ? score : greatest;
    }
    Real sum = zero();
    Real weighted = zero();
    for (uint key = 0u; key < problem.keys; ++key) {
        Real score = score_of(q_first, k_first + key * problem.k_row, bias_first + key * problem.bias_key);
        Real weight = exponential(minus(score, greatest));
        sum = plus(sum, weight);
        weighted = plus(weighted, times(weight, v_at(v_first + key * problem.v_row)));
    }
    if (problem.keys == 0u)
        return zero();
    return spec_exact_division != 0u ? quotient_exactly(weighted, sum) : quotient(weighted, sum);
}
