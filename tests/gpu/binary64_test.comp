#version 450
// What binary64_test.cpp compares with the host: the sum, product and quotient of pairs of binary64 numbers, and the low word of
// the first as such a number.
//
// Layouts: pairs is (a, b) an invocation; results is (a + b, a * b, a / b, number) an invocation.
// Grid: pairs / 64, 1, 1.
#extension GL_GOOGLE_include_directive : require
#include "binary64.glsl"

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Pairs
{
    uvec2 pairs[];
};
layout(binding = 1) writeonly buffer Results
{
    uvec2 results[];
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uvec2 a = pairs[2u * i];
    uvec2 b = pairs[2u * i + 1u];
    results[4u * i] = binary64_add(a, b);
    results[4u * i + 1u] = binary64_multiply(a, b);
    results[4u * i + 2u] = binary64_divide(a, b);
    results[4u * i + 3u] = binary64_from_uint(a.x);
}
