// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the self-test when a device is opened. One module does all that it asks, since every pipeline takes time to
// compile.
//
// Where rows is 0, the shader computes for each pair of floats their sum, their product and a pattern of integers. Where
// TYPE_f64 is defined, it also computes for each pair of doubles their sum, their product and the first divided by an integer.
// The input has `count` pairs of each; the output has `count` times SELF_TEST_WORDS words.
//
// Where rows is above 0, the shader measures the rate of plain kernels on problems that do not suit them. An invocation sums
// `rows` rows of only `taps` taps, each a load of x, a load of w and a multiply-add. What a row takes besides, a division among
// it, is in the rate, too. The pairs are (x, w), `count` of them, a power of two, none below 0. No sum is below 0, so that
// nothing is written, and no compiler knows that.
//
// Specialization: plain_constants.h
// Grid: ceil(count / workgroup size), 1, 1; any for rows > 0.
#extension GL_GOOGLE_include_directive : require
#include "shaders/probes/self_test.h"
#include "shaders/library/plain_constants.h"

layout(push_constant) uniform Push
{
    SelfTest push;
};
layout(binding = 0) readonly buffer Floats
{
    vec2 pairs[];
};
#ifdef TYPE_f64
layout(binding = 1) readonly buffer Doubles
{
    dvec2 double_pairs[];
};
#endif
layout(binding = 2) writeonly buffer Output
{
    uint results[];
};

void test_floats(uint i)
{
    precise float sum = pairs[i].x + pairs[i].y;
    precise float product = pairs[i].x * pairs[i].y;
    uint first = i * SELF_TEST_WORDS;
    results[first] = floatBitsToUint(sum);
    results[first + 1u] = floatBitsToUint(product);
    results[first + 2u] = (floatBitsToUint(pairs[i].x) ^ i * 2654435761u) + (i / 7u) % 5u;
}

#ifdef TYPE_f64
void test_doubles(uint i)
{
    precise double sum = double_pairs[i].x + double_pairs[i].y;
    precise double product = double_pairs[i].x * double_pairs[i].y;
    precise double quotient = double_pairs[i].x / double(i % 97u + 1u);
    uint first = i * SELF_TEST_WORDS + 3u;
    const uvec2 words[] = {unpackDouble2x32(sum), unpackDouble2x32(product), unpackDouble2x32(quotient)};
    for (uint r = 0u; r < 3u; ++r) {
        results[first + 2u * r] = words[r].x;
        results[first + 2u * r + 1u] = words[r].y;
    }
}
#endif

void work()
{
    uint mask = push.count - 1u;
    float sum = 0.0;
    for (uint row = 0u; row < push.rows; ++row) {
        uint x_index = (gl_GlobalInvocationID.x + row * 29u) / push.taps;
        uint w_index = row * push.taps;
        for (uint tap = 0u; tap < push.taps; ++tap)
            sum += pairs[(x_index + tap) & mask].x * pairs[(w_index + tap) & mask].y;
    }
    if (sum < 0.0)
        results[0] = floatBitsToUint(sum);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (push.rows > 0u) {
        work();
    } else if (i < push.count) {
        test_floats(i);
#ifdef TYPE_f64
        test_doubles(i);
#endif
    }
}
