// SPDX-License-Identifier: Apache-2.0
// This file holds what kernels share that gather the windows of a pool: the problem, and which taps of a window read the input.
// It is included after store.glsl.
#include "shaders/engines/pool/pool.h"

layout(binding = UNIFORM_BINDING) uniform Problem
{
    PoolProblem problem;
};

// This struct tells that taps [first, end) of a window are inside the input.
struct Taps {
    uint first;
    uint end;
};

Taps taps_inside(PoolAxis axis, uint o)
{
    uint start = o * axis.stride;  // counted from the first padded position; input position 0 is `begin`
    uint first = start >= axis.begin ? 0u : divide_up(axis.begin - start, axis.dilation);
    uint beyond = axis.begin + axis.in_extent;
    uint end = start >= beyond ? 0u : min(axis.kernel, (beyond - 1u - start) / axis.dilation + 1u);
    return Taps(first, max(first, end));
}

// Returns the input position of a tap that is inside.
uint position_of(PoolAxis axis, uint o, uint tap)
{
    return o * axis.stride + tap * axis.dilation - axis.begin;
}
