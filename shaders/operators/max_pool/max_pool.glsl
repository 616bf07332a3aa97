// SPDX-License-Identifier: Apache-2.0
// This file holds what both kernels of MaxPool share: the windows of an output, limited to the part's box of taps.

struct Window {
    uint position;  // of the first tap that reads the input
    uint taps;      // the number of taps that do, `dilation` apart
    bool begins;    // whether they begin with the first of the whole window's
};

#include "shaders/engines/pool/pool_nd.glsl"

Window window_of(PoolAxis axis, uint o, uint tap_begin, uint tap_end)
{
    Taps inside = taps_inside(axis, o);
    uint first = max(inside.first, tap_begin);
    uint end = min(inside.end, tap_end);
    if (first >= end)
        return Window(0u, 0u, false);
    return Window(position_of(axis, o, first), end - first, first == inside.first);
}

// This struct holds the rows of taps that an output has: none where a row has no tap.
struct Rows {
    uint count;
    uint outer;  // the output's place in front of the axes, and behind them
    uint inner;
    bool begins;  // whether they begin with the first tap of the whole window
};

Rows find_windows(uint index)
{
    Rows rows = Rows(1u, index / problem.inner, index % problem.inner, true);
    for (uint i = 0u; i < spec_rank; ++i) {
        uint a = last_axis - i;
        uint o = rows.outer % problem.axes[a].out_extent;
        rows.outer /= problem.axes[a].out_extent;
        windows[a] = window_of(problem.axes[a], o, push.tap_begin[a], push.tap_end[a]);
        rows.count *= i == 0u ? min(windows[a].taps, 1u) : windows[a].taps;
        rows.begins = rows.begins && windows[a].begins;
    }
    return rows;
}
