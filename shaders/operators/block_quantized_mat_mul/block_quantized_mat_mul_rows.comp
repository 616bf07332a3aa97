// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes BlockQuantizedMatMul of few rows. A tile is four columns of `rows` rows of Y, whose sums over K are shared
// by spec_lanes invocations. Each of them takes every so many quads of words of B:
//
//   a row of W        word 0            word 1            word 2            word 3         | ..
//   of 4 bits         integers 0 to 7   integers 8 to 15  ..                               | lane 1
//
// An integer is made a float once for all rows of the tile, and its block's scale multiplies the sum of its word or quad. With
// TEXELS all but zero points is read through texel buffers: software drivers load from these several times as fast.
//
// Layouts: A in rows of whole quads, B in rows of whole quads of words, Y row-major; scales (N, blocks); zero points in bytes.
// Order of the sum: its own.
// Assumptions:
// - element numbers fit 31 bits
// - rows of A are as many elements as whole quads of words have integers
// - rows of halves are whole words, or there is one
// - the device allows the loop: quads of words of a row / lanes iterations
// Specialization: block_quantized_mat_mul_rows_constants.h
// Grid: ceil(tile_count * lanes / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/operators/block_quantized_mat_mul/block_quantized_mat_mul_rows_constants.h"

#include "shaders/operators/block_quantized_mat_mul/block_quantized_mat_mul.h"
#include "shaders/engines/tiles/tiles.glsl"

#if TEXELS
layout(binding = 0) uniform usamplerBuffer b_quads;
layout(binding = 1) uniform samplerBuffer a_quads;
layout(binding = 2) uniform samplerBuffer scales;
#define B_QUAD(i) texelFetch(b_quads, int(i))
#define B_WORD(i) B_QUAD((i) >> 2)[(i)&3u]
#define A_QUAD(i) texelFetch(a_quads, int(i))
#define scale_at(i) texelFetch(scales, int(i)).x
#else
layout(binding = 0) readonly buffer InputB
{
    uvec4 b_quads[];
};
layout(binding = 1) readonly buffer InputA
{
    Quad a_quads[];
};
layout(binding = 0) readonly buffer InputBWords
{
    uint b_words[];
};
#define B_QUAD(i) b_quads[i]
#define B_WORD(i) b_words[i]
#define A_QUAD(i) reals_of(a_quads[i])
INPUT(2, InputScales, scales, scale_at)
#endif
layout(binding = UNIFORM_BINDING) uniform Problem
{
    BlockQuantizedProblem problem;
};
layout(push_constant) uniform Push
{
    TileRange push;
};
#include "shaders/operators/block_quantized_mat_mul/block_quantized.glsl"
OUTPUT(OUTPUT_BINDING, OutputY, y, store)

#define COLUMNS uint(BLOCK_QUANTIZED_COLUMNS)
#define WORD_QUADS (8u / spec_bits)         // quads of A that meet a word of B
#define QUAD_SHIFT (spec_block_shift - 2u)  // quads of A that meet a block: 1 << QUAD_SHIFT
// Tells whether the words that are taken at once lie in one block.
#define LIE_IN_BLOCK (spec_words * WORD_QUADS <= (1u << QUAD_SHIFT))

// Each invocation keeps its part of a row's sums here.
shared Real4 parts[gl_WorkGroupSize.x];

// The floats from 2^23 on are whole numbers, whose last bits count them. So an integer becomes a float, to which 2^23 is added, by
// its bits alone: conversions are slow on many GPUs, and on CPUs.
#define MAGIC 8388608.0
#define MAGIC_BITS 0x4b000000u

// Returns four integers of a word as floats, plus MAGIC, from number 4 * `quad` on.
Real4 magic_integers_of(uint word, uint quad)
{
    uint first = 4u * spec_bits * quad;
    uvec4 bits = uvec4(word) >> uvec4(first, first + spec_bits, first + 2u * spec_bits, first + 3u * spec_bits);
    return uintBitsToFloat(bits & INTEGER_MASK | MAGIC_BITS);
}

void main()
{
    uint tiles = gl_WorkGroupSize.x / spec_lanes;
    uint own = gl_LocalInvocationID.x;
    uint tile = own / spec_lanes;
    uint lane = own % spec_lanes;
    tile += flat_workgroup() * tiles;
    bool inside = tile < push.tile_count;
    tile = push.first_tile + min(tile, push.tile_count - 1u);
    uint row_of_tiles = divided(tile, problem.tiles_of_row);
    uint first_row = row_of_tiles * spec_rows;
    uint first_column = (tile - row_of_tiles * problem.tiles_of_row.number) * COLUMNS;

    uint columns[COLUMNS];
    uint b_first[COLUMNS];
    [[unroll]] for (uint c = 0u; c < COLUMNS; ++c) {
        columns[c] = min(first_column + c, problem.columns - 1u);
        b_first[c] = columns[c] * (problem.row_words >> 2) - push.x_base;
    }
    uint a_row_quads = problem.inner >> 2;
    uint a_first[spec_rows];
    Real4 sums[spec_rows];
    [[unroll]] for (uint r = 0u; r < spec_rows; ++r) {
        a_first[r] = min(first_row + r, problem.rows - 1u) * a_row_quads;
        sums[r] = Real4(0.0);
    }

    uint turns = a_row_quads / (spec_words * WORD_QUADS);
    for (uint turn = lane; turn < turns; turn += spec_lanes) {
        uvec4 words[COLUMNS];
        [[unroll]] for (uint c = 0u; c < COLUMNS; ++c)
            words[c] = spec_words == 4u ? B_QUAD(b_first[c] + turn) : uvec4(B_WORD(4u * b_first[c] + turn), 0u, 0u, 0u);
        Real4 scale;
        Real4 zero;
        [[unroll]] for (uint j = 0u; j < spec_words; ++j) {
            uint a_quad = (spec_words * turn + j) * WORD_QUADS;
            if (j == 0u || !LIE_IN_BLOCK) {
                uint block = a_quad >> QUAD_SHIFT;
                [[unroll]] for (uint c = 0u; c < COLUMNS; ++c) {
                    scale[c] = scale_at(columns[c] * problem.blocks + block);
                    zero[c] = MAGIC + zero_point(columns[c], block, 0u);
                }
            }
            Real4 of_word[spec_rows];
            [[unroll]] for (uint r = 0u; r < spec_rows; ++r)
                of_word[r] = Real4(0.0);
            [[unroll]] for (uint i = 0u; i < WORD_QUADS; ++i) {
                Real4 weights[COLUMNS];
                [[unroll]] for (uint c = 0u; c < COLUMNS; ++c)
                    weights[c] = magic_integers_of(words[c][j], i) - zero[c];
                [[unroll]] for (uint r = 0u; r < spec_rows; ++r) {
                    Real4 a = A_QUAD(a_first[r] + a_quad + i);
                    [[unroll]] for (uint c = 0u; c < COLUMNS; ++c)
                        of_word[r][c] += dot(a, weights[c]);
                }
            }
            [[unroll]] for (uint r = 0u; r < spec_rows; ++r)
                sums[r] += of_word[r] * scale;
        }
    }

    [[unroll]] for (uint r = 0u; r < spec_rows; ++r) {
        Real4 sum = sums[r];
        if (spec_lanes > 1u) {
            barrier();
            parts[own] = sum;
            for (uint left = spec_lanes / 2u; left > 0u; left /= 2u) {
                barrier();
                if (lane < left)
                    parts[own] = parts[own] + parts[own + left];
            }
            sum = parts[own];
        }
        if (!inside || lane > 0u || first_row + r >= problem.rows)
            continue;
        uint count = min(COLUMNS, problem.columns - first_column);
        uint y_at = (first_row + r) * problem.columns + first_column - push.y_base;
#ifdef SHARED_WORDS
        if (count > 1u)
            store_pair(y_at, sum.x, sum.y);
        else
            store(y_at, sum.x);
        if (count > 3u)
            store_pair(y_at + 2u, sum.z, sum.w);
        else if (count > 2u)
            store(y_at + 2u, sum.z);
#else
        [[unroll]] for (uint c = 0u; c < COLUMNS; ++c)
            if (c < count)
                store(y_at + c, sum[c]);
#endif
    }
}
