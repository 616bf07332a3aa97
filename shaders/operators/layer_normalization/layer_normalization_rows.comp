// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes LayerNormalization in one dispatch. spec_lanes invocations share a row of X, a tile. They go through it
// for the mean, for the variance around the mean, and for the outputs.
//
// Layouts: X, Y (rows, extent), row-major; Scale, B: an element for each position, or one for all.
// Order of the sums: their own.
// Assumptions:
// - element numbers fit 31 bits
// - rows of halves are whole words
// - the device allows the loops: extent / lanes iterations
// Specialization: layer_normalization_rows_constants.h
// Grid: ceil(tile_count * lanes / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/layer_normalization/layer_normalization_rows_constants.h"

#include "shaders/operators/normalization/normalization.h"
#include "shaders/engines/tiles/tiles.glsl"
#include "shaders/engines/tiles/lanes.glsl"

INPUT(0, InputX, x, x_at)
INPUT(1, InputScale, scale, scale_at)
INPUT(2, InputB, b, b_at)
OUTPUT(3, OutputY, y, store)
layout(binding = UNIFORM_BINDING) uniform Problem
{
    LayerNormalizationProblem problem;
};
layout(push_constant) uniform Push
{
    TileRange push;
};

Real output_at(uint position, Real element, Real mean, Real deviation)
{
    Real normalized = times(minus(element, mean), deviation);
    Real scaled = times(normalized, scale_at(min(position, problem.last_scale)));
    return spec_has_b == 0u ? scaled : plus(scaled, b_at(min(position, problem.last_offset)));
}

void main()
{
    uint own = gl_LocalInvocationID.x;
    uint lane = own % spec_lanes;
    uint row = flat_workgroup() * (gl_WorkGroupSize.x / spec_lanes) + own / spec_lanes;
    bool inside = row < push.tile_count;
    if (spec_lanes == 1u && !inside)
        return;  // elsewhere others of the workgroup would wait for it in vain
    row = push.first_tile + min(row, push.tile_count - 1u);
    uint x_first = row * problem.extent - push.x_base;
    uint y_first = row * problem.extent - push.y_base;
    Real count = real_of(uvec2(problem.count, 0u));

    Real sum = zero();
    for (uint i = lane; i < problem.extent; i += spec_lanes)
        sum = plus(sum, x_at(x_first + i));
    Real mean = quotient(total(sum, lane), count);

    Real squares = zero();
    for (uint i = lane; i < problem.extent; i += spec_lanes) {
        Real difference = minus(x_at(x_first + i), mean);
        squares = plus(squares, times(difference, difference));
    }
    Real variance = quotient(total(squares, lane), count);
    Real deviation = quotient(one(), square_root(plus(variance, real_of(uvec2(problem.epsilon, 0u)))));
    if (!inside)
        return;

#ifdef SHARED_WORDS
    for (uint i = 2u * lane; i < problem.extent; i += 2u * spec_lanes)
        store_pair(y_first + i, output_at(i, x_at(x_first + i), mean, deviation),
                   output_at(i + 1u, x_at(x_first + i + 1u), mean, deviation));
#else
    for (uint i = lane; i < problem.extent; i += spec_lanes)
        store(y_first + i, output_at(i, x_at(x_first + i), mean, deviation));
#endif
}
