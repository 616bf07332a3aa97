#version 450
// What integers_test.cpp compares with the host: every operation of integers.glsl on pairs of elements, in one type.
//
// Layouts: pairs has the elements a, then as many elements b; results has the results of each operation in the order below, truths
// as 1 and 0. An invocation computes what one word of a and b has, or an element of two words.
// Grid: words of a / 64, 1, 1.
#extension GL_GOOGLE_include_directive : require
#include "shaders/library/integers.glsl"

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Pairs
{
    Element pairs[];
};
layout(binding = 1) writeonly buffer Results
{
    Element results[];
};

// The exponent is b; where it has a sign, its low 64 bits.
Real power_of(Real a, Real b)
{
#if BITS == 64
    uvec2 exponent = b;
#elif defined(SIGNED)
    uvec2 exponent = uvec2(uint(b), b < 0 ? 0xffffffffu : 0u);
#else
    uvec2 exponent = uvec2(b, 0u);
#endif
    return integer_power(a, exponent, less(b, zero()));
}

Real result_of(uint operation, Real a, Real b)
{
    switch (operation) {
    case 0u:
        return plus(a, b);
    case 1u:
        return minus(a, b);
    case 2u:
        return times(a, b);
    case 3u:
        return quotient(a, b);
    case 4u:
        return less(a, b) ? one() : zero();
    case 5u:
        return equals(a, b) ? one() : zero();
    case 6u:
        return negated(a);
    case 7u:
        return absolute(a);
    default:
        return power_of(a, b);
    }
}

void main()
{
    uint words = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uint word = gl_GlobalInvocationID.x;
    for (uint operation = 0u; operation < 9u; ++operation) {
        uint first = word * ELEMENTS_PER_WORD;
        Element result = Element(0);
        for (uint i = first; i < first + ELEMENTS_PER_WORD; ++i) {
            Real a = ELEMENT(pairs, i);
            Real b = ELEMENT(pairs, (words * ELEMENTS_PER_WORD + i));
#if BITS < 32
            result |= in_word(result_of(operation, a, b), i);
#else
            result = Element(result_of(operation, a, b));
#endif
        }
        results[operation * words + word] = result;
    }
}
