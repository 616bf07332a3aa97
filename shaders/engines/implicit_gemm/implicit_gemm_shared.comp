// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes a convolution, transposed or not, as a product of matrices, through shared memory. A workgroup computes
// ROWS rows of COLUMNS neighbouring columns, and each of its invocations SUMS of these outputs, 64 where SUMS is not given. The
// next inputs and weights are read while the present ones are multiplied.
//
// Layouts: packed inputs and weights as in implicit_gemm.h, for tiles of ROWS rows; Y (N, M, O1..O3) or channels last;
// B (M).
// Order of the sum: as in implicit_gemm.comp
// Assumptions: everything is bound whole; workgroups of ROWS * COLUMNS / SUMS; the device allows 9 * quads * prod(taps)
// iterations and some
// Specialization: implicit_gemm_constants.h
// Grid: one workgroup for each tile of [part][group][tile of rows][tile of columns], from push.first on, folded into x, y, z
//
// An invocation's columns lie ACROSS columns apart, and its quads of rows OWN_QUAD_STEP quads apart, so that neighbours store
// side by side. Of 64 columns, 4 for each invocation, invocation 1 has those marked:
//
//   . x . . . . . . . . . . . . . . . x . . . . . . . . . . . . . . . x . . . . . . . . . . . . . . . x . . . . . . . . . . . . . .
#extension GL_GOOGLE_include_directive : require
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"

#ifndef SUMS
#define SUMS 64
#endif
#define TEXELS 0
#define OWN_COLUMNS GEMM_SHARED_COLUMNS(SUMS)
#define OWN_QUADS (SUMS / OWN_COLUMNS / 4)
#define ACROSS (COLUMNS / OWN_COLUMNS)  // invocations along the columns
#define OWN_QUAD_STEP (ROWS / 4 / OWN_QUADS)
#define FEW_REGISTERS (SUMS <= 16)
#include "shaders/engines/implicit_gemm/implicit_gemm.glsl"

#define INVOCATIONS (ROWS * COLUMNS / SUMS)
#define DEPTH GEMM_SHARED_DEPTH(ROWS, INVOCATIONS)
#define X_LOADS (DEPTH * COLUMNS / INVOCATIONS)
#define W_LOADS (DEPTH * ROWS / INVOCATIONS)
#define TAPS_OF_LOAD ((INVOCATIONS + COLUMNS - 1) / COLUMNS)  // taps of which a workgroup stages the inputs at once
#define PLACES ((X_LOADS + DEPTH - 1) / DEPTH)

// The columns of an invocation lie side by side here, so that it reads four at a time, and needs no registers for channels that
// it multiplies later.
shared vec4 x_staged[DEPTH * COLUMNS];  // [tap][channel][quad of an invocation's columns][invocation]
shared vec4 w_staged[DEPTH * ROWS];     // [tap][channel][quad of rows]

vec4 x_next[X_LOADS];
uint places[PLACES];  // of the columns whose inputs this invocation stages
vec4 w_next[W_LOADS];

// These two functions return the tap, and the column of the tile, of texel i of those that this invocation stages.
uint staged_tap(uint i)
{
    return COLUMNS % INVOCATIONS == 0 ? i / (COLUMNS / INVOCATIONS) : (i * INVOCATIONS + gl_LocalInvocationID.x) / COLUMNS;
}

uint staged_column(uint i)
{
    return (i * INVOCATIONS + gl_LocalInvocationID.x) % COLUMNS;
}

void stage(uint i)
{
    uint column = staged_column(i);
    uint own_column = column / ACROSS;
    uint at = staged_tap(i) * COLUMNS + own_column / 4u * ACROSS + column % ACROSS;
    [[unroll]] for (uint k = 0u; k < 4u; ++k)
        x_staged[at + k * (COLUMNS / 4)][own_column % 4u] = x_next[i][k];
}

// Returns the tile of the workgroup that has this place in the grid, with the first column of this invocation.
Tile tile_at(uint place)
{
    uint row_tile = place / problem.column_tiles;
    uint first_column = place % problem.column_tiles * COLUMNS;
    return tile_of(row_tile, first_column + gl_LocalInvocationID.x % ACROSS);
}

void main()
{
    uint place = flat_workgroup();
    if (place >= push.count)
        return;
    place += push.first;
    uint invocation = gl_LocalInvocationID.x;
    uint column_lane = invocation % ACROSS;
    uint row_lane = invocation / ACROSS;
    Tile tile = tile_at(place);
    uint first_column = place % problem.column_tiles * COLUMNS;

    [[unroll]] for (uint i = 0u; i < OWN_QUADS * OWN_COLUMNS; ++i)
        sums[i] = vec4(empty_sum());
    [[unroll]] for (uint i = 0u; i < PLACES; ++i)
        places[i] = place_of(column_of(first_column + staged_column(i)));
    Walk walk = Walk(tile.first_x, uvec3(0u));
    uint w_at = tile.first_weight + invocation;
    uint w_end = tile.first_weight + tile.steps * ROWS;
    for (uint step = 0u; step < tile.steps + DEPTH; step += DEPTH) {
        if (step > 0u) {
            barrier();
            [[unroll]] for (uint i = 0u; i < X_LOADS; ++i)
                stage(i);
            [[unroll]] for (uint i = 0u; i < W_LOADS; ++i)
                w_staged[i * INVOCATIONS + invocation] = w_next[i];
            barrier();
        }
        uint x_at[DEPTH];
        [[unroll]] for (uint t = 0u; t < DEPTH; ++t) {
            x_at[t] = walk.x_at;
            walk = after(walk, tile);
        }
        [[unroll]] for (uint i = 0u; i < X_LOADS; ++i) {
            uint tap = staged_tap(i);
            uint first_tap = i * INVOCATIONS / COLUMNS;
            uint at = x_at[first_tap];
            [[unroll]] for (uint t = 1u; t < TAPS_OF_LOAD; ++t)
                at = tap == first_tap + t ? x_at[first_tap + t] : at;
            x_next[i] = step + tap < tile.steps ? inputs[at + places[i % PLACES]] : vec4(0.0);
        }
        [[unroll]] for (uint i = 0u; i < W_LOADS; ++i)
            w_next[i] = w_at + i * INVOCATIONS < w_end ? weights[w_at + i * INVOCATIONS] : vec4(0.0);
        w_at += DEPTH * ROWS;
        if (step == 0u)
            continue;
        [[unroll]] for (uint t = 0u; t < DEPTH; ++t)
            [[unroll]] for (uint k = 0u; k < 4u; ++k) {
                vec4 x[OWN_COLUMNS / 4];
                [[unroll]] for (uint c = 0u; c < OWN_COLUMNS / 4; ++c)
                    x[c] = x_staged[t * COLUMNS + k * (COLUMNS / 4) + c * ACROSS + column_lane];
                [[unroll]] for (uint r = 0u; r < OWN_QUADS; ++r) {
                    vec4 w = w_staged[t * ROWS + k * (ROWS / 4) + r * OWN_QUAD_STEP + row_lane];
                    [[unroll]] for (uint c = 0u; c < OWN_COLUMNS; ++c)
                        sums[OWN_QUADS * c + r] += w * x[c / 4u][c % 4u];
                }
            }
    }
#if FEW_REGISTERS
    reload_problem();
    tile = tile_at(place);
#endif
    finish(tile, row_lane);
}
