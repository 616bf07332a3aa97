#include "plan/engines/taps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace vkonnx::plan {
namespace {

TEST(Iterations, CountLoopsAndTheChecksThatEndThem)
{
    const TapAxis axes[] = {{3, 1, 3}, {2, 1, 2}};
    EXPECT_EQ(nested_iterations(axes), 1 + 3 * (1 + (1 + 2 * 1)));
    EXPECT_EQ(row_iterations(axes), 1 + 3 * (2 + 1 + 2));
}

TEST(Iterations, CountOneTapForAnAxisThatOutputsMeetOnceHoweverLong)
{
    const TapAxis axes[] = {{1000, 1000, 1}, {4, 1, 4}};
    EXPECT_EQ(nested_iterations(axes), 1 + 1 * (1 + (1 + 4 * 1)));
}

TEST(Iterations, SaturateInsteadOfOverflowing)
{
    const TapAxis huge[] = {{int64_t(1) << 40, 1, int64_t(1) << 40}, {int64_t(1) << 40, 1, int64_t(1) << 40}};
    EXPECT_EQ(nested_iterations(huge), INT64_MAX);
    EXPECT_EQ(row_iterations(huge), INT64_MAX);
}

// This struct holds the taps that an output with residues `phase` meets, in the order of the sum, box by box, and the worst row
// count.
struct Gathered {
    std::vector<std::vector<int64_t>> taps;
    int64_t worst = 0;
};

Gathered gather(std::span<const TapAxis> axes, std::span<const int64_t> phase, std::span<const TapBox> boxes)
{
    Gathered gathered;
    for (const TapBox& box : boxes) {
        std::vector<std::vector<int64_t>> per_axis(axes.size());
        int64_t rows = 1;
        for (size_t a = 0; a < axes.size(); ++a) {
            for (int64_t tap = phase[a]; tap < axes[a].kernel; tap += axes[a].step)
                if (tap >= box.begin[a] && tap < box.end[a])
                    per_axis[a].push_back(tap);
            if (a + 1 < axes.size())
                rows *= int64_t(per_axis[a].size());
        }
        gathered.worst = std::max(gathered.worst, 1 + rows * (int64_t(axes.size()) + 1 + int64_t(per_axis.back().size())));
        std::vector<size_t> digit(axes.size(), 0);
        if (std::any_of(per_axis.begin(), per_axis.end(), [](auto& taps) { return taps.empty(); }))
            continue;
        for (bool more = true; more;) {
            std::vector<int64_t> tap;
            for (size_t a = 0; a < axes.size(); ++a)
                tap.push_back(per_axis[a][digit[a]]);
            gathered.taps.push_back(tap);
            size_t a = axes.size();
            while (a > 0 && ++digit[a - 1] == per_axis[a - 1].size())
                digit[--a] = 0;
            more = a > 0;
        }
    }
    return gathered;
}

TEST(SplitTaps, KeepsEveryTapTheOrderAndTheBudgetOnRandomWindows)
{
    const unsigned seed = 20261121;
    RecordProperty("seed", int(seed));
    std::mt19937 random(seed);
    auto pick = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
    int split = 0;
    for (int i = 0; i < 500; ++i) {
        std::vector<TapAxis> axes;
        std::vector<int64_t> phase;
        for (int64_t a = pick(1, 4); a > 0; --a) {
            int64_t kernel = pick(1, 9), step = pick(1, 3);
            axes.push_back({kernel, step, (kernel + step - 1) / step});
            phase.push_back(pick(0, step - 1));
        }
        const int64_t budget = pick(8, 60);
        std::vector<TapBox> boxes = split_taps(axes, budget);
        ASSERT_FALSE(boxes.empty()) << "seed " << seed << " problem " << i;
        Gathered cut = gather(axes, phase, boxes);
        const TapBox whole = whole_window(axes);
        EXPECT_EQ(cut.taps, gather(axes, phase, std::span(&whole, 1)).taps) << "seed " << seed << " problem " << i;
        EXPECT_LE(cut.worst, budget) << "seed " << seed << " problem " << i;
        split += boxes.size() > 1;
    }
    EXPECT_GT(split, 100);
}

TEST(SplitTaps, KeepsTheMostTapsOfOneOutput)
{
    const TapAxis axes[] = {{6, 2, 3}, {5, 1, 5}};  // outputs meet 15 taps
    const int64_t phase[] = {1, 0};
    for (const int64_t most : {1, 2, 4, 5, 9, 10, 14, 15, 16}) {
        const std::vector<TapBox> boxes = split_taps(axes, 1000, most);
        size_t gathered = 0;
        for (const TapBox& box : boxes) {
            const size_t taps = gather(axes, phase, std::span(&box, 1)).taps.size();
            EXPECT_LE(int64_t(taps), most);
            gathered += taps;
        }
        EXPECT_EQ(gathered, 15u) << most;
        EXPECT_EQ(gather(axes, phase, boxes).taps, gather(axes, phase, std::vector{whole_window(axes)}).taps) << most;
    }
    EXPECT_EQ(split_taps(axes, 1000, 15).size(), 1u);
    EXPECT_EQ(split_taps(axes, 1000, 14).size(), 2u) << "two rows of 5, and one";
    EXPECT_EQ(split_taps(axes, 1000, 4).size(), 6u) << "each row in 4 and 1";
    EXPECT_TRUE(split_taps(axes, 1000, 0).empty());
}

TEST(SplitTaps, LeavesAWindowWholeThatMeetsFewTapsHoweverLongItIs)
{
    const TapAxis sparse[] = {{1000000, 1, 1}};  // one input: each output meets one tap
    EXPECT_EQ(split_taps(sparse, 64).size(), 1u);
}

TEST(SplitTaps, GivesUpWhenTheBudgetHoldsNoTapOrTheBoxesAreTooMany)
{
    const TapAxis axes[] = {{5, 1, 5}, {5, 1, 5}};
    EXPECT_TRUE(split_taps(axes, 4).empty());
    EXPECT_FALSE(can_split_taps(axes, 4));
    EXPECT_TRUE(can_split_taps(axes, 5));
    EXPECT_FALSE(split_taps(axes, 5).empty());
    const TapAxis many[] = {{int64_t(1) << 22, 1, int64_t(1) << 22}};
    EXPECT_TRUE(split_taps(many, 4).empty());
    EXPECT_FALSE(can_split_taps(many, 4));
}

}  // namespace
}  // namespace vkonnx::plan
