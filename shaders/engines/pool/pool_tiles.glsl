// SPDX-License-Identifier: Apache-2.0
// This file holds what the kernels of pools share whose invocations compute a tile. CLIPPED is 0 where all taps of all windows
// read the input.
#include "shaders/engines/pool/pool_tiles.h"
#include "shaders/engines/tiles/tiles.glsl"

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

// This struct holds a row of outputs along the last axis: its image, and where its windows begin on the axes before, counted from
// the start of the padding.
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

// This struct holds the row of X that tap (i, j) of the axes before the last meets.
struct Tap {
    uint row;
    bool reads;   // whether it is in the input, not in padding
    bool padded;  // whether it is in the input or in padding
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
