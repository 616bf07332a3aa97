// SPDX-License-Identifier: Apache-2.0
// This file is for kernels in which spec_lanes invocations share a row, a tile. It is included behind tiles.glsl.
#ifndef VKONNX_LANES_GLSL
#define VKONNX_LANES_GLSL

// Each invocation keeps its part of its row's sum here.
shared Real parts[gl_WorkGroupSize.x];

Real greater(Real a, Real b)
{
    return less(a, b) ? b : a;
}

// Joins the parts that the lanes of a row have, to their sum or, with `greatest`, to the greatest of them. Every lane gets it. A NaN
// may be left out of the greatest.
Real joined(Real part, uint lane, bool greatest)
{
    if (spec_lanes == 1u)
        return part;
    uint own = gl_LocalInvocationID.x;
    parts[own] = part;
    for (uint left = spec_lanes / 2u; left > 0u; left /= 2u) {
        barrier();
        if (lane < left)
            parts[own] = greatest ? greater(parts[own], parts[own + left]) : plus(parts[own], parts[own + left]);
    }
    barrier();
    Real all = parts[own - lane];
    barrier();  // before the next parts take their place
    return all;
}

Real total(Real part, uint lane)
{
    return joined(part, lane, false);
}

#endif
