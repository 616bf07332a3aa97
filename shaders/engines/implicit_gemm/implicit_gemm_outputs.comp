// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader makes the outputs of implicit_gemm where that stores sums: it adds their parts in order, applies bias and epilogue,
// and rounds. An invocation makes two, since two halves are a word.
// Layouts: sums of each part as Y, (N, M, O1..O3) or channels last; B (M)
// Specialization: implicit_gemm_constants.h
// Grid: ceil((end - first) / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/divide.glsl"
#include "shaders/engines/implicit_gemm/implicit_gemm.h"
#include "shaders/library/store.glsl"

layout(binding = 0) readonly buffer Sums
{
    Real sums[];
};
INPUT(1, InputB, b, b_at)
OUTPUT(2, OutputY, y, store)
layout(binding = UNIFORM_BINDING) uniform Problem
{
    GemmProblem problem;
};
layout(push_constant) uniform Push
{
    GemmOutputs push;
};
#include "shaders/engines/fusion/epilogue.glsl"

Real result(uint i, uint parts)
{
    Real sum = sums[i];
    for (uint part = problem.outputs; part < parts * problem.outputs; part += problem.outputs)
        sum = plus(sum, sums[part + i]);
    if (problem.bias != GEMM_BIAS_NONE) {
        uint row = divided(i, problem.by_y_channel);
        uint channel = row - divided(row, problem.by_channels) * problem.by_channels.number;
        sum = plus(sum, b_at(channel));
    }
    return epilogue(sum);
}

void main()
{
    uint number = push.first + flat_invocation();
    if (number >= push.end)
        return;
    uint i = 2u * number;
    uint parts = divide_up(problem.quads, problem.part_quads);
    Real even = result(i, parts);
    if (i + 1u < problem.outputs)
        store_pair(i, even, result(i + 1u, parts));
    else
        store(i, even);
}
