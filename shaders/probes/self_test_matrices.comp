// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the self-test of cooperative matrices: one product in halves, added to itself, in floats, computed as in
// implicit_gemm_matrices.
//
// Layouts: factors, halves, one (columns of the left, `depth` of `rows`), then the other (`columns` of `depth`); results, floats,
// `columns` of `rows`. All three numbers are multiples of 4, and no product of two exceeds 512.
// Assumptions: the workgroup is one subgroup
// Specialization: self_test_matrices_constants.h
// Grid: 1, 1, 1
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "shaders/probes/self_test_matrices_constants.h"

layout(binding = 0) readonly buffer Factors
{
    uvec2 factors[];
};
layout(binding = 1) writeonly buffer Results
{
    vec4 results[];
};

shared f16vec4 left_staged[128];
shared f16vec4 right_staged[128];
shared vec4 sums_staged[128];

f16vec4 halves(uvec2 texel)
{
    return f16vec4(unpackFloat2x16(texel.x), unpackFloat2x16(texel.y));
}

void main()
{
    uint left_texels = spec_depth * spec_rows / 4u;
    for (uint i = gl_LocalInvocationID.x; i < left_texels; i += gl_WorkGroupSize.x)
        left_staged[i] = halves(factors[i]);
    for (uint i = gl_LocalInvocationID.x; i < spec_columns * spec_depth / 4u; i += gl_WorkGroupSize.x)
        right_staged[i] = halves(factors[left_texels + i]);
    barrier();
    coopmat<float16_t, gl_ScopeSubgroup, spec_rows, spec_depth, gl_MatrixUseA> left;
    coopmat<float16_t, gl_ScopeSubgroup, spec_depth, spec_columns, gl_MatrixUseB> right;
    coopmat<float, gl_ScopeSubgroup, spec_rows, spec_columns, gl_MatrixUseAccumulator> sums;
    sums = coopmat<float, gl_ScopeSubgroup, spec_rows, spec_columns, gl_MatrixUseAccumulator>(0.0);
    coopMatLoad(left, left_staged, 0u, spec_rows / 4u, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatLoad(right, right_staged, 0u, spec_depth / 4u, gl_CooperativeMatrixLayoutColumnMajor);
    for (uint i = 0u; i < 2u; ++i)
        sums = coopMatMulAdd(left, right, sums);
    coopMatStore(sums, sums_staged, 0u, spec_rows / 4u, gl_CooperativeMatrixLayoutColumnMajor);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < spec_columns * spec_rows / 4u; i += gl_WorkGroupSize.x)
        results[i] = sums_staged[i];
}
