#version 450
// The self-test at opening: per pair of floats their sum, their product and a pattern of integers.
//
// Layouts: input is `count` pairs (a, b); output is `count` triples of bits (a + b, a * b, pattern).
// Specialization: SPEC_WORKGROUP_SIZE.
// Grid: ceil(count / workgroup size), 1, 1.
#extension GL_GOOGLE_include_directive : require
#include "spec_ids.h"

layout(local_size_x_id = SPEC_WORKGROUP_SIZE) in;

layout(push_constant) uniform Push { uint count; };
layout(binding = 0) readonly buffer Input { vec2 pairs[]; };
layout(binding = 1) writeonly buffer Output { uint results[]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    precise float sum = pairs[i].x + pairs[i].y;
    precise float product = pairs[i].x * pairs[i].y;
    results[3 * i] = floatBitsToUint(sum);
    results[3 * i + 1] = floatBitsToUint(product);
    results[3 * i + 2] = (floatBitsToUint(pairs[i].x) ^ i * 2654435761u) + (i / 7u) % 5u;
}
