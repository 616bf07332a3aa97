// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is a pass of average_pool_separable over one axis with whole quads behind it. An invocation sums the windows of 8
// adjacent outputs, each of 4 elements that are adjacent behind the axis. The elements that all 8 share are added once. Each
// window then adds its own elements before those and behind them. Nothing is ever subtracted, so an Inf reaches no window but its
// own.
//
// LAST is 1 in the last of the passes, which divides.
//
// Layouts: from (slabs, D, inner), to (slabs, O, inner), row-major; in the last pass slabs are the rows of outputs before the
// last axis.
// Order of the sum: its own.
// Assumptions:
// - padded extents and the window's taps fit 31 bits; strides and dilations are 1, and kernels at least 8
// - both tensors are bound by whole quads
// - the device allows the loop: kernel - 6 iterations
// Specialization: average_pool_tiles_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/average_pool/average_pool_tiles_constants.h"

#define PASS 1
#include "shaders/operators/average_pool/average_pool_tiles.glsl"

QUADS(0, InputX, x, x_quad)
layout(binding = 1) writeonly buffer OutputY
{
    Quad y[];
};

const uint outputs = 8u;

#if LAST
#define STORED(b, value)                                                                                                         \
    {                                                                                                                            \
        Run run = run_of(axis, o + b);                                                                                           \
        bool read = rows > 0u && run.taps > 0u;                                                                                  \
        uint divisor = counted_rows * run.counted;                                                                               \
        Real4 sum = value;                                                                                                       \
        y[to + b * quads] = quad_of(Real4(mean(sum.x, divisor, read), mean(sum.y, divisor, read), mean(sum.z, divisor, read),    \
                                          mean(sum.w, divisor, read)));                                                          \
    }
#else
#define STORED(b, value) y[to + b * quads] = quad_of(value);
#endif

#define STORE(b, value)                                                                                                          \
    if (o + b < axis.out_extent)                                                                                                 \
    STORED(b, value)

// TAP is the quad at a position of the axis, or one that adds nothing where the position is in the padding.
#define TAP(position) (position < axis.in_extent ? x_quad(int(from + (position)*quads)) : nothing)

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    tile += push.first_tile;
    PoolAxis axis = problem.axes[pass.axis];
    uint quads = pass.inner_quads.number;
    uint column = divided(tile, pass.inner_quads);
    uint slab = divided(column, pass.tiles_of_row);
    uint o = (column - slab * pass.tiles_of_row.number) * outputs;
    uint quad = tile - column * quads;
    uint from = slab * axis.in_extent * quads + quad - push.x_base / 4u;
    uint to = (slab * axis.out_extent + o) * quads + quad - push.y_base / 4u;

    const Real4 nothing = Real4(empty_sum());
    uint first = o - axis.begin;  // below 0 in the padding
    Real4 before6 = TAP(first + 6u);
    Real4 before5 = plus(TAP(first + 5u), before6);
    Real4 before4 = plus(TAP(first + 4u), before5);
    Real4 before3 = plus(TAP(first + 3u), before4);
    Real4 before2 = plus(TAP(first + 2u), before3);
    Real4 before1 = plus(TAP(first + 1u), before2);
    Real4 before0 = plus(TAP(first), before1);
    uint beyond = axis.begin + axis.in_extent;
    uint end = clamp(o + axis.kernel, axis.begin, beyond) - axis.begin;
    Real4 of_all = nothing;
    for (uint p = clamp(o + outputs - 1u, axis.begin, beyond) - axis.begin; p < end; ++p)
        of_all = plus(of_all, x_quad(int(from + p * quads)));
    first += axis.kernel;
    Real4 behind1 = TAP(first);
    Real4 behind2 = plus(behind1, TAP(first + 1u));
    Real4 behind3 = plus(behind2, TAP(first + 2u));
    Real4 behind4 = plus(behind3, TAP(first + 3u));
    Real4 behind5 = plus(behind4, TAP(first + 4u));
    Real4 behind6 = plus(behind5, TAP(first + 5u));
    Real4 behind7 = plus(behind6, TAP(first + 6u));

#if LAST
    Row row = row_of(slab);
    Run run0 = run_of(problem.axes[0], row.begins[0]);
    Run run1 = run_of(problem.axes[1], row.begins[1]);
    uint rows = run0.taps * run1.taps;
    uint counted_rows = run0.counted * run1.counted;
#endif
    STORE(0u, plus(before0, of_all))
    STORE(1u, plus(plus(before1, of_all), behind1))
    STORE(2u, plus(plus(before2, of_all), behind2))
    STORE(3u, plus(plus(before3, of_all), behind3))
    STORE(4u, plus(plus(before4, of_all), behind4))
    STORE(5u, plus(plus(before5, of_all), behind5))
    STORE(6u, plus(plus(before6, of_all), behind6))
    STORE(7u, plus(of_all, behind7))
}
