// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes AveragePool of any rank up to 6 and any window. It is the general form of average_pool_direct. One
// invocation adds one part of an output: a box of the window's taps.
//
// Layouts: X (outer, D1..Dn, inner), Y (outer, O1..On, inner), row-major.
// Assumptions:
// - padded extents and the window's taps fit 31 bits
// - the device allows the loops: rows * (rank + taps of the last axis) iterations an output
// Specialization: average_pool_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/average_pool/average_pool.glsl"
#include "shaders/engines/pool/pool_nd.glsl"

Real output_at(uint index)
{
    uint rest = index / problem.inner;
    uint rows = 1u;  // rows of taps: the product over all axes but the last
    uint divisor = 1u;
    bool any_tap = true;
    for (uint i = 0u; i < spec_rank; ++i) {
        uint a = last_axis - i;
        uint o = rest % problem.axes[a].out_extent;
        rest /= problem.axes[a].out_extent;
        windows[a] = window_of(problem.axes[a], o, push.tap_begin[a], push.tap_end[a]);
        if (i > 0u)
            rows *= windows[a].taps;
        divisor *= windows[a].counted;
        // This asks for all parts, not only for this one.
        any_tap = any_tap && window_of(problem.axes[a], o, 0u, problem.axes[a].kernel).taps > 0u;
    }
    Window last = windows[last_axis];
    uint step = problem.axes[last_axis].dilation * problem.inner;

    Real sum = sum_so_far(index);
    if (last.taps > 0u) {
        for (uint row = 0u; row < rows; ++row) {
            uint first = row_start(row, rest, index % problem.inner) - push.x_base;
            for (uint k = 0u; k < last.taps; ++k)
                sum = plus(sum, x_at(first + k * step));
        }
    }
    return push.finishes != 0u ? finished(sum, any_tap, divisor) : sum;
}
