#version 450
// What a tiled kernel needs and no kernel of gather.glsl has, for specialization_test.cpp: tile sizes from its row of the variant
// table, a workgroup of three dimensions, shared memory of a specialized length, and several outputs an invocation.
#extension GL_GOOGLE_include_directive : require
#include "tests/unit/plan/tile_test_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)
OUTPUT(1, OutputY, y, store)

shared Real tile[TILE_M * spec_depth];

void main()
{
    uint i = gl_LocalInvocationIndex;
    uint first = flat_workgroup() * TILE_N;
    tile[i % (TILE_M * spec_depth)] = x_at(first + i);
    barrier();
    store_pair(first + 2u * i, tile[i], tile[i + 1u]);
    if (i == 0u)
        store(first + TILE_N - 1u, tile[0]);
}
