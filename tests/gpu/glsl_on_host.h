// This header compiles the text of shaders/library/functions.glsl as C++, to compare devices with: whoever rounds as IEEE 754
// says has these bits. Sources that include this are compiled without contraction.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace vkonnx::gpu_test::glsl {

using uint = uint32_t;

struct vec2 {
    vec2() = default;
    vec2(float x_, float y_) : x(x_), y(y_) {}
    float x = 0, y = 0;
};

inline vec2 operator*(vec2 v, float scale)
{
    return {v.x * scale, v.y * scale};
}

inline uint floatBitsToUint(float value)
{
    return std::bit_cast<uint>(value);
}

inline float uintBitsToFloat(uint bits)
{
    return std::bit_cast<float>(bits);
}

inline int findMSB(uint value)
{
    return int(std::bit_width(value)) - 1;
}

inline void umulExtended(uint a, uint b, uint& high, uint& low)
{
    const uint64_t product = uint64_t(a) * b;
    high = uint(product >> 32);
    low = uint(product);
}

inline float floor(float value)
{
    return std::floor(value);
}

inline float abs(float value)
{
    return std::fabs(value);
}

template <class Value>
Value min(Value a, Value b)
{
    return b < a ? b : a;
}

template <class Value>
Value max(Value a, Value b)
{
    return a < b ? b : a;
}

inline float clamp(float value, float least, float most)
{
    return min(max(value, least), most);
}

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#endif
#define precise
#include "shaders/library/exponentials.glsl"
#include "shaders/library/functions.glsl"
#include "shaders/library/trigonometry.glsl"
#undef precise
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

}  // namespace vkonnx::gpu_test::glsl
