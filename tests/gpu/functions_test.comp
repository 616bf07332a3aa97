#version 450
// What functions_test.cpp compares with the host: the functions of functions.glsl, exponentials.glsl, trigonometry.glsl and
// binary32.glsl, of pairs of floats.
//
// Layouts: arguments is (x, y) an invocation, as bits; results is in the order of the test's struct Results.
// Grid: pairs / 64, 1, 1.
#extension GL_GOOGLE_include_directive : require
#include "shaders/library/exponentials.glsl"
#include "shaders/library/trigonometry.glsl"

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
    results[30u * i] = floatBitsToUint(exponential(x));
    results[30u * i + 1u] = floatBitsToUint(exponential_minus_one(uintBitsToFloat(arguments[i].x | 0x80000000u)));
    results[30u * i + 2u] = floatBitsToUint(logistic(x));
    results[30u * i + 3u] = floatBitsToUint(hyperbolic_tangent(x));
    results[30u * i + 4u] = floatBitsToUint(power(x, y));
    results[30u * i + 5u] = floatBitsToUint(binary32_divide(x, y));
    results[30u * i + 6u] = floatBitsToUint(binary32_square_root(x));
    results[30u * i + 7u] = floatBitsToUint(natural_logarithm(x));
    results[30u * i + 8u] = floatBitsToUint(error_function(x));
    results[30u * i + 9u] = floatBitsToUint(binary32_whole(x, true, false));
    results[30u * i + 10u] = floatBitsToUint(binary32_whole(x, false, true));
    results[30u * i + 11u] = floatBitsToUint(binary32_whole(x, false, false));
    results[30u * i + 12u] = floatBitsToUint(sine(x));
    results[30u * i + 13u] = floatBitsToUint(cosine(x));
    results[30u * i + 14u] = floatBitsToUint(tangent(x));
    results[30u * i + 15u] = floatBitsToUint(arc_sine(x));
    results[30u * i + 16u] = floatBitsToUint(arc_cosine(x));
    results[30u * i + 17u] = floatBitsToUint(arc_tangent(x));
    results[30u * i + 18u] = floatBitsToUint(hyperbolic_sine(x));
    results[30u * i + 19u] = floatBitsToUint(hyperbolic_cosine(x));
    results[30u * i + 20u] = floatBitsToUint(inverse_hyperbolic_sine(x));
    results[30u * i + 21u] = floatBitsToUint(inverse_hyperbolic_cosine(x));
    results[30u * i + 22u] = floatBitsToUint(inverse_hyperbolic_tangent(x));
    results[30u * i + 23u] = floatBitsToUint(soft_plus(x));
    results[30u * i + 24u] = floatBitsToUint(soft_sign(x));
    results[30u * i + 25u] = floatBitsToUint(mish(x));
    results[30u * i + 26u] = floatBitsToUint(gelu(x));
    results[30u * i + 27u] = floatBitsToUint(gelu_by_tangent(x));
    results[30u * i + 28u] = floatBitsToUint(swish(x, y));
    results[30u * i + 29u] = floatBitsToUint(exponential_minus_one(x));
}
