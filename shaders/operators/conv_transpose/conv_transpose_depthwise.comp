// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes ConvTranspose of groups with one channel of X each, 1 to 3 spatial axes, nothing behind them, and kernels
// of one size and stride along the last. An invocation sums OUTPUTS adjacent outputs of a row, all phases at once. What they
// share of a row of X is read once.
//
// KERNEL and STRIDE are those of the last axis, so that the compiler knows which element meets which weight. ENDS is 1 where X
// may end amid a quad.
//
// Layouts: X (N, C, D1..D3), Y (N, M, O1..O3), row-major; W as the problem's steps say, its rows side by side where KERNEL is a
// multiple of 4; B (M).
// Order of the sum: taps row-major, bias last; every product and sum is rounded by itself.
// Assumptions:
// - STRIDE is a power of 2 that divides OUTPUTS; no axis has a dilation
// - padded extents fit 31 bits
// - X is bound by whole quads, or begins with one where ENDS is 1; W is bound by them where KERNEL is a multiple of 4
// - tiles of halves are whole words; all tiles are whole quads where spec_stores_quads says so
// - the device allows the loops: (spec_taps0 + 1) * (spec_taps1 + 1) iterations, and OUTPUTS
// Specialization: depthwise_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/engines/depthwise/depthwise_constants.h"

#include "shaders/operators/conv_transpose/conv_transpose_depthwise.glsl"

#ifndef ENDS
#define ENDS 0
#endif
#if ENDS
QUADS_AND_END(0, InputX, x, x_quad)
#define X_QUAD(i) x_quad(i, x_end)
#else
QUADS(0, InputX, x, x_quad)
#define X_QUAD(i) x_quad(i)
#endif
#if KERNEL % 4 == 0
layout(binding = 1) readonly buffer InputW
{
    Quad w[];
};
#else
INPUT(1, InputW, w, w_at)
#endif
INPUT(2, InputB, b, b_at)
#include "shaders/engines/depthwise/depthwise_row.glsl"

#define TAPS ((KERNEL + STRIDE - 1) / STRIDE)  // the number of taps of a phase
#if STRIDE > 1
#define BLOCKS (OUTPUTS / STRIDE + 1)  // one more, since the first output may lie amid a block
#else
#define BLOCKS OUTPUTS
#endif
#define READ (BLOCKS + TAPS - 1)  // the number of elements of a row of X that are read
#define READ_QUADS ((READ + 3) / 4)

// MOVE sets sums[i] = sums[i + step] where first_phase has the bit `step`.
#define MOVE(step)                                                                                                               \
    [[unroll]] for (uint i = 0u; i < OUTPUTS + step; ++i)                                                                        \
        if (i + step < BLOCKS * STRIDE)                                                                                          \
            sums[i] = (first_phase & step) != 0u ? sums[i + step] : sums[i];

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
    uint batch = divided(image, problem.channels);
    uint channel_out = image - batch * problem.channels.number;
    uint channel = divided(channel_out, problem.multiplier);
    Phase outer = phase_of(problem.axes[0], plane - image * problem.outs[0].number);
    Phase inner = phase_of(problem.axes[1], row - plane * problem.outs[1].number);
    uint w_first = channel * problem.w_channel + (channel_out - channel * problem.multiplier.number) * problem.w_column;
    uint x_image = divided(image, problem.multiplier);

    DepthwiseAxis last = problem.axes[2];
    uint block = (o + last.begin) / STRIDE;
    uint first_phase = last.begin % STRIDE;
    uint first = block - (TAPS - 1u);  // input position, below 0 before the row
    bool inside[READ];
    [[unroll]] for (uint i = 0u; i < READ; ++i)
        inside[i] = first + i < last.in_extent;
    Real sums[BLOCKS * STRIDE];
    [[unroll]] for (uint i = 0u; i < BLOCKS * STRIDE; ++i)
        sums[i] = empty_sum();
#if ENDS
    Quad x_end = x_quad_end();
#endif
    bool any_row = false;
#if ENDS  // SwiftShader is faster so; lavapipe unrolls the other form, which is worth more there
    uint i = 0u;
    uint j = 0u;
    do {
#else
    for (uint i = 0u; i < spec_taps0; ++i)
    for (uint j = 0u; j < spec_taps1; ++j) {
#endif
        bool meets = reads(problem.axes[0], outer, i) && reads(problem.axes[1], inner, j);
        any_row = any_row || meets;
        uint x_row = (x_image * problem.axes[0].in_extent + outer.block - i) * problem.axes[1].in_extent + inner.block - j;
        uint w_row = (outer.first + i * problem.axes[0].stride.number) * problem.axes[1].kernel + inner.first +
                     j * problem.axes[1].stride.number;
        uint w_at_row = meets ? w_first + w_row * KERNEL * problem.w_tap : 0u;
        uint at = x_row * last.in_extent + first - push.x_base;
        int quad = int(at) >> 2;
        Real elements[READ_QUADS * 4];
        Real4 here = X_QUAD(quad);
        [[unroll]] for (uint q = 0u; q < READ_QUADS; ++q) {
            Real4 next = X_QUAD(quad + int(q) + 1);
            Real4 some = shifted(here, next, at & 3u);
            here = next;
            elements[4u * q] = some.x;
            elements[4u * q + 1u] = some.y;
            elements[4u * q + 2u] = some.z;
            elements[4u * q + 3u] = some.w;
        }
        Real weights[TAPS * STRIDE];
#if KERNEL % 4 == 0
        [[unroll]] for (uint q = 0u; q < KERNEL / 4u; ++q) {
            Real4 some = reals_of(w[w_at_row / 4u + q]);
            weights[4u * q] = some.x;
            weights[4u * q + 1u] = some.y;
            weights[4u * q + 2u] = some.z;
            weights[4u * q + 3u] = some.w;
        }
#else
        [[unroll]] for (uint k = 0u; k < KERNEL; ++k)
            weights[k] = w_at(w_at_row + k * problem.w_tap);
#endif
        [[unroll]] for (uint t = 0u; t < TAPS; ++t)
            [[unroll]] for (uint c = 0u; c < BLOCKS; ++c)
                [[unroll]] for (uint r = 0u; r < STRIDE; ++r)
                    if (r + t * STRIDE < KERNEL) {
                        uint e = c + (TAPS - 1u) - t;
                        Real term = times(elements[e], weights[r + t * STRIDE]);
                        sums[c * STRIDE + r] = plus(sums[c * STRIDE + r], meets && inside[e] ? term : empty_sum());
                    }
#if ENDS
        bool wraps = ++j == spec_taps1;
        j = wraps ? 0u : j;
        i += uint(wraps);
    } while (i < spec_taps0);
#else
    }
#endif

    Real bias = spec_bias != 0u ? b_at(channel_out) : zero();
    [[unroll]] for (uint c = 0u; c < BLOCKS; ++c)
        [[unroll]] for (uint r = 0u; r < STRIDE; ++r) {
            bool any_tap = false;
            [[unroll]] for (uint t = 0u; t < TAPS; ++t)
                if (r + t * STRIDE < KERNEL)
                    any_tap = any_tap || inside[c + (TAPS - 1u) - t];
            uint i = c * STRIDE + r;
            sums[i] = spec_bias != 0u ? plus(sums[i], bias) : any_tap && any_row ? sums[i] : zero();
        }
#if STRIDE > 4
    MOVE(4)
#endif
#if STRIDE > 2
    MOVE(2)
#endif
#if STRIDE > 1
    MOVE(1)
#endif

    Real results[OUTPUTS];
    [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i)
        results[i] = sums[i];
    store_row(results, o, last.out_extent, row * last.out_extent + o - push.y_base);
}
