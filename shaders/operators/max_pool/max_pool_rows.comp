// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes MaxPool without Indices, with 1 to 3 spatial axes, nothing behind them (inner = 1), and windows of one
// size along the last. An invocation finds the greatest of OUTPUTS adjacent outputs of a row. What they share of a row of input
// is read once, in quads. As in max_pool.comp TYPE_ is the unsigned integer as wide as the elements, and taps are compared
// row-major.
//
// KERNEL, STRIDE and DILATION are those of the last axis, so that the compiler knows which element belongs to which window.
// CLIPPED is 0 where all taps of all windows read the input.
//
// Layouts: X (outer, D1..D3), Y (outer, O1..O3), row-major.
// Assumptions:
// - padded extents and the window's taps fit 31 bits
// - X is bound by whole quads; tiles begin with the first element of one unless spec_shifted
// - tiles of halves are whole words; all tiles are whole quads where spec_stores_quads says so
// - the device allows the loops: prod(kernel + 1) iterations of the axes but the last
// Specialization: max_pool_rows_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/max_pool/max_pool_rows_constants.h"

#include "shaders/engines/pool/pool_tiles.glsl"

#include "shaders/operators/max_pool/max_pool_keys.glsl"

#define NOTHING_YET NOT_A_NUMBER  // keys of numbers are greater

// The window takes the element if it exceeds what was taken before, or is the first: then a NaN is taken, too, and stays.
#define TAKE(b, p)                                                                                                               \
    if (IS_TAP(b, p)) {                                                                                                          \
        bool takes = is_greater(key, key##b) || (inside && key##b == NOTHING_YET);                                               \
        key##b = takes ? kept : key##b;                                                                                          \
        sum##b = takes ? element : sum##b;                                                                                       \
    }

#define ADD(p, some)                                                                                                             \
    if (p < REACH) {                                                                                                             \
        bool inside = CLIPPED == 0 || first + p < limit;                                                                         \
        Real element = some;                                                                                                     \
        Key key = inside ? key_of(element) : NOT_A_NUMBER;                                                                       \
        Key kept = key == NOT_A_NUMBER ? ABOVE_ALL : key;                                                                        \
        TAKE(0, p)                                                                                                               \
        TAKE(1, p)                                                                                                               \
        TAKE(2, p)                                                                                                               \
        TAKE(3, p)                                                                                                               \
    }

#include "shaders/engines/pool/pool_row.glsl"

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
    uint first = o * STRIDE - last.begin;  // in the row, below 0 in the padding
    Real sum0 = lowest();
    Real sum1 = sum0;
    Real sum2 = sum0;
    Real sum3 = sum0;
    Key key0 = NOTHING_YET;
    Key key1 = key0;
    Key key2 = key0;
    Key key3 = key0;
    for (uint i = 0u; i < spec_kernel0; ++i) {
        for (uint j = 0u; j < spec_kernel1; ++j) {
            Tap tap = tap_of(place, i, j);
            uint limit = tap.reads ? last.in_extent : 0u;
            uint at = tap.row * last.in_extent + first - push.x_base;
            int quad = int(at) >> 2;
            uint shift = spec_shifted == 0u ? 0u : at & 3u;
            Real4 here = x_quad(quad);
            ADD_QUAD(0)
            ADD_QUAD(1)
            ADD_QUAD(2)
        }
    }

    uint y_at = row * last.out_extent + o - push.y_base;
    if (STORES_QUADS(last.out_extent)) {
        y_quads[y_at >> 2] = quad_of(Real4(sum0, sum1, sum2, sum3));
        return;
    }
    STORE_PAIR(0, 1)
    STORE_PAIR(2, 3)
}
