// SPDX-License-Identifier: Apache-2.0
// This file makes keys of elements. Two keys compare as one number of two words without a sign, high word last, and so as the
// elements do. The kernel's list has the constants `bits`, `infinity` and `is_signed` (src/plan/engines/order.h sets them).
#ifndef VKONNX_ORDER_GLSL
#define VKONNX_ORDER_GLSL

const uint ORDER_SIGN = 0x80000000u;

// Returns an element's bits at the high end of two words.
uvec2 at_high_end(uvec2 element)
{
    return spec_bits < 64u ? uvec2(0u, element.x << 32u - spec_bits) : element;
}

// Tells whether an element at the high end is a NaN.
bool is_nan_of(uvec2 element)
{
    uint magnitude = element.y & ~ORDER_SIGN;
    return spec_infinity != 0u && (magnitude > spec_infinity || (magnitude == spec_infinity && element.x != 0u));
}

// Returns the key of an element at the high end, which is no NaN. Zeros of both signs have the same key. No float has the key of
// all zeros or of all ones.
uvec2 key_of_element(uvec2 element)
{
    if (spec_infinity != 0u) {
        uvec2 magnitude = uvec2(element.x, element.y & ~ORDER_SIGN);
        bool negative = magnitude != element && magnitude != uvec2(0u);
        return negative ? ~element : uvec2(magnitude.x, magnitude.y | ORDER_SIGN);
    }
    return spec_is_signed != 0u ? uvec2(element.x, element.y ^ ORDER_SIGN) : element;
}

bool is_less_key(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

#endif
