// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes AveragePool with windows that overlap along the last axis and nothing behind it (inner = 1): moving
// averages, and the last pass of average_pool_separable. An invocation sums the windows of OUTPUTS adjacent outputs, STRIDE
// apart. The elements that all of them share are added once, in quads. Each window then adds its own elements before those and
// behind them. Nothing is ever subtracted, so an Inf reaches no window but its own. Short windows share too little: where TAPS is
// not 0, it is the most taps that windows have, and each window adds all of its own.
//
// Layouts: X (slabs, D), Y (slabs, O), row-major; slabs are the rows of outputs before the last axis.
// Order of the sum: its own.
// Assumptions:
// - padded extents and the window's taps fit 31 bits; the last axis has stride STRIDE, dilation 1 and a kernel above SPAN, or up
//   to TAPS
// - X is bound by whole quads
// - tiles of halves are whole words; all tiles are whole quads where spec_stores_quads says so
// - the device allows the loop, where there is one: (kernel - SPAN) / 4 + 2 iterations
// Specialization: average_pool_moving_constants.h
// Grid: ceil(tile_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/operators/average_pool/average_pool_moving_constants.h"

#include "shaders/operators/average_pool/average_pool_tiles.glsl"

QUADS(0, InputX, x, x_quad)
layout(binding = 1) writeonly buffer OutputY
{
    Element y[];
};
layout(binding = 1) writeonly buffer OutputQuads
{
    Quad y_quads[];
};

// SPAN is how far behind the first window of a tile the last one begins. READ is how many elements are read in a row.
#define SPAN ((OUTPUTS - 1) * STRIDE)
#define READ (SPAN + TAPS)

struct Elements {
    Real4 quads[(READ + 3) / 4];
};

// Reads elements of the row that begins at `from`, from its number `first` on. Elements beside the row are replaced by -0.0,
// which adds nothing.
Elements elements_at(uint from, uint first, uint extent)
{
    Elements elements;
    uint at = from + first;
    int quad = int(at) >> 2;
    Real4 here = x_quad(quad);
    [[unroll]] for (int i = 0; i < (READ + 3) / 4; ++i) {
        Real4 next = x_quad(quad + i + 1);
        elements.quads[i] = masked(shifted(here, next, at & 3u), first + 4u * uint(i), extent);
        here = next;
    }
    return elements;
}

void main()
{
    uint tile = flat_invocation();
    if (tile >= push.tile_count)
        return;
    tile += push.first_tile;
    PoolAxis axis = problem.axes[2];
    uint slab = divided(tile, problem.tiles_of_row);
    uint o = (tile - slab * problem.tiles_of_row.number) * OUTPUTS;
    uint from = slab * axis.in_extent - push.x_base;  // the row's first element
    uint start = o * STRIDE;                          // in the padded row
    uint first = start - axis.begin;                  // below 0 in the padding

    Real sums[OUTPUTS];
    Elements before = elements_at(from, first, axis.in_extent);
#if TAPS
    [[unroll]] for (int i = 0; i < OUTPUTS; ++i) {
        sums[i] = before.quads[i * STRIDE / 4][i * STRIDE % 4];
        [[unroll]] for (int j = 1; j < TAPS; ++j) {
            Real more = plus(sums[i], before.quads[(i * STRIDE + j) / 4][(i * STRIDE + j) % 4]);
            sums[i] = j < spec_kernel ? more : sums[i];
        }
    }
#else
    Real sum = empty_sum();  // of the elements that a window has before the shared ones
    sums[OUTPUTS - 1] = sum;
    [[unroll]] for (int i = SPAN - 1; i >= 0; --i) {
        sum = i == SPAN - 1 ? before.quads[i / 4][i % 4] : plus(before.quads[i / 4][i % 4], sum);
        if (i % STRIDE == 0)
            sums[i / STRIDE] = sum;
    }

    uint beyond = axis.begin + axis.in_extent;
    uint begin = clamp(start + SPAN, axis.begin, beyond) - axis.begin;
    uint count = clamp(start + axis.kernel, axis.begin, beyond) - axis.begin - begin;
    uint at = from + begin;
    int quad = int(at) >> 2;
    int end = count == 0u ? quad : int(at + count - 1u) >> 2;  // the quad with the last element
    Real4 shared4 = masked(x_quad(quad), uint(quad) * 4u - at, count);
    for (int q = quad + 1; q < end; ++q)
        shared4 = plus(shared4, reals_of(x[q]));
    if (end > quad)
        shared4 = plus(shared4, masked(x_quad(end), uint(end) * 4u - at, count));
    sum = plus(plus(shared4.x, shared4.y), plus(shared4.z, shared4.w));
    [[unroll]] for (int i = 0; i < OUTPUTS - 1; ++i)
        sums[i] = plus(sums[i], sum);
    sums[OUTPUTS - 1] = sum;

    Elements behind = elements_at(from, first + axis.kernel, axis.in_extent);
    [[unroll]] for (int i = 0; i < SPAN; ++i) {
        sum = i == 0 ? behind.quads[0].x : plus(sum, behind.quads[i / 4][i % 4]);
        if ((i + 1) % STRIDE == 0)
            sums[(i + 1) / STRIDE] = plus(sums[(i + 1) / STRIDE], sum);
    }
#endif

    Row row = row_of(slab);
    Run run0 = run_of(problem.axes[0], row.begins[0]);
    Run run1 = run_of(problem.axes[1], row.begins[1]);
    uint rows = run0.taps * run1.taps;
    uint counted_rows = run0.counted * run1.counted;
    [[unroll]] for (uint i = 0u; i < OUTPUTS; ++i) {
        Run run = run_of(axis, start + i * STRIDE);
        sums[i] = mean(sums[i], counted_rows * run.counted, rows > 0u && run.taps > 0u);
    }
    uint to = slab * axis.out_extent + o - push.y_base;
    [[unroll]] for (uint i = 0u; i < OUTPUTS; i += 4u) {
        Quad quad = quad_of(Real4(sums[i], sums[i + 1u], sums[i + 2u], sums[i + 3u]));
        if (STORES_QUADS(axis.out_extent)) {
            if (o + i < axis.out_extent)
                y_quads[(to + i) >> 2] = quad;
        } else {
            [[unroll]] for (uint j = 0u; j < 4u; j += ELEMENTS_PER_WORD)
                if (o + i + j < axis.out_extent)
                    y[(to + i + j) / ELEMENTS_PER_WORD] = quad[j / ELEMENTS_PER_WORD];
        }
    }
}
