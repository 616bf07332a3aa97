// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Conv of groups with one channel of X each, 1 to 3 spatial axes, nothing behind them, and windows of one
// size and stride along the last. An invocation sums OUTPUTS adjacent outputs of a row. What they share of a row of X is read
// once.
//
// KERNEL and STRIDE are those of the last axis, so that the compiler knows which element meets which weight.
//
// Layouts: X (N, C, D1..D3), Y (N, M, O1..O3), W (M, 1, k1..k3), row-major; B (M).
// Order of the sum: taps row-major, bias last; every product and sum is rounded by itself.
// Assumptions:
// - the last axis has no dilation
// - padded extents fit 31 bits
// - X is bound by whole quads
// - tiles of halves are whole words; all tiles are whole quads where spec_stores_quads says so
// - the device allows the loops: (spec_taps0 + 1) * (spec_taps1 + 1) iterations, and OUTPUTS
// Specialization: depthwise_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/engines/depthwise/depthwise_constants.h"

#include "shaders/operators/conv/conv_depthwise.h"
#include "shaders/engines/tiles/tiles.glsl"

layout(binding = UNIFORM_BINDING) uniform Problem
{
    ConvDepthwiseProblem problem;
};
layout(push_constant) uniform Push
{
    TileRange push;
};

#include "shaders/engines/fusion/epilogue.glsl"

QUADS(0, InputX, x, x_quad)
INPUT(1, InputW, w, w_at)
INPUT(2, InputB, b, b_at)
#include "shaders/engines/depthwise/depthwise_row.glsl"

#define READ ((OUTPUTS - 1) * STRIDE + KERNEL)  // the number of elements of a row of X that are read
#define READ_QUADS ((READ + 3) / 4)

// Returns the first input position that an output meets, below 0 before the input.
uint first_of(ConvAxis axis, uint output_position)
{
    return output_position * axis.stride - axis.begin;
}

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    tile += push.first_tile;
    uint row = divided(tile, problem.tiles_of_row);
    uint o = (tile - row * problem.tiles_of_row.number) * OUTPUTS;
    uint plane = divided(row, problem.outs[1]);
    uint image = divided(plane, problem.outs[0]);
    uint channel = image - divided(image, problem.channels) * problem.channels.number;
    uint x_image = divided(image, problem.multiplier);
    uint w_first = channel * spec_taps0 * spec_taps1 * KERNEL;
    uint outer = first_of(problem.axes[0], plane - image * problem.outs[0].number);
    uint inner = first_of(problem.axes[1], row - plane * problem.outs[1].number);
    ConvAxis last = problem.axes[2];
    uint first = first_of(last, o);

    bool inside[READ];
    [[unroll]] for (uint e = 0u; e < READ; ++e)
        inside[e] = first + e < last.in_extent;
    Real sums[OUTPUTS];
    [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i)
        sums[i] = empty_sum();
    bool any_row = false;
    for (uint t0 = 0u; t0 < spec_taps0; ++t0)
    for (uint t1 = 0u; t1 < spec_taps1; ++t1) {
        uint p0 = outer + t0 * problem.axes[0].dilation;
        uint p1 = inner + t1 * problem.axes[1].dilation;
        bool meets = p0 < problem.axes[0].in_extent && p1 < problem.axes[1].in_extent;
        any_row = any_row || meets;
        uint x_row = (x_image * problem.axes[0].in_extent + p0) * problem.axes[1].in_extent + p1;
        uint at = x_row * last.in_extent + first - push.x_base;
        int quad = int(at) >> 2;
        Real elements[READ_QUADS * 4];
        Real4 here = x_quad(quad);
        [[unroll]] for (uint q = 0u; q < READ_QUADS; ++q) {
            Real4 next = x_quad(quad + int(q) + 1);
            Real4 some = shifted(here, next, at & 3u);
            here = next;
            elements[4u * q] = some.x;
            elements[4u * q + 1u] = some.y;
            elements[4u * q + 2u] = some.z;
            elements[4u * q + 3u] = some.w;
        }
        uint w_row = w_first + (t0 * spec_taps1 + t1) * KERNEL;
        [[unroll]] for (uint k = 0u; k < KERNEL; ++k) {
            Real weight = w_at(w_row + k);
            [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i) {
                Real term = times(elements[i * STRIDE + k], weight);
                sums[i] = plus(sums[i], meets && inside[i * STRIDE + k] ? term : empty_sum());
            }
        }
    }

    Real bias = spec_bias != 0u ? b_at(channel) : zero();
    [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i) {
        bool any_tap = false;
        [[unroll]] for (uint k = 0u; k < KERNEL; ++k)
            any_tap = any_tap || inside[i * STRIDE + k];
        sums[i] = spec_bias != 0u ? plus(sums[i], bias) : any_tap && any_row ? sums[i] : zero();
    }
    store_row(sums, o, last.out_extent, row * last.out_extent + o - push.y_base);
}
