// SPDX-License-Identifier: Apache-2.0
#version 450
// ConvTranspose as a product of matrices, through shared memory: a workgroup computes ROWS rows of COLUMNS neighbouring columns, an
// invocation 8 by 8 of them. What comes next is read while the present is multiplied.
//
// Layouts: packed inputs and weights as in shared/conv_transpose_phases.h, for tiles of ROWS rows; Y (N, M, O1..O3) or channels last;
// B (M).
// Order of the sum, and sums that are taken again: as in conv_transpose_phases.comp
// Assumptions: everything is bound whole; workgroups of ROWS * COLUMNS / 64; the device allows 2 * quads * prod(taps + 1) iterations
// and some
// Specialization: specialization/conv_transpose_phases.h
// Grid: one workgroup for each tile of [group][tile of rows][tile of columns], from push.first on, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "specialization/conv_transpose_phases.h"

#include "common.glsl"
#include "numbers.glsl"
#include "shared/conv_transpose_phases.h"

layout(binding = 0) readonly buffer Inputs
{
    vec4 inputs[];
};
layout(binding = 1) readonly buffer Weights
{
    vec4 weights[];
};
layout(binding = 2) readonly buffer InputB
{
    float b[];
};
layout(binding = 3) buffer OutputY
{
    float y[];
};
layout(binding = UNIFORM_BINDING) uniform Problem
{
    PhasesProblem problem;
};
layout(push_constant) uniform Push
{
    PhasesPart push;
};

#include "epilogue.glsl"

#define ACROSS (COLUMNS / 8)                // invocations along the columns
#define INVOCATIONS (ROWS / 8 * ACROSS)
#define DEPTH 2u                            // taps of four channels that are staged at once
#define X_LOADS (DEPTH * COLUMNS / INVOCATIONS)
#define W_LOADS (DEPTH * ROWS / INVOCATIONS)
#define NEGATIVE_ZERO uintBitsToFloat(0x80000000u)  // changes no first term

shared vec4 x_staged[DEPTH * COLUMNS];  // [tap][column], four channels
shared vec4 w_staged[DEPTH * ROWS];     // [tap][channel][quad of rows]

vec4 sums[16];  // [column][quad of rows]
vec4 x_next[X_LOADS];
vec4 w_next[W_LOADS];

uvec3 coordinates_of(uint place)
{
    uvec3 at;
    at.z = place % problem.axes[2].extent;
    place /= problem.axes[2].extent;
    at.y = place % problem.axes[1].extent;
    at.x = place / problem.axes[1].extent;
    return at;
}

// A column of the product.
struct Column {
    uint image;
    uvec3 block;
    bool is_block;
};

Column column_of(uint number)
{
    Column column = Column(number / problem.line, coordinates_of(number % problem.line), false);
    column.is_block = column.image < problem.images && column.block.x < problem.axes[0].blocks &&
                      column.block.y < problem.axes[1].blocks && column.block.z < problem.axes[2].blocks;
    return column;
}

// Whether a tap of a block, so many steps from where the line begins for it, reads the input.
bool reads(uvec3 block, uvec3 distance)
{
    bool inside = true;
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis)
        inside = inside && problem.axes[axis].first + block[axis] + distance[axis] < problem.axes[axis].in_extent;
    return inside;
}

// Whether the column has an output of these phases, and where.
bool has_output(uint row_y, Column column, uvec3 phase, out uint i)
{
    bool inside = column.is_block;
    i = row_y + column.image * problem.y_image;
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis) {
        uint output_position = column.block[axis] * problem.axes[axis].stride + phase[axis] - problem.axes[axis].begin;
        inside = inside && output_position < problem.axes[axis].out_extent;
        i += output_position * problem.axes[axis].y_step;
    }
    return inside;
}

// Where the next tap of four channels is.
struct Walk {
    uint quad;  // of channels
    uvec3 tap;
};

Walk after(Walk walk, uvec3 taps)
{
    if (++walk.tap.z == taps.z) {
        walk.tap.z = 0u;
        if (++walk.tap.y == taps.y) {
            walk.tap.y = 0u;
            if (++walk.tap.x == taps.x) {
                walk.tap.x = 0u;
                ++walk.quad;
            }
        }
    }
    return walk;
}

void main()
{
    uint place = flat_workgroup();
    if (place >= push.count)
        return;
    place += push.first;
    uint first_column = place % problem.column_tiles * COLUMNS;
    uint tile = place / problem.column_tiles % problem.tiles;
    uint group = place / problem.column_tiles / problem.tiles;
    uint w_group = group * problem.group_texels;
    vec4 taps_and_weights = weights[w_group + tile * PHASES_TILE_TEXELS];
    uvec3 taps = uvec3(taps_and_weights.xyz);
    uvec3 first = uvec3(weights[w_group + tile * PHASES_TILE_TEXELS + 1u].xyz);
    uint first_weight = w_group + uint(taps_and_weights.w);
    uint row_pitch = problem.axes[2].extent;
    uint plane_pitch = row_pitch * problem.axes[1].extent;
    uint plane = problem.images * problem.line;
    uint first_x = group * problem.quads * plane + first_column + first.x * plane_pitch + first.y * row_pitch + first.z;
    uvec3 tap_step = uvec3(problem.axes[0].tap_step, problem.axes[1].tap_step, problem.axes[2].tap_step);
    uvec3 x_step = tap_step * uvec3(plane_pitch, row_pitch, 1u);
    uint last_texel = problem.texels - 1u;  // the columns of a tile go on beyond the last line

    uint invocation = gl_LocalInvocationID.x;
    uint column_lane = invocation % ACROSS;
    uint row_lane = invocation / ACROSS;
    [[unroll]] for (uint i = 0u; i < 16u; ++i)
        sums[i] = vec4(NEGATIVE_ZERO);

    Walk walk = Walk(0u, uvec3(0u));
    uint w_at = first_weight + invocation;
    uint w_end = first_weight + problem.quads * taps.x * taps.y * taps.z * ROWS;
    uint steps = problem.quads * taps.x * taps.y * taps.z;
    for (uint step = 0u; step < steps + DEPTH; step += DEPTH) {
        if (step > 0u) {
            barrier();
            [[unroll]] for (uint i = 0u; i < X_LOADS; ++i)
                x_staged[i * INVOCATIONS + invocation] = x_next[i];
            [[unroll]] for (uint i = 0u; i < W_LOADS; ++i)
                w_staged[i * INVOCATIONS + invocation] = w_next[i];
            barrier();
        }
        [[unroll]] for (uint t = 0u; t < DEPTH; ++t) {
            uint x_at = first_x + walk.quad * plane - walk.tap.x * x_step.x - walk.tap.y * x_step.y - walk.tap.z * x_step.z + invocation;
            bool ahead = walk.quad < problem.quads;
            [[unroll]] for (uint i = 0u; i < X_LOADS / DEPTH; ++i)
                x_next[t * X_LOADS / DEPTH + i] = ahead ? inputs[min(x_at + i * INVOCATIONS, last_texel)] : vec4(0.0);
            walk = after(walk, taps);
        }
        [[unroll]] for (uint i = 0u; i < W_LOADS; ++i)
            w_next[i] = w_at + i * INVOCATIONS < w_end ? weights[w_at + i * INVOCATIONS] : vec4(0.0);
        w_at += DEPTH * ROWS;
        if (step == 0u)
            continue;
        [[unroll]] for (uint t = 0u; t < DEPTH; ++t) {
            vec4 x[8];
            [[unroll]] for (uint c = 0u; c < 8u; ++c)
                x[c] = x_staged[t * COLUMNS + c * ACROSS + column_lane];
            [[unroll]] for (uint k = 0u; k < 4u; ++k)
                [[unroll]] for (uint r = 0u; r < 2u; ++r) {
                    vec4 w = w_staged[t * ROWS + k * (ROWS / 4) + r * (ROWS / 8) + row_lane];
                    [[unroll]] for (uint c = 0u; c < 8u; ++c)
                        sums[2u * c + r] += w * x[c][k];
                }
        }
    }

    Column columns[8];
    uint summed = 0xffu;  // a bit a column
    uvec4 least = uvec4(0xffffffffu);
    uvec4 most = uvec4(0u);
    [[unroll]] for (uint c = 0u; c < 8u; ++c) {
        columns[c] = column_of(first_column + c * ACROSS + column_lane);
        [[unroll]] for (uint r = 0u; r < 2u; ++r) {
            uvec4 magnitude = floatBitsToUint(sums[2u * c + r]) & 0x7fffffffu;
            least = min(least, columns[c].is_block ? magnitude : uvec4(1u));
            most = max(most, columns[c].is_block ? magnitude : uvec4(1u));
        }
    }
    if (any(equal(least, uvec4(0u))) || any(greaterThanEqual(most, uvec4(0x7f800000u)))) {
        summed = 0u;
        [[unroll]] for (uint i = 0u; i < 16u; ++i)
            sums[i] = vec4(NEGATIVE_ZERO);
        uint w_row = first_weight + row_lane;
        walk = Walk(0u, uvec3(0u));
        for (uint step = 0u; step < steps; ++step) {
            uvec3 distance = first - walk.tap * tap_step;
            uint x_at = first_x + walk.quad * plane - walk.tap.x * x_step.x - walk.tap.y * x_step.y - walk.tap.z * x_step.z;
            [[unroll]] for (uint c = 0u; c < 8u; ++c)
                if (columns[c].is_block && reads(columns[c].block, distance)) {
                    summed |= 1u << c;
                    vec4 x = inputs[x_at + c * ACROSS + column_lane];
                    [[unroll]] for (uint k = 0u; k < 4u; ++k)
                        [[unroll]] for (uint r = 0u; r < 2u; ++r)
                            sums[2u * c + r] += weights[w_row + k * (ROWS / 4) + r * (ROWS / 8)] * x[k];
                }
            w_row += ROWS;
            walk = after(walk, taps);
        }
    }

    uint first_row = w_group + problem.tiles * PHASES_TILE_TEXELS + tile * ROWS;
    [[unroll]] for (uint r = 0u; r < 8u; ++r) {
        vec4 row = weights[first_row + r / 4u * (ROWS / 2) + 4u * row_lane + r % 4u];
        uint channel = row.x < 0.0 ? 0u : group * problem.channels_out + uint(row.x);
        uvec3 phase = uvec3(row.yzw);
        float bias = spec_bias != 0u ? b[channel] : NEGATIVE_ZERO;
        uint row_y = channel * problem.y_channel;
        [[unroll]] for (uint c = 0u; c < 8u; ++c) {
            uint i;
            if (has_output(row_y, columns[c], phase, i) && row.x >= 0.0)
                y[i] = spec_bias != 0u || (summed >> c & 1u) != 0u ? sums[2u * c + r / 4u][r % 4u] + bias : 0.0;
        }
    }

    // as in conv_transpose_phases.comp
    uint stored = spec_epilogue == IDENTITY ? 0u : 8u;
    for (uint c = 0u; c < stored; ++c) {
        Column column = column_of(first_column + c * ACROSS + column_lane);
        for (uint r = 0u; r < 8u; ++r) {
            vec4 row = weights[first_row + r / 4u * (ROWS / 2) + 4u * row_lane + r % 4u];
            uint row_y = (group * problem.channels_out + uint(max(row.x, 0.0))) * problem.y_channel;
            uint i;
            if (has_output(row_y, column, uvec3(row.yzw), i) && row.x >= 0.0)
                y[i] = epilogue(y[i]);
        }
    }
}
