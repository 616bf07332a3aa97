// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the first step of conv_transpose_columns, a product of matrices for each image n and group g:
//
//   columns[n, g, row, q] = sum over channels c of g of packed[g, c, row] * X[n, g, c, q]     row = tap * M' + m
//
// Layouts: X (N, G, C', positions) and packed (G, C', rows) as texels; columns (N, G, rows, positions) in scratch memory.
// Order of the sum: channels.
// Assumptions: all of it is bound whole, and positions, rows and N * G fit the grid
// Specialization: shaders/test/columns_constants.h; shared memory of tile_channels * workgroup_size floats
// Grid: ceil(positions / workgroup_size), ceil(rows / workgroup_rows), N * G groups
#extension GL_GOOGLE_include_directive : require
#include "shaders/test/columns_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/test/conv_transpose_columns.h"

layout(binding = 0) uniform samplerBuffer x;
layout(binding = 1) uniform samplerBuffer packed;
layout(binding = 2) writeonly buffer Scratch
{
    float columns[];
};
layout(push_constant) uniform Push
{
    Columns push;
};

shared float tile[spec_tile_channels * gl_WorkGroupSize.x];

void main()
{
    uint q = gl_GlobalInvocationID.x;
    uint row = gl_GlobalInvocationID.y;
    uint rows = push.taps * push.channels_out;
    uint first_x = gl_WorkGroupID.z * push.channels_in * push.positions + q;
    uint first_texel = gl_WorkGroupID.z % push.group * push.channels_in * rows + row;
    float sum = uintBitsToFloat(0x80000000u);  // -0.0, which changes no first term
    for (uint first = 0u; first < push.channels_in; first += spec_tile_channels) {
        uint count = min(spec_tile_channels, push.channels_in - first);
        for (uint c = gl_LocalInvocationID.y; c < count; c += gl_WorkGroupSize.y)
            tile[c * gl_WorkGroupSize.x + gl_LocalInvocationID.x] =
                q < push.positions ? texelFetch(x, int(first_x + (first + c) * push.positions)).r : 0.0;
        barrier();
        for (uint c = 0u; row < rows && c < count; ++c)
            sum += tile[c * gl_WorkGroupSize.x + gl_LocalInvocationID.x] *
                   texelFetch(packed, int(first_texel + (first + c) * rows)).r;
        barrier();
    }
    if (q < push.positions && row < rows)
        columns[(gl_WorkGroupID.z * rows + row) * push.positions + q] = sum;
}
