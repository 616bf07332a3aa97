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

// Every output in exactly one slice, every slice covered by its groups, no group count beyond the device's.
void expect_covered(int64_t outputs, const Capabilities& capabilities)
{
    int64_t next = 0;
    for (const OutputSlice& slice : slice_outputs(outputs, capabilities)) {
        EXPECT_EQ(slice.first, next);
        next += slice.count;
        int64_t invocations = workgroup_size(capabilities);
        for (size_t d = 0; d < 3; ++d) {
            EXPECT_GE(slice.groups[d], 1u);
            EXPECT_LE(slice.groups[d], capabilities.max_group_count[d]);
            invocations *= slice.groups[d];
        }
        EXPECT_GE(invocations, slice.count);
    }
    EXPECT_EQ(next, outputs);
}

TEST(SliceOutputs, CoversEveryOutputOnceUnderAnyGroupCounts)
{
    for (const Capabilities& capabilities :
         {Capabilities{}, with_group_counts(4, 4, 4), with_group_counts(3, 1, 2), with_group_counts(1, 1, 1)})
        for (int64_t outputs : {1, 63, 64, 65, 127, 1000, 4096, 4097, 100003})
            expect_covered(outputs, capabilities);
}

TEST(SliceOutputs, FoldsExactlyBeyondTheLimitOfOneDimension)
{
    auto groups = [](int64_t workgroups) { return slice_outputs(workgroups * 64, Capabilities{}).at(0).groups; };
    EXPECT_EQ(groups(65535), (std::array<uint32_t, 3>{65535, 1, 1}));
    EXPECT_EQ(groups(65536), (std::array<uint32_t, 3>{65535, 2, 1}));
    EXPECT_EQ(groups(65537), (std::array<uint32_t, 3>{65535, 2, 1}));
    EXPECT_EQ(slice_outputs(65537 * 64, Capabilities{}).size(), 1u);
}

TEST(SliceOutputs, UsesSeveralDispatchesWhenThreeDimensionsAreTooFew)
{
    std::vector<OutputSlice> slices = slice_outputs(1000, with_group_counts(2, 2, 2));  // 512 outputs a dispatch
    ASSERT_EQ(slices.size(), 2u);
    EXPECT_EQ(slices[1].first, 512u);
    EXPECT_EQ(slices[1].count, 488u);
}

TEST(WorkgroupSize, StaysUnderTheDevicesLimits)
{
    Capabilities small;
    small.max_invocations = 32;
    EXPECT_EQ(workgroup_size(small), 32u);
    small.max_workgroup_size = {16, 1, 1};
    EXPECT_EQ(workgroup_size(small), 16u);
}

TEST(Iterations, CountLoopsAndTheChecksThatEndThem)
{
    const TapAxis axes[] = {{3, 1, 3}, {2, 1, 2}};
    EXPECT_EQ(nested_iterations(axes), 1 + 3 * (1 + (1 + 2 * 1)));
    EXPECT_EQ(row_iterations(axes), 1 + 3 * (2 + 1 + 2));
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
        TapBox whole;
        for (size_t a = 0; a < axes.size(); ++a)
            whole.end[a] = uint32_t(axes[a].kernel);
        EXPECT_EQ(cut.taps, gather(axes, phase, std::span(&whole, 1)).taps) << "seed " << seed << " problem " << i;
        EXPECT_LE(cut.worst, budget) << "seed " << seed << " problem " << i;
        split += boxes.size() > 1;
    }
    EXPECT_GT(split, 100);
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

TEST(CheckAddressable, RefusesWhatTheDeviceCannotBind)
{
    Capabilities capabilities;
    capabilities.max_storage_buffer_range = 400;
    EXPECT_TRUE(check_addressable("Op", "input X", {DType::float32, {100}}, capabilities).ok());
    Status status = check_addressable("Op", "input X", {DType::float32, {101}}, capabilities);
    EXPECT_EQ(status.code(), Code::unsupported);
    EXPECT_EQ(status.message(), "Op: input X float[101] needs 404 bytes, more than the 400 that the device can bind at once");
    capabilities.max_storage_buffer_range = UINT64_MAX;
    EXPECT_FALSE(check_addressable("Op", "input X", {DType::float32, {int64_t(1) << 31}}, capabilities).ok());
}

}  // namespace
}  // namespace vkonnx::plan
