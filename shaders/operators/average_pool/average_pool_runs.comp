// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes AveragePool with 1 to 3 spatial axes, nothing behind them (inner = 1), and windows whose taps lie side by
// side along the last. An invocation sums one window in quads, taps row-major, each sum rounded by itself, and divides once. Of
// halves it sums two windows, a word.
// CLIPPED is 0 where all taps of all windows read the input.
//
// Layouts: X (outer, D1..D3), Y (outer, O1..O3), row-major.
// Assumptions:
// - padded extents and the window's taps fit 31 bits; the last axis has dilation 1
// - X is bound by whole quads
// - the device allows the loops: prod(kernel + 1) iterations of the axes but the last, and in each its taps / 4 + 2
// Specialization: average_pool_tiles_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/average_pool/average_pool_tiles_constants.h"

#include "shaders/operators/average_pool/average_pool_tiles.glsl"

QUADS(0, InputX, x, x_quad)
OUTPUT(1, OutputY, y, store)

Real plus_each(Real sum, Real4 some)
{
    return plus(plus(plus(plus(sum, some.x), some.y), some.z), some.w);
}

Real output_at(uint index)
{
    uint number = divided(index, problem.tiles_of_row);
    Row row = row_of(number);
    PoolAxis last = problem.axes[2];
    uint start = (index - number * problem.tiles_of_row.number) * last.stride;  // in the padded row
#if CLIPPED
    Run run = run_of(last, start);
#else
    Run run = Run(start, last.kernel, last.kernel);
#endif
    uint rows = 0u;
    uint counted_rows = 0u;
    Real sum = empty_sum();
    for (uint i = 0u; i < problem.axes[0].kernel; ++i) {
        for (uint j = 0u; j < problem.axes[1].kernel; ++j) {
            Tap tap = tap_of(row, i, j);
            uint count = tap.reads ? run.taps : 0u;
            rows += uint(tap.reads);
            counted_rows += counted(tap);
            uint at = tap.row * last.in_extent + run.first - push.x_base;
            int quad = int(at) >> 2;
            int end = tap.reads ? int(at + count - 1u) >> 2 : quad;  // the quad with the run's last element
            sum = plus_each(sum, masked(x_quad(quad), uint(quad) * 4u - at, count));
            for (int q = quad + 1; q < end; ++q)
                sum = plus_each(sum, reals_of(x[q]));
            if (end > quad)
                sum = plus_each(sum, masked(x_quad(end), uint(end) * 4u - at, count));
        }
    }
    return mean(sum, counted_rows * run.counted, rows > 0u && run.taps > 0u);
}

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    uint index = (tile + push.first_tile) * ELEMENTS_PER_WORD;
#ifdef SHARED_WORDS
    Real even = output_at(index);
    if (index + 1u < push.y_end)
        store_pair(index - push.y_base, even, output_at(index + 1u));
    else
        store(index - push.y_base, even);
#else
    store(index - push.y_base, output_at(index));
#endif
}
