#include "plan/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace vkonnx::plan {
namespace {

Capabilities with_group_counts(uint32_t x, uint32_t y, uint32_t z)
{
    Capabilities capabilities;
    capabilities.max_group_count = {x, y, z};
    return capabilities;
}

int64_t product(const std::array<uint32_t, 3>& groups)
{
    return int64_t(groups[0]) * groups[1] * groups[2];
}

TEST(GroupsOf, CoverEveryInvocationUnderAnyGroupCounts)
{
    for (const Capabilities& capabilities :
         {Capabilities{}, with_group_counts(4, 4, 4), with_group_counts(3, 1, 2), with_group_counts(1, 1, 1)}) {
        const auto& most = capabilities.max_group_count;
        const int64_t room = std::min<int64_t>(product(most) * 64, 200000);
        for (const int64_t invocations : {int64_t(1), int64_t(63), int64_t(64), int64_t(65), int64_t(127), room - 1, room}) {
            if (invocations > room)
                continue;
            const std::array<uint32_t, 3> groups = groups_of(invocations, capabilities);
            EXPECT_GE(product(groups) * 64, invocations);
            for (size_t d = 0; d < 3; ++d) {
                EXPECT_GE(groups[d], 1u) << invocations;
                EXPECT_LE(groups[d], most[d]) << invocations;
            }
        }
    }
}

TEST(GroupsOf, FoldExactlyBeyondTheLimitOfOneDimension)
{
    const auto groups = [](int64_t workgroups) { return groups_of(workgroups * 64, Capabilities{}); };
    EXPECT_EQ(groups(65535), (std::array<uint32_t, 3>{65535, 1, 1}));
    EXPECT_EQ(groups(65536), (std::array<uint32_t, 3>{65535, 2, 1}));
    EXPECT_EQ(groups(65537), (std::array<uint32_t, 3>{65535, 2, 1}));
    EXPECT_EQ(groups_of(1000, with_group_counts(3, 2, 9)), (std::array<uint32_t, 3>{3, 2, 3}));  // 16 groups
}

// flat_invocation of common.glsl counts in 32 bits, and twice that where an invocation has two outputs.
TEST(GroupsOf, OvershootOnlyALittleWhereIndicesEnd)
{
    for (const Capabilities& capabilities :
         {Capabilities{}, with_group_counts(UINT32_MAX, 1, 1), with_group_counts(1, 65535, 65535)})
        EXPECT_LE(product(groups_of(index_limit, capabilities)) * 64, index_limit + 65535 * 64);
}

TEST(WorkgroupSize, StaysUnderTheDevicesLimits)
{
    Capabilities small;
    small.max_invocations = 32;
    EXPECT_EQ(workgroup_size(small), 32u);
    small.max_workgroup_size = {16, 1, 1};
    EXPECT_EQ(workgroup_size(small), 16u);
    small.max_invocations = 0;
    EXPECT_EQ(workgroup_size(small), 1u) << "it divides";
}

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

// The taps that an output with residues `phase` meets, in the order of the sum, gathered box by box, and the worst row count.
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
    const TapAxis many[] = {{int64_t(1) << 22, 1, int64_t(1) << 22}};
    EXPECT_TRUE(split_taps(many, 4).empty());
}

TEST(ChooseKernel, TakesTheFirstThatFitsAndNamesTheOthers)
{
    const Candidate candidates[] = {{"fast", "it is too wide"}, {"plain"}, {"last"}};
    EXPECT_EQ(*choose_kernel("Op", candidates, ""), 1u);
    EXPECT_EQ(*choose_kernel("Op", candidates, "last"), 2u);
    EXPECT_EQ(choose_kernel("Op", candidates, "fast").message(),
              "Op: kernel \"fast\" does not fit, because it is too wide; those that fit: plain, last");
    EXPECT_EQ(choose_kernel("Op", candidates, "none").message(), "Op: there is no kernel \"none\"; those that fit: plain, last");
}

Plan some_plan()
{
    Plan plan;
    plan.steps.resize(1);
    return plan;
}

TEST(FirstThatPlans, GoesOnWhereADevicesLimitsLetNoPartOfAProblemThrough)
{
    std::vector<size_t> tried;
    const auto second_only = [&](size_t chosen) -> Result<Plan> {
        tried.push_back(chosen);
        if (chosen == 0)
            return Status(Code::unsupported, "its windows are too small");
        return some_plan();
    };
    const Result<Plan> plan = first_that_plans("Op", {{"fast"}, {"plain"}}, "", second_only);
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(tried, (std::vector<size_t>{0, 1}));
    EXPECT_EQ(plan->why, "fast does not fit: its windows are too small");
    EXPECT_EQ(first_that_plans("Op", {{"fast"}, {"plain"}}, "fast", second_only).message(), "its windows are too small")
        << "a forced kernel stays";
    EXPECT_EQ(first_that_plans("Op", {{"plain"}}, "", second_only).message(), "its windows are too small") << "none is left";

    const auto invalid = [](size_t) -> Result<Plan> { return Status(Code::invalid_argument, "it is wrong"); };
    EXPECT_EQ(first_that_plans("Op", {{"fast"}, {"plain"}}, "", invalid).message(), "it is wrong");
    EXPECT_EQ(first_that_plans("Op", {{"fast"}, {"plain"}}, "plain", second_only)->why, "forced by PrepareOptions::kernel");
}

TEST(CheckDispatches, RefusesMoreThanAnyoneWaitsFor)
{
    EXPECT_TRUE(check_dispatches("Op", {256, 256}).ok());
    const Status status = check_dispatches("Op", {256, 257});
    EXPECT_EQ(status.code(), Code::unsupported);
    EXPECT_EQ(status.message(),
              "Op: the device's limits and max_dispatch_seconds would cut this problem into 65792 dispatches, more than 65536");
    EXPECT_FALSE(check_dispatches("Op", {INT64_MAX, INT64_MAX}).ok());
}

TEST(CheckAddressable, RefusesWhatKernelsCannotNumber)
{
    EXPECT_TRUE(check_addressable("Op", "input X", {DType::float16, {index_limit - 1}}).ok());
    const Status status = check_addressable("Op", "input X", {DType::float16, {2, index_limit / 2}});
    EXPECT_EQ(status.code(), Code::unsupported);
    EXPECT_EQ(status.message(), "Op: input X float16[2,1073741824] has 2147483648 elements, more than the 2147483647 that "
                                "kernels can number");
    EXPECT_FALSE(check_addressable("Op", "input X", {DType::float32, {INT64_MAX, INT64_MAX}}).ok());
}

}  // namespace
}  // namespace vkonnx::plan
