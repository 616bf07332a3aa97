// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes a convolution whose windows are single points, without padding and strides: the product of packed weights
// and X as it lies, in registers. An invocation computes ROWS output channels of COLUMNS / 4 quads of positions, problem.lanes
// apart, with those of its neighbours between them. It needs no shared memory and no barrier. With SHUFFLES the workgroup is a
// subgroup of 8 whose invocations have the same rows, and each reads an eighth of their weights.
//
// Layouts: X (N, C, positions) and Y (N, M, positions), both by quads of positions; packed weights as in implicit_gemm.h;
// B (M); P as in prologue.glsl. Without TEXELS there is no prologue: P would be a storage buffer more than every device has.
// Order of the sum: input channels; bias last.
// Assumptions: everything is bound whole; channels of a group and positions are multiples of 4; the device allows quads + 2 *
// ROWS * (1 + COLUMNS / 4) iterations; with SHUFFLES problem.lanes, the workgroup's size and the subgroup's are 8, and push.first
// and push.count multiples of it
// Specialization: implicit_gemm_constants.h
// Grid: ceil(count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#if SHUFFLES
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/divide.glsl"
#include "shaders/library/numbers.glsl"
#include "shaders/engines/implicit_gemm/gemm_texels.glsl"
#include "shaders/engines/implicit_gemm/points.h"

layout(binding = 0) readonly buffer InputX
{
    Real4 x[];
};
#if TEXELS
layout(binding = 1) uniform samplerBuffer weights;
#define WEIGHTS(i) texelFetch(weights, int(i))
#else
layout(binding = 1) readonly buffer Weights
{
    Texel weights[];
};
#define WEIGHTS(i) weights[i]
#endif
layout(binding = 2) readonly buffer InputB
{
    Real b[];
};
layout(binding = 3) buffer OutputY
{
    Real4 y[];
};
#if TEXELS
layout(binding = 4) readonly buffer InputP
{
    Real p[];
};
#define p_at(i) p[i]
#include "shaders/engines/fusion/prologue.glsl"
#endif
layout(binding = UNIFORM_BINDING) uniform Problem
{
    PointsProblem problem;
};
layout(push_constant) uniform Push
{
    GemmPart push;
};
#include "shaders/engines/fusion/epilogue.glsl"
#include "shaders/engines/implicit_gemm/gemm_shuffles.glsl"

#define ROW_QUADS (ROWS / 4)
#define QUADS (COLUMNS / 4)

Real4 sums[ROWS * QUADS];  // [row][quad of positions]

// Returns where quad number `column` of all images begins in X or Y, which have so many channels, in channel number `channel`.
uint place_of(uint column, uint channels, uint channel)
{
    uint image = divided(column, problem.by_plane);
    return (image * channels + channel) * problem.plane + column - image * problem.plane;
}

// Adds four channels, of which the first has number first_channel among the channels of all groups.
void add(uint x_at, uint w_at, uint places[QUADS], uint first_channel)
{
    LOAD_STEP_WEIGHTS(w_at)
    [[unroll]] for (uint channel = 0u; channel < 4u; ++channel) {
        Real4 some[QUADS];
        [[unroll]] for (uint q = 0u; q < QUADS; ++q)
            some[q] = x[x_at + channel * problem.plane + places[q]];
#if TEXELS
        if (spec_prologue != 0u) {
            Prologue prologue = prologue_at((first_channel + channel) * prologue_numbers());
            [[unroll]] for (uint q = 0u; q < QUADS; ++q)
                some[q] = Real4(after_prologue(prologue, some[q].x), after_prologue(prologue, some[q].y),
                                after_prologue(prologue, some[q].z), after_prologue(prologue, some[q].w));
        }
#endif
        [[unroll]] for (uint quad = 0u; quad < ROW_QUADS; ++quad) {
            Real4 w = STEP_WEIGHTS(w_at, channel * ROW_QUADS + quad);
            [[unroll]] for (uint r = 0u; r < 4u; ++r)
                [[unroll]] for (uint q = 0u; q < QUADS; ++q)
                    sums[(4u * quad + r) * QUADS + q] += w[r] * some[q];
        }
    }
}

// Returns one of the first four rows, by a number that is known only at run time.
Real4 row_of(uint r, uint q)
{
    return r == 0u ? sums[q] : r == 1u ? sums[QUADS + q] : r == 2u ? sums[2 * QUADS + q] : sums[3 * QUADS + q];
}

void main()
{
    uint number = flat_invocation();
    if (number >= push.count)
        return;
    number += push.first;
    uint row_tile = number / problem.column_tiles;
    uint column_tile = number - row_tile * problem.column_tiles;
    uint lane = column_tile % problem.lanes;
    uint first = (column_tile - lane) * QUADS + lane;
    uint group = row_tile / problem.tiles;
    uint tile = row_tile - group * problem.tiles;

    uint places[QUADS];
    [[unroll]] for (uint q = 0u; q < QUADS; ++q) {
        uint column = first + q * problem.lanes;
        places[q] = column < problem.columns ? place_of(column, problem.groups * problem.channels_in, group * problem.channels_in) : 0u;
    }
    [[unroll]] for (uint i = 0u; i < ROWS * QUADS; ++i)
        sums[i] = Real4(empty_sum());
    uint x_at = 0u;
    uint w_at = group * problem.group_texels + problem.first_weight + tile * problem.quads * ROWS;
    uint left = problem.quads;
    uint first_channel = group * problem.channels_in;
    // This is one loop that tests at its end, because lavapipe goes through the body of any other once more, with all lanes off.
    do {
        add(x_at, w_at, places, first_channel);
        first_channel += 4u;
        x_at += 4u * problem.plane;
        w_at += ROWS;
    } while (--left > 0u);

    // The loop goes row by row, so that a compiler has few branches within it, and only the row within a quad is chosen at run
    // time: the sums move, so that each quad comes first in turn.
    uint rows = min(ROWS, problem.channels_out - tile * ROWS);
    uint channel = group * problem.channels_out + tile * ROWS;
    uint outputs[QUADS];
    [[unroll]] for (uint q = 0u; q < QUADS; ++q)
        outputs[q] = place_of(first + q * problem.lanes, problem.groups * problem.channels_out, channel);
    uint row = 0u;
    [[dont_unroll]] do {
        Real bias = problem.bias != 0u ? b[channel + row] : empty_sum();
        [[unroll]] for (uint q = 0u; q < QUADS; ++q)
            if (first + q * problem.lanes < problem.columns)
                y[outputs[q] + row * problem.plane] = row_of(row & 3u, q) + bias;
        ++row;
        if ((row & 3u) == 0u) {
            [[unroll]] for (uint i = 4u * QUADS; i < ROWS * QUADS; ++i)
                sums[i - 4u * QUADS] = sums[i];
        }
    } while (row < rows);

    // The epilogue is applied to what was just stored here: within the loop that stores it would be most of the module. The bound
    // is 0 without an epilogue, since some drivers run both sides of a branch.
    Epilogue epilogue = asked_epilogue();
    rows = epilogue.asked == IDENTITY ? 0u : rows;
    [[dont_unroll]] for (uint q = 0u; q < QUADS; ++q) {
        uint column = first + q * problem.lanes;
        uint at = place_of(column, problem.groups * problem.channels_out, channel);
        uint own_rows = column < problem.columns ? rows : 0u;
        [[dont_unroll]] for (row = 0u; row < own_rows; ++row) {
            Real4 value = y[at];
            y[at] = Real4(after_epilogue(epilogue, value.x), after_epilogue(epilogue, value.y), after_epilogue(epilogue, value.z),
                          after_epilogue(epilogue, value.w));
            at += problem.plane;
        }
    }
}
