// This file tests cutting to one limit at a time, by name. any_cut_test.cpp cuts random problems to random limits.
#include "plan/engines/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plan/engines/merge.h"
#include "plan/operators/operators.h"
#include "replay.h"

namespace vkonnx::plan {
namespace {

using onednn::FilterFormat;
using ops::AveragePoolGeometry;
using ops::Axis;
using ops::ConvTransposeGeometry;

TEST(BoundsOf, AreABoxAroundARangeOfIndices)
{
    const int64_t dims[] = {3, 4, 5};
    const auto bounds = [&](int64_t first, int64_t count) {
        const Bounds all = bounds_of({first, count}, dims);
        return std::vector<Range>(all.begin(), all.begin() + 3);
    };
    EXPECT_EQ(bounds(0, 60), (std::vector<Range>{{0, 3}, {0, 4}, {0, 5}}));
    EXPECT_EQ(bounds(33, 1), (std::vector<Range>{{1, 1}, {2, 1}, {3, 1}}));
    EXPECT_EQ(bounds(26, 3), (std::vector<Range>{{1, 1}, {1, 1}, {1, 3}})) << "in one row";
    EXPECT_EQ(bounds(26, 7), (std::vector<Range>{{1, 1}, {1, 2}, {0, 5}})) << "in two";
    EXPECT_EQ(bounds(19, 2), (std::vector<Range>{{0, 2}, {0, 4}, {0, 5}})) << "across planes";
}

TEST(Limits, OfHalvesCountALoopOverTwoOutputs)
{
    Capabilities c;
    c.max_loop_iterations = 65535;
    EXPECT_EQ(loop_limit(ComputeType::f32, c), 65535);
    EXPECT_EQ(loop_limit(ComputeType::f64_soft, c), 65535);
    EXPECT_EQ(loop_limit(ComputeType::f16, c), 32766);  // 1 + 2 * (1 + 32766) is no more
    EXPECT_EQ(loop_limit(ComputeType::bf16, c), 32766);
}

TEST(Limits, OfWorkFollowTheDevicesSpeedAndTheTimeGiven)
{
    Capabilities c;
    c.work_per_second = 1e6;
    EXPECT_EQ(work_limit(ComputeType::f32, c, {}), 500000);
    EXPECT_EQ(work_limit(ComputeType::f16, c, {.max_dispatch_seconds = 2}), 2000000);
    EXPECT_EQ(work_limit(ComputeType::f64_soft, c, {}), int64_t(500000 / cost_of(ComputeType::f64_soft)));
    EXPECT_LT(work_limit(ComputeType::f64_soft, c, {}), work_limit(ComputeType::f64, c, {})) << "integer words are slow";
    EXPECT_EQ(work_limit(ComputeType::f32, c, {.max_dispatch_seconds = 1e-9}), 1) << "no less than one multiply-add";
    EXPECT_EQ(work_limit(ComputeType::f32, c, {.max_dispatch_seconds = INFINITY}), int64_t(1) << 62);
}

// Returns a pool of 2 x 2 windows with strides of 2.
AveragePoolGeometry halving(int64_t channels, int64_t extent, Layout layout = Layout::ncx)
{
    AveragePoolGeometry g;
    g.channels = channels;
    g.layout = layout;
    g.axes.assign(2, {.in = extent, .out = extent / 2, .kernel = 2, .stride = 2});
    return g;
}

ConvTransposeGeometry projection(int64_t channels_in, int64_t channels_out, FilterFormat filter)
{
    ConvTransposeGeometry g;
    g.channels_in = channels_in;
    g.channels_out = channels_out;
    g.filter = filter;
    g.axes.assign(1, Axis{});
    return g;
}

// Checks everything except the terms of the sums, of which there are too many here.
void expect_within_limits(const Plan& plan, const Capabilities& c, int64_t outputs)
{
    int64_t finished = 0;
    for (const Step& step : plan.steps) {
        const push::GatherPart part = part_of(step);
        if (part.finishes)
            finished += part.output_count;
        EXPECT_LE(step.seconds, plan.max_submit_seconds);
        for (const Operand& operand : step.operands) {
            EXPECT_EQ(operand.offset % c.storage_buffer_alignment, 0u);
            EXPECT_LE(operand.bytes, c.max_storage_buffer_range);
        }
    }
    EXPECT_EQ(finished, outputs);
    EXPECT_LE(plan.scratch_bytes, c.max_storage_buffer_range);
}

// 128 MiB can be bound at once, and 5e7 multiply-adds take half a second.
TEST(Cut, LargeInputsAreReadInFewWindows)
{
    const Capabilities lavapipe = *Capabilities::preset("lavapipe");
    for (const Layout layout : {Layout::ncx, Layout::nxc}) {
        const Result<Plan> plan =
            plan_for(halving(75, 1024, layout), lavapipe, {.kernel = "average_pool_direct"});  // X has 300 MiB, Y 75
        ASSERT_TRUE(plan) << plan.message();
        EXPECT_EQ(plan->steps.size(), 8u) << "2.5e6 outputs in half a second: more windows than memory takes";
        expect_within_limits(*plan, lavapipe, 75 * 512 * 512);
        for (const Step& step : plan->steps) {
            EXPECT_EQ(step.operands[1], (Operand{.tensor = 1, .access = Access::write})) << "Y is whole";
            const push::GatherPart part = part_of(step);
            EXPECT_EQ(step.operands[0].offset, uint64_t(part.x_base) * 4);
            // These are both ends of what the first and the last output of the step read.
            for (const int64_t output : {int64_t(part.first_output), int64_t(part.first_output) + part.output_count - 1}) {
                const bool last = layout == Layout::nxc;
                const int64_t inner = last ? 75 : 1;
                const int64_t column = output / inner % 512;
                const int64_t row = output / inner / 512 % 512;
                const int64_t outer = output / inner / 512 / 512;
                const int64_t first = (((outer * 1024 + row * 2) * 1024) + column * 2) * inner + output % inner;
                EXPECT_GE(first, int64_t(part.x_base));
                EXPECT_LE(uint64_t(first + (1024 + 1) * inner + 1) * 4, step.operands[0].offset + step.operands[0].bytes);
            }
        }
    }
}

TEST(Cut, LargeOutputsAreWrittenInFewWindows)
{
    const Capabilities lavapipe = *Capabilities::preset("lavapipe");
    ConvTransposeGeometry g;  // depthwise, one tap everywhere: Y has 300 MiB, X 75
    g.channels_in = g.channels_out = g.group = 75;
    g.axes.assign(2, {.in = 512, .out = 1024, .kernel = 2, .stride = 2});
    for (const Layout layout : {Layout::ncx, Layout::nxc}) {
        g.layout = layout;
        const Result<Plan> plan = plan_for(g, lavapipe, {.kernel = "conv_transpose_direct"});
        ASSERT_TRUE(plan) << plan.message();
        EXPECT_EQ(plan->steps.size(), 27u) << "2.9e6 outputs in half a second: more windows than memory takes";
        expect_within_limits(*plan, lavapipe, 75 * 1024 * 1024);
        for (const Step& step : plan->steps) {
            const push::GatherPart part = part_of(step);
            EXPECT_EQ(step.operands[0], Operand{.tensor = 0}) << "X is whole";
            EXPECT_EQ(step.operands[3].offset, uint64_t(part.y_base) * 4);
            EXPECT_LE(part.y_base, part.first_output);
            EXPECT_GE(step.operands[3].offset + step.operands[3].bytes, (uint64_t(part.first_output) + part.output_count) * 4);
        }
    }
}

TEST(Cut, LargeFiltersAreReadInFewWindows)
{
    const Capabilities lavapipe = *Capabilities::preset("lavapipe");
    for (const FilterFormat filter : {FilterFormat::xio, FilterFormat::oix, FilterFormat::iox}) {
        const Result<Plan> plan = plan_for(projection(10240, 7680, filter), lavapipe, {});  // W has 300 MiB
        ASSERT_TRUE(plan) << plan.message();
        EXPECT_LE(plan->steps.size(), 8u);
        expect_within_limits(*plan, lavapipe, 7680);
    }
}

TEST(Cut, LargeHalvesAreReadInFewWindows)
{
    const Capabilities lavapipe = *Capabilities::preset("lavapipe");
    AveragePoolGeometry g = halving(150, 1024);
    g.dtype = DType::float16;  // X has 300 MiB
    const Result<Plan> plan = plan_for(g, lavapipe, {.kernel = "average_pool_direct"});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_LE(plan->steps.size(), 16u);
    EXPECT_EQ(plan->scratch_bytes, 0u) << "every window fits one part";
    expect_within_limits(*plan, lavapipe, 150 * 512 * 512);
}

// Tensors that just fit are bound whole, and those with one element more are not.
TEST(Cut, BindsWholeWhatFits)
{
    for (const DType dtype : {DType::float32, DType::float16, DType::float64}) {
        AveragePoolGeometry g;
        g.dtype = dtype;
        g.axes.assign(1, {.in = 151, .out = 1, .kernel = 1, .stride = 151});
        Capabilities c;
        c.max_storage_buffer_range = 152 * bits(dtype) / 8;
        EXPECT_EQ(plan_for(g, c, {})->steps.at(0).operands[0], Operand{.tensor = 0});
        c.storage_buffer_alignment = 4;
        c.max_storage_buffer_range -= 2 * bits(dtype) / 8;  // of halves, X's buffer has 304 bytes
        EXPECT_EQ(plan_for(g, c, {})->steps.at(0).operands[0], (Operand{.tensor = 0, .bytes = std::max(4u, bits(dtype) / 8)}));
    }
    AveragePoolGeometry odd;
    odd.dtype = DType::float16;
    odd.axes.assign(1, {.in = 151, .out = 1, .kernel = 1, .stride = 151});
    Capabilities c;
    c.max_storage_buffer_range = 302;  // 151 halves, and their buffer has 304 bytes
    c.storage_buffer_alignment = 4;
    EXPECT_EQ(plan_for(odd, c, {})->steps.at(0).operands[0], (Operand{.tensor = 0, .bytes = 4}));
}

std::string replayed(const ConvTransposeGeometry& g, const Plan& plan, const Capabilities& c, const PrepareOptions& options = {})
{
    return replay(define(merged(g)), plan, c, options);
}

std::string replayed(const AveragePoolGeometry& g, const Plan& plan, const Capabilities& c, const PrepareOptions& options = {})
{
    return replay(define(merged(g), g.dtype), plan, c, options);
}

ConvTransposeGeometry small_conv(DType dtype, bool bias = false)
{
    ConvTransposeGeometry g;
    g.dtype = dtype;
    g.channels_in = 2;
    g.bias = bias;
    g.axes.assign(1, {.in = 3, .out = 4, .kernel = 2});
    return g;
}

TEST(Cut, ToOneMultiplyAddADispatch)
{
    Capabilities slow;
    slow.work_per_second = 1;
    const PrepareOptions options = {.max_dispatch_seconds = 1};
    const auto steps = [&](DType dtype) {
        const ConvTransposeGeometry g = small_conv(dtype);
        const Result<Plan> plan = plan_for(g, slow, options);
        EXPECT_TRUE(plan) << plan.message();
        EXPECT_EQ(replayed(g, *plan, slow, options), "");
        return plan->steps.size();
    };
    EXPECT_EQ(steps(DType::float32), 4u * 2 * 2) << "outputs, channels, taps";
    EXPECT_EQ(steps(DType::float64), 4u * 2 * 2);
    EXPECT_EQ(steps(DType::float16), 2u * (2 * 2 + 1)) << "words; the last step of each finishes it";
}

TEST(Cut, SumsOfHalvesGoThroughScratchMemoryAndAreFinishedOnce)
{
    Capabilities slow;
    slow.work_per_second = 4 * (4 + output_work);  // four outputs, of two channels with two taps each
    const ConvTransposeGeometry g = small_conv(DType::bfloat16, true);
    const PrepareOptions whole = {.max_dispatch_seconds = 1};
    EXPECT_EQ(plan_for(g, slow, whole)->steps.size(), 1u);
    EXPECT_EQ(plan_for(g, slow, whole)->scratch_bytes, 0u);

    const PrepareOptions half = {.max_dispatch_seconds = 0.45};  // a word, with one channel's taps
    const Result<Plan> plan = plan_for(g, slow, half);
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(replayed(g, *plan, slow, half), "");
    EXPECT_EQ(plan->scratch_bytes, 2u * 4);
    ASSERT_EQ(plan->steps.size(), 6u);
    const auto expect_step = [&](size_t i, uint32_t first, uint32_t channel, uint32_t channels, bool starts, bool finishes) {
        const push::GatherPart part = part_of(plan->steps[i]);
        EXPECT_EQ(part.first_output, first) << i;
        EXPECT_EQ(part.output_count, 2u) << i;
        EXPECT_EQ(part.first_channel, channel) << i;
        EXPECT_EQ(part.channel_count, channels) << i;
        EXPECT_EQ(part.starts, starts) << i;
        EXPECT_EQ(part.finishes, finishes) << i;
        EXPECT_EQ(finishes ? part.x_base : part.y_base, first) << i;
        const std::vector<Operand>& operands = plan->steps[i].operands;
        EXPECT_EQ(operands[finishes ? 0 : 3].place, Place::scratch) << i;
        EXPECT_EQ(operands[finishes ? 3 : 0].place, Place::tensor) << i;
        EXPECT_EQ(operands[finishes ? 3 : 0].tensor, finishes ? 3 : 0) << i;
        EXPECT_EQ(operands[3].access, part.starts || finishes ? Access::write : Access::read_write) << i;
    };
    expect_step(0, 0, 0, 1, true, false);
    expect_step(1, 0, 1, 1, false, false);
    expect_step(2, 0, 0, 0, false, true);
    expect_step(3, 2, 0, 1, true, false);
    expect_step(4, 2, 1, 1, false, false);
    expect_step(5, 2, 0, 0, false, true);
}

// The direct kernel adds a channel's taps for both outputs of a word, so that its least work is twice that of one output.
TEST(Cut, LeavesHalvesToTheGeneralKernelWhenOnlyOneOfAWordFitsTheTime)
{
    Capabilities slow;
    slow.work_per_second = 2 * output_work + 7;
    const PrepareOptions options = {.max_dispatch_seconds = 1};
    AveragePoolGeometry g;
    g.dtype = DType::float16;
    g.axes.assign(1, {.in = 9, .out = 6, .kernel = 4});
    const Result<Plan> plan = plan_for(g, slow, options);
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(plan->pipelines.at(0).kernel, Kernel::average_pool_nd_f16);
    EXPECT_EQ(replayed(g, *plan, slow, options), "");
    EXPECT_TRUE(plan->why.ends_with("average_pool_direct does not fit: AveragePool: kernel average_pool_direct_f16 would take "
                                    "longer over 8 taps than PrepareOptions::max_dispatch_seconds"))
        << plan->why;
    g.dtype = DType::float32;
    EXPECT_EQ(plan_for(g, slow, options)->pipelines.at(0).kernel, Kernel::average_pool_direct_f32);
}

TEST(Cut, ReadsTheBiasInWindows)
{
    ConvTransposeGeometry g;
    g.channels_in = 1;
    g.channels_out = 1000;
    g.bias = true;
    g.axes.assign(1, Axis{});
    Capabilities c;
    c.storage_buffer_alignment = 16;
    c.max_storage_buffer_range = 1620;  // 400 floats, the alignment and a word
    const Result<Plan> plan = plan_for(g, c, {});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(replayed(g, *plan, c), "");
    ASSERT_EQ(plan->steps.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {  // 384 outputs a slice, six workgroups
        EXPECT_EQ(part_of(plan->steps[i]).b_base, 384 * i);
        EXPECT_EQ(plan->steps[i].operands[2], (Operand{.tensor = 2, .offset = 384 * 4 * i, .bytes = (i < 2 ? 384u : 232u) * 4}))
            << i;
    }
}

TEST(Cut, ReadsChannelsLastInWindows)
{
    ConvTransposeGeometry g;
    g.layout = Layout::nxc;
    g.filter = FilterFormat::xio;
    g.channels_in = g.channels_out = 8;
    g.axes.assign(2, {.in = 12, .out = 24, .kernel = 2, .stride = 2});
    Capabilities c;
    c.storage_buffer_alignment = 16;
    c.max_storage_buffer_range = 1200;  // X has 4,608 bytes, W 1,024, Y 18,432
    const Result<Plan> plan = plan_for(g, c, {});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(replayed(g, *plan, c), "");
    EXPECT_EQ(plan->steps.size(), 18u) << "256 outputs each, and X by rows";
    for (const Step& step : plan->steps) {
        EXPECT_NE(step.operands[0].bytes, 0u);
        EXPECT_EQ(step.operands[1], Operand{.tensor = 1}) << "W is whole";
        EXPECT_NE(step.operands[3].bytes, 0u);
        EXPECT_TRUE(part_of(step).starts && part_of(step).finishes) << "channels lie together";
    }
}

// Two outputs share a word, and what they read may lie further apart than anything that can be bound: W's columns here, or X on
// both sides of a channel's end.
TEST(Cut, PartsTheWordOfTwoHalvesInScratchMemory)
{
    Capabilities c;
    c.storage_buffer_alignment = 4;
    c.max_storage_buffer_range = 300;
    ConvTransposeGeometry g = projection(2, 2, FilterFormat::oix);
    g.dtype = DType::float16;
    g.bias = true;
    g.axes[0] = {.in = 1, .out = 99, .kernel = 100, .begin = 1};  // columns are 400 bytes apart
    const Result<Plan> plan = plan_for(g, c, {});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(replayed(g, *plan, c), "");
    EXPECT_NE(plan->scratch_bytes, 0u);

    AveragePoolGeometry p;
    p.dtype = DType::bfloat16;
    p.channels = 2;
    p.axes.assign(1, {.in = 601, .out = 3, .kernel = 3, .stride = 299});
    const Result<Plan> pooled = plan_for(p, c, {});
    ASSERT_TRUE(pooled) << pooled.message();
    EXPECT_EQ(replayed(p, *pooled, c), "");
    EXPECT_EQ(pooled->pipelines.at(0).kernel, Kernel::average_pool_nd_bf16) << "the direct kernel forms no part of a sum";
}

// One step finishes a word, whatever its two outputs need: here they need the last channel's bias, and the first one's.
TEST(Cut, RefusesBiasesOfAWordThatLieTooFarApart)
{
    Capabilities c;
    c.storage_buffer_alignment = 4;
    c.max_storage_buffer_range = 300;
    ConvTransposeGeometry g = projection(1, 183, FilterFormat::iox);
    g.batch = 2;
    g.bias = true;
    for (const DType dtype : {DType::float32, DType::float16}) {
        g.dtype = dtype;
        const Result<Plan> plan = plan_for(g, c, {});
        EXPECT_EQ(plan.ok(), dtype == DType::float32) << plan.message();
        if (plan)
            EXPECT_EQ(replayed(g, *plan, c), "");
        else
            EXPECT_EQ(plan.message(), "ConvTranspose: the device's max_storage_buffer_range = 300 is too small for what kernel "
                                      "conv_transpose_nd_f16 reads for a single output");
    }
}

TEST(Cut, RefusesMemoryThatHoldsNoWord)
{
    AveragePoolGeometry g;
    g.dtype = DType::float16;
    g.axes.assign(1, {.in = 400, .out = 400});
    Capabilities c;
    c.max_storage_buffer_range = c.storage_buffer_alignment + 4 + 7;  // sums of two halves have 8 bytes
    const Result<Plan> plan = plan_for(g, c, {});
    EXPECT_EQ(plan.message(),
              "AveragePool: the device's max_storage_buffer_range = 267 is too small for any part of its tensors");
    c.max_storage_buffer_range += 1;
    const Result<Plan> least = plan_for(g, c, {});
    ASSERT_TRUE(least) << least.message();
    EXPECT_EQ(replayed(g, *least, c), "");
}

// Vulkan lets a device report 1, and words of halves must still lie on words.
TEST(Cut, BindsWordsWhereDevicesAlignNothing)
{
    Capabilities c;
    c.storage_buffer_alignment = 1;
    c.max_storage_buffer_range = 300;
    AveragePoolGeometry g;
    g.dtype = DType::float16;
    g.axes.assign(1, {.in = 401, .out = 400, .kernel = 3, .begin = 1});  // slices begin with odd inputs
    const Result<Plan> plan = plan_for(g, c, {});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(replayed(g, *plan, c), "");
    EXPECT_GT(plan->steps.size(), 1u);
}

TEST(Cut, FoldsGroupsAndUsesSeveralDispatchesWhenThreeDimensionsAreTooFew)
{
    Capabilities c;
    c.max_group_count = {2, 2, 2};
    AveragePoolGeometry g;
    g.axes.assign(1, {.in = 1002, .out = 1000, .kernel = 3});
    const auto slices = [&](DType dtype) {
        g.dtype = dtype;
        const Result<Plan> plan = plan_for(g, c, {});
        EXPECT_TRUE(plan) << plan.message();
        EXPECT_EQ(replayed(g, *plan, c), "");
        std::vector<std::pair<uint32_t, uint32_t>> result;
        for (const Step& step : plan->steps)
            result.emplace_back(part_of(step).first_output, part_of(step).output_count);
        return result;
    };
    using Slices = std::vector<std::pair<uint32_t, uint32_t>>;
    EXPECT_EQ(slices(DType::float32), (Slices{{0, 512}, {512, 488}})) << "8 groups of 64";
    EXPECT_EQ(slices(DType::float16), (Slices{{0, 1000}})) << "of 128 outputs";
}

}  // namespace
}  // namespace vkonnx::plan
