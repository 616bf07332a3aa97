// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes a convolution, transposed or not, as a product of matrices in halves, by cooperative matrices with sums in
// floats. A workgroup computes ROWS rows of COLUMNS neighbouring columns. Each of its subgroups has row_matrices by
// column_matrices of their matrices, and at the end each invocation has 8 by 8 sums. The next inputs and weights are read while
// the present ones are multiplied.
//
// Layouts: packed inputs and weights as in implicit_gemm.h, of halves, for tiles of ROWS rows; sums as Y, (N, M, O1..O3)
// or channels last. With X_PACKED 0 X and B are tensors, and so is Y unless it takes sums.
// Order of the sum: the device's own
// Assumptions: everything is bound whole; workgroups of ROWS * COLUMNS / 64, of whole subgroups; matrix_rows divides ROWS,
// matrix_columns MATRICES_COLUMNS and matrix_depth 4 * MATRICES_STEPS; the device allows 9 * quads * prod(taps) iterations and
// some
// Specialization: implicit_gemm_matrices_constants.h
// Grid: one workgroup for each tile of [part][group][tile of rows][tile of columns], from push.first on, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "shaders/engines/implicit_gemm/implicit_gemm_matrices_constants.h"

#define TEXELS 0
#define HALF_TEXELS 1
#define ACROSS (COLUMNS / 8)  // invocations along the columns
#define OWN_QUADS 2
#define OWN_QUAD_STEP (ROWS / 8)
#define OWN_COLUMNS 8
#define INVOCATIONS (ROWS / 8 * ACROSS)
#define TILE_STAGED 1
#include "shaders/engines/implicit_gemm/implicit_gemm.glsl"

#define STEP_LANES (INVOCATIONS / COLUMNS)  // steps that are loaded side by side
#define X_LOADS (MATRICES_STEPS / STEP_LANES)
#define W_LOADS (MATRICES_STEPS * ROWS / INVOCATIONS)
// These are the texels from column to column and from channel to channel: 16 bytes more than needed, to avoid bank conflicts.
#define X_PITCH (MATRICES_STEPS + 2)
#define W_PITCH (ROWS / 4 + 2)
#define SUM_PITCH (ROWS / 4 + 1)

shared f16vec4 x_staged[COLUMNS * X_PITCH];    // [column][tap], a texel of four channels
shared f16vec4 w_staged[4 * MATRICES_STEPS * W_PITCH];  // [tap][channel][quad of rows]
shared vec4 sums_staged[MATRICES_COLUMNS * SUM_PITCH];  // [column][quad of rows]

// Loaded texels stay as they are until they are staged, so that nothing waits for them before.
#if X_PACKED
uvec2 x_next[X_LOADS];
#else
uint x_next[4 * X_LOADS];     // [texel][channel], one half in each word
uint channels_next[X_LOADS];  // the number of channels of a texel that are inputs: 0 beside the input
#endif
uvec2 w_next[W_LOADS];

#define SumMatrix coopmat<float, gl_ScopeSubgroup, spec_matrix_rows, spec_matrix_columns, gl_MatrixUseAccumulator>
#define WeightMatrix coopmat<float16_t, gl_ScopeSubgroup, spec_matrix_rows, spec_matrix_depth, gl_MatrixUseA>
#define InputMatrix coopmat<float16_t, gl_ScopeSubgroup, spec_matrix_depth, spec_matrix_columns, gl_MatrixUseB>

SumMatrix matrices[spec_row_matrices * spec_column_matrices];  // [row][column]

f16vec4 halves(uvec2 texel)
{
    return f16vec4(unpackFloat2x16(texel.x), unpackFloat2x16(texel.y));
}

// Loads texel i of those of a column that this invocation stages.
void load(uint i, Source source, bool is_step, uint place, uint word)
{
    uint at = source.x_at + place;
#if X_PACKED
    x_next[i] = is_step ? inputs[at] : uvec2(0u);
#else
    channels_next[i] = is_step && (word & source.word) == source.word ? source.channels : 0u;
    [[unroll]] for (uint k = 0u; k < 4u; ++k)  // any element does where there is no channel
        x_next[4u * i + k] = uint(x[k < channels_next[i] ? at + k * problem.x_channel : 0u]);
#endif
}

uvec2 loaded(uint i)
{
#if X_PACKED
    return x_next[i];
#else
    uvec4 four;
    [[unroll]] for (uint k = 0u; k < 4u; ++k)
        four[k] = k < channels_next[i] ? x_next[4u * i + k] : 0u;
    return four.xz | four.yw << 16u;
#endif
}

void multiply(uint first_row, uint first_column)
{
    [[unroll]] for (uint depth = 0u; depth < 4u * MATRICES_STEPS; depth += spec_matrix_depth) {
        WeightMatrix w[spec_row_matrices];
        [[unroll]] for (uint r = 0u; r < spec_row_matrices; ++r)
            coopMatLoad(w[r], w_staged, depth * W_PITCH + (first_row + r * spec_matrix_rows) / 4u, W_PITCH,
                        gl_CooperativeMatrixLayoutColumnMajor);
        [[unroll]] for (uint c = 0u; c < spec_column_matrices; ++c) {
            InputMatrix x;
            coopMatLoad(x, x_staged, (first_column + c * spec_matrix_columns) * X_PITCH + depth / 4u, X_PITCH,
                        gl_CooperativeMatrixLayoutColumnMajor);
            [[unroll]] for (uint r = 0u; r < spec_row_matrices; ++r)
                matrices[r * spec_column_matrices + c] = coopMatMulAdd(w[r], x, matrices[r * spec_column_matrices + c]);
        }
    }
}

void main()
{
    uint number = flat_workgroup();
    if (number >= push.count)
        return;
    number += push.first;
    uint invocation = gl_LocalInvocationID.x;
    uint column_lane = invocation % ACROSS;
    uint row_lane = invocation / ACROSS;
    uint row_tile = number / problem.column_tiles;
    uint first_column = number % problem.column_tiles * COLUMNS;
    Tile tile = tile_of(row_tile, first_column + column_lane);

    uint own_columns = spec_column_matrices * spec_matrix_columns;
    uint own_first_column = gl_SubgroupID % (COLUMNS / own_columns) * own_columns;
    uint own_first_row = gl_SubgroupID / (COLUMNS / own_columns) * spec_row_matrices * spec_matrix_rows;
    [[unroll]] for (uint i = 0u; i < spec_row_matrices * spec_column_matrices; ++i)
        matrices[i] = SumMatrix(empty_sum());

    uint x_column = invocation % COLUMNS;
    uint x_step = invocation / COLUMNS;
    Column column = column_of(first_column + x_column);
    uint place = place_of(column);
#if X_PACKED
    uint word = 0u;
#else
    uint word = word_of(column, tile);
#endif
    stage_taps(tile);
    barrier();
    uint w_at = tile.first_weight + invocation;
    uint w_end = tile.first_weight + tile.steps * ROWS;
    for (uint step = 0u; step < tile.steps + MATRICES_STEPS; step += MATRICES_STEPS) {
        if (step > 0u) {
            barrier();
            [[unroll]] for (uint i = 0u; i < X_LOADS; ++i)
                x_staged[x_column * X_PITCH + i * STEP_LANES + x_step] = halves(loaded(i));
            [[unroll]] for (uint i = 0u; i < W_LOADS; ++i) {
                uint at = i * INVOCATIONS + invocation;
                w_staged[at / (ROWS / 4) * W_PITCH + at % (ROWS / 4)] = halves(w_next[i]);
            }
            barrier();
        }
        [[unroll]] for (uint i = 0u; i < X_LOADS; ++i) {
            uint x_at = step + i * STEP_LANES + x_step;
            load(i, source_of(x_at, tile), x_at < tile.steps, place, word);
        }
        [[unroll]] for (uint i = 0u; i < W_LOADS; ++i)
            w_next[i] = w_at + i * INVOCATIONS < w_end ? weights[w_at + i * INVOCATIONS] : uvec2(0u);
        w_at += MATRICES_STEPS * ROWS;
        if (step > 0u)
            multiply(own_first_row, own_first_column);
        else
            stage_rows(tile);
    }

    [[unroll]] for (uint part = 0u; part < COLUMNS / MATRICES_COLUMNS; ++part) {
        barrier();
        [[unroll]] for (uint c = 0u; c < spec_column_matrices; ++c) {
            uint column = own_first_column + c * spec_matrix_columns;
            if (column / MATRICES_COLUMNS == part)
                [[unroll]] for (uint r = 0u; r < spec_row_matrices; ++r)
                    coopMatStore(matrices[r * spec_column_matrices + c], sums_staged,
                                 column % MATRICES_COLUMNS * SUM_PITCH + (own_first_row + r * spec_matrix_rows) / 4u, SUM_PITCH,
                                 gl_CooperativeMatrixLayoutColumnMajor);
        }
        barrier();
        [[unroll]] for (uint c = 0u; c < MATRICES_COLUMNS / ACROSS; ++c)
            [[unroll]] for (uint quad = 0u; quad < OWN_QUADS; ++quad)
                sums[(part * (MATRICES_COLUMNS / ACROSS) + c) * OWN_QUADS + quad] =
                    sums_staged[(c * ACROSS + column_lane) * SUM_PITCH + quad * OWN_QUAD_STEP + row_lane];
    }
    finish(tile, row_lane);
}
