// SPDX-License-Identifier: Apache-2.0
#version 450
// ConvTranspose as a product of matrices, in registers: an invocation computes ROWS rows of COLUMNS neighbouring columns. No shared
// memory, no barrier.
//
// Layouts: packed inputs and weights as in shared/conv_transpose_phases.h; Y (N, M, O1..O3) or channels last; B (M).
// Order of the sum: quads of input channels, taps row-major, channels of the quad, bias last.
// A line's zeros meet weights, and add Inf * 0 or 0 * w where nothing must be added: NaN, or 0.0 to -0.0, and nothing else shows. So
// what an invocation computed is summed once more where any of it is 0, Inf or NaN, then only over taps that read the input.
// Assumptions: everything is bound whole; the device allows 2 * quads * prod(taps + 1) iterations and some
// Specialization: specialization/conv_transpose_phases.h
// Grid: ceil(count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "specialization/conv_transpose_phases.h"

#include "common.glsl"
#include "numbers.glsl"
#include "shared/conv_transpose_phases.h"

#if TEXELS
layout(binding = 0) uniform samplerBuffer inputs;
layout(binding = 1) uniform samplerBuffer weights;
#define INPUTS(i) texelFetch(inputs, int(i))
#define WEIGHTS(i) texelFetch(weights, int(i))
#else
layout(binding = 0) readonly buffer Inputs
{
    vec4 inputs[];
};
layout(binding = 1) readonly buffer Weights
{
    vec4 weights[];
};
#define INPUTS(i) inputs[i]
#define WEIGHTS(i) weights[i]
#endif
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

#define ROW_QUADS (ROWS / 4)

vec4 sums[ROW_QUADS * COLUMNS];
uvec3 blocks[COLUMNS];  // of each column, by axis
uint images[COLUMNS];
uint summed;            // a bit a column: something was added. Not a bool each, whose masks GPUs hold in scalar registers
#define NEGATIVE_ZERO uintBitsToFloat(0x80000000u)  // changes no first term

// Of a place on a line.
uvec3 coordinates_of(uint place)
{
    uvec3 at;
    at.z = place % problem.axes[2].extent;
    place /= problem.axes[2].extent;
    at.y = place % problem.axes[1].extent;
    at.x = place / problem.axes[1].extent;
    return at;
}

bool is_block(uvec3 block, uint image)
{
    return image < problem.images && block.x < problem.axes[0].blocks && block.y < problem.axes[1].blocks &&
           block.z < problem.axes[2].blocks;
}

// Whether a tap of a column, so many steps from where the line begins for it, reads the input.
bool reads(uint column, uvec3 distance)
{
    bool inside = true;
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis)
        inside = inside && problem.axes[axis].first + blocks[column][axis] + distance[axis] < problem.axes[axis].in_extent;
    return inside;
}

// Adds one tap of four channels.
void add(uint x_at, uint w_at)
{
    vec4 x[COLUMNS];
    [[unroll]] for (uint column = 0u; column < COLUMNS; ++column)
        x[column] = INPUTS(x_at + column);
    [[unroll]] for (uint channel = 0u; channel < 4u; ++channel)
        [[unroll]] for (uint quad = 0u; quad < ROW_QUADS; ++quad) {
            vec4 w = WEIGHTS(w_at + channel * ROW_QUADS + quad);
            [[unroll]] for (uint column = 0u; column < COLUMNS; ++column)
                sums[column * ROW_QUADS + quad] += w * x[column][channel];
        }
}

// The same, where it reads the input.
void add_inside(uint x_at, uint w_at, uvec3 distance)
{
    [[unroll]] for (uint column = 0u; column < COLUMNS; ++column) {
        if (reads(column, distance)) {
            summed |= 1u << column;
            vec4 x = INPUTS(x_at + column);
            [[unroll]] for (uint channel = 0u; channel < 4u; ++channel)
                [[unroll]] for (uint quad = 0u; quad < ROW_QUADS; ++quad)
                    sums[column * ROW_QUADS + quad] += WEIGHTS(w_at + channel * ROW_QUADS + quad) * x[channel];
        }
    }
}

// Whether the block has an output of these phases, and where.
bool has_output(uint row_y, uvec3 block, uint image, uvec3 phase, out uint i)
{
    bool inside = is_block(block, image);
    i = row_y + image * problem.y_image;
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis) {
        uint output_position = block[axis] * problem.axes[axis].stride + phase[axis] - problem.axes[axis].begin;
        inside = inside && output_position < problem.axes[axis].out_extent;
        i += output_position * problem.axes[axis].y_step;
    }
    return inside;
}

void main()
{
    uint place = flat_invocation();
    if (place >= push.count)
        return;
    place += push.first;
    uint first_column = place % problem.column_tiles * COLUMNS;
    uint tile = place / problem.column_tiles % problem.tiles;
    uint group = place / problem.column_tiles / problem.tiles;
    uint w_group = group * problem.group_texels;
    vec4 taps_and_weights = WEIGHTS(w_group + tile * PHASES_TILE_TEXELS);
    uvec3 taps = uvec3(taps_and_weights.xyz);
    uvec3 first = uvec3(WEIGHTS(w_group + tile * PHASES_TILE_TEXELS + 1u).xyz);
    uint first_weight = w_group + uint(taps_and_weights.w);

    [[unroll]] for (uint i = 0u; i < ROW_QUADS * COLUMNS; ++i)
        sums[i] = vec4(NEGATIVE_ZERO);

    uint row_pitch = problem.axes[2].extent;
    uint plane_pitch = row_pitch * problem.axes[1].extent;
    uint plane = problem.images * problem.line;
    uint first_x = group * problem.quads * plane + first_column + first.x * plane_pitch +
                   first.y * row_pitch + first.z;
    uint x_step0 = problem.axes[0].tap_step * plane_pitch;
    uint x_step1 = problem.axes[1].tap_step * row_pitch;
    uint x_step2 = problem.axes[2].tap_step;
    uint w_at = first_weight;
    for (uint q = 0u; q < problem.quads; ++q) {
        uint x0 = first_x + q * plane;
        for (uint i = 0u; i < taps.x; ++i) {
            uint x1 = x0 - i * x_step0;
            for (uint j = 0u; j < taps.y; ++j) {
                uint x2 = x1 - j * x_step1;
                for (uint k = 0u; k < taps.z; ++k) {
                    add(x2 - k * x_step2, w_at);
                    w_at += 4u * ROW_QUADS;
                }
            }
        }
    }

    // only now, so that no register holds them all the while
    uvec3 at = coordinates_of(first_column % problem.line);
    uint image = first_column / problem.line;
    [[unroll]] for (uint column = 0u; column < COLUMNS; ++column) {
        blocks[column] = at;
        images[column] = image;
        ++at.z;
        if (at.z == problem.axes[2].extent) {
            at.z = 0u;
            ++at.y;
        }
        if (at.y == problem.axes[1].extent) {
            at.y = 0u;
            ++at.x;
        }
        if (at.x == problem.axes[0].extent) {
            at.x = 0u;
            ++image;
        }
    }

    uvec4 least = uvec4(0xffffffffu);
    uvec4 most = uvec4(0u);
    [[unroll]] for (uint column = 0u; column < COLUMNS; ++column) {
        bool counts = is_block(blocks[column], images[column]);
        [[unroll]] for (uint quad = 0u; quad < ROW_QUADS; ++quad) {
            uvec4 magnitude = floatBitsToUint(sums[column * ROW_QUADS + quad]) & 0x7fffffffu;
            least = min(least, counts ? magnitude : uvec4(1u));
            most = max(most, counts ? magnitude : uvec4(1u));
        }
    }
    bool numbers = all(greaterThan(least, uvec4(0u))) && all(lessThan(most, uvec4(0x7f800000u)));
    summed = numbers ? (1u << COLUMNS) - 1u : 0u;
    if (!numbers)
        [[unroll]] for (uint i = 0u; i < ROW_QUADS * COLUMNS; ++i)
            sums[i] = vec4(NEGATIVE_ZERO);
    uint quads = numbers ? 0u : problem.quads;
    w_at = first_weight;
    for (uint q = 0u; q < quads; ++q)
        for (uint i = 0u; i < taps.x; ++i)
            for (uint j = 0u; j < taps.y; ++j)
                for (uint k = 0u; k < taps.z; ++k) {
                    uvec3 distance = first - uvec3(i * problem.axes[0].tap_step, j * problem.axes[1].tap_step, k * x_step2);
                    add_inside(first_x + q * plane - i * x_step0 - j * x_step1 - k * x_step2, w_at, distance);
                    w_at += 4u * ROW_QUADS;
                }

    uint first_row = w_group + problem.tiles * PHASES_TILE_TEXELS + tile * ROWS;
    [[unroll]] for (uint quad = 0u; quad < ROW_QUADS; ++quad)
        [[unroll]] for (uint r = 0u; r < 4u; ++r) {
            vec4 row = WEIGHTS(first_row + 4u * quad + r);
            uint channel = row.x < 0.0 ? 0u : group * problem.channels_out + uint(row.x);
            uvec3 phase = uvec3(row.yzw);
            float bias = spec_bias != 0u ? b[channel] : NEGATIVE_ZERO;
            uint row_y = channel * problem.y_channel;
            [[unroll]] for (uint column = 0u; column < COLUMNS; ++column) {
                uint i;
                if (has_output(row_y, blocks[column], images[column], phase, i) && row.x >= 0.0)
                    y[i] = spec_bias != 0u || (summed >> column & 1u) != 0u ? sums[column * ROW_QUADS + quad][r] + bias : 0.0;
            }
        }

    // The epilogue of what was stored right here: registers have no number at run time, and unrolled for all of them it would be
    // most of the module. The bound leaves it out, since some drivers run both sides of a branch.
    uint columns = spec_epilogue == IDENTITY ? 0u : COLUMNS;
    for (uint column = first_column; column < first_column + columns; ++column)
        for (uint r = 0u; r < ROWS; ++r) {
            vec4 row = WEIGHTS(first_row + r);
            uint row_y = (group * problem.channels_out + uint(max(row.x, 0.0))) * problem.y_channel;
            uint i;
            uvec3 block = coordinates_of(column % problem.line);
            if (has_output(row_y, block, column / problem.line, uvec3(row.yzw), i) && row.x >= 0.0)
                y[i] = epilogue(y[i]);
        }
}
