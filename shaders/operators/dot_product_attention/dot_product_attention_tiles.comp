// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes DotProductAttention on GPUs, through shared memory. A tile is a workgroup's: 32 queries of one head. It goes
// over the keys 32 at a time, and keeps the scores of these only (Dao and others, FlashAttention). Each invocation has two queries,
// four of the keys, and a quad of each 32 elements of Y:
//
//                   scores of 32 keys              32 elements of Y
//   keys          0, 8, 16, 24   1, 9, 17, 25 ...     0 to 3        4 to 7 ...
//   queries 0, 1  invocation 0   invocation 1         invocation 0  invocation 1
//   queries 2, 3  invocation 8   invocation 9         invocation 8  invocation 9
//
// A query knows only its greatest score so far. When a greater one comes, its sums, which are relative to the greatest, are
// multiplied by e^(old - new) (Milakov and Gimelshein, Online normalizer calculation for softmax).
//
// Layouts: Q, K, V, Y and bias by steps.
// Order of the sums: their own.
// Assumptions:
// - element numbers fit 31 bits
// - sizes are at most 128, and halves' values are a multiple of 4
// - workgroups of ATTENTION_INVOCATIONS
// - the device allows the loop: keys / 32 iterations
// - exp has the error that Vulkan allows, 3 + 2 |x| units in the last place
// Compilers must not unroll the loops over staged quads: Intel's then loads so many of them at once that it runs out of registers.
// Specialization: dot_product_attention_tiles_constants.h
// Grid: a workgroup a tile, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/operators/dot_product_attention/dot_product_attention_tiles_constants.h"

#include "shaders/engines/tiles/tiles.glsl"
#include "shaders/operators/dot_product_attention/dot_product_attention.h"

// ROWS declares the buffer at binding `slot` and a function that reads quad `quad` of the row that begins at element `first` and has
// `size` elements. Where rows are no whole quads it reads element by element, and those behind the last one are zeros.
#define ROWS(slot, Block, quads, elements, element_at, quad_of)                                                                  \
    layout(binding = slot) readonly buffer Block                                                                                 \
    {                                                                                                                            \
        Quad quads[];                                                                                                            \
    };                                                                                                                           \
    INPUT(slot, Block##Elements, elements, element_at)                                                                           \
    Real4 quad_of(uint first, uint quad, uint size)                                                                              \
    {                                                                                                                            \
        if (size % 4u == 0u)                                                                                                     \
            return reals_of(quads[first / 4u + quad]);                                                                           \
        Real4 some;                                                                                                              \
        [[unroll]] for (uint i = 0u; i < 4u; ++i)                                                                                \
            some[i] = 4u * quad + i < size ? element_at(first + min(4u * quad + i, size - 1u)) : zero();                         \
        return some;                                                                                                             \
    }

ROWS(0, InputQ, q_quads, q_elements, q_at, q_quad_of)
ROWS(1, InputK, k_quads, k_elements, k_at, k_quad_of)
ROWS(2, InputV, v_quads, v_elements, v_at, v_quad_of)
INPUT(3, InputBias, bias, bias_at)
OUTPUT(4, OutputY, y, store)
layout(binding = UNIFORM_BINDING) uniform Problem
{
    DotProductAttentionProblem problem;
};
layout(push_constant) uniform Push
{
    TileRange push;
};

#define QUERIES uint(ATTENTION_QUERIES)
#define KEYS uint(ATTENTION_KEYS)
#define ACROSS 8u  // invocations that share a query
#define OWN_QUERIES 2u
#define OWN_KEYS 4u
#define STAGED_QUADS (uint(ATTENTION_STAGED) / 4u)
#define SIZE_QUADS ((spec_size + 3u) / 4u)
#define VALUE_QUADS ((spec_value_size + 3u) / 4u)
#define VALUE_PARTS ((spec_value_size + 31u) / 32u)  // of 32 elements

// Rows are an odd number of quads apart, so that neighbours read different banks.
#define Q_STEP (SIZE_QUADS | 1u)
#define STAGED_STEP (STAGED_QUADS + 1u)
#define WEIGHTS_STEP (KEYS / 4u + 1u)

shared Real4 q_staged[QUERIES * Q_STEP];
shared Real4 staged[KEYS * STAGED_STEP];       // of K, then of V
shared Real4 weights[QUERIES * WEIGHTS_STEP];  // quad i of a row: of keys i, i + 8, i + 16, i + 24
shared Real parts[QUERIES * ACROSS];           // of the greatest score, and at the end of the sum

// The lowest float stands for the greatest score where there is none yet. -Inf would make NaN of its difference from another -Inf.
#define LOWEST uintBitsToFloat(0xff7fffffu)

// A Place is where a tile is: its first query, and the first elements of its batch and head in each tensor.
struct Place {
    uint query;
    uint q;
    uint k;
    uint v;
    uint y;
    uint bias;
};

Place place_of(uint tile)
{
    uint rest = tile / problem.tiles;
    uint head = rest % problem.heads;
    uint batch = rest / problem.heads;
    uint key_head = head / problem.heads_per_key_head;
    return Place((tile - rest * problem.tiles) * QUERIES, batch * problem.q_batch + head * problem.q_head - push.x_base,
                 batch * problem.k_batch + key_head * problem.k_head, batch * problem.v_batch + key_head * problem.v_head,
                 batch * problem.y_batch + head * problem.y_head - push.y_base,
                 batch * problem.bias_batch + head * problem.bias_head);
}

void stage_queries(Place place)
{
    Real scale = real_of(uvec2(problem.scale, 0u));
    for (uint i = gl_LocalInvocationID.x; i < QUERIES * SIZE_QUADS; i += ATTENTION_INVOCATIONS) {
        uint row = i / SIZE_QUADS;
        uint quad = i - row * SIZE_QUADS;
        uint query = min(place.query + row, problem.queries - 1u);
        q_staged[row * Q_STEP + quad] = q_quad_of(place.q + query * problem.q_row, quad, spec_size) * scale;
    }
}

// Stages as many quads as are staged at once, from `first` on, of the rows of KEYS keys, from `key` on. What is staged of quads
// that a row has not is not read.
#define STAGE(quad_of, base, row_step, size, key, first)                                                                         \
    for (uint i = gl_LocalInvocationID.x; i < KEYS * STAGED_QUADS; i += ATTENTION_INVOCATIONS) {                                 \
        uint row = i / STAGED_QUADS;                                                                                             \
        uint quad = min(first + i % STAGED_QUADS, (size + 3u) / 4u - 1u);                                                        \
        staged[row * STAGED_STEP + i % STAGED_QUADS] =                                                                           \
            quad_of(base + min(key + row, problem.keys - 1u) * row_step, quad, size);                                            \
    }

// Returns a score with its bias, or -Inf for a key that there is not.
Real finished(Real score, Place place, uint query, uint key)
{
    if (spec_has_bias != 0u)
        score += bias_at(place.bias + min(query, problem.queries - 1u) * problem.bias_query +
                         min(key, problem.keys - 1u) * problem.bias_key);
    return key < problem.keys ? score : uintBitsToFloat(0xff800000u);
}

void main()
{
    uint tile = flat_workgroup();
    if (tile >= push.tile_count)
        return;
    Place place = place_of(push.first_tile + tile);
    uint across = gl_LocalInvocationID.x % ACROSS;
    uint own_row = gl_LocalInvocationID.x / ACROSS * OWN_QUERIES;
    stage_queries(place);
    Real4 sums[OWN_QUERIES * VALUE_PARTS];
    [[unroll]] for (uint i = 0u; i < OWN_QUERIES * VALUE_PARTS; ++i)
        sums[i] = Real4(0.0);
    Real greatest[OWN_QUERIES];
    Real sum[OWN_QUERIES];
    [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r) {
        greatest[r] = LOWEST;
        sum[r] = zero();
    }

    for (uint first_key = 0u; first_key < problem.keys; first_key += KEYS) {
        Real4 scores[OWN_QUERIES];  // of keys across, across + 8, across + 16, across + 24
        [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r)
            scores[r] = Real4(0.0);
        for (uint first = 0u; first < SIZE_QUADS; first += STAGED_QUADS) {
            barrier();
            STAGE(k_quad_of, place.k, problem.k_row, spec_size, first_key, first)
            barrier();
            [[dont_unroll]] for (uint i = 0u; i < min(STAGED_QUADS, SIZE_QUADS - first); ++i) {
                Real4 q[OWN_QUERIES];
                [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r)
                    q[r] = q_staged[(own_row + r) * Q_STEP + first + i];
                [[unroll]] for (uint j = 0u; j < OWN_KEYS; ++j) {
                    Real4 k = staged[(across + ACROSS * j) * STAGED_STEP + i];
                    [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r)
                        scores[r][j] += dot(q[r], k);
                }
            }
        }
        [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r) {
            [[unroll]] for (uint j = 0u; j < OWN_KEYS; ++j)
                scores[r][j] = finished(scores[r][j], place, place.query + own_row + r, first_key + across + ACROSS * j);
            parts[(own_row + r) * ACROSS + across] = max(max(scores[r].x, scores[r].y), max(scores[r].z, scores[r].w));
        }
        barrier();
        [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r) {
            Real before = greatest[r];
            [[unroll]] for (uint i = 0u; i < ACROSS; ++i)
                greatest[r] = max(greatest[r], parts[(own_row + r) * ACROSS + i]);
            Real factor = exp(before - greatest[r]);
            Real4 own = exp(scores[r] - greatest[r]);
            weights[(own_row + r) * WEIGHTS_STEP + across] = own;
            sum[r] = sum[r] * factor + ((own.x + own.y) + (own.z + own.w));
            [[unroll]] for (uint p = 0u; p < VALUE_PARTS; ++p)
                sums[r * VALUE_PARTS + p] *= factor;
        }
        [[unroll]] for (uint first = 0u; first < VALUE_QUADS; first += STAGED_QUADS) {
            if (first > 0u)
                barrier();
            STAGE(v_quad_of, place.v, problem.v_row, spec_value_size, first_key, first)
            barrier();
            [[dont_unroll]] for (uint i = 0u; i < ACROSS; ++i) {
                Real4 w[OWN_QUERIES];
                [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r)
                    w[r] = weights[(own_row + r) * WEIGHTS_STEP + i];
                [[unroll]] for (uint part = 0u; part < STAGED_QUADS / 8u; ++part) {
                    uint p = first / 8u + part;
                    if (p >= VALUE_PARTS)
                        continue;
                    [[unroll]] for (uint j = 0u; j < OWN_KEYS; ++j) {
                        Real4 v = staged[(i + ACROSS * j) * STAGED_STEP + part * 8u + across];
                        [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r)
                            sums[r * VALUE_PARTS + p] += w[r][j] * v;
                    }
                }
            }
        }
    }

    barrier();
    [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r)
        parts[(own_row + r) * ACROSS + across] = sum[r];
    barrier();
    [[unroll]] for (uint r = 0u; r < OWN_QUERIES; ++r) {
        uint query = place.query + own_row + r;
        if (query >= problem.queries)
            continue;
        Real whole = zero();
        [[unroll]] for (uint i = 0u; i < ACROSS; ++i)
            whole += parts[(own_row + r) * ACROSS + i];
        // Where all scores are -Inf all weights are 0, and so is their sum: Y is NaN.
        Real share = whole == zero() ? uintBitsToFloat(0x7fc00000u) : quotient(one(), whole);
        [[unroll]] for (uint p = 0u; p < VALUE_PARTS; ++p) {
            uint quad = p * 8u + across;
            if (quad >= VALUE_QUADS)
                continue;
            Real4 value = sums[r * VALUE_PARTS + p] * share;
            uint at = place.y + query * problem.y_row + 4u * quad;
            if (spec_value_size % 4u == 0u) {
                store_pair(at, value.x, value.y);
                store_pair(at + 2u, value.z, value.w);
            } else {  // never of halves, which would share words with other rows
                [[unroll]] for (uint i = 0u; i < 4u; ++i)
                    if (4u * quad + i < spec_value_size)
                        store(at + i, value[i]);
            }
        }
    }
}
