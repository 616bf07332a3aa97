// SPDX-License-Identifier: Apache-2.0
// What both AveragePool kernels share: the problem and its operands, and the taps of one window along one axis.
#include "specialization/average_pool.h"

#include "common.glsl"
#include "shared/average_pool.h"
#include "store.glsl"

INPUT(0, InputX, x, x_at)

layout(binding = UNIFORM_BINDING) uniform Problem
{
    AveragePoolProblem problem;
};

#define OUTPUT_BINDING 1
#include "gather.glsl"

struct Window {
    uint position;  // input position of the first tap
    uint taps;      // taps that read the input, `dilation` apart
    uint counted;   // what the axis adds to the divisor
};

// Window number o, restricted to taps [tap_begin, tap_end); `counted` is that of the whole window.
Window window_of(AveragePoolAxis axis, uint o, uint tap_begin, uint tap_end)
{
    uint start = o * axis.stride;  // counted from the first padded position; input position 0 is `begin`
    uint first = start >= axis.begin ? 0u : divide_up(axis.begin - start, axis.dilation);
    uint beyond = axis.begin + axis.in_extent;
    uint inside = start >= beyond ? 0u : min(axis.kernel, (beyond - 1u - start) / axis.dilation + 1u);
    uint padded = beyond + axis.end;
    uint with_pad = start >= padded ? 0u : min(axis.kernel, (padded - 1u - start) / axis.dilation + 1u);
    uint counted = spec_count_include_pad != 0u ? with_pad : inside - min(first, inside);

    first = max(first, tap_begin);
    inside = min(inside, tap_end);
    if (first >= inside)
        return Window(0u, 0u, counted);
    return Window(start + first * axis.dilation - axis.begin, inside - first, counted);
}

Real finished(Real sum, bool any_tap, uint divisor)
{
    return any_tap ? over(sum, divisor, spec_exact_division != 0u) : zero();
}
