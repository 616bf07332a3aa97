// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes a convolution, transposed or not, as a product of matrices, in registers. An invocation computes ROWS rows
// of COLUMNS columns, problem.column_step apart, with those of its neighbours between them. It needs no shared memory and no
// barrier. With SHUFFLES the workgroup is a subgroup of 8 whose invocations have the same rows, and each reads an eighth of their
// weights.
//
// Layouts: packed inputs and weights as in implicit_gemm.h; Y (N, M, O1..O3) or channels last; B (M).
// Order of the sum: parts; within each quads of input channels, taps row-major, channels of the quad; bias last.
// Assumptions: everything is bound whole; the device allows (COLUMNS + 1) * quads * prod(taps) iterations and some; with SHUFFLES
// problem.column_step, the workgroup's size and the subgroup's are 8, and push.first and push.count multiples of it
// Specialization: implicit_gemm_constants.h
// Grid: ceil(count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#if SHUFFLES
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"

#define OWN_QUADS (ROWS / 4)
#define OWN_QUAD_STEP 1u
#define OWN_COLUMNS COLUMNS
#include "shaders/engines/implicit_gemm/implicit_gemm.glsl"
#include "shaders/engines/implicit_gemm/gemm_shuffles.glsl"

uint places[COLUMNS];

// Adds one tap of four channels.
void add(uint x_at, uint w_at)
{
    Real4 x[COLUMNS];
    [[unroll]] for (uint column = 0u; column < COLUMNS; ++column)
        x[column] = INPUTS(x_at + places[column]);
    LOAD_STEP_WEIGHTS(w_at)
    [[unroll]] for (uint channel = 0u; channel < 4u; ++channel)
        [[unroll]] for (uint quad = 0u; quad < OWN_QUADS; ++quad) {
            Real4 w = STEP_WEIGHTS(w_at, channel * OWN_QUADS + quad);
            [[unroll]] for (uint column = 0u; column < COLUMNS; ++column)
                sums[column * OWN_QUADS + quad] += w * x[column][channel];
        }
}

// Returns the tile of the invocation that has this place in the grid.
Tile tile_at(uint place)
{
    uint lane = place % problem.column_tiles % problem.column_step;
    uint row_tile = place / problem.column_tiles;
    return tile_of(row_tile, (place % problem.column_tiles - lane) * COLUMNS + lane);
}

void main()
{
    uint place = flat_invocation();
    if (place >= push.count)
        return;
    place += push.first;
    Tile tile = tile_at(place);

    [[unroll]] for (uint i = 0u; i < OWN_QUADS * COLUMNS; ++i)
        sums[i] = Real4(empty_sum());
    Column column = column_of(tile.first_column);
    [[unroll]] for (uint c = 0u; c < COLUMNS; ++c) {
        places[c] = place_of(column);
        column = after(column);
    }
    Walk walk = Walk(tile.first_x, uvec3(0u));
    uint w_at = tile.first_weight;
    uint left = tile.steps;
#if TEXELS
    // This is one loop that tests at its end, because lavapipe goes through the body of any other once more, with all lanes off.
    if (left > 0u)
        do {
            add(walk.x_at, w_at);
            w_at += ROWS;
            walk = after(walk, tile);
        } while (--left > 0u);
#else
    // This loop tests at its start: while other lanes go on, SwiftShader computes a lane's last turn once more, and then reads
    // zeros from buffers.
    for (; left > 0u; --left) {
        add(walk.x_at, w_at);
        w_at += ROWS;
        walk = after(walk, tile);
    }
#endif
#if FEW_REGISTERS
    reload_problem();
    tile = tile_at(place);
#endif
    finish(tile, 0u);
}
