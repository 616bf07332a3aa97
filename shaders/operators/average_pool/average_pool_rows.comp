// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes AveragePool with 1 to 3 spatial axes, nothing behind them (inner = 1), and windows of one size along the
// last. An invocation sums those of OUTPUTS adjacent outputs of a row, taps row-major. Each sum is rounded by itself, and divided
// once. What the windows share of a row of input is read once, in quads.
//
// KERNEL, STRIDE and DILATION are those of the last axis, so that the compiler knows which element belongs to which window.
// CLIPPED is 0 where all taps of all windows read the input. AXES is 1 where there are no axes before the last, and so no loops:
// SwiftShader compiles five quads of a row at once for ten seconds.
//
// Layouts: X (outer, D1..D3), Y (outer, O1..O3), row-major.
// Assumptions:
// - padded extents and the window's taps fit 31 bits
// - X is bound by whole quads; tiles begin with the first element of one unless spec_shifted
// - tiles of halves are whole words; all tiles are whole quads where spec_stores_quads says so
// - the device allows the loops: prod(kernel + 1) iterations of the axes but the last
// Specialization: average_pool_rows_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/average_pool/average_pool_rows_constants.h"

#include "shaders/operators/average_pool/average_pool_row.glsl"

#define FINISH(b)                                                                                                                \
    if (b < OUTPUTS) {                                                                                                           \
        uint taps = CLIPPED == 0 ? KERNEL : COUNT(b, last.in_extent, first);                                                     \
        uint counted = CLIPPED == 0 || spec_count_include_pad == 0u ? taps : COUNT(b, padded, start);                            \
        sum##b = mean(sum##b, counted_rows * counted, rows > 0u && taps > 0u);                                                   \
    }

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    tile += push.first_tile;
    uint row = divided(tile, problem.tiles_of_row);
    uint o = (tile - row * problem.tiles_of_row.number) * OUTPUTS;
    Row place = row_of(row);

    PoolAxis last = problem.axes[2];
    uint start = o * STRIDE;  // in the padded row
    uint padded = last.begin + last.in_extent + last.end;
    uint first = start - last.begin;  // in the row of input, below 0 in the padding
    Real sum0 = empty_sum();
    Real sum1 = sum0;
    Real sum2 = sum0;
    Real sum3 = sum0;
    Real sum4 = sum0;
    Real sum5 = sum0;
    Real sum6 = sum0;
    Real sum7 = sum0;
    uint rows = 0u;
    uint counted_rows = 0u;
#ifdef AXES
    const uint i = 0u;
    {
        const uint j = 0u;
        {
#else
    for (uint i = 0u; i < spec_kernel0; ++i) {
        for (uint j = 0u; j < spec_kernel1; ++j) {
#endif
            Tap tap = tap_of(place, i, j);
            uint limit = tap.reads ? last.in_extent : 0u;
            rows += uint(tap.reads);
            counted_rows += counted(tap);
            uint at = tap.row * last.in_extent + first - push.x_base;
            int quad = int(at) >> 2;
            uint shift = spec_shifted == 0u ? 0u : at & 3u;
            Real4 here = x_quad(quad);
            ADD_QUAD(0)
            ADD_QUAD(1)
            ADD_QUAD(2)
            ADD_QUAD(3)
            ADD_QUAD(4)
        }
    }

    FINISH(0)
    FINISH(1)
    FINISH(2)
    FINISH(3)
    FINISH(4)
    FINISH(5)
    FINISH(6)
    FINISH(7)
    uint y_at = row * last.out_extent + o - push.y_base;
    if (STORES_QUADS(last.out_extent)) {
        y_quads[y_at >> 2] = quad_of(Real4(sum0, sum1, sum2, sum3));
        if (OUTPUTS > 4 && o + 4u < last.out_extent)
            y_quads[(y_at >> 2) + 1u] = quad_of(Real4(sum4, sum5, sum6, sum7));
        return;
    }
    STORE_PAIR(0, 1)
    STORE_PAIR(2, 3)
    STORE_PAIR(4, 5)
    STORE_PAIR(6, 7)
}
