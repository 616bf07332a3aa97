// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the setup step of conv_transpose_columns: W (C, M', taps) becomes packed memory (C, taps, M').
// Specialization: shaders/test/columns_constants.h, with one row
// Grid: ceil(count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/test/columns_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/test/conv_transpose_columns.h"

layout(binding = 0) readonly buffer Weights
{
    float w[];
};
layout(binding = 1) writeonly buffer Packed
{
    float packed[];
};
layout(push_constant) uniform Push
{
    Columns push;
};

void main()
{
    uint i = flat_invocation();
    if (i >= push.count)
        return;
    uint tap = i % push.taps;
    uint column = i / push.taps % push.channels_out;
    uint channel = i / push.taps / push.channels_out;
    packed[(channel * push.taps + tap) * push.channels_out + column] = w[i];
}
