#include "kit/double_double.h"

#include <gtest/gtest.h>

#include <limits>

#include "helpers.h"

namespace vkonnx::kit {
namespace {

TEST(DoubleDouble, KeepsWhatDoubleCancels)
{
    EXPECT_EQ(1e16 + 1.0 - 1e16, 0.0) << "double itself loses the one";
    EXPECT_EQ((DoubleDouble(1e16) + 1.0 - 1e16).hi, 1.0);
    EXPECT_EQ((DoubleDouble(1e25) + 3.0 + -1e25).hi, 3.0);
}

TEST(DoubleDouble, SumsManyTermsExactly)
{
    DoubleDouble sum(9007199254740992.0);  // 2^53
    for (int i = 0; i < 1000; ++i)
        sum = sum + 1.0;
    EXPECT_EQ((sum - 9007199254740992.0).hi, 1000.0);
}

TEST(DoubleDouble, ProductHoldsAllBits)
{
    const double a = 1 + std::ldexp(1.0, -52);
    const DoubleDouble square = DoubleDouble::two_product(a, a);  // 1 + 2^-51 + 2^-104
    EXPECT_EQ(square.hi, 1 + std::ldexp(1.0, -51));
    EXPECT_EQ(square.lo, std::ldexp(1.0, -104));
    const DoubleDouble third = DoubleDouble(1.0) / 3.0;
    const DoubleDouble back = third * 3.0 - 1.0;
    EXPECT_LT(std::fabs(back.hi), std::ldexp(1.0, -104));
}

TEST(DoubleDouble, QuotientIsGoodToTwiceTheBits)
{
    const DoubleDouble seventh = DoubleDouble(1.0) / 7.0;
    EXPECT_EQ(seventh.hi, 1.0 / 7.0);
    EXPECT_NE(seventh.lo, 0.0);
    EXPECT_LT(std::fabs((seventh * 7.0 - 1.0).hi), std::ldexp(1.0, -103));
    EXPECT_EQ((DoubleDouble(21.0) / 7.0).hi, 3.0);
    EXPECT_EQ((DoubleDouble(21.0) / 7.0).lo, 0.0);
}

TEST(DoubleDouble, KeepsNegativeZero)
{
    EXPECT_TRUE(std::signbit((DoubleDouble(-0.0) + -0.0).hi));
    EXPECT_TRUE(std::signbit((DoubleDouble(-0.0) * 3.0).hi));
    EXPECT_TRUE(std::signbit((DoubleDouble(-0.0) / 6.0).hi));
    EXPECT_FALSE(std::signbit((DoubleDouble(-0.0) + 0.0).hi));
}

TEST(DoubleDouble, InfinityStaysInfinity)
{
    EXPECT_EQ((DoubleDouble(inf) + 1.0).hi, inf);
    EXPECT_EQ((DoubleDouble(1.0) + -inf).hi, -inf);
    EXPECT_EQ((DoubleDouble(-2.0) * inf).hi, -inf);
    EXPECT_EQ((DoubleDouble(inf) / 4.0).hi, inf);
    EXPECT_TRUE(std::isnan((DoubleDouble(inf) + -inf).hi));
    EXPECT_TRUE(std::isnan((DoubleDouble(0.0) * inf).hi));
}

}  // namespace
}  // namespace vkonnx::kit
