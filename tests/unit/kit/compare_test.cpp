#include "kit/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vkonnx::kit {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr FloatRules strict = {.unit_roundoff = 0x1p-24, .signed_zero_inf_nan = true, .exact_division = true};
constexpr FloatRules loose = {};

Answer answer(double value, double magnitude, int64_t taps, int64_t divisor = 1)
{
    return {.value = value, .magnitude = magnitude, .taps = taps, .divisor = divisor};
}

TEST(Compare, IntegersMustBeExact)
{
    EXPECT_TRUE(fits(answer(21, 30, 5), 21.0f, Fill::integers, strict));
    EXPECT_FALSE(fits(answer(21, 30, 5), std::nextafter(21.0f, 22.0f), Fill::integers, strict));
    EXPECT_FALSE(fits(answer(21, 30, 5), std::nextafter(21.0f, 22.0f), Fill::integers, loose)) << "a divisor of 1 is exact";
    EXPECT_FALSE(fits(answer(0, 30, 5), 1e-9f, Fill::integers, loose));
}

TEST(Compare, OnlyOddDivisorsMayRoundOnGpus)
{
    const float off = std::nextafter(3.0f, 4.0f);
    EXPECT_TRUE(fits(answer(3, 3, 7, 7), off, Fill::integers, loose)) << "2.5 ULP";
    EXPECT_FALSE(fits(answer(3, 3, 7, 7), off, Fill::integers, strict)) << "21 * (1/7)";
    EXPECT_FALSE(fits(answer(3, 3, 8, 8), off, Fill::integers, loose));
    EXPECT_FALSE(fits(answer(3, 3, 7, 7), 3.000002f, Fill::integers, loose));
}

TEST(Compare, RealsHaveTheBound)
{
    const Answer expected = answer(1, 4, 10);  // (10 + 6) * 2^-24 * 4 = 2^-18
    EXPECT_TRUE(fits(expected, 1 + 0x1p-18f, Fill::reals, strict));
    EXPECT_FALSE(fits(expected, 1 + 0x1.1p-18f, Fill::reals, strict));
    EXPECT_TRUE(fits(expected, 1 + 0x1.1p-18f, Fill::reals, loose));
    EXPECT_FALSE(fits(expected, 1 - 0x1.02p-17f, Fill::reals, loose));
    EXPECT_TRUE(fits(answer(0x1p25 + 1, 0x1p25 + 1, 3), 0x1p25f, Fill::integers, strict)) << "beyond exact sums";
    EXPECT_FALSE(fits(answer(0, 0, 0), 1e-30f, Fill::reals, loose)) << "no tap: nothing rounds";
}

TEST(Compare, SpecialsByKind)
{
    EXPECT_TRUE(fits(answer(nan, nan, 3), -nan, Fill::specials, strict));
    EXPECT_FALSE(fits(answer(nan, nan, 3), inf, Fill::specials, strict));
    EXPECT_FALSE(fits(answer(1, 1, 3), nan, Fill::reals, loose));
    EXPECT_FALSE(fits(answer(1, 1, 3), inf, Fill::reals, loose));
    EXPECT_TRUE(fits(answer(inf, inf, 3), inf, Fill::specials, strict));
    EXPECT_FALSE(fits(answer(inf, inf, 3), -inf, Fill::specials, strict));
    EXPECT_TRUE(fits(answer(inf, inf, 3), -inf, Fill::specials, loose));
    EXPECT_FALSE(fits(answer(-0.0, 0, 3), 0.0f, Fill::negative_zero, strict));
    EXPECT_TRUE(fits(answer(-0.0, 0, 3), 0.0f, Fill::negative_zero, loose));
    EXPECT_TRUE(fits(answer(-0.0, 0, 3), -0.0f, Fill::negative_zero, strict));
}

TEST(Compare, SaysWhereAndHowMany)
{
    const TensorDesc output = {DType::float32, {1, 2, 3}};
    const std::vector<int64_t> sample = {0, 4, 5};
    const std::vector<Answer> expected = {answer(1, 1, 1), answer(2, 2, 1), answer(3, 3, 1)};
    const std::vector<float> right = {1, 9, 9, 9, 2, 3};
    EXPECT_EQ(mismatches(output, sample, expected, right, Fill::integers, strict), "") << "only the sample counts";
    const std::vector<float> wrong = {1, 9, 9, 9, 2.5f, 3};
    EXPECT_EQ(mismatches(output, sample, expected, wrong, Fill::integers, strict),
              "1 of 3 elements of float[1,2,3] differ:\n  [0,1,1] is 2.5, expected 2 (1 taps, divisor 1, S 2)\n");
}

}  // namespace
}  // namespace vkonnx::kit
