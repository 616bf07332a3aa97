// SPDX-License-Identifier: Apache-2.0
#version 450
// Packs X for implicit_gemm: four channels a texel, lines with their zeros.
// Layout: shared/implicit_gemm.h
// Specialization: specialization/implicit_gemm.h
// Grid: ceil(texels / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "specialization/implicit_gemm.h"

#include "common.glsl"
#include "divide.glsl"
#include "shared/implicit_gemm.h"
#include "store.glsl"

#include "gemm_texels.glsl"

INPUT(0, InputX, x, x_at)

layout(binding = 1) writeonly buffer Packed
{
    Texel texels[];
};
layout(binding = UNIFORM_BINDING) uniform Problem
{
    GemmProblem problem;
};

// Whether the line's place on an axis lies in the input, and its distance there.
bool inside(uint axis, uint place, inout uint at)
{
    uint position = problem.axes[axis].first + place;
    at += position * problem.axes[axis].x_step;
    return position < problem.axes[axis].in_extent;
}

void main()
{
    uint i = flat_invocation();
    if (i >= problem.texels)
        return;
    uint rest = divided(i, problem.by_line);
    uint place = i - rest * problem.line;
    uint plane = divided(rest, problem.by_images);
    uint image = rest - plane * problem.images;
    uint group = divided(plane, problem.by_quads);
    uint channel = 4u * (plane - group * problem.quads);
    uint row = divided(place, problem.by_extents[1]);
    uint slice = divided(row, problem.by_extents[0]);
    uint at = image * problem.x_image + (group * problem.channels_in + channel) * problem.x_channel;
    bool reads = inside(2u, place - row * problem.axes[2].extent, at);
    reads = inside(1u, row - slice * problem.axes[1].extent, at) && reads;
    reads = inside(0u, slice, at) && reads;
    Real4 texel = Real4(zero());
    uint channels = reads ? min(4u, problem.channels_in - channel) : 0u;
    [[unroll]] for (uint c = 0u; c < 4u; ++c)
        if (c < channels)
            texel[c] = x_at(at + c * problem.x_channel);
    texels[i] = packed(texel);
}
