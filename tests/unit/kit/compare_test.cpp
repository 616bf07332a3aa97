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

bool float_fits(const Answer& expected, float got, Fill fill, const FloatRules& rules)
{
    return fits(expected, DType::float32, double(got), fill, rules);
}

TEST(Compare, IntegersMustBeExact)
{
    EXPECT_TRUE(float_fits(answer(21, 30, 5), 21.0f, Fill::integers, strict));
    EXPECT_FALSE(float_fits(answer(21, 30, 5), std::nextafter(21.0f, 22.0f), Fill::integers, strict));
    EXPECT_FALSE(float_fits(answer(21, 30, 5), std::nextafter(21.0f, 22.0f), Fill::integers, loose)) << "a divisor of 1 is exact";
    EXPECT_FALSE(float_fits(answer(0, 30, 5), 1e-9f, Fill::integers, loose));
}

TEST(Compare, OnlyOddDivisorsMayRoundOnGpus)
{
    const float off = std::nextafter(3.0f, 4.0f);
    EXPECT_TRUE(float_fits(answer(3, 3, 7, 7), off, Fill::integers, loose)) << "2.5 ULP";
    EXPECT_FALSE(float_fits(answer(3, 3, 7, 7), off, Fill::integers, strict)) << "21 * (1/7)";
    EXPECT_FALSE(float_fits(answer(3, 3, 8, 8), off, Fill::integers, loose));
    EXPECT_FALSE(float_fits(answer(3, 3, 7, 7), 3.000002f, Fill::integers, loose));
}

TEST(Compare, RealsHaveTheBound)
{
    const Answer expected = answer(1, 4, 10);  // (10 + 6) * 2^-24 * 4 = 2^-18
    EXPECT_TRUE(float_fits(expected, 1 + 0x1p-18f, Fill::reals, strict));
    EXPECT_FALSE(float_fits(expected, 1 + 0x1.1p-18f, Fill::reals, strict));
    EXPECT_TRUE(float_fits(expected, 1 + 0x1.1p-18f, Fill::reals, loose));
    EXPECT_FALSE(float_fits(expected, 1 - 0x1.02p-17f, Fill::reals, loose));
    EXPECT_TRUE(float_fits(answer(0x1p25 + 1, 0x1p25 + 1, 3), 0x1p25f, Fill::integers, strict)) << "beyond exact sums";
    EXPECT_FALSE(float_fits(answer(0, 0, 0), 1e-30f, Fill::reals, loose)) << "no tap: nothing rounds";
}

TEST(Compare, StepsThatLeaveNoNumber)
{
    Answer expected = answer(nan, 0, 0);
    expected.ranges = {Range::of(nan), Range::of(nan)};
    for (const FloatRules& rules : {strict, loose}) {
        EXPECT_TRUE(float_fits(expected, nan, Fill::reals, rules));
        EXPECT_TRUE(float_fits(expected, -nan, Fill::reals, rules));
        EXPECT_FALSE(float_fits(expected, 0, Fill::reals, rules));
        EXPECT_FALSE(float_fits(expected, inf, Fill::reals, rules));
    }
    // A device that divides exactly must give NaN, and others may give any number.
    expected.ranges = {Range::of(nan), Range::anything()};
    EXPECT_FALSE(float_fits(expected, 1, Fill::reals, strict));
    EXPECT_TRUE(float_fits(expected, 1, Fill::reals, loose));
}

TEST(Compare, SpecialsByKind)
{
    EXPECT_TRUE(float_fits(answer(nan, nan, 3), -nan, Fill::specials, strict));
    EXPECT_FALSE(float_fits(answer(nan, nan, 3), inf, Fill::specials, strict));
    EXPECT_FALSE(float_fits(answer(1, 1, 3), nan, Fill::reals, loose));
    EXPECT_FALSE(float_fits(answer(1, 1, 3), inf, Fill::reals, loose));
    EXPECT_TRUE(float_fits(answer(inf, inf, 3), inf, Fill::specials, strict));
    EXPECT_FALSE(float_fits(answer(inf, inf, 3), -inf, Fill::specials, strict));
    EXPECT_TRUE(float_fits(answer(inf, inf, 3), -inf, Fill::specials, loose));
    EXPECT_FALSE(float_fits(answer(-0.0, 0, 3), 0.0f, Fill::negative_zero, strict));
    EXPECT_TRUE(float_fits(answer(-0.0, 0, 3), 0.0f, Fill::negative_zero, loose));
    EXPECT_TRUE(float_fits(answer(-0.0, 0, 3), -0.0f, Fill::negative_zero, strict));
}

// 2049 lies between the halves 2048 and 2050, 257 between the bfloat16 numbers 256 and 258: ties go to the even fraction.
TEST(Compare, HalvesAreRoundedOnce)
{
    EXPECT_TRUE(fits(answer(2049, 2049, 5), DType::float16, 2048, Fill::integers, loose));
    EXPECT_FALSE(fits(answer(2049, 2049, 5), DType::float16, 2050, Fill::integers, loose)) << "the tie goes to the even one";
    EXPECT_TRUE(fits(answer(2051, 2051, 5), DType::float16, 2052, Fill::integers, loose));
    EXPECT_FALSE(fits(answer(2051, 2051, 5), DType::float16, 2050, Fill::integers, loose)) << "cut off instead of rounded";
    EXPECT_TRUE(fits(answer(257, 257, 5), DType::bfloat16, 256, Fill::integers, loose));
    EXPECT_FALSE(fits(answer(257, 257, 5), DType::bfloat16, 258, Fill::integers, loose));
    EXPECT_TRUE(fits(answer(7.0 / 3, 7.0 / 3, 3, 3), DType::float16, 0x1.2acp1, Fill::integers, strict));
    EXPECT_FALSE(fits(answer(7.0 / 3, 7.0 / 3, 3, 3), DType::float16, 0x1.2a8p1, Fill::integers, strict));
}

TEST(Compare, HalvesLieBetweenTheRoundedEndsOfTheFloatBound)
{
    const double below_tie = 1 + 0x1p-11 - 0x1p-24;  // the tie between 1 and 1 + 2^-10 is within the bound of 16 * 2^-24
    EXPECT_TRUE(fits(answer(below_tie, 1, 10), DType::float16, 1, Fill::reals, strict));
    EXPECT_TRUE(fits(answer(below_tie, 1, 10), DType::float16, 1 + 0x1p-10, Fill::reals, strict));
    EXPECT_FALSE(fits(answer(below_tie, 1, 10), DType::float16, 1 - 0x1p-11, Fill::reals, strict));
    EXPECT_FALSE(fits(answer(1, 1, 10), DType::float16, 1 + 0x1p-10, Fill::reals, strict)) << "far from a tie: one half fits";
    EXPECT_TRUE(fits(answer(1 + 0x1p-8 + 0x1p-24, 1, 10), DType::bfloat16, 1, Fill::reals, strict));
    EXPECT_TRUE(fits(answer(1 + 0x1p-8 + 0x1p-24, 1, 10), DType::bfloat16, 1 + 0x1p-7, Fill::reals, strict));
    EXPECT_FALSE(fits(answer(1, 1, 10), DType::float16, double(nan), Fill::reals, strict));
}

TEST(Compare, HalvesOverflowWhereRoundingDoes)
{
    constexpr auto infinity = double(inf);
    EXPECT_TRUE(fits(answer(65519, 65519, 2), DType::float16, 65504, Fill::integers, strict));
    EXPECT_TRUE(fits(answer(65520, 65520, 2), DType::float16, infinity, Fill::integers, loose)) << "a tie";
    EXPECT_FALSE(fits(answer(65520, 65520, 2), DType::float16, 65504, Fill::integers, loose));
    EXPECT_FALSE(fits(answer(65520, 65520, 2), DType::float16, -infinity, Fill::integers, loose));
    EXPECT_FALSE(fits(answer(49152, 98304, 4, 2), DType::float16, infinity, Fill::large, loose)) << "only the sum is beyond";
    const Answer near_the_end = answer(65519.99, 65519.99, 10);
    EXPECT_TRUE(fits(near_the_end, DType::float16, 65504, Fill::reals, strict));
    EXPECT_TRUE(fits(near_the_end, DType::float16, infinity, Fill::reals, strict)) << "the bound reaches the tie";
    EXPECT_FALSE(fits(answer(65000, 65000, 10), DType::float16, infinity, Fill::reals, strict));
    EXPECT_TRUE(fits(answer(infinity, infinity, 3), DType::float16, infinity, Fill::specials, strict));
    EXPECT_FALSE(fits(answer(-infinity, infinity, 3), DType::bfloat16, infinity, Fill::specials, strict));
    EXPECT_FALSE(fits(answer(-0.0, 0, 3), DType::float16, 0, Fill::negative_zero, strict));
}

TEST(Compare, DoublesHaveTheirOwnBound)
{
    Answer third;
    third.value = DoubleDouble(1.0) / DoubleDouble(3.0);
    third.magnitude = 1.0 / 3;
    third.taps = 1;  // (1 + 6) * 2^-53 / 3, which is 4.67 units of 2^-54
    EXPECT_TRUE(fits(third, DType::float64, 1.0 / 3 + 4 * 0x1p-54, Fill::reals, loose)) << "the device's float does not matter";
    EXPECT_FALSE(fits(third, DType::float64, 1.0 / 3 + 5 * 0x1p-54, Fill::reals, loose));
    EXPECT_FALSE(fits(answer(1, 1, 3), DType::float64, 1 + 0x1p-40, Fill::reals, loose));
    const double odd = 0x1p40 + 1;
    EXPECT_TRUE(fits(answer(odd, odd, 3), DType::float64, odd, Fill::integers, loose));
    EXPECT_FALSE(fits(answer(odd, odd, 3), DType::float64, odd + 0x1p-12, Fill::integers, loose)) << "doubles hold sums to 2^53";
    EXPECT_TRUE(fits(answer(7.0 / 3, 7.0 / 3, 3, 3), DType::float64, 7.0 / 3 + 0x1p-51, Fill::integers, loose));
    EXPECT_FALSE(fits(answer(7.0 / 3, 7.0 / 3, 3, 3), DType::float64, 7.0 / 3 + 0x1p-51, Fill::integers, strict));
}

TEST(Compare, LargeSumsAreExactToo)
{
    const double sum = 0x1p26 + 0x1p13;  // beyond the integers of a float, but a multiple of 2^13
    EXPECT_TRUE(fits(answer(sum, sum, 9), DType::float32, sum, Fill::large, loose));
    EXPECT_FALSE(fits(answer(sum, sum, 9), DType::float32, sum + 8, Fill::large, loose));
    EXPECT_TRUE(fits(answer(sum, sum, 9), DType::float32, sum + 8, Fill::reals, loose));
}

TEST(Compare, DenormalsMayBeFlushedButNotThoseOfFloat16)
{
    const double smallest = 0x1p-149;
    EXPECT_TRUE(fits(answer(smallest, smallest, 1), DType::float32, 0, Fill::denormals, loose));
    EXPECT_TRUE(fits(answer(smallest, smallest, 1), DType::float32, smallest, Fill::denormals, loose));
    EXPECT_FALSE(fits(answer(smallest, smallest, 1), DType::float32, 0x1p-124, Fill::denormals, loose));
    FloatRules keeping = strict;
    keeping.keeps_denormals = true;
    EXPECT_FALSE(fits(answer(smallest, smallest, 1), DType::float32, 0, Fill::denormals, keeping));
    EXPECT_TRUE(fits(answer(0x1p-133, 0x1p-133, 1), DType::bfloat16, 0, Fill::denormals, loose));
    EXPECT_TRUE(fits(answer(0x1p-1074, 0x1p-1074, 1), DType::float64, 0, Fill::denormals, loose));
    EXPECT_FALSE(fits(answer(0x1p-1074, 0x1p-1074, 1), DType::float64, 0, Fill::denormals, keeping));
    EXPECT_FALSE(fits(answer(0x1p-24, 0x1p-24, 1), DType::float16, 0, Fill::denormals, loose)) << "a normal float";
    EXPECT_TRUE(fits(answer(0x1p-24, 0x1p-24, 1), DType::float16, 0x1p-24, Fill::denormals, loose));
}

TEST(Compare, UlpErrorsByType)
{
    EXPECT_EQ(ulp_error(answer(1, 1, 1), DType::float32, 1), 0);
    EXPECT_EQ(ulp_error(answer(1, 1, 1), DType::float32, 1 + 0x1p-22), 2);
    EXPECT_EQ(ulp_error(answer(1 + 0x1p-11, 1, 1), DType::float16, 1), 0.5);
    EXPECT_EQ(ulp_error(answer(3, 3, 1), DType::bfloat16, 3 + 0x1p-6), 1);
    EXPECT_EQ(ulp_error(answer(3, 3, 1), DType::float64, 3 + 0x1p-51), 1);
    EXPECT_EQ(ulp_error(answer(0, 0, 1), DType::float16, 0x1p-24), 1) << "the smallest half";
    Answer third;
    third.value = DoubleDouble(1.0) / DoubleDouble(3.0);
    EXPECT_NEAR(ulp_error(third, DType::float64, 1.0 / 3), 1.0 / 3, 1e-9) << "binary 0.0101...: a third of a unit is cut off";
    constexpr auto infinity = double(inf);
    EXPECT_EQ(ulp_error(answer(infinity, 1, 1), DType::float32, infinity), 0);
    EXPECT_EQ(ulp_error(answer(infinity, 1, 1), DType::float32, 1), infinity);
    EXPECT_EQ(ulp_error(answer(1, 1, 1), DType::float32, infinity), infinity);
    EXPECT_EQ(ulp_error(answer(70000, 1, 1), DType::float16, infinity), 0) << "beyond float16: Inf is right";
    EXPECT_EQ(ulp_error(answer(double(nan), 1, 1), DType::float16, double(nan)), 0);
    EXPECT_EQ(ulp_error(answer(1, 1, 1), DType::float16, double(nan)), infinity);
}

TEST(Compare, DoublesInIntegerWordsOweNothingToTheDevice)
{
    const Capabilities plain;
    EXPECT_FALSE(FloatRules::of(plain, "average_pool_direct_f64").exact_division);
    EXPECT_FALSE(FloatRules::of(plain, "average_pool_direct_f64").keeps_denormals);
    const FloatRules soft = FloatRules::of(plain, "average_pool_direct_f64_soft");
    EXPECT_TRUE(soft.exact_division);
    EXPECT_TRUE(soft.keeps_denormals);
    EXPECT_TRUE(soft.signed_zero_inf_nan);
    EXPECT_EQ(soft.unit_roundoff, 0x1p-23) << "of float";
}

TEST(Compare, SaysWhereAndHowMany)
{
    const TensorDesc output = {DType::float32, {1, 2, 3}};
    const std::vector<int64_t> sample = {0, 4, 5};
    const std::vector<Answer> expected = {answer(1, 1, 1), answer(2, 2, 1), answer(3, 3, 1)};
    const std::vector<double> right = {1, 9, 9, 9, 2, 3};
    EXPECT_EQ(mismatches(output, sample, expected, right, Fill::integers, strict), "") << "only the sample counts";
    const std::vector<double> wrong = {1, 9, 9, 9, 2.5, 3};
    EXPECT_EQ(mismatches(output, sample, expected, wrong, Fill::integers, strict),
              "1 of 3 elements of float[1,2,3] differ:\n  [0,1,1] is 2.5, expected 2 (1 taps, divisor 1, S 2)\n");
    const TensorDesc doubles = {DType::float64, {1, 2, 3}};
    const std::vector<double> close = {1, 9, 9, 9, 2 + 0x1p-51, 3};
    EXPECT_EQ(mismatches(doubles, sample, expected, close, Fill::integers, strict),
              "1 of 3 elements of double[1,2,3] differ:\n  [0,1,1] is 2.0000000000000004, expected 2 (1 taps, divisor 1, S 2)\n");
}

TEST(Compare, BitsAreTheSameButThoseOfNaN)
{
    const std::vector<uint64_t> one = {0x3ff0000000000000, 0x7ff8000000000000, 0}, other_nan = {one[0], 0xfff8000000000001, 0};
    const std::vector<uint64_t> negative_zero = {one[0], one[1], 0x8000000000000000}, number = {one[0], one[0], 0};
    const auto same = [](DType dtype, const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
        return same_bits(dtype, std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
    };
    EXPECT_TRUE(same(DType::float64, one, one));
    EXPECT_TRUE(same(DType::float64, one, other_nan));
    EXPECT_FALSE(same(DType::float64, one, negative_zero));
    EXPECT_FALSE(same(DType::float64, one, number));
    EXPECT_FALSE(same(DType::float64, one, {one[0], one[1]}));
    EXPECT_FALSE(same(DType::int64, one, other_nan)) << "an integer has no NaN";
    EXPECT_TRUE(same(DType::float16, {0x7e007e003c000000}, {0xfe017e003c000000}));
    EXPECT_FALSE(same(DType::float16, {0x7e007e003c000000}, {0xfe017e003c010000}));
}

}  // namespace
}  // namespace vkonnx::kit
