#include "kit/range.h"

#include <gtest/gtest.h>

#include <cmath>

#include "helpers.h"

namespace vkonnx::kit {
namespace {

TEST(Range, HoldsNothingByItself)
{
    for (const double value : {0.0, -inf, inf, nan})
        EXPECT_FALSE(Range().holds(value)) << value;
    EXPECT_FALSE(Range().has_numbers());
    EXPECT_FALSE(Range().has_nan());
}

TEST(Range, HoldsWhatLiesBetweenItsEnds)
{
    Range range = Range::of(1);
    EXPECT_TRUE(range.is_point());
    range.include(3);
    EXPECT_FALSE(range.is_point());
    EXPECT_EQ(range.low(), 1);
    EXPECT_EQ(range.high(), 3);
    for (const double value : {1.0, 2.0, 3.0})
        EXPECT_TRUE(range.holds(value)) << value;
    for (const double value : {std::nextafter(1.0, 0.0), std::nextafter(3.0, 4.0), -2.0, inf, -inf, nan})
        EXPECT_FALSE(range.holds(value)) << value;
    EXPECT_TRUE(Range::of(0).holds(-0.0)) << "0 and -0 are one number";
}

TEST(Range, SaysNaNAlone)
{
    const Range range = Range::of(nan);
    EXPECT_TRUE(range.is_point());
    EXPECT_FALSE(range.has_numbers());
    EXPECT_TRUE(range.holds(nan));
    EXPECT_TRUE(range.holds(-nan));
    for (const double value : {0.0, 1.0, inf, -inf})
        EXPECT_FALSE(range.holds(value)) << value;
    EXPECT_TRUE(range.rounded_to(DType::float16).holds(nan));
    EXPECT_FALSE(range.rounded_to(DType::float16).holds(0));
}

TEST(Range, SaysNumbersAndNaN)
{
    Range range = Range::of(2);
    range.include(nan);
    EXPECT_FALSE(range.is_point());
    EXPECT_FALSE(range.is_anything());
    EXPECT_TRUE(range.holds(2) && range.holds(nan));
    EXPECT_FALSE(range.holds(3));
    for (const double value : {0.0, -1e300, inf, -inf, nan})
        EXPECT_TRUE(Range::anything().holds(value)) << value;
    EXPECT_TRUE(Range::anything().is_anything());
}

TEST(Range, TellsInfinitiesApartOnlyWhereSignsCount)
{
    EXPECT_TRUE(Range::of(inf).holds(inf, true));
    EXPECT_FALSE(Range::of(inf).holds(-inf, true));
    EXPECT_TRUE(Range::of(inf).holds(-inf, false));
    EXPECT_FALSE(Range::of(inf).holds(1e300, false));
    EXPECT_FALSE(Range::of(-3).holds(3, false)) << "only of infinities";
}

TEST(Range, RoundsItsEnds)
{
    Range range = Range::of(2049);  // between the halves 2048 and 2050: to the even fraction
    range.include(70000);           // beyond the greatest half
    const Range halves = range.rounded_to(DType::float16);
    EXPECT_EQ(halves.low(), 2048);
    EXPECT_EQ(halves.high(), inf);
}

}  // namespace
}  // namespace vkonnx::kit
