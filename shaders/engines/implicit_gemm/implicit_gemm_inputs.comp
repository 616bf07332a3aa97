// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader packs X for implicit_gemm: four channels a texel, in lines with their zeros, which no prologue touches. An
// invocation packs one position of some quads of channels. P is read where a prologue has numbers; elsewhere any buffer stands
// in.
// Layout: implicit_gemm.h
// Specialization: implicit_gemm_constants.h
// Grid: ceil((end - first) / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/divide.glsl"
#include "shaders/engines/implicit_gemm/implicit_gemm.h"
#include "shaders/library/store.glsl"

#include "shaders/engines/implicit_gemm/gemm_texels.glsl"

INPUT(0, InputX, x, x_at)

layout(binding = 1) writeonly buffer Packed
{
    Texel texels[];
};
INPUT(2, InputP, p, p_at)
layout(binding = UNIFORM_BINDING) uniform Problem
{
    GemmProblem problem;
};
layout(push_constant) uniform Push
{
    GemmInputs push;
};

#include "shaders/engines/fusion/prologue.glsl"

// Returns the input position of the line's place on an axis, modulo 2^32, and adds the distance of that position in X to `at`.
uint position_of(uint axis, uint place, inout uint at)
{
    uint position = problem.axes[axis].first + push.first_block[axis] * problem.axes[axis].block_step + place;
    at += position * problem.axes[axis].x_step;
    return position;
}

// Tells whether the line's place on an axis lies in the input, and adds the distance of its position in X to `at`.
bool inside(uint axis, uint place, inout uint at)
{
    return position_of(axis, place, at) < problem.axes[axis].in_extent;
}

void main()
{
    uint i = push.first + flat_invocation();
    if (i >= push.end)
        return;
    uint part = divided(i, problem.by_lines);
    uint within = i - part * problem.by_lines.number;
    uint image = divided(within, problem.by_line);
    uint place = within - image * problem.line;
    uint row = divided(place, problem.by_extents[1]);
    uint slice = divided(row, problem.by_extents[0]);
    uint position = image * problem.x_image;
    uint last = position_of(2u, place - row * problem.axes[2].extent, position);
    bool taps = spec_taps != 0u;
    bool reads = taps || last < problem.axes[2].in_extent;
    reads = inside(1u, row - slice * problem.axes[1].extent, position) && reads;
    reads = inside(0u, slice, position) && reads;
    uint channel_step = taps ? problem.channel_places * problem.axes[2].x_step : problem.x_channel;

    uint plane = part * problem.quads_at_once;
    uint left = min(problem.quads_at_once, problem.groups * problem.by_quads.number - plane);
    uint group = divided(plane, problem.by_quads);
    uint quad = plane - group * problem.by_quads.number;
    uint to = plane * problem.by_lines.number + within;
    do {
        uint first_channel = taps ? group : group * problem.channels_in + 4u * quad;
        uint at = position + first_channel * problem.x_channel;
        uint channels = reads ? min(4u, problem.channels_in - 4u * quad) : 0u;
        Real4 texel = Real4(zero());
        [[unroll]] for (uint c = 0u; c < 4u; ++c)
            if (c < channels && (!taps || last + c * problem.channel_places < problem.axes[2].in_extent))
                texel[c] = after_prologue(prologue_at((first_channel + (taps ? 0u : c)) * prologue_numbers()),
                                          x_at(at + c * channel_step));
        texels[to] = packed(texel);
        to += problem.by_lines.number;
        bool ends = quad + 1u == problem.by_quads.number;
        group += ends ? 1u : 0u;
        quad = ends ? 0u : quad + 1u;
    } while (--left > 0u);
}
