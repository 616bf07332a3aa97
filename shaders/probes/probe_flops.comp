// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader measures the multiply-add rate of a type, by chains whose operands come from memory, so that no compiler can
// shorten them. An invocation runs 8 independent chains of 4 components, FLOPS_PROBE_OPERATIONS operations in each of
// push.iterations iterations.
//
// Assumptions: x holds 2 vec4, y one vec4 an invocation; the grid has one dimension
// Specialization: plain_constants.h
// Grid: any
#extension GL_GOOGLE_include_directive : require
#include "shaders/library/plain_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/probes/probe.h"

#ifdef TYPE_f16
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define Vector f16vec4
#else
#define Vector vec4
#endif

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
    FlopsProbe push;
};

void main()
{
    Vector factor = Vector(x[0]);
    Vector term = Vector(x[1]);
    Vector a = term, b = a + term, c = b + term, d = c + term, e = d + term, f = e + term, g = f + term, h = g + term;
    for (uint i = 0u; i < push.iterations; ++i) {
        a = a * factor + term;
        b = b * factor + term;
        c = c * factor + term;
        d = d * factor + term;
        e = e * factor + term;
        f = f * factor + term;
        g = g * factor + term;
        h = h * factor + term;
        a = a * factor + term;
        b = b * factor + term;
        c = c * factor + term;
        d = d * factor + term;
        e = e * factor + term;
        f = f * factor + term;
        g = g * factor + term;
        h = h * factor + term;
    }
    y[flat_invocation()] = vec4(a + b + c + d + e + f + g + h);
}
