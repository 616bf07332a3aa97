// SPDX-License-Identifier: Apache-2.0
// This file holds what the AveragePool kernels share whose invocations compute a tile. Their specialization constants have
// count_include_pad.
#include "shaders/engines/pool/pool_tiles.glsl"

// Returns what a tap adds to the divisor.
uint counted(Tap tap)
{
    return uint(spec_count_include_pad != 0u ? tap.padded : tap.reads);
}

// A run is the taps of a window that begins at `start` of a padded axis, without dilation.
struct Run {
    uint first;    // input position of its first tap, which reads the input if any does
    uint taps;     // the number of taps that read the input
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

// Replaces the elements of a quad that do not belong to a run by -0.0, which adds nothing. The quad lies `from` elements behind
// the first of the run's `count` elements.
Real4 masked(Real4 some, uint from, uint count)
{
    return Real4(from < count ? some.x : empty_sum(), from + 1u < count ? some.y : empty_sum(),
                 from + 2u < count ? some.z : empty_sum(), from + 3u < count ? some.w : empty_sum());
}

// Returns the mean, or 0 where `read` is false, since no tap read the input.
Real mean(Real sum, uint divisor, bool read)
{
#if CLIPPED
    return read ? over(sum, divisor, false) : zero();
#else
    return over(sum, divisor, false);
#endif
}
