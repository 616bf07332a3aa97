#version 450
// What binary64_test.cpp compares with the host: the sum, product, quotient and order of pairs of binary64 numbers, of the first its
// root, its negative, its absolute value, its low word as such a number, and the integers next to it.
//
// Layouts: pairs is (a, b) an invocation; results is in the order of the test's struct Results.
// Grid: pairs / 64, 1, 1.
#extension GL_GOOGLE_include_directive : require
#include "shaders/library/binary64.glsl"

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
    results[11u * i] = binary64_add(a, b);
    results[11u * i + 1u] = binary64_multiply(a, b);
    results[11u * i + 2u] = binary64_divide(a, b);
    results[11u * i + 3u] = binary64_from_uint(a.x);
    results[11u * i + 4u] = binary64_square_root(a);
    results[11u * i + 5u] = binary64_negated(a);
    results[11u * i + 6u] = binary64_absolute(a);
    results[11u * i + 7u] = uvec2(binary64_less(a, b), binary64_less(b, a));
    results[11u * i + 8u] = binary64_whole(a, true, false);
    results[11u * i + 9u] = binary64_whole(a, false, true);
    results[11u * i + 10u] = binary64_whole(a, false, false);
}
