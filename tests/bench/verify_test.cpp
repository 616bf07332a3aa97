// This file tests the check of results that runs before anything is timed.
#include "bench/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kit/elements.h"

namespace vkonnx::bench {
namespace {

struct Pool {
    kit::Case problem;
    std::vector<kit::RealTensor> inputs;
    std::vector<double> output;
};

Pool pool(const std::string& type = "float")
{
    const Result<kit::Case> problem = kit::parse_case("average_pool", "p x=1x1x1001 kernel_shape=2 type=" + type);
    EXPECT_TRUE(problem) << problem.message();
    Pool made = {*problem, kit::fill_inputs(*problem, kit::Fill::reals), {}};
    for (size_t i = 0; i + 1 < made.inputs[0].values.size(); ++i)
        made.output.push_back(
            kit::rounded(problem->inputs[0].dtype, (made.inputs[0].values[i] + made.inputs[0].values[i + 1]) / 2));
    return made;
}

Verification verified(const Pool& pool, double taps_per_output)
{
    const std::vector<std::byte> bytes = kit::encoded(pool.problem.inputs[0].dtype, pool.output);
    const Result<Verification> done =
        verify(pool.problem, pool.inputs, pool.problem.inputs[0].dtype, bytes, taps_per_output, {.unit_roundoff = 0x1p-24}, 1);
    EXPECT_TRUE(done) << done.message();
    return *done;
}

TEST(Verify, RightIsRight)
{
    for (const char* const type : {"float", "float16", "bfloat16"}) {
        EXPECT_EQ(verified(pool(type), 2).mismatch, "") << type;
        EXPECT_EQ(verified(pool(type), 2).compared, 1000) << type;
    }
}

TEST(Verify, OneWrongElementIsNamed)
{
    Pool wrong = pool();
    wrong.output[617] += 1e-4;
    EXPECT_NE(verified(wrong, 2).mismatch.find("element 617"), std::string::npos) << verified(wrong, 2).mismatch;
    wrong.output[617] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(verified(wrong, 2).mismatch, "");
}

// A device whose halves are wrong by two units in the last place must be found out.
TEST(Verify, IsAsStrictAsTheType)
{
    Pool wrong = pool("float16");
    wrong.output[617] += 2 * kit::ulp_at(DType::float16, wrong.output[617]);
    EXPECT_NE(verified(wrong, 2).mismatch.find("off by 2 units"), std::string::npos) << verified(wrong, 2).mismatch;
}

// Elements that an operator only moves are compared by their bits.
TEST(Verify, MovedElementsAreExact)
{
    const Result<kit::Case> problem = kit::parse_case("transpose", "t a=3x5");
    ASSERT_TRUE(problem) << problem.message();
    const std::vector<kit::RealTensor> inputs = kit::fill_inputs(*problem, kit::Fill::reals);
    const std::vector<std::byte> given = kit::encoded(inputs[0]);
    std::vector<std::byte> moved;
    for (size_t column = 0; column < 5; ++column)
        for (size_t row = 0; row < 3; ++row)
            moved.insert(moved.end(), given.begin() + (row * 5 + column) * 4, given.begin() + (row * 5 + column + 1) * 4);
    const auto mismatch = [&] { return verify(*problem, inputs, DType::float32, moved, 1, {}, 1)->mismatch; };
    EXPECT_EQ(mismatch(), "");
    moved[7 * 4] ^= std::byte{1};  // the last bit of one element
    EXPECT_NE(mismatch().find("1 of 15 elements"), std::string::npos) << mismatch();
}

TEST(Verify, ComparesFewerWhereOneCostsMore)
{
    EXPECT_LE(verified(pool(), 1e4).compared, 400);
    EXPECT_GE(verified(pool(), 1e9).compared, 14);
}

TEST(Verify, SampleIsSeeded)
{
    const std::vector<int64_t> sample = seeded_sample(1'000'000, 100, 1);
    EXPECT_EQ(sample, seeded_sample(1'000'000, 100, 1));
    EXPECT_NE(sample, seeded_sample(1'000'000, 100, 2));
    EXPECT_GE(sample.size(), 95u);
    EXPECT_EQ(sample.front(), 0);
    EXPECT_EQ(sample.back(), 999'999);
    EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
    EXPECT_EQ(seeded_sample(3, 100, 1), (std::vector<int64_t>{0, 1, 2}));
    EXPECT_TRUE(seeded_sample(0, 100, 1).empty());
}

}  // namespace
}  // namespace vkonnx::bench
