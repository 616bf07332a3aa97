// SPDX-License-Identifier: Apache-2.0
// What pools of any rank share: the rows of an output's window. After the struct Window, of one axis, whose first tap inside is
// at `position` and which has `taps` of them.

const uint last_axis = MAX_AXES - 1u;

Window windows[MAX_AXES];  // of the output

// Where the first tap of a row lies: rows are numbered row-major. `outer`, `inner`: the output's place in front of the axes and
// behind them.
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
