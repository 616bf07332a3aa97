// This file tests plans on invented capabilities: which kernel runs, with what constants, and that no device limit is crossed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "constant_of.h"
#include "modules.h"
#include "plan/core/limits.h"
#include "plan/core/probe.h"
#include "plan/operators/operators.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/engines/pool/pool.h"
#include "shaders/operators/conv_transpose/conv_transpose.h"
#include "shaders/operators/conv_transpose/conv_transpose_constants.h"
#include "shaders/probes/probe.h"

namespace vkonnx::plan {
namespace {

using ops::AveragePoolGeometry;
using ops::Axis;
using ops::ConvTransposeGeometry;

push::GatherPart part_of(const Step& step)
{
    return block_of<push::GatherPart>(step.push);
}

// Returns an axis counted from the end, where axes stand in their array: axis 0 is the last one, axis 1 the one before it.
push::ConvTransposeAxis axis_from_end(const push::ConvTransposeProblem& problem, size_t axis)
{
    return problem.axes[MAX_AXES - 1 - axis];
}

push::PoolAxis axis_from_end(const push::PoolProblem& problem, size_t axis)
{
    return problem.axes[MAX_AXES - 1 - axis];
}

// Returns an axis with in 5, k 3, s 2 and no pads.
Axis conv_axis()
{
    return {.in = 5, .out = 11, .kernel = 3, .stride = 2};
}

ConvTransposeGeometry conv(size_t rank, int64_t channels_in = 4)
{
    ConvTransposeGeometry g;
    g.channels_in = channels_in;
    g.channels_out = 6;
    g.group = 2;
    g.axes.assign(rank, conv_axis());
    return g;
}

AveragePoolGeometry pool(size_t rank)
{
    AveragePoolGeometry g;
    g.channels = 3;
    g.axes.assign(rank, Axis{.in = 9, .out = 4, .kernel = 3, .stride = 2});
    return g;
}

Capabilities with_loops(uint32_t iterations)
{
    Capabilities capabilities;
    capabilities.max_loop_iterations = iterations;
    return capabilities;
}

constexpr DType computed_types[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

// Plans with the kernels that gather, whatever the estimates say.
Result<Plan> plan_gathered(const ConvTransposeGeometry& g, const Capabilities& capabilities, PrepareOptions options)
{
    options.kernel = g.axes.size() <= 3 ? "conv_transpose_direct" : "conv_transpose_nd";
    return plan_for(g, capabilities, options);
}

TEST(Kernels, EachHasItsModule)
{
    for (size_t i = 0; i < kernel_count(); ++i)
        if (!spirv(Kernel(i)).empty()) {
            EXPECT_EQ(spirv(Kernel(i))[0], 0x07230203u) << kernel_name(Kernel(i));
        } else {
            EXPECT_NE(kernel_name(Kernel(i)).find("matrices"), std::string_view::npos)
                << kernel_name(Kernel(i)) << " has no module";
        }
}

// modules.h is made of the table of modules, and must list a family's modules by their types.
TEST(Kernels, FamiliesHaveAModuleATypeInTheOrderOfNumbers)
{
    const auto names = [](std::span<const Variant> variants) {
        std::vector<std::string> words;
        for (const Variant& one : variants) {
            words.emplace_back(name(one.compute_type));
            EXPECT_TRUE(kernel_name(one.kernel).ends_with("_" + words.back())) << kernel_name(one.kernel);
        }
        return words;
    };
    EXPECT_EQ(names(modules::move), (std::vector<std::string>{"u8", "u16", "u32", "u64", "u128"}));
    EXPECT_EQ(names(modules::reduction_term1), (std::vector<std::string>{"f32", "f16", "bf16", "f64", "f64_soft"}));
    EXPECT_EQ(names(modules::reduction_term1_sums1), (std::vector<std::string>{"f16", "bf16"}));
    EXPECT_EQ(kernel_name(modules::average_pool_channels_clipped1[3].kernel), "average_pool_channels_clipped1_f64");
}

TEST(Kernels, EveryTypeHasItsVariant)
{
    const std::string_view suffixes[] = {"_f32", "_f16", "_bf16", "_f64_soft"};
    for (size_t i = 0; i < std::size(computed_types); ++i) {
        for (const size_t rank : {2u, 4u}) {
            ConvTransposeGeometry c = conv(rank);
            AveragePoolGeometry p = pool(rank);
            c.dtype = p.dtype = computed_types[i];
            const std::string form = (rank == 2 ? "_direct" : "_nd") + std::string(suffixes[i]);
            EXPECT_EQ(kernel_name(plan_gathered(c, Capabilities{}, {})->pipelines.at(0).kernel), "conv_transpose" + form);
            EXPECT_EQ(kernel_name(plan_for(p, Capabilities{}, {})->pipelines.at(0).kernel), "average_pool" + form);
        }
    }
}

TEST(Kernels, DoublesAreNativeWhereTheDeviceHasThem)
{
    ConvTransposeGeometry g = conv(2);
    g.dtype = DType::float64;
    Capabilities capabilities;
    const std::string note = "; doubles in integer words, since the device computes none (Capabilities::float64)";
    EXPECT_TRUE(plan_for(g, capabilities, {})->why.ends_with(note));
    capabilities.float64 = true;
    const Result<Plan> native = plan_gathered(g, capabilities, {});
    EXPECT_EQ(native->pipelines.at(0).kernel, Kernel::conv_transpose_direct_f64);
    EXPECT_FALSE(native->why.ends_with(note));
}

TEST(ConvTransposePlan, TakesTheDirectKernelUpToThreeAxes)
{
    for (size_t rank = 1; rank <= 6; ++rank) {
        Result<Plan> plan = plan_gathered(conv(rank), Capabilities{}, {.max_dispatch_seconds = 1e3});
        ASSERT_TRUE(plan) << plan.message();
        ASSERT_EQ(plan->steps.size(), 1u);
        EXPECT_EQ(plan->pipelines.at(0).kernel, rank <= 3 ? Kernel::conv_transpose_direct_f32 : Kernel::conv_transpose_nd_f32);
        EXPECT_TRUE(plan->pipelines.at(0).uses_uniform);
        EXPECT_EQ(plan->uniform.size(), sizeof(push::ConvTransposeProblem));
        EXPECT_EQ(constant_of(plan->pipelines[0], "rank"), rank);
    }
    EXPECT_EQ(
        plan_for(conv(4), Capabilities{}, {})->why,
        "conv_transpose_depthwise does not fit: it takes groups of one channel of X, not of 2; "
        "conv_transpose_depthwise_channels does not fit: it takes groups of one channel of X, not of 2; "
        "conv_transpose_phases does not fit: it takes at most 3 spatial axes, not 4; conv_transpose_phases_shared does not "
        "fit: it takes at most 3 spatial axes, not 4; conv_transpose_matrices_unpacked does not fit: it is not compiled for f32; "
        "conv_transpose_matrices does not fit: it is not compiled for f32; "
        "conv_transpose_direct does not fit: it takes at most 3 spatial axes, not 4");
}

TEST(ConvTransposePlan, PushesTheProblemAndPhaseAlgebra)
{
    ConvTransposeGeometry g = conv(2);
    g.axes[1] = {.in = 7, .out = 40, .kernel = 4, .stride = 6, .dilation = 4, .begin = 3};  // gcd 2: s' 3, d' 2, 2 * 2 = 1 mod 3
    Result<Plan> plan = plan_gathered(g, Capabilities{}, {});
    ASSERT_TRUE(plan) << plan.message();
    const auto problem = block_of<push::ConvTransposeProblem>(plan->uniform);
    EXPECT_EQ(problem.channels_in, 2u);
    EXPECT_EQ(problem.channels_out, 3u);
    EXPECT_EQ(problem.group, 2u);
    EXPECT_EQ(axis_from_end(problem, 2).in_extent, 1u);  // the rank has no such axis
    EXPECT_EQ(axis_from_end(problem, 2).kernel, 1u);
    EXPECT_EQ(axis_from_end(problem, 5).out_extent, 1u);
    EXPECT_EQ(axis_from_end(problem, 1).in_extent, 5u);
    EXPECT_EQ(axis_from_end(problem, 1).out_extent, 11u);
    const push::ConvTransposeAxis last = axis_from_end(problem, 0);
    EXPECT_EQ(last.in_extent, 7u);
    EXPECT_EQ(last.out_extent, 40u);
    EXPECT_EQ(last.kernel, 4u);
    EXPECT_EQ(last.begin, 3u);
    EXPECT_EQ(last.gcd, 2u);
    EXPECT_EQ(last.stride, 3u);
    EXPECT_EQ(last.dilation, 2u);
    EXPECT_EQ(last.inverse, 2u);
}

TEST(ConvTransposePlan, PushesOnePartWhereNothingIsCut)
{
    ConvTransposeGeometry g = conv(2);
    g.batch = 2;
    const Result<Plan> plan = plan_gathered(g, Capabilities{}, {});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_EQ(plan->steps.size(), 1u);
    const push::GatherPart part = part_of(plan->steps[0]);
    EXPECT_EQ(part.first_output, 0u);
    EXPECT_EQ(part.output_count, 2u * 6 * 11 * 11);
    EXPECT_EQ(part.first_channel, 0u);
    EXPECT_EQ(part.channel_count, 2u);
    EXPECT_EQ(part.starts, 1u);
    EXPECT_EQ(part.finishes, 1u);
    for (const uint32_t base : {part.x_base, part.w_base, part.b_base, part.y_base})
        EXPECT_EQ(base, 0u);
    for (size_t a = 0; a < MAX_AXES; ++a) {
        EXPECT_EQ(part.tap_begin[a], 0u);
        EXPECT_EQ(part.tap_end[a], a < 4 ? 1u : 3u) << a;
    }
    EXPECT_EQ(plan->scratch_bytes, 0u);
    EXPECT_EQ(plan->max_submit_seconds, PrepareOptions{}.max_dispatch_seconds);
    // An output takes 2 channels of at most 2 x 2 taps, and as much as 16 multiply-adds beside them, at 1e8 a second.
    EXPECT_DOUBLE_EQ(plan->steps[0].seconds, 2 * 6 * 11 * 11 * (8 + 16) / 1e8);
}

TEST(ConvTransposePlan, SpecializesOnRankBiasLayoutAndFilter)
{
    ConvTransposeGeometry g = conv(2);
    EXPECT_EQ(plan_gathered(g, Capabilities{}, {})->pipelines.at(0).specialization,
              (std::vector<uint32_t>{64, 2, 0, LAYOUT_NCX, FILTER_IOX, 0, 0}));
    g.bias = true;
    g.layout = Layout::nxc;
    g.filter = onednn::FilterFormat::xio;
    EXPECT_EQ(plan_gathered(g, Capabilities{}, {})->pipelines.at(0).specialization,
              (std::vector<uint32_t>{64, 2, 1, LAYOUT_NXC, FILTER_XIO, 0, 0}));
    g.filter = onednn::FilterFormat::oix;
    EXPECT_EQ(constant_of(plan_gathered(g, Capabilities{}, {})->pipelines[0], "filter"), uint32_t(FILTER_OIX));
}

TEST(ConvTransposePlan, InvertsEveryDilationModuloEveryStride)
{
    for (int64_t s = 1; s <= 24; ++s) {
        for (int64_t d = 1; d <= 24; ++d) {
            ConvTransposeGeometry g = conv(1);
            g.axes[0] = {.in = 3, .out = 100, .kernel = 2, .stride = s, .dilation = d};
            Result<Plan> plan = plan_gathered(g, Capabilities{}, {});
            ASSERT_TRUE(plan) << plan.message();
            const auto axis = axis_from_end(block_of<push::ConvTransposeProblem>(plan->uniform), 0);
            EXPECT_EQ(axis.stride * axis.gcd, s);
            EXPECT_EQ(axis.dilation * axis.gcd, d);
            EXPECT_EQ(axis.inverse * axis.dilation % axis.stride, 1u % axis.stride) << "s " << s << " d " << d;
        }
    }
}

TEST(ConvTransposePlan, BindsWInPlaceOfAMissingBias)
{
    ConvTransposeGeometry g = conv(2);
    EXPECT_EQ(plan_gathered(g, Capabilities{}, {})->steps[0].operands,
              (std::vector<Operand>{{.tensor = 0}, {.tensor = 1}, {.tensor = 1}, {.tensor = 2, .access = Access::write}}));
    EXPECT_EQ(constant_of(plan_gathered(g, Capabilities{}, {})->pipelines[0], "bias"), 0u);
    g.bias = true;
    EXPECT_EQ(plan_gathered(g, Capabilities{}, {})->steps[0].operands,
              (std::vector<Operand>{{.tensor = 0}, {.tensor = 1}, {.tensor = 2}, {.tensor = 3, .access = Access::write}}));
    EXPECT_EQ(constant_of(plan_gathered(g, Capabilities{}, {})->pipelines[0], "bias"), 1u);
}

TEST(ConvTransposePlan, SplitsChannelsWhereLoopsAreShort)
{
    // There is one axis with at most 2 taps: 3 iterations a channel and its loop's own, for 500 channels of the group.
    Result<Plan> plan = plan_gathered(conv(1, 1000), with_loops(401), {});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_EQ(plan->steps.size(), 5u);
    uint32_t next = 0;
    for (const Step& step : plan->steps) {
        const push::GatherPart part = part_of(step);
        EXPECT_EQ(pipeline_of(*plan, step).kernel, Kernel::conv_transpose_direct_f32);
        EXPECT_EQ(part.first_channel, next);
        EXPECT_EQ(part.channel_count, 100u);
        EXPECT_EQ(part.starts, next == 0);
        next += part.channel_count;
        EXPECT_EQ(part.finishes, next == 500);
    }
    EXPECT_EQ(next, 500u);
    EXPECT_EQ(plan->scratch_bytes, 0u) << "the sum goes on in Y";
}

TEST(ConvTransposePlan, SplitsChannelsInTheGeneralKernelToo)
{
    // Axes take 512 iterations and channels 1. A channel takes 6: its own, one row with 2 taps, and the ends of both loops.
    Result<Plan> plan = plan_for(conv(1, 1000), with_loops(513 + 6 * 125), {.kernel = "conv_transpose_nd"});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_EQ(plan->steps.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(part_of(plan->steps[i]).first_channel, 125 * i);
        EXPECT_EQ(part_of(plan->steps[i]).channel_count, 125u);
    }
}

TEST(ConvTransposePlan, SplitsTheWindowOfOneChannelInTheGeneralKernel)
{
    ConvTransposeGeometry g = conv(2, 4);
    for (Axis& axis : g.axes)
        axis = {.in = 60, .out = 119, .kernel = 60};  // 3,600 taps a channel
    Result<Plan> plan = plan_for(g, with_loops(2000), {.max_dispatch_seconds = 1e3});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_GT(plan->steps.size(), 2u);
    for (size_t i = 0; i < plan->steps.size(); ++i) {
        ASSERT_EQ(plan->pipelines.at(0).kernel, Kernel::conv_transpose_nd_f32);
        const push::GatherPart part = part_of(plan->steps[i]);
        EXPECT_EQ(part.starts, i == 0);
        EXPECT_EQ(part.finishes, i + 1 == plan->steps.size());
        EXPECT_EQ(part.first_channel, i < plan->steps.size() / 2 ? 0u : 1u) << "channel major";
        EXPECT_EQ(part.channel_count, 1u);
    }
}

TEST(ConvTransposePlan, LeavesLongPhasesToTheGeneralKernel)
{
    ConvTransposeGeometry g = conv(1);
    g.axes[0] = {.in = 2, .out = 70005, .kernel = 2, .stride = 70001, .dilation = 3};
    EXPECT_EQ(plan_for(g, Capabilities{}, {})->pipelines.at(0).kernel, Kernel::conv_transpose_nd_f32);
    g.axes[0].dilation = 1;  // the inverse is 1: no product to overflow
    EXPECT_EQ(plan_for(g, Capabilities{}, {})->pipelines.at(0).kernel, Kernel::conv_transpose_direct_f32);
}

TEST(ConvTransposePlan, WritesTheBiasWhereThereAreNoChannels)
{
    for (const DType dtype : computed_types) {
        ConvTransposeGeometry g = conv(1, 0);
        g.bias = true;
        g.dtype = dtype;
        Result<Plan> plan = plan_gathered(g, Capabilities{}, {});
        ASSERT_TRUE(plan) << plan.message();
        ASSERT_EQ(plan->steps.size(), 1u);
        const push::GatherPart part = part_of(plan->steps[0]);
        EXPECT_EQ(part.channel_count, 0u);
        EXPECT_EQ(part.output_count, 66u);
        EXPECT_EQ(part.starts, 1u);
        EXPECT_EQ(part.finishes, 1u);
    }
}

TEST(ConvTransposePlan, DispatchesNothingForAnEmptyOutput)
{
    ConvTransposeGeometry g = conv(2);
    g.batch = 0;
    EXPECT_TRUE(plan_gathered(g, Capabilities{}, {})->steps.empty());
    EXPECT_EQ(plan_for(g, Capabilities{}, {})->why, "the output is empty");
}

TEST(ConvTransposePlan, RefusesInOneSentence)
{
    ConvTransposeGeometry g = conv(2);
    g.dtype = DType::int32;
    EXPECT_EQ(plan_for(g, Capabilities{}, {}).message(), "ConvTranspose: there is no kernel for int32");
    g = conv(2);
    g.axes[0].dilation = index_limit;
    g.axes[0].kernel = 1;
    EXPECT_EQ(plan_for(g, Capabilities{}, {}).message(),
              "ConvTranspose: spatial axis 0 reaches 2147483648, and kernels count to 2147483647");
    EXPECT_EQ(
        plan_for(conv(4), Capabilities{}, {.kernel = "conv_transpose_direct"}).message(),
        "ConvTranspose: kernel \"conv_transpose_direct\" does not fit, because it takes at most 3 spatial axes, not 4; those "
        "that fit: conv_transpose_nd");
    EXPECT_EQ(plan_for(conv(2), with_loops(60), {.kernel = "conv_transpose_nd"}).message(),
              "ConvTranspose: kernel \"conv_transpose_nd\" does not fit, because the device's 60 loop iterations are too few for "
              "its window; those that fit: conv_transpose_direct");
    EXPECT_EQ(plan_for(conv(2), with_loops(5), {}).message(),
              "ConvTranspose: no kernel fits, because the device's 5 loop iterations are too few for its window");
    g = conv(1);
    g.axes[0] = {.in = 1 << 29, .out = 1 << 29, .kernel = 1};
    EXPECT_EQ(plan_for(g, Capabilities{}, {}).message(),
              "ConvTranspose: input X float[1,4,536870912] has 2147483648 elements, more than the 2147483647 that kernels can "
              "number");
    Capabilities tiny;
    tiny.max_storage_buffer_range = 260;  // no room for the alignment of 256 and an element
    EXPECT_EQ(plan_for(conv(2), tiny, {}).message(),
              "ConvTranspose: the device's max_storage_buffer_range = 260 is too small for any part of its tensors");
    tiny.storage_buffer_alignment = 4;
    tiny.max_storage_buffer_range = 40;
    EXPECT_EQ(plan_for(conv(2), tiny, {.kernel = "conv_transpose_direct"}).message(),
              "ConvTranspose: the device's max_storage_buffer_range = 40 is too small for what kernel conv_transpose_direct_f32 "
              "reads for a single output");
    EXPECT_TRUE(plan_for(conv(2), tiny, {})) << "the general kernel goes tap by tap";
    Capabilities slow;
    slow.work_per_second = 1;
    EXPECT_EQ(plan_for(conv(2, 1 << 15), slow, {}).message(),
              "ConvTranspose: the device's limits and max_dispatch_seconds would cut this problem into 47579136 dispatches, more "
              "than 65536");
}

TEST(ConvTransposePlan, StaysInsideTheMinimumDevice)
{
    for (size_t rank = 1; rank <= 6; ++rank) {
        Result<Plan> plan = plan_gathered(conv(rank), Capabilities{}, {});
        ASSERT_TRUE(plan) << plan.message();
        EXPECT_LE(plan->uniform.size(), Capabilities{}.max_uniform_buffer_range);
        for (const Step& step : plan->steps) {
            EXPECT_LE(step.push.size(), 128u);
            EXPECT_LE(step.operands.size(), 4u);
            EXPECT_LE(constant_of(pipeline_of(*plan, step), "workgroup_size"), 128u);
        }
    }
}

TEST(AveragePoolPlan, TakesTheDirectKernelUpToThreeAxes)
{
    for (size_t rank = 1; rank <= 6; ++rank) {
        Result<Plan> plan = plan_for(pool(rank), Capabilities{}, {});
        ASSERT_TRUE(plan) << plan.message();
        ASSERT_EQ(plan->steps.size(), 1u);
        EXPECT_EQ(plan->pipelines.at(0).kernel, rank <= 3 ? Kernel::average_pool_direct_f32 : Kernel::average_pool_nd_f32);
        EXPECT_EQ(plan->steps[0].operands, (std::vector<Operand>{{.tensor = 0}, {.tensor = 1, .access = Access::write}}));
        EXPECT_EQ(plan->uniform.size(), sizeof(push::PoolProblem));
    }
}

TEST(AveragePoolPlan, PushesTheProblem)
{
    AveragePoolGeometry g = pool(2);
    g.axes[0] = {.in = 9, .out = 5, .kernel = 3, .stride = 2, .dilation = 2, .begin = 1, .end = 4};
    g.count_include_pad = true;
    Result<Plan> plan = plan_for(g, Capabilities{}, {});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(plan->pipelines.at(0).specialization, (std::vector<uint32_t>{64, 2, 1, 0}));
    const auto problem = block_of<push::PoolProblem>(plan->uniform);
    EXPECT_EQ(problem.inner, 1u);
    EXPECT_EQ(axis_from_end(problem, 2).kernel, 1u);
    EXPECT_EQ(axis_from_end(problem, 2).out_extent, 1u);
    const push::PoolAxis axis = axis_from_end(problem, 1);
    EXPECT_EQ(axis.in_extent, 9u);
    EXPECT_EQ(axis.out_extent, 5u);
    EXPECT_EQ(axis.kernel, 3u);
    EXPECT_EQ(axis.stride, 2u);
    EXPECT_EQ(axis.dilation, 2u);
    EXPECT_EQ(axis.begin, 1u);
    EXPECT_EQ(axis.end, 4u);
    EXPECT_EQ(part_of(plan->steps[0]).output_count, 3u * 5 * 4);
    g.layout = Layout::nxc;
    EXPECT_EQ(block_of<push::PoolProblem>(plan_for(g, Capabilities{}, {})->uniform).inner, 3u) << "channels";
}

TEST(AveragePoolPlan, DividesExactlyInTheReproducibleMode)
{
    Capabilities capabilities;
    capabilities.rounds_to_nearest = true;
    const Result<Plan> plan = plan_for(pool(2), capabilities, {.reproducible = true});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(constant_of(plan->pipelines[0], "exact_division"), 1u);
}

TEST(AveragePoolPlan, SplitsWindowsBeyondTheDevicesLoops)
{
    AveragePoolGeometry g = pool(2);
    for (Axis& axis : g.axes)
        axis = {.in = 257, .out = 1, .kernel = 256};  // not the whole input: the axes don't merge
    EXPECT_EQ(plan_for(g, Capabilities{}, {})->steps.size(), 1u);
    Result<Plan> plan = plan_for(g, with_loops(65535), {});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_EQ(plan->steps.size(), 2u);
    EXPECT_EQ(plan->pipelines.at(0).kernel, Kernel::average_pool_nd_f32);
    const push::GatherPart first = part_of(plan->steps[0]);
    const push::GatherPart second = part_of(plan->steps[1]);
    EXPECT_EQ(first.starts, 1u);
    EXPECT_EQ(first.finishes, 0u);
    EXPECT_EQ(second.starts, 0u);
    EXPECT_EQ(second.finishes, 1u);
    EXPECT_EQ(first.tap_begin[4], 0u);
    EXPECT_EQ(first.tap_end[4], second.tap_begin[4]);
    EXPECT_EQ(second.tap_end[4], 256u);
    EXPECT_EQ(second.tap_begin[5], 0u);
    EXPECT_EQ(second.tap_end[5], 256u);
    EXPECT_EQ(first.tap_end[3], 1u) << "the rank lacks it";
}

TEST(AveragePoolPlan, RefusesInOneSentence)
{
    AveragePoolGeometry g = pool(2);
    g.dtype = DType::int8;
    EXPECT_EQ(plan_for(g, Capabilities{}, {}).message(), "AveragePool: there is no kernel for int8");
    g = pool(2);
    g.axes[0] = {.in = 1, .out = 1, .kernel = 1 << 16, .begin = 1 << 15, .end = 1 << 15};
    g.axes[1] = g.axes[0];
    EXPECT_EQ(plan_for(g, Capabilities{}, {}).message(),
              "AveragePool: kernel_shape spans more than the 2147483647 taps that kernels can count");
    g = pool(1);
    g.axes[0] = {.in = 1 << 30, .out = 1 << 30, .kernel = 1};
    EXPECT_EQ(plan_for(g, Capabilities{}, {}).message(),
              "AveragePool: input X float[1,3,1073741824] has 3221225472 elements, more than the 2147483647 that kernels can "
              "number");
    EXPECT_EQ(plan_for(pool(1), Capabilities{}, {.max_dispatch_seconds = 0}).message(),
              "AveragePool: PrepareOptions::max_dispatch_seconds = 0.000000 must be greater than 0");
    EXPECT_EQ(plan_for(pool(1), Capabilities{}, {.reproducible = true}).message(),
              "AveragePool: PrepareOptions::reproducible needs a device that rounds sums and products of floats to nearest even, "
              "and no self-test has seen 'minimum' do so (Capabilities::rounds_to_nearest)");
}

TEST(ShapePlan, HoldsLittleEndianWords)
{
    ops::ShapeGeometry g;
    g.result = {3, int64_t(5) << 33};
    Result<Plan> plan = plan_for(g, Capabilities{}, {});
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->steps.empty());
    std::vector<int> bytes;
    for (std::byte byte : plan->constant)
        bytes.push_back(int(byte));
    EXPECT_EQ(bytes, (std::vector<int>{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0}));
}

TEST(ProbePlan, CopiesEveryVec4WithInvocationsThatFitTheGrid)
{
    Plan whole = plan_copy_probe(Capabilities{}, 1000 * 16);
    EXPECT_EQ(whole.steps[0].groups, (std::array<uint32_t, 3>{16, 1, 1}));  // 64 invocations a group
    EXPECT_EQ(block_of<push::CopyProbe>(whole.steps[0].push).count, 1000u);
    EXPECT_EQ(block_of<push::CopyProbe>(whole.steps[0].push).stride, 1024u);

    Capabilities few;
    few.max_group_count = {3, 1, 1};
    Plan strided = plan_copy_probe(few, 1000 * 16);
    EXPECT_EQ(strided.steps[0].groups[0], 3u);
    EXPECT_EQ(block_of<push::CopyProbe>(strided.steps[0].push).stride, 192u);
}

TEST(ProbePlan, CountsItsOperations)
{
    // These are 2 groups of 64, and 10 iterations of 16 multiply-adds of 4 components.
    EXPECT_EQ(flops_probe_operations(Capabilities{}, 2, 10), 2.0 * 64 * 10 * 16 * 4 * 2);
    EXPECT_EQ(flops_probe_bytes(Capabilities{}, 2), 2u * 64 * 16);
    const Plan plan = plan_flops_probe(DType::float32, Capabilities{}, 2, 10);
    EXPECT_EQ(block_of<push::FlopsProbe>(plan.steps[0].push).iterations, 10u);
    EXPECT_EQ(plan.pipelines[0].kernel, Kernel::probe_flops_f32);
    EXPECT_EQ(plan_flops_probe(DType::float16, Capabilities{}, 2, 10).pipelines[0].kernel, Kernel::probe_flops_f16);
}

TEST(Specialization, IsDescribedByName)
{
    EXPECT_EQ(describe_specialization(plan_for(pool(2), Capabilities{}, {})->pipelines[0]),
              (std::vector<std::pair<std::string, uint32_t>>{
                  {"workgroup_size", 64}, {"rank", 2}, {"count_include_pad", 0}, {"exact_division", 0}}));
    EXPECT_EQ(
        describe_specialization(plan_gathered(conv(3), Capabilities{}, {})->pipelines[0]),
        (std::vector<std::pair<std::string, uint32_t>>{
            {"workgroup_size", 64}, {"rank", 3}, {"bias", 0}, {"layout", 0}, {"filter", 2}, {"epilogue", 0}, {"prologue", 0}}));
    EXPECT_EQ(describe_specialization(plan_copy_probe(Capabilities{}, 16).pipelines[0]),
              (std::vector<std::pair<std::string, uint32_t>>{{"workgroup_size", 64}}));
}

}  // namespace
}  // namespace vkonnx::plan
