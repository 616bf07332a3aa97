// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes Resize by weighted sums, with up to 6 axes that have several taps. It is the general form of
// resize_direct. One invocation adds one part of an output: a box of its taps.
//
// Layouts: row-major. The table has a row for each coordinate of an axis with taps (resize.h).
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loops: spec_axes + rows * (spec_tapped + taps of the innermost axis) iterations an output
// Specialization: resize_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/resize/resize.glsl"

Real output_at(uint index)
{
    Rows rows = rows_of(index);
    uint count = 1u;  // rows of taps: the product over all axes but the innermost
    for (uint i = 0u; i < spec_tapped; ++i) {
        uint begin = push.tap_begin[MAX_AXES - 1u - i];
        uint end = min(push.tap_end[MAX_AXES - 1u - i], rows.taps[i]);
        rows.first[i] += begin;
        rows.taps[i] = end - min(begin, end);
        if (i > 0u)
            count *= rows.taps[i];
    }
    Real sum = sum_so_far(index);
    if (rows.taps[0] > 0u) {
        uint origin = rows.origin - push.x_base;
        for (uint row = 0u; row < count; ++row) {
            uint place = origin;
            uint digits = row;
            Real product = one();
            for (uint i = 1u; i < spec_tapped; ++i) {
                uvec2 tap = table[rows.first[i] + digits % rows.taps[i]];
                digits /= rows.taps[i];
                place += tap.x;
                product = times(product, weight_of(tap.y));
            }
            for (uint k = 0u; k < rows.taps[0]; ++k) {
                uvec2 tap = table[rows.first[0] + k];
                sum = plus(sum, times(times(weight_of(tap.y), product), x_at(place + tap.x)));
            }
        }
    }
    return push.finishes != 0u && rows.outside ? extrapolation() : sum;
}
