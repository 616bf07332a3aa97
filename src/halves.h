// SPDX-License-Identifier: Apache-2.0
// This file converts between float and the bits of a float16, for whoever has no such type.
#pragma once

#include <bit>
#include <cstdint>

namespace vkonnx {

// Rounds to nearest even. What is beyond the greatest half becomes infinity; a NaN stays one, with its sign.
inline uint16_t half_bits(float value)
{
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = bits >> 16 & 0x8000;
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return uint16_t(sign | 0x7e00);
    if (magnitude >= 0x477ff000)  // it rounds to more than the greatest half
        return uint16_t(sign | 0x7c00);
    if (magnitude < 0x38800000) {  // a denormal is a multiple of 2^-24, to which the sum with 2^-1 rounds
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
    }
    return uint16_t(sign | (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13);
}

// The result is exact, because every half is a float.
inline float half_value(uint16_t bits)
{
    const uint32_t sign = uint32_t(bits & 0x8000) << 16;
    const uint32_t magnitude = bits & 0x7fff;
    if (magnitude < 0x400) {  // a denormal counts units of 2^-24
        const float value = float(magnitude) / 16777216.0f;
        return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
    }
    const uint32_t exponent = magnitude >= 0x7c00 ? 0x70000000u : 0x38000000u;  // infinity and NaN have the greatest exponent
    return std::bit_cast<float>(sign | ((magnitude << 13) + exponent));
}

}  // namespace vkonnx
