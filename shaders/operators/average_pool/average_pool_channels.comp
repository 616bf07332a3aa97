// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes AveragePool with 1 to 3 spatial axes and whole quads behind them (inner % 4 = 0, as channels last have).
// An invocation sums the windows of 4 adjacent elements of one place at once, taps row-major. Each sum is rounded by itself, and
// divided once.
//
// Layouts: X (outer, D1..D3, inner), Y (outer, O1..O3, inner), row-major.
// Assumptions:
// - padded extents and the window's taps fit 31 bits
// - X and Y are bound by whole quads
// - the device allows the loops: prod(kernel + 1) iterations
// Specialization: average_pool_tiles_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/average_pool/average_pool_tiles_constants.h"

#include "shaders/operators/average_pool/average_pool_tiles.glsl"

QUADS(0, InputX, x, x_quad)
layout(binding = 1) writeonly buffer OutputY
{
    Quad y[];
};

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    tile += push.first_tile;
    uint quads = problem.inner_quads.number;
    uint position = divided(tile, problem.inner_quads);
    uint number = divided(position, problem.tiles_of_row);
    Row row = row_of(number);
    PoolAxis last = problem.axes[2];
    uint start = (position - number * problem.tiles_of_row.number) * last.stride;  // in the padded row
    uint padded = last.begin + last.in_extent + last.end;
    uint origin = tile - position * quads - push.x_base / 4u;
    uint taps = 0u;
    uint divisor = 0u;
    const Real4 nothing = Real4(empty_sum());
    Real4 sum = nothing;
    for (uint i = 0u; i < problem.axes[0].kernel; ++i) {
        for (uint j = 0u; j < problem.axes[1].kernel; ++j) {
            Tap tap = tap_of(row, i, j);
            for (uint k = 0u; k < last.kernel; ++k) {
                uint at = start + k * last.dilation;
                bool reads = tap.reads && at - last.begin < last.in_extent;
                Real4 some = x_quad(int(origin + (tap.row * last.in_extent + at - last.begin) * quads));
                sum = plus(sum, reads ? some : nothing);
                taps += uint(reads);
                divisor += uint(spec_count_include_pad != 0u ? tap.padded && at < padded : reads);
            }
        }
    }
    y[tile - push.y_base / 4u] = quad_of(Real4(mean(sum.x, divisor, taps > 0u), mean(sum.y, divisor, taps > 0u),
                                               mean(sum.z, divisor, taps > 0u), mean(sum.w, divisor, taps > 0u)));
}
