// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes ConvTranspose of groups with one channel of X and one of Y each, 1 to 3 spatial axes, channels last and in
// fours. An invocation sums four channels of OUTPUTS outputs of a row that are a stride apart, and so meet the same taps.
//
// Layouts: X (N, D1..D3, C), Y (N, O1..O3, C), row-major; W as the problem's steps say; B (C).
// Order of the sum: taps row-major, bias last; every product and sum is rounded by itself.
// Assumptions:
// - no axis has a dilation
// - padded extents fit 31 bits
// - C is a multiple of 4, and X bound by whole quads
// - the device allows the loops: the product of all spec_taps iterations, and 4 * OUTPUTS
// Specialization: conv_transpose_depthwise_channels_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/operators/conv_transpose/conv_transpose_depthwise_channels_constants.h"

#include "shaders/operators/conv_transpose/conv_transpose_depthwise.glsl"

QUADS(0, InputX, x, x_quad)
INPUT(1, InputW, w, w_at)
INPUT(2, InputB, b, b_at)
layout(binding = 3) writeonly buffer OutputQuads
{
    Quad y_quads[];
};

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    tile += push.first_tile;
    uint run = divided(tile, problem.channels);
    uint channel = (tile - run * problem.channels.number) * 4u;
    uint row = divided(run, problem.tiles_of_row);
    run -= row * problem.tiles_of_row.number;
    uint plane = divided(row, problem.outs[1]);
    uint image = divided(plane, problem.outs[0]);
    DepthwiseAxis last = problem.axes[2];
    Phase outer = phase_of(problem.axes[0], plane - image * problem.outs[0].number);
    Phase inner = phase_of(problem.axes[1], row - plane * problem.outs[1].number);
    uint blocks = divided(run, last.stride);  // blocks of OUTPUTS * stride outputs each
    uint o = blocks * (OUTPUTS - 1u) * last.stride.number + run;
    Phase along = phase_of(last, o);

    Real4 sums[OUTPUTS];
    bool any_tap[OUTPUTS];
    [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i) {
        sums[i] = Real4(empty_sum());
        any_tap[i] = false;
    }
    uint w_first = channel * problem.w_channel;
    uint tap0 = 0u;
    uint tap1 = 0u;
    uint tap2 = 0u;
    do {
        bool meets = reads(problem.axes[0], outer, tap0) && reads(problem.axes[1], inner, tap1);
        uint x_row = (image * problem.axes[0].in_extent + outer.block - tap0) * problem.axes[1].in_extent + inner.block - tap1;
        uint w_row = (outer.first + tap0 * problem.axes[0].stride.number) * problem.axes[1].kernel + inner.first +
                     tap1 * problem.axes[1].stride.number;
        uint tap = along.first + tap2 * last.stride.number;
        meets = meets && tap < last.kernel;
        uint at = meets ? w_first + (w_row * last.kernel + tap) * problem.w_tap : w_first;
        Real4 weights = Real4(w_at(at), w_at(at + problem.w_channel), w_at(at + 2u * problem.w_channel),
                              w_at(at + 3u * problem.w_channel));
        uint first = along.block - tap2;
        uint x_at = (x_row * last.in_extent + first) * problem.channels.number + channel / 4u - push.x_base / 4u;
        [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i) {
            bool adds = meets && first + i < last.in_extent;
            any_tap[i] = any_tap[i] || adds;
            Real4 term = times(x_quad(int(x_at + i * problem.channels.number)), weights);
            sums[i] = plus(sums[i], adds ? term : Real4(empty_sum()));
        }
        bool wraps2 = ++tap2 == spec_taps2;
        tap2 = wraps2 ? 0u : tap2;
        tap1 += uint(wraps2);
        bool wraps1 = tap1 == spec_taps1;
        tap1 = wraps1 ? 0u : tap1;
        tap0 += uint(wraps1);
    } while (tap0 < spec_taps0);

    Real4 bias = Real4(zero());
    if (spec_bias != 0u)
        bias = Real4(b_at(channel), b_at(channel + 1u), b_at(channel + 2u), b_at(channel + 3u));
    [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i)
        sums[i] = spec_bias != 0u ? plus(sums[i], bias) : any_tap[i] ? sums[i] : Real4(zero());

    // The loop applies the epilogue to the first sum and then moves all of them up by one, as in depthwise_row.glsl.
    uint rounds = spec_epilogue == IDENTITY ? 0u : OUTPUTS * 4u;
    for (uint i = 0u; i < rounds; ++i) {
        Real value = epilogue(sums[0].x);
        [[unroll]] for (uint next = 1u; next < OUTPUTS; ++next)
            sums[next - 1u] = Real4(sums[next - 1u].yzw, sums[next].x);
        sums[OUTPUTS - 1u] = Real4(sums[OUTPUTS - 1u].yzw, value);
    }

    uint y_at = ((row * last.out_extent + o) * problem.channels.number + channel / 4u) - push.y_base / 4u;
    [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i)
        if (o + i * last.stride.number < last.out_extent)
            y_quads[y_at + i * last.stride.number * problem.channels.number] = quad_of(sums[i]);
}
