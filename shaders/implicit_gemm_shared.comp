// SPDX-License-Identifier: Apache-2.0
#version 450
// A convolution, transposed or not, as a product of matrices, through shared memory: a workgroup computes ROWS rows of COLUMNS neighbouring columns, an
// invocation 8 by 8 of them. What comes next is read while the present is multiplied.
//
// Layouts: packed inputs and weights as in shared/implicit_gemm.h, for tiles of ROWS rows; Y (N, M, O1..O3) or channels last;
// B (M).
// Order of the sum: as in implicit_gemm.comp
// Assumptions: everything is bound whole; workgroups of ROWS * COLUMNS / 64; the device allows 9 * quads * prod(taps) iterations and
// some
// Specialization: specialization/implicit_gemm.h
// Grid: one workgroup for each tile of [part][group][tile of rows][tile of columns], from push.first on, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "specialization/implicit_gemm.h"

#define TEXELS 0
#define ACROSS (COLUMNS / 8)  // invocations along the columns
#define OWN_QUADS 2
#define OWN_QUAD_STEP (ROWS / 8)
#define OWN_COLUMNS 8
#include "implicit_gemm.glsl"

#define INVOCATIONS (ROWS / 8 * ACROSS)
#define DEPTH 2u  // taps of four channels that are staged at once
#define X_LOADS (DEPTH * COLUMNS / INVOCATIONS)
#define W_LOADS (DEPTH * ROWS / INVOCATIONS)

shared vec4 x_staged[DEPTH * COLUMNS];  // [tap][column], four channels
shared vec4 w_staged[DEPTH * ROWS];     // [tap][channel][quad of rows]

vec4 x_next[X_LOADS];
uint places[X_LOADS / DEPTH];
vec4 w_next[W_LOADS];

void main()
{
    uint place = flat_workgroup();
    if (place >= push.count)
        return;
    place += push.first;
    uint invocation = gl_LocalInvocationID.x;
    uint column_lane = invocation % ACROSS;
    uint row_lane = invocation / ACROSS;
    uint row_tile = place / problem.column_tiles;
    uint first_column = place % problem.column_tiles * COLUMNS;
    Tile tile = tile_of(row_tile, first_column + column_lane);

    [[unroll]] for (uint i = 0u; i < 16u; ++i)
        sums[i] = vec4(empty_sum());
    [[unroll]] for (uint i = 0u; i < X_LOADS / DEPTH; ++i)
        places[i] = place_of(column_of(first_column + i * INVOCATIONS + invocation));
    Walk walk = Walk(tile.first_x, uvec3(0u));
    uint w_at = tile.first_weight + invocation;
    uint w_end = tile.first_weight + tile.steps * ROWS;
    for (uint step = 0u; step < tile.steps + DEPTH; step += DEPTH) {
        if (step > 0u) {
            barrier();
            [[unroll]] for (uint i = 0u; i < X_LOADS; ++i)
                x_staged[i * INVOCATIONS + invocation] = x_next[i];
            [[unroll]] for (uint i = 0u; i < W_LOADS; ++i)
                w_staged[i * INVOCATIONS + invocation] = w_next[i];
            barrier();
        }
        [[unroll]] for (uint t = 0u; t < DEPTH; ++t) {
            bool ahead = step + t < tile.steps;
            [[unroll]] for (uint i = 0u; i < X_LOADS / DEPTH; ++i)
                x_next[t * X_LOADS / DEPTH + i] = ahead ? inputs[walk.x_at + places[i]] : vec4(0.0);
            walk = after(walk, tile);
        }
        [[unroll]] for (uint i = 0u; i < W_LOADS; ++i)
            w_next[i] = w_at + i * INVOCATIONS < w_end ? weights[w_at + i * INVOCATIONS] : vec4(0.0);
        w_at += DEPTH * ROWS;
        if (step == 0u)
            continue;
        [[unroll]] for (uint t = 0u; t < DEPTH; ++t) {
            vec4 x[8];
            [[unroll]] for (uint c = 0u; c < 8u; ++c)
                x[c] = x_staged[t * COLUMNS + c * ACROSS + column_lane];
            [[unroll]] for (uint k = 0u; k < 4u; ++k)
                [[unroll]] for (uint r = 0u; r < 2u; ++r) {
                    vec4 w = w_staged[t * ROWS + k * (ROWS / 4) + r * (ROWS / 8) + row_lane];
                    [[unroll]] for (uint c = 0u; c < 8u; ++c)
                        sums[2u * c + r] += w * x[c][k];
                }
        }
    }
    finish(tile, row_lane);
}
