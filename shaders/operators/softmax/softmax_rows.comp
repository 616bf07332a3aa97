// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Softmax, or LogSoftmax with spec_logarithm, of rows that lie in one piece, in one dispatch. spec_lanes
// invocations share a row of X, a tile. They go through it for the greatest element, for the sum of e^(x - greatest), and for the
// outputs.
//
// Layouts: X, Y (rows, extent), row-major.
// Order of the sums: their own.
// Assumptions:
// - element numbers fit 31 bits
// - rows of halves are whole words
// - the device allows the loops: extent / lanes iterations and, around those of the sum, a 32nd of that
// - where Y is the memory of X, an invocation reads an element for the last time where it writes it
// Specialization: softmax_rows_constants.h
// Grid: ceil(tile_count * lanes / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/softmax/softmax_rows_constants.h"

#include "shaders/operators/normalization/normalization.h"
#include "shaders/engines/tiles/tiles.glsl"
#include "shaders/engines/tiles/lanes.glsl"
#include "shaders/library/functions.glsl"

INPUT(0, InputX, x, x_at)
OUTPUT(1, OutputY, y, store)
layout(push_constant) uniform Push
{
    TileRange push;
    SoftmaxRow of_row;
};

// `whole` is the sum of e^(x - greatest), or its logarithm.
Real output_at(Real element, Real greatest, Real whole)
{
    Real below = minus(element, greatest);
    return spec_logarithm != 0u ? minus(below, whole) : quotient(exponential(below), whole);
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
    uint extent = spec_extent != 0u ? spec_extent : of_row.extent;
    uint x_first = row * extent - push.x_base;
    uint y_first = row * extent - push.y_base;

    Real greatest = uintBitsToFloat(0xff800000u);  // -Inf
    for (uint i = lane; i < extent; i += spec_lanes)
        greatest = greater(greatest, x_at(x_first + i));
    greatest = joined(greatest, lane, true);

    // Terms are added in blocks, so that the rounding of a sum of n terms grows with 32 + n / 32.
    Real whole = zero();
    for (uint i = lane; i < extent;) {
        Real block = zero();
        for (uint end = min(i + 32u * spec_lanes, extent); i < end; i += spec_lanes)
            block = plus(block, exponential(minus(x_at(x_first + i), greatest)));
        whole = plus(whole, block);
    }
    whole = total(whole, lane);
    if (spec_logarithm != 0u)
        whole = natural_logarithm(whole);
    if (!inside)
        return;

#ifdef SHARED_WORDS
    for (uint i = 2u * lane; i < extent; i += 2u * spec_lanes)
        store_pair(y_first + i, output_at(x_at(x_first + i), greatest, whole), output_at(x_at(x_first + i + 1u), greatest, whole));
#else
    for (uint i = lane; i < extent; i += spec_lanes)
        store(y_first + i, output_at(x_at(x_first + i), greatest, whole));
#endif
}
