// This file tests how often a case is repeated, and the statistics of its samples.
#include "bench/calibrate.h"

#include <gtest/gtest.h>

#include "bench/progress.h"

namespace vkonnx::bench {
namespace {

TEST(Calibrate, RepeatsFillASample)
{
    EXPECT_EQ(repeats_for(0.5, 1e-9), 1);       // longer than a sample
    EXPECT_EQ(repeats_for(0.02, 1e-9), 1);      // as long as a sample
    EXPECT_EQ(repeats_for(0.0099, 1e-9), 3);    // a sample has room for 2.02 of them
    EXPECT_EQ(repeats_for(1e-4, 1e-9), 200);    // 20 ms / 100 us
    EXPECT_EQ(repeats_for(3e-6, 1e-9), 1024);   // 6667 would be too many commands
    EXPECT_EQ(repeats_for(0, 0), 1024);         // too short to see
    EXPECT_EQ(repeats_for(1e-4, 1e-3), 1000);   // a coarse clock: 100 ticks are 100 ms
    EXPECT_EQ(repeats_for(1e-6, 1e-4), 10000);  // the coarse clock counts for more than the limit on commands
}

TEST(Calibrate, SamplesFillTheBudget)
{
    EXPECT_EQ(samples_for(0.02, 0.5), 25);
    EXPECT_EQ(samples_for(0.3, 0.5), 5);  // at least 5, for a spread
    EXPECT_EQ(samples_for(2.9, 0.5), 5);  // 14.5 s: still within 30 budgets
    EXPECT_EQ(samples_for(3.1, 0.5), 1);  // 15.5 s: beyond
    EXPECT_EQ(samples_for(1e-5, 0.5), 1000);
    EXPECT_EQ(samples_for(0, 0.5), 1000);
}

TEST(Calibrate, SpreadIsOrderStatistics)
{
    const Spread spread = spread_of({5, 1, 3, 2});
    EXPECT_EQ(spread.min, 1);
    EXPECT_EQ(spread.p25, 1.75);
    EXPECT_EQ(spread.median, 2.5);
    EXPECT_EQ(spread.p75, 3.5);
    EXPECT_EQ(spread.max, 5);
    const Spread single = spread_of({7});
    EXPECT_EQ(single.min, 7);
    EXPECT_EQ(single.p25, 7);
    EXPECT_EQ(single.max, 7);
    EXPECT_EQ(spread_of({}).median, 0);
}

TEST(Calibrate, TickIsTheSmallestStep)
{
    EXPECT_NEAR(tick_of(std::vector<double>{80e-9, 160e-9, 240e-9, 160e-9}), 80e-9, 1e-15);
    EXPECT_NEAR(tick_of(std::vector<double>{520e-9, 560e-9}), 40e-9, 1e-15);
    EXPECT_NEAR(tick_of(std::vector<double>{1e-6, 1e-6 * (1 + 1e-12)}), 1e-6, 1e-12);  // rounding is no tick
    EXPECT_EQ(tick_of(std::vector<double>{0, 0}), 0);
    EXPECT_EQ(tick_of({}), 0);
}

TEST(Calibrate, RotationOutgrowsTheCache)
{
    constexpr uint64_t mib = 1 << 20;
    for (const uint64_t case_bytes : {uint64_t{20480}, 5 * mib, 16 * mib, 255 * mib, 256 * mib, 700 * mib}) {
        const Rotation rotation = rotation_for(case_bytes, 256 * mib);
        // Between two runs on the same copy, the runs on all other copies and the filler go through the cache.
        EXPECT_GE(uint64_t(rotation.copies - 1) * case_bytes + rotation.filler_bytes, 256 * mib) << case_bytes;
        EXPECT_LE(rotation.copies, 64) << case_bytes;
    }
    EXPECT_EQ(rotation_for(16 * mib, 256 * mib).copies, 17);
    EXPECT_EQ(rotation_for(16 * mib, 256 * mib).filler_bytes, 0u);
    EXPECT_EQ(rotation_for(700 * mib, 256 * mib).copies, 2);
    EXPECT_EQ(rotation_for(1 * mib, 256 * mib).filler_bytes, 193 * mib);
}

TEST(Calibrate, ArrangementUsesEveryCopyEquallyOften)
{
    const auto expect = [](int64_t repeats, int64_t copies, Arrangement expected) {
        const Arrangement made = arrangement_for(repeats, copies);
        EXPECT_EQ(made.recordings, expected.recordings) << repeats << ' ' << copies;
        EXPECT_EQ(made.repeats, expected.repeats) << repeats << ' ' << copies;
        EXPECT_EQ(made.copies, expected.copies) << repeats << ' ' << copies;
        EXPECT_EQ(made.recordings * made.repeats % made.copies, 0) << repeats << ' ' << copies;
    };
    expect(200, 1, {1, 200, 1});
    expect(200, 17, {1, 204, 17});
    expect(1, 17, {17, 1, 17});
    expect(5, 17, {4, 5, 20});
    expect(17, 17, {1, 17, 17});
}

TEST(Progress, SaysCaseCountAndTimeLeft)
{
    EXPECT_EQ(progress_text(2, 47, "conv_transpose/ct03/f32", 80), "[ 3/47] conv_transpose/ct03/f32, about 1 min 20 s left");
    EXPECT_EQ(progress_text(46, 47, "a", 0.4), "[47/47] a, about 1 s left");
    EXPECT_EQ(progress_text(0, 5, "a", -1), "[1/5] a");
}

}  // namespace
}  // namespace vkonnx::bench
