// SPDX-License-Identifier: Apache-2.0
#version 450
// Outputs of conv_transpose_phases in halves: its sums with their bias and epilogue, rounded, two to a word.
// Layouts: sums as Y, (N, M, O1..O3) or channels last; B (M)
// Specialization: specialization/conv_transpose_phases.h
// Grid: ceil(words / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "specialization/conv_transpose_phases.h"

#include "common.glsl"
#include "divide.glsl"
#include "shared/conv_transpose_phases.h"
#include "store.glsl"

layout(binding = 0) readonly buffer Sums
{
    float sums[];
};
INPUT(1, InputB, b, b_at)
OUTPUT(2, OutputY, y, store)
layout(binding = UNIFORM_BINDING) uniform Problem
{
    PhasesProblem problem;
};
#include "epilogue.glsl"

Real result(uint i)
{
    Real sum = sums[i];
    if (spec_bias == PHASES_BIAS_ADDED) {
        uint row = divided(i, problem.by_y_channel);
        uint channel = row - divided(row, problem.by_channels) * problem.by_channels.number;
        sum = plus(sum, b_at(channel));
    }
    return epilogue(sum);
}

void main()
{
    uint i = 2u * flat_invocation();
    if (i >= problem.outputs)
        return;
    Real even = result(i);
    if (i + 1u < problem.outputs)
        store_pair(i, even, result(i + 1u));
    else
        store(i, even);
}
