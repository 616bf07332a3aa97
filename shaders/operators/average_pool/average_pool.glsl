// SPDX-License-Identifier: Apache-2.0
// This file holds what both AveragePool kernels share: the problem, its operands, and the taps of one window along one axis.
#include "shaders/operators/average_pool/average_pool_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/store.glsl"

#include "shaders/engines/pool/pool.glsl"

INPUT(0, InputX, x, x_at)

#define OUTPUT_BINDING 1
#include "shaders/engines/gather/gather.glsl"

struct Window {
    uint position;  // input position of the first tap
    uint taps;      // the number of taps that read the input, `dilation` apart
    uint counted;   // what the axis adds to the divisor
};

// Returns window number o, restricted to taps [tap_begin, tap_end). Its `counted` is that of the whole window.
Window window_of(PoolAxis axis, uint o, uint tap_begin, uint tap_end)
{
    Taps inside = taps_inside(axis, o);
    uint start = o * axis.stride;
    uint padded = axis.begin + axis.in_extent + axis.end;
    uint with_pad = start >= padded ? 0u : min(axis.kernel, (padded - 1u - start) / axis.dilation + 1u);
    uint counted = spec_count_include_pad != 0u ? with_pad : inside.end - inside.first;

    uint first = max(inside.first, tap_begin);
    uint end = min(inside.end, tap_end);
    if (first >= end)
        return Window(0u, 0u, counted);
    return Window(position_of(axis, o, first), end - first, counted);
}

Real finished(Real sum, bool any_tap, uint divisor)
{
    return any_tap ? over(sum, divisor, spec_exact_division != 0u) : zero();
}
