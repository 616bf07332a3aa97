// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes AveragePool with 1 to 3 spatial axes in one part: one invocation sums a window, taps row-major, and
// divides once.
//
// Layouts: X (outer, D1..D3, inner), Y (outer, O1..O3, inner), row-major. NCX is outer = N * C, inner = 1; NXC outer = N,
// inner = C.
// Assumptions:
// - padded extents and the window's taps fit 31 bits
// - the device allows the loops: prod(taps + 1) iterations an output
// Specialization: average_pool_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/average_pool/average_pool.glsl"

Window whole_window(PoolAxis axis, uint o)
{
    return window_of(axis, o, 0u, axis.kernel);
}

Real output_at(uint index)
{
    uint rest = index / problem.inner;
    Window window2 = whole_window(problem.axes[5], rest % problem.axes[5].out_extent);
    rest /= problem.axes[5].out_extent;
    Window window1 = Window(0u, 1u, 1u);
    if (spec_rank > 1u) {
        window1 = whole_window(problem.axes[4], rest % problem.axes[4].out_extent);
        rest /= problem.axes[4].out_extent;
    }
    Window window0 = Window(0u, 1u, 1u);
    if (spec_rank > 2u) {
        window0 = whole_window(problem.axes[3], rest % problem.axes[3].out_extent);
        rest /= problem.axes[3].out_extent;
    }

    Real sum = empty_sum();
    uint origin = index % problem.inner - push.x_base;
    uint step = problem.axes[5].dilation * problem.inner;
    for (uint i = 0u; i < window0.taps; ++i) {
        uint plane = rest * problem.axes[3].in_extent + window0.position + i * problem.axes[3].dilation;
        for (uint j = 0u; j < window1.taps; ++j) {
            uint row = plane * problem.axes[4].in_extent + window1.position + j * problem.axes[4].dilation;
            uint first = origin + (row * problem.axes[5].in_extent + window2.position) * problem.inner;
            for (uint k = 0u; k < window2.taps; ++k)
                sum = plus(sum, x_at(first + k * step));
        }
    }
    bool any_tap = window0.taps * window1.taps * window2.taps > 0u;
    return finished(sum, any_tap, window0.counted * window1.counted * window2.counted);
}
