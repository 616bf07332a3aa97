// SPDX-License-Identifier: Apache-2.0
// This file holds what conv_transpose_depthwise and conv_transpose_depthwise_channels share behind their specialization
// constants: the problem, and where outputs meet its axes.
#include "shaders/operators/conv_transpose/conv_transpose_depthwise.h"
#include "shaders/engines/tiles/tiles.glsl"

layout(binding = UNIFORM_BINDING) uniform Problem
{
    DepthwiseProblem problem;
};
layout(push_constant) uniform Push
{
    TileRange push;
};

#include "shaders/engines/fusion/epilogue.glsl"

// This struct tells where an output position meets an axis.
struct Phase {
    uint first;  // the first tap that meets it
    uint block;  // the input position that this tap reads
};

Phase phase_of(DepthwiseAxis axis, uint output_position)
{
    uint p = output_position + axis.begin;
    uint block = divided(p, axis.stride);
    return Phase(p - block * axis.stride.number, block);
}

// Tells whether tap number i of a phase exists and reads the input.
bool reads(DepthwiseAxis axis, Phase phase, uint i)
{
    return phase.first + i * axis.stride.number < axis.kernel && phase.block - i < axis.in_extent;
}
