// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes AveragePool with 2 or 3 spatial axes, nothing behind them (inner = 1), and windows of 3 x 3 taps along the
// last two at stride 1. An invocation walks down spec_rows rows of 4 adjacent outputs, spec_dilation1 apart. It reads each row of
// input once, adds what each window has of it, and keeps that for the next two rows of outputs.
//
// KERNEL, STRIDE, DILATION and OUTPUTS are those of the last axis, so that the compiler knows which element belongs to which
// window. OUTPUTS is 4: SwiftShader has a branch for each lane of each load and store, and with 8 it compiles the loop for a
// minute.
//
// Layouts: X (outer, D1..D3), Y (outer, O1..O3), row-major.
// Order of the sum: its own.
// Assumptions:
// - padded extents and the window's taps fit 31 bits
// - X is bound by whole quads; tiles begin with the first element of one unless spec_shifted
// - tiles of halves are whole words; all tiles are whole quads where spec_stores_quads says so
// - the device allows the loops: (spec_rows + 2) * (spec_kernel0 + 1) iterations
// Specialization: average_pool_sliding_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/average_pool/average_pool_sliding_constants.h"

#include "shaders/operators/average_pool/average_pool_row.glsl"

// BEGIN declares for window b what each row adds to the divisor, and the sums that are kept for the next rows: of the last row,
// and of the last two.
#define BEGIN(b)                                                                                                                 \
    uint taps##b = COUNT(b, last.in_extent, first);                                                                              \
    uint counted##b = spec_count_include_pad == 0u ? taps##b : COUNT(b, padded, start);                                          \
    Real last##b = empty_sum();                                                                                                  \
    Real both##b = last##b;

#define SLIDE(b)                                                                                                                 \
    Real own##b = sum##b;                                                                                                        \
    sum##b = mean(plus(both##b, own##b), counted_rows * counted##b, rows > 0u && taps##b > 0u);                                  \
    both##b = plus(last##b, own##b);                                                                                             \
    last##b = own##b;

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    tile += push.first_tile;
    uint number = divided(tile, problem.tiles_of_row);
    uint o = (tile - number * problem.tiles_of_row.number) * OUTPUTS;
    uint plane = divided(number, problem.outs[1]);
    uint image = divided(plane, problem.outs[0]);
    number -= plane * problem.outs[1].number;
    uint line = number + number / spec_dilation1 * (spec_rows - 1u) * spec_dilation1;  // the tile's first row of outputs
    Row place = Row(image, uint[2]((plane - image * problem.outs[0].number) * problem.axes[0].stride, line));

    PoolAxis last = problem.axes[2];
    uint start = o;  // in the padded row
    uint padded = last.begin + last.in_extent + last.end;
    uint first = start - last.begin;  // in the row of input, below 0 in the padding
    BEGIN(0)
    BEGIN(1)
    BEGIN(2)
    BEGIN(3)
    uint lines = problem.axes[1].out_extent;
    uint y_line = plane * lines;
    // The counts with 1 are of the last row of input, and those with 2 of the row before it.
    uint rows1 = 0u;
    uint rows2 = 0u;
    uint counted_rows1 = 0u;
    uint counted_rows2 = 0u;
    uint step = 0u;
    do {
        Real sum0 = empty_sum();
        Real sum1 = sum0;
        Real sum2 = sum0;
        Real sum3 = sum0;
        Real sum4, sum5, sum6, sum7;  // named by macros, but never used
        uint rows0 = 0u;
        uint counted_rows0 = 0u;
        uint i = 0u;
        do {
            Tap tap = tap_of(place, i, step);
            uint limit = tap.reads ? last.in_extent : 0u;
            rows0 += uint(tap.reads);
            counted_rows0 += counted(tap);
            uint at = tap.row * last.in_extent + first - push.x_base;
            int quad = int(at) >> 2;
            uint shift = spec_shifted == 0u ? 0u : at & 3u;
            Real4 here = x_quad(quad);
            ADD_QUAD(0)
            ADD_QUAD(1)
            ADD_QUAD(2)
        } while (++i < spec_kernel0);

        uint rows = rows0 + rows1 + rows2;
        uint counted_rows = counted_rows0 + counted_rows1 + counted_rows2;
        rows2 = rows1;
        rows1 = rows0;
        counted_rows2 = counted_rows1;
        counted_rows1 = counted_rows0;
        SLIDE(0)
        SLIDE(1)
        SLIDE(2)
        SLIDE(3)
        uint at = line + (step - 2u) * spec_dilation1;
        if (step >= 2u && at < lines) {
            uint y_at = (y_line + at) * last.out_extent + o - push.y_base;
            if (STORES_QUADS(last.out_extent)) {
                y_quads[y_at >> 2] = quad_of(Real4(sum0, sum1, sum2, sum3));
            } else {
                STORE_PAIR(0, 1)
                STORE_PAIR(2, 3)
            }
        }
    } while (++step < spec_rows + 2u);
}
