// This file tests numbers to bytes and back, against definitions that share nothing with the code: the value that IEEE-754 gives
// a pattern, and "the nearest of all numbers of the type".
#include "kit/elements.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "helpers.h"

namespace vkonnx::kit {
namespace {

const FloatFormat float16 = format_of(DType::float16);
const FloatFormat bfloat16 = format_of(DType::bfloat16);

// Returns the float whose first 16 bits these are.
double value_of_bfloat16(uint16_t bits)
{
    return double(std::bit_cast<float>(uint32_t(bits) << 16));
}

// Returns the value of the pattern, digit by digit, as the standard describes it.
double value_of_float16(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    double value = exponent == 0 ? 0 : 1;
    for (int digit = 1; digit <= 10; ++digit)
        if ((bits >> (10 - digit) & 1) != 0)
            value += std::pow(2, -digit);
    value *= std::pow(2, exponent == 0 ? -14 : exponent - 15);
    return (bits & 0x8000) != 0 ? -value : value;
}

TEST(Elements, EveryHalfHasItsValue)
{
    for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
        const auto bits = uint16_t(pattern);
        const double b = half_value(bfloat16, bits);
        const double expected = value_of_bfloat16(bits);
        ASSERT_TRUE(std::isnan(b) ? std::isnan(expected) : b == expected) << std::hex << pattern;
        const double h = half_value(float16, bits);
        if ((pattern & 0x7fff) > 0x7c00)
            ASSERT_TRUE(std::isnan(h)) << std::hex << pattern;
        else if ((pattern & 0x7fff) == 0x7c00)
            ASSERT_EQ(h, pattern == 0x7c00 ? inf : -inf);
        else
            ASSERT_EQ(h, value_of_float16(bits)) << std::hex << pattern;
    }
    EXPECT_TRUE(std::signbit(half_value(float16, 0x8000)));
    EXPECT_TRUE(std::signbit(half_value(bfloat16, 0x8000)));
}

// All finite patterns with the sign, and Inf behind them, ascend. So what is between two of them goes to the nearer one, the
// middle to the even one; Inf stands for the number that would follow the largest.
void expect_nearest(FloatFormat format)
{
    const auto infinity = uint16_t(((1 << format.exponent_bits) - 1) << format.fraction_bits);
    const double behind_largest = std::ldexp(1.0, format.bias() + 1);
    for (uint16_t low = 0; low < infinity; ++low) {
        const auto high = uint16_t(low + 1);
        const double a = half_value(format, low);
        const double b = high == infinity ? behind_largest : half_value(format, high);
        const double tie = (a + b) / 2;  // a double holds it exactly
        ASSERT_LT(a, b);
        for (const double sign : {1.0, -1.0}) {
            const auto bits = [&](double value) { return half_bits(format, sign * value) & 0x7fff; };
            ASSERT_EQ(bits(a), low);
            ASSERT_EQ(bits(tie), low % 2 == 0 ? low : high) << std::hex << low;
            ASSERT_EQ(bits(std::nextafter(tie, a)), low) << std::hex << low;
            ASSERT_EQ(bits(std::nextafter(tie, b)), high) << std::hex << low;
            ASSERT_EQ(bits(std::nextafter(b, a)), high) << std::hex << low;
            ASSERT_EQ(half_bits(format, sign * tie) >> 15, sign < 0 ? 1 : 0);
        }
    }
    EXPECT_EQ(half_bits(format, behind_largest * 4), infinity);
    EXPECT_EQ(half_bits(format, inf), infinity);
    EXPECT_EQ(half_bits(format, -inf), infinity | 0x8000);
    EXPECT_TRUE(std::isnan(half_value(format, half_bits(format, nan))));
    EXPECT_TRUE(std::isnan(half_value(format, half_bits(format, -nan))));
    EXPECT_EQ(half_bits(format, 0.0), 0);
    EXPECT_EQ(half_bits(format, -0.0), 0x8000);
    EXPECT_EQ(half_bits(format, std::numeric_limits<double>::denorm_min()), 0);
    EXPECT_EQ(half_bits(format, -std::numeric_limits<double>::min()), 0x8000);
    EXPECT_EQ(half_bits(format, std::numeric_limits<double>::max()), infinity);
}

TEST(Elements, HalvesAreTheNearest)
{
    expect_nearest(float16);
    expect_nearest(bfloat16);
}

TEST(Elements, RoundedAndUnits)
{
    EXPECT_EQ(rounded(DType::float16, 2049), 2048);
    EXPECT_EQ(rounded(DType::bfloat16, 259), 260);
    EXPECT_EQ(rounded(DType::float32, 0x1p24 + 1), 0x1p24);
    EXPECT_EQ(rounded(DType::float64, 1.0 / 3), 1.0 / 3);
    EXPECT_EQ(rounded(DType::float16, 1e9), inf);
    EXPECT_EQ(ulp_at(DType::float16, 1), 0x1p-10);
    EXPECT_EQ(ulp_at(DType::float16, -2047), 1);
    EXPECT_EQ(ulp_at(DType::float16, 0x1p-20), 0x1p-24) << "denormals are as far apart as the smallest normal numbers";
    EXPECT_EQ(ulp_at(DType::bfloat16, 128), 1);
    EXPECT_EQ(ulp_at(DType::float32, 0), 0x1p-149);
    EXPECT_EQ(ulp_at(DType::float64, 1), 0x1p-52);
}

TEST(Elements, BytesAreTheTypes)
{
    RealTensor tensor;  // member by member, because GCC 12 warns of nested braces
    tensor.desc = {DType::float16, {3}};
    tensor.values = {1, -2, 65504};
    const auto bytes = encoded(tensor);
    ASSERT_EQ(bytes.size(), 6u);
    EXPECT_EQ(std::to_integer<int>(bytes[0]) + 256 * std::to_integer<int>(bytes[1]), 0x3c00) << "on a host as devices are";
    for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
        const std::vector<double> values = {0.5, -3, 1.0 / 3, 0, -0.0, inf};
        const auto written = encoded(dtype, values);
        EXPECT_EQ(written.size(), *byte_size({dtype, {6}}));
        const auto read = decoded(dtype, written);
        ASSERT_EQ(read.size(), values.size());
        for (size_t i = 0; i < values.size(); ++i)
            EXPECT_EQ(std::bit_cast<uint64_t>(read[i]), std::bit_cast<uint64_t>(rounded(dtype, values[i]))) << name(dtype);
    }
}

}  // namespace
}  // namespace vkonnx::kit
