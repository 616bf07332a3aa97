// SPDX-License-Identifier: Apache-2.0
// This file holds what the kernels of linear and cubic Resize share: the problem, its operands, the type that sums are computed
// in, and where the taps of an output stand in the table.
#include "shaders/operators/resize/resize_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/divide.glsl"
#include "shaders/operators/resize/resize.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)

layout(binding = 1) readonly buffer Table
{
    uvec2 table[];
};

layout(binding = UNIFORM_BINDING) uniform Problem
{
    ResizeProblem problem;
};

#define OUTPUT_BINDING 2
#include "shaders/engines/gather/gather.glsl"

    // ---- sums: of integers in float, rounded toward zero at the end

#ifdef REALS

#define Sum Real

Sum weight_of(uint bits)
{
#if defined(TYPE_f64) || defined(TYPE_f64_soft)
    return real_of(binary64_from_normal(bits));
#else
    return uintBitsToFloat(bits);
#endif
}

Sum element_at(uint i)
{
    return x_at(i);
}

Sum added(Sum a, Sum b)
{
    return plus(a, b);
}

Sum multiplied(Sum a, Sum b)
{
    return times(a, b);
}

Real result_of(Sum sum)
{
    return sum;
}

#else

#define Sum float

Sum weight_of(uint bits)
{
    return uintBitsToFloat(bits);
}

Sum element_at(uint i)
{
    return float(x_at(i));
}

Sum added(Sum a, Sum b)
{
    precise float sum = a + b;
    return sum;
}

Sum multiplied(Sum a, Sum b)
{
    precise float product = a * b;
    return product;
}

// Returns the result of a sum. Its weights add up to 1, but for their rounding, so it is in the type's range; only with int32 it
// may end at 2^31.
Real result_of(Sum sum)
{
    return sum >= 2147483648.0f ? Real(0x7fffffff) : Real(int(sum));
}

#endif

Real extrapolation()
{
    return real_of(uvec2(problem.extrapolation_low, problem.extrapolation_high));
}

// ---- taps

// This struct holds for an output where X's elements are counted from, and where the taps of each axis stand in the table, from
// the innermost on.
struct Rows {
    uint origin;
    bool outside;
    uint first[MAX_AXES];
    uint taps[MAX_AXES];
};

Rows rows_of(uint index)
{
    Rows rows = Rows(0u, false, uint[](0u, 0u, 0u, 0u, 0u, 0u), uint[](1u, 1u, 1u, 1u, 1u, 1u));
    uint rest = index;
    for (uint i = 0u; i < spec_axes; ++i) {
        uint above = i + 1u < spec_axes ? divided(rest, problem.axes[i].out_extent) : 0u;
        uint coordinate = rest - above * problem.axes[i].out_extent.number;
        rest = above;
        if (problem.axes[i].entries == 0u) {
            rows.origin += coordinate * problem.axes[i].stride;
        } else {
            uint row = problem.axes[i].row + coordinate * problem.axes[i].entries;
            uvec2 head = table[row];
            rows.first[problem.axes[i].number] = row + 1u;
            rows.taps[problem.axes[i].number] = head.x;
            rows.outside = rows.outside || head.y != 0u;
        }
    }
    return rows;
}
