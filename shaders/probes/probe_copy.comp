// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader measures bandwidth. It copies push.count vec4; the vec4 of an invocation are push.stride apart, so that neighbours
// touch neighbouring memory.
//
// Assumptions: x and y hold push.count vec4; push.stride is the number of invocations
// Specialization: plain_constants.h
// Grid: any of one dimension
#extension GL_GOOGLE_include_directive : require
#include "shaders/library/plain_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/probes/probe.h"

layout(binding = 0) readonly buffer InputX
{
    vec4 x[];
};
layout(binding = 1) writeonly buffer OutputY
{
    vec4 y[];
};

layout(push_constant) uniform Push
{
    CopyProbe push;
};

void main()
{
    for (uint i = flat_invocation(); i < push.count; i += push.stride)
        y[i] = x[i];
}
