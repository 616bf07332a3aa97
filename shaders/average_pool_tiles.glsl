// SPDX-License-Identifier: Apache-2.0
// What the AveragePool kernels that compute a tile an invocation share. Their specialization constants have count_include_pad.
// CLIPPED: not all taps of all windows read the input.
#include "shared/average_pool_tiles.h"
#include "tiles.glsl"

layout(binding = UNIFORM_BINDING) uniform Problem
{
    AveragePoolTiled problem;
};
layout(push_constant) uniform Push
{
    TileRange push;
#ifdef PASS
    AveragePoolPass pass;
#endif
};

// A row of outputs along the last axis: of which image, and where its windows begin on the axes before, in the padding or behind.
struct Row {
    uint image;
    uint begins[2];
};

Row row_of(uint number)
{
    uint plane = divided(number, problem.outs[1]);
    uint image = divided(plane, problem.outs[0]);
    return Row(image, uint[2]((plane - image * problem.outs[0].number) * problem.axes[0].stride,
                              (number - plane * problem.outs[1].number) * problem.axes[1].stride));
}

// The row of X that tap (i, j) of the axes before the last meets.
struct Tap {
    uint row;
    bool reads;   // the input, not padding
    uint counts;  // 1 where the divisor knows it
};

Tap tap_of(Row row, uint i, uint j)
{
    PoolAxis outer = problem.axes[0];
    PoolAxis inner = problem.axes[1];
    uint plane = row.begins[0] + i * outer.dilation;
    uint line = row.begins[1] + j * inner.dilation;
#if CLIPPED
    uint at = (row.image * outer.in_extent + plane - outer.begin) * inner.in_extent + line - inner.begin;
    bool reads = plane - outer.begin < outer.in_extent && line - inner.begin < inner.in_extent;
    bool padded = plane < outer.begin + outer.in_extent + outer.end && line < inner.begin + inner.in_extent + inner.end;
    return Tap(at, reads, uint(spec_count_include_pad != 0u ? padded : reads));
#else
    return Tap((row.image * outer.in_extent + plane) * inner.in_extent + line, true, 1u);
#endif
}

// Of a window that begins at `start` of a padded axis, without dilation.
struct Run {
    uint first;    // input position of its first tap, which reads the input if any does
    uint taps;     // that do
    uint counted;  // what the axis adds to the divisor
};

Run run_of(PoolAxis axis, uint start)
{
    uint beyond = axis.begin + axis.in_extent;
    uint first = clamp(start, axis.begin, beyond);
    uint taps = clamp(start + axis.kernel, axis.begin, beyond) - first;
    uint padded = min(start + axis.kernel, beyond + axis.end) - min(start, beyond + axis.end);
    return Run(first - axis.begin, taps, spec_count_include_pad != 0u ? padded : taps);
}

// A quad that lies `from` elements behind a run's first: what is not of the run's `count` adds nothing, -0.0.
Real4 masked(Real4 some, uint from, uint count)
{
    return Real4(from < count ? some.x : empty_sum(), from + 1u < count ? some.y : empty_sum(),
                 from + 2u < count ? some.z : empty_sum(), from + 3u < count ? some.w : empty_sum());
}

// `read`: whether any tap did.
Real mean(Real sum, uint divisor, bool read)
{
#if CLIPPED
    return read ? over(sum, divisor, false) : zero();
#else
    return over(sum, divisor, false);
#endif
}
