#version 450
// Measures the f32 multiply-add rate: chains whose operands come from memory, so that no compiler can shorten them.
// An invocation runs 8 independent chains of vec4, FLOPS_PROBE_OPERATIONS operations in each of push.iterations iterations.
//
// Assumptions: x holds 2 vec4, y one vec4 an invocation; the grid has one dimension
// Specialization: SPEC_WORKGROUP_SIZE
// Grid: any
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

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
    vec4 factor = x[0];
    vec4 term = x[1];
    vec4 a = term, b = a + term, c = b + term, d = c + term, e = d + term, f = e + term, g = f + term, h = g + term;
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
    y[flat_invocation()] = a + b + c + d + e + f + g + h;
}
