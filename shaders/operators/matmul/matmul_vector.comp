// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Gemm and MatMul of few rows. A tile is four columns of a row of Y, whose sums over K are shared by
// spec_lanes invocations. Each of them takes every so many quads of a column of B, or rows of quads. B is read as it lies: what
// is read only once is not packed.
//
// Layouts: A in rows; B (K, N), or by columns, (N, K); Y row-major; C, where there is one, by steps.
// Order of the sum: its own.
// Assumptions:
// - element numbers fit 31 bits
// - A and B are bound by whole quads: by columns K is a multiple of 4, else N is
// - tiles of halves are whole words, but for the last of Y
// - the device allows the loop: K / lanes iterations, by columns a fourth
// Specialization: matmul_vector_constants.h
// Grid: ceil(tile_count * lanes / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/operators/matmul/matmul_vector_constants.h"

#include "shaders/operators/matmul/matmul_vector.h"
#include "shaders/engines/tiles/tiles.glsl"

layout(binding = 0) readonly buffer InputB
{
    Quad b_quads[];
};
INPUT(1, InputA, a, a_at)
layout(binding = 1) readonly buffer InputAQuads
{
    Quad a_quads[];
};
INPUT(2, InputC, c, c_at)
OUTPUT(3, OutputY, y, store)
layout(binding = UNIFORM_BINDING) uniform Problem
{
    MatMulVectorProblem problem;
};
layout(push_constant) uniform Push
{
    TileRange push;
};
#include "shaders/engines/fusion/epilogue.glsl"

// Each invocation keeps its part of its tile's sums here.
shared Real4 parts[gl_WorkGroupSize.x];

Real total(Real4 some)
{
    return (some.x + some.y) + (some.z + some.w);
}

// Returns the lane's part of the sums for four columns of B, which it reads a quad of K at a time.
Real4 by_columns(uint lane, uint a_first, uint b_first, uint column)
{
    uint quads = problem.k >> 2;
    uint last = problem.n - 1u;
    uint columns[4];
    Real4 sums[4];
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {
        columns[i] = (b_first + min(column + i, last) * problem.k) >> 2;
        sums[i] = Real4(empty_sum());
    }
    a_first >>= 2;
    for (uint k = lane; k < quads; k += spec_lanes) {
        Real4 a = reals_of(a_quads[a_first + k]);
        [[unroll]] for (uint i = 0u; i < 4u; ++i)
            sums[i] += reals_of(b_quads[columns[i] + k]) * a;
    }
    return Real4(total(sums[0]), total(sums[1]), total(sums[2]), total(sums[3]));
}

Real4 by_rows(uint lane, uint a_first, uint b_first, uint column)
{
    Real4 sum = Real4(empty_sum());
    uint step = problem.n >> 2;
    uint quad = (b_first + column >> 2) + lane * step;
    for (uint k = lane; k < problem.k; k += spec_lanes) {
        sum += reals_of(b_quads[quad]) * a_at(a_first + k);
        quad += spec_lanes * step;
    }
    return sum;
}

Real finished(Epilogue epilogue, uint row, uint column, Real sum)
{
    sum = times(real_of(uvec2(problem.end.alpha_low, problem.end.alpha_high)), sum);
    if (spec_has_c != 0u)
        sum = plus(sum, times(real_of(uvec2(problem.end.beta_low, problem.end.beta_high)),
                              c_at(row * problem.end.c_row + column * problem.end.c_column)));
    return after_epilogue(epilogue, sum);
}

void main()
{
    // Neighbours read side by side: where B lies by columns they share a tile, else they have neighbouring tiles.
    uint tiles = gl_WorkGroupSize.x / spec_lanes;
    uint own = gl_LocalInvocationID.x;
    uint tile = spec_columns != 0u ? own / spec_lanes : own % tiles;
    uint lane = spec_columns != 0u ? own % spec_lanes : own / tiles;
    tile += flat_workgroup() * tiles;
    bool inside = tile < push.tile_count;
    tile = push.first_tile + min(tile, push.tile_count - 1u);
    uint row = divided(tile, problem.tiles_of_row);
    uint column = (tile - row * problem.tiles_of_row.number) * MATMUL_TILE;
    uint matrix = divided(row, problem.by_m);
    uint b_first = matrix * problem.b_matrix - push.x_base;
    Real4 sum = spec_columns != 0u ? by_columns(lane, row * problem.k, b_first, column)
                                   : by_rows(lane, row * problem.k, b_first, column);
    if (spec_lanes > 1u) {
        uint apart = spec_columns != 0u ? 1u : tiles;  // invocations from lane to lane of a tile
        parts[own] = sum;
        for (uint left = spec_lanes / 2u; left > 0u; left /= 2u) {
            barrier();
            if (lane < left)
                parts[own] = parts[own] + parts[own + left * apart];
        }
        sum = parts[own];
    }
    if (!inside || lane > 0u)
        return;
    uint m_row = row - matrix * problem.by_m.number;
    Epilogue epilogue = asked_epilogue();
    uint count = min(MATMUL_TILE, problem.n - column);
    Real result[4];
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        result[i] = finished(epilogue, m_row, min(column + i, problem.n - 1u), sum[i]);
    uint y_at = row * problem.n + column - push.y_base;
#ifdef SHARED_WORDS
    if (count > 1u)
        store_pair(y_at, result[0], result[1]);
    else
        store(y_at, result[0]);
    if (count > 3u)
        store_pair(y_at + 2u, result[2], result[3]);
    else if (count > 2u)
        store(y_at + 2u, result[2]);
#else
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        if (i < count)
            store(y_at + i, result[i]);
#endif
}
