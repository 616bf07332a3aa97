// SPDX-License-Identifier: Apache-2.0
// What the kernels of pools share that compute a tile an invocation. CLIPPED: not all taps of all windows read the input.
#include "shared/pool_tiles.h"
#include "tiles.glsl"

layout(binding = UNIFORM_BINDING) uniform Problem
{
    PoolTiled problem;
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
    bool padded;  // the input or padding
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
    return Tap(at, reads, padded);
#else
    return Tap((row.image * outer.in_extent + plane) * inner.in_extent + line, true, true);
#endif
}
