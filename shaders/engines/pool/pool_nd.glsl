// SPDX-License-Identifier: Apache-2.0
// This file holds what pools of any rank share: the rows of an output's window. It is included after the struct Window, the
// window on one axis, whose first tap inside is at `position` and which has `taps` of them.

const uint last_axis = MAX_AXES - 1u;

Window windows[MAX_AXES];  // the windows of an output on each axis

// Returns where the first tap of a row lies in X. Rows are numbered row-major. `outer` and `inner` are the output's place in
// front of the axes and behind them.
uint row_start(uint row, uint outer, uint inner)
{
    uint first = windows[last_axis].position;
    uint stride = problem.axes[last_axis].in_extent;
    for (uint i = 1u; i < spec_rank; ++i) {
        uint a = last_axis - i;
        uint j = row % windows[a].taps;
        row /= windows[a].taps;
        first += (windows[a].position + j * problem.axes[a].dilation) * stride;
        stride *= problem.axes[a].in_extent;
    }
    return (first + outer * stride) * problem.inner + inner;
}
