// SPDX-License-Identifier: Apache-2.0
#version 450
// The last pass of average_pool_separable where nothing lies behind the axes (inner = 1): windows of the last axis, and the
// division. An invocation sums those of 8 adjacent outputs, in quads. What is common to all 8 it adds once; each of them adds
// what it has before that, and what it has behind it. Nothing is ever subtracted: an Inf reaches no window but its own.
//
// Layouts: from (slabs, D), Y (slabs, O), row-major; slabs are the rows of outputs before the last axis.
// Order of the sum: its own.
// Assumptions:
// - padded extents and the window's taps fit 31 bits; strides and dilations are 1, and kernels at least 8
// - `from` is bound by whole quads
// - the device allows the loop: (kernel - 7) / 4 + 2 iterations
// Specialization: specialization/average_pool_tiles.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "specialization/average_pool_tiles.h"

#include "average_pool_tiles.glsl"

QUADS(0, InputX, x, x_quad)
OUTPUT(1, OutputY, y, store)

const uint outputs = 8u;

#define STORE(b, value)                                                                                                          \
    if (o + b < axis.out_extent) {                                                                                               \
        Run run = run_of(axis, o + b);                                                                                           \
        store(to + b, mean(value, counted_rows * run.counted, rows > 0u && run.taps > 0u));                                      \
    }

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    tile += push.first_tile;
    PoolAxis axis = problem.axes[2];
    uint slab = divided(tile, problem.tiles_of_row);
    uint o = (tile - slab * problem.tiles_of_row.number) * outputs;
    uint from = slab * axis.in_extent - push.x_base;  // the row's first element
    uint to = slab * axis.out_extent + o - push.y_base;

    uint first = o - axis.begin;  // below 0 in the padding
    uint at = from + first;
    int quad = int(at) >> 2;
    Real4 middle = x_quad(quad + 1);
    Real4 low = masked(shifted(x_quad(quad), middle, at & 3u), first, axis.in_extent);
    Real4 high = masked(shifted(middle, x_quad(quad + 2), at & 3u), first + 4u, axis.in_extent);
    Real before6 = high.z;
    Real before5 = plus(high.y, before6);
    Real before4 = plus(high.x, before5);
    Real before3 = plus(low.w, before4);
    Real before2 = plus(low.z, before3);
    Real before1 = plus(low.y, before2);
    Real before0 = plus(low.x, before1);

    uint beyond = axis.begin + axis.in_extent;
    uint begin = clamp(o + outputs - 1u, axis.begin, beyond) - axis.begin;
    uint count = clamp(o + axis.kernel, axis.begin, beyond) - axis.begin - begin;
    at = from + begin;
    quad = int(at) >> 2;
    int end = count == 0u ? quad : int(at + count - 1u) >> 2;  // with the last element
    Real4 sums = masked(x_quad(quad), uint(quad) * 4u - at, count);
    for (int q = quad + 1; q < end; ++q)
        sums = plus(sums, x[q]);
    if (end > quad)
        sums = plus(sums, masked(x_quad(end), uint(end) * 4u - at, count));
    Real of_all = plus(plus(sums.x, sums.y), plus(sums.z, sums.w));

    first += axis.kernel;
    at = from + first;
    quad = int(at) >> 2;
    middle = x_quad(quad + 1);
    low = masked(shifted(x_quad(quad), middle, at & 3u), first, axis.in_extent);
    high = masked(shifted(middle, x_quad(quad + 2), at & 3u), first + 4u, axis.in_extent);
    Real behind1 = low.x;
    Real behind2 = plus(behind1, low.y);
    Real behind3 = plus(behind2, low.z);
    Real behind4 = plus(behind3, low.w);
    Real behind5 = plus(behind4, high.x);
    Real behind6 = plus(behind5, high.y);
    Real behind7 = plus(behind6, high.z);

    Row row = row_of(slab);
    Run run0 = run_of(problem.axes[0], row.begins[0]);
    Run run1 = run_of(problem.axes[1], row.begins[1]);
    uint rows = run0.taps * run1.taps;
    uint counted_rows = run0.counted * run1.counted;
    STORE(0u, plus(before0, of_all))
    STORE(1u, plus(plus(before1, of_all), behind1))
    STORE(2u, plus(plus(before2, of_all), behind2))
    STORE(3u, plus(plus(before3, of_all), behind3))
    STORE(4u, plus(plus(before4, of_all), behind4))
    STORE(5u, plus(plus(before5, of_all), behind5))
    STORE(6u, plus(plus(before6, of_all), behind6))
    STORE(7u, plus(of_all, behind7))
}
