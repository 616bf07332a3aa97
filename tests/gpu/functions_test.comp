#version 450
// What functions_test.cpp compares with the host: the functions of functions.glsl and binary32.glsl, of pairs of floats.
//
// Layouts: arguments is (x, y) an invocation, as bits; results is in the order of the test's struct Results.
// Grid: pairs / 64, 1, 1.
#extension GL_GOOGLE_include_directive : require
#include "functions.glsl"

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Arguments
{
    uvec2 arguments[];
};
layout(binding = 1) writeonly buffer Results
{
    uint results[];
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    float x = uintBitsToFloat(arguments[i].x);
    float y = uintBitsToFloat(arguments[i].y);
    results[12u * i] = floatBitsToUint(exponential(x));
    results[12u * i + 1u] = floatBitsToUint(exponential_minus_one(uintBitsToFloat(arguments[i].x | 0x80000000u)));
    results[12u * i + 2u] = floatBitsToUint(logistic(x));
    results[12u * i + 3u] = floatBitsToUint(hyperbolic_tangent(x));
    results[12u * i + 4u] = floatBitsToUint(power(x, y));
    results[12u * i + 5u] = floatBitsToUint(binary32_divide(x, y));
    results[12u * i + 6u] = floatBitsToUint(binary32_square_root(x));
    results[12u * i + 7u] = floatBitsToUint(natural_logarithm(x));
    results[12u * i + 8u] = floatBitsToUint(error_function(x));
    results[12u * i + 9u] = floatBitsToUint(binary32_whole(x, true, false));
    results[12u * i + 10u] = floatBitsToUint(binary32_whole(x, false, true));
    results[12u * i + 11u] = floatBitsToUint(binary32_whole(x, false, false));
}
