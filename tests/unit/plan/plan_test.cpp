// Plans on invented capabilities: which kernel, with what constants, and that no device limit is crossed.
#include <gtest/gtest.h>

#include <cstring>

#include "plan/average_pool.h"
#include "plan/conv_transpose.h"
#include "plan/passes.h"
#include "plan/probe.h"
#include "plan/shape.h"
#include "push_constants.h"
#include "spec_ids.h"

namespace vkonnx::plan {
namespace {

using ops::AveragePoolGeometry;
using ops::Axis;
using ops::ConvTransposeGeometry;

template <class Push>
Push push_of(const Step& step)
{
    Push push;
    EXPECT_EQ(step.push.size(), sizeof(Push));
    std::memcpy(&push, step.push.data(), sizeof(Push));
    return push;
}

// in 5, k 3, s 2, no pads
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

TEST(Kernels, TableHoldsThisManyModules)
{
    EXPECT_EQ(kernel_count, 8u);  // raise it on purpose
    for (size_t i = 0; i < kernel_count; ++i)
        EXPECT_EQ(spirv(Kernel(i))[0], 0x07230203u) << kernel_names[i];
}

TEST(ConvTransposePlan, TakesTheDirectKernelUpToThreeAxes)
{
    for (size_t rank = 1; rank <= 6; ++rank) {
        Result<Plan> plan = plan_conv_transpose(conv(rank), Capabilities{}, {});
        ASSERT_TRUE(plan) << plan.message();
        ASSERT_EQ(plan->steps.size(), 1u);
        bool direct = rank <= 3;
        EXPECT_EQ(plan->steps[0].kernel, direct ? Kernel::conv_transpose_direct_f32 : Kernel::conv_transpose_nd_f32);
        EXPECT_EQ(plan->steps[0].uses_uniform, !direct);
        EXPECT_EQ(plan->uniform.size(), direct ? 0 : sizeof(push::ConvTransposeUniform));
        EXPECT_EQ(plan->steps[0].specialization[SPEC_CONV_TRANSPOSE_RANK], rank);
    }
    EXPECT_EQ(plan_conv_transpose(conv(4), Capabilities{}, {})->why,
              "conv_transpose_direct does not fit: it takes at most 3 spatial axes, not 4");
}

TEST(ConvTransposePlan, PushesTheProblemAndPhaseAlgebra)
{
    ConvTransposeGeometry g = conv(2);
    g.axes[1] = {.in = 7, .out = 40, .kernel = 4, .stride = 6, .dilation = 4, .begin = 3};  // gcd 2: s' 3, d' 2, 2 * 2 = 1 mod 3
    Result<Plan> plan = plan_conv_transpose(g, Capabilities{}, {});
    ASSERT_TRUE(plan) << plan.message();
    auto push = push_of<push::ConvTransposeDirect>(plan->steps[0]);
    EXPECT_EQ(push.channels_in, 2u);
    EXPECT_EQ(push.channels_out, 3u);
    EXPECT_EQ(push.group, 2u);
    EXPECT_EQ(push.first_channel, 0u);
    EXPECT_EQ(push.channel_count, 2u);
    EXPECT_EQ(push.output_count, 6u * 11 * 40);
    EXPECT_EQ(push.axes[0].in_extent, 1u);  // the rank lacks it
    EXPECT_EQ(push.axes[0].kernel, 1u);
    EXPECT_EQ(push.axes[1].in_extent, 5u);
    const push::ConvTransposeAxis& last = push.axes[2];
    EXPECT_EQ(last.in_extent, 7u);
    EXPECT_EQ(last.out_extent, 40u);
    EXPECT_EQ(last.kernel, 4u);
    EXPECT_EQ(last.begin, 3u);
    EXPECT_EQ(last.gcd, 2u);
    EXPECT_EQ(last.stride, 3u);
    EXPECT_EQ(last.dilation, 2u);
    EXPECT_EQ(last.inverse, 2u);
}

TEST(ConvTransposePlan, InvertsEveryDilationModuloEveryStride)
{
    for (int64_t s = 1; s <= 24; ++s) {
        for (int64_t d = 1; d <= 24; ++d) {
            ConvTransposeGeometry g = conv(1);
            g.axes[0] = {.in = 3, .out = 100, .kernel = 2, .stride = s, .dilation = d};
            Result<Plan> plan = plan_conv_transpose(g, Capabilities{}, {});
            ASSERT_TRUE(plan) << plan.message();
            const push::ConvTransposeAxis axis = push_of<push::ConvTransposeDirect>(plan->steps[0]).axes[2];
            EXPECT_EQ(axis.stride * axis.gcd, s);
            EXPECT_EQ(axis.dilation * axis.gcd, d);
            EXPECT_EQ(axis.inverse * axis.dilation % axis.stride, 1u % axis.stride) << "s " << s << " d " << d;
        }
    }
}

TEST(ConvTransposePlan, BindsWInPlaceOfAMissingBias)
{
    ConvTransposeGeometry g = conv(2);
    EXPECT_EQ(plan_conv_transpose(g, Capabilities{}, {})->steps[0].operands, (std::vector<uint8_t>{0, 1, 1, 2}));
    EXPECT_EQ(plan_conv_transpose(g, Capabilities{}, {})->steps[0].specialization[SPEC_CONV_TRANSPOSE_BIAS], 0u);
    g.bias = true;
    EXPECT_EQ(plan_conv_transpose(g, Capabilities{}, {})->steps[0].operands, (std::vector<uint8_t>{0, 1, 2, 3}));
    EXPECT_EQ(plan_conv_transpose(g, Capabilities{}, {})->steps[0].specialization[SPEC_CONV_TRANSPOSE_BIAS], 1u);
}

TEST(ConvTransposePlan, SplitsChannelsWhereLoopsAreShort)
{
    // one axis, 2 taps at the most: 3 iterations a channel and its loop's own; 500 channels of the group
    Result<Plan> plan = plan_conv_transpose(conv(1, 1000), with_loops(401), {});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_EQ(plan->steps.size(), 5u);
    uint32_t next = 0;
    for (const Step& step : plan->steps) {
        auto push = push_of<push::ConvTransposeDirect>(step);
        EXPECT_EQ(push.first_channel, next);
        EXPECT_LE(push.channel_count * 4 + 1, 401u);
        next += push.channel_count;
    }
    EXPECT_EQ(next, 500u);
}

TEST(ConvTransposePlan, SplitsTheWindowOfOneChannelInTheGeneralKernel)
{
    ConvTransposeGeometry g = conv(2, 4);
    for (Axis& axis : g.axes)
        axis = {.in = 60, .out = 119, .kernel = 60};  // 3,600 taps a channel
    Result<Plan> plan = plan_conv_transpose(g, with_loops(2000), {});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_GT(plan->steps.size(), 2u);
    for (size_t i = 0; i < plan->steps.size(); ++i) {
        ASSERT_EQ(plan->steps[i].kernel, Kernel::conv_transpose_nd_f32);
        auto push = push_of<push::ConvTransposeNd>(plan->steps[i]);
        EXPECT_EQ(push.starts, i == 0);
        EXPECT_EQ(push.finishes, i + 1 == plan->steps.size());
        EXPECT_EQ(push.first_channel, i < plan->steps.size() / 2 ? 0u : 1u) << "channel major";
        EXPECT_EQ(push.channel_count, 1u);
    }
}

TEST(ConvTransposePlan, LeavesLongPhasesToTheGeneralKernel)
{
    ConvTransposeGeometry g = conv(1);
    g.axes[0] = {.in = 2, .out = 70005, .kernel = 2, .stride = 70001, .dilation = 3};
    EXPECT_EQ(plan_conv_transpose(g, Capabilities{}, {})->steps[0].kernel, Kernel::conv_transpose_nd_f32);
    g.axes[0].dilation = 1;  // the inverse is 1: no product to overflow
    EXPECT_EQ(plan_conv_transpose(g, Capabilities{}, {})->steps[0].kernel, Kernel::conv_transpose_direct_f32);
}

TEST(ConvTransposePlan, WritesTheBiasWhereThereAreNoChannels)
{
    Result<Plan> plan = plan_conv_transpose(conv(1, 0), Capabilities{}, {});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_EQ(plan->steps.size(), 1u);
    EXPECT_EQ(push_of<push::ConvTransposeDirect>(plan->steps[0]).channel_count, 0u);
}

TEST(ConvTransposePlan, DispatchesNothingForAnEmptyOutput)
{
    ConvTransposeGeometry g = conv(2);
    g.batch = 0;
    EXPECT_TRUE(plan_conv_transpose(g, Capabilities{}, {})->steps.empty());
}

TEST(ConvTransposePlan, RefusesInOneSentence)
{
    ConvTransposeGeometry g = conv(2);
    g.dtype = DType::float16;
    EXPECT_EQ(plan_conv_transpose(g, Capabilities{}, {}).message(),
              "ConvTranspose: there is no kernel for float16 yet, only for float");
    g = conv(2);
    g.axes[0].dilation = index_limit;
    g.axes[0].kernel = 1;
    EXPECT_EQ(plan_conv_transpose(g, Capabilities{}, {}).message(),
              "ConvTranspose: spatial axis 0 reaches 2147483648, and kernels count to 2147483647");
    EXPECT_EQ(
        plan_conv_transpose(conv(4), Capabilities{}, {.kernel = "conv_transpose_direct"}).message(),
        "ConvTranspose: kernel \"conv_transpose_direct\" does not fit, because it takes at most 3 spatial axes, not 4; those "
        "that fit: conv_transpose_nd");
    EXPECT_EQ(
        plan_conv_transpose(conv(2), with_loops(100), {.kernel = "conv_transpose_nd"}).message(),
        "ConvTranspose: kernel \"conv_transpose_nd\" does not fit, because the device's 100 loop iterations are too few for "
        "its window; those that fit: conv_transpose_direct");
    Capabilities tiny;
    tiny.max_storage_buffer_range = 1000;
    EXPECT_EQ(plan_conv_transpose(conv(2), tiny, {}).message(),
              "ConvTranspose: output Y float[1,6,11,11] needs 2904 bytes, more than the 1000 that the device can bind at once");
}

TEST(ConvTransposePlan, StaysInsideTheMinimumDevice)
{
    for (size_t rank = 1; rank <= 6; ++rank) {
        Result<Plan> plan = plan_conv_transpose(conv(rank), Capabilities{}, {});
        ASSERT_TRUE(plan) << plan.message();
        for (const Step& step : plan->steps) {
            EXPECT_LE(step.push.size(), 128u);
            EXPECT_LE(step.operands.size(), 4u);
            EXPECT_LE(step.specialization[SPEC_WORKGROUP_SIZE], 128u);
        }
    }
}

TEST(AveragePoolPlan, TakesTheDirectKernelUpToThreeAxes)
{
    for (size_t rank = 1; rank <= 6; ++rank) {
        Result<Plan> plan = plan_average_pool(pool(rank), Capabilities{}, {});
        ASSERT_TRUE(plan) << plan.message();
        ASSERT_EQ(plan->steps.size(), 1u);
        EXPECT_EQ(plan->steps[0].kernel, rank <= 3 ? Kernel::average_pool_direct_f32 : Kernel::average_pool_nd_f32);
        EXPECT_EQ(plan->steps[0].operands, (std::vector<uint8_t>{0, 1}));
    }
}

TEST(AveragePoolPlan, PushesTheProblem)
{
    AveragePoolGeometry g = pool(2);
    g.axes[0] = {.in = 9, .out = 5, .kernel = 3, .stride = 2, .dilation = 2, .begin = 1, .end = 4};
    g.count_include_pad = true;
    Result<Plan> plan = plan_average_pool(g, Capabilities{}, {});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(plan->steps[0].specialization, (std::vector<uint32_t>{64, 2, 1}));
    auto push = push_of<push::AveragePoolDirect>(plan->steps[0]);
    EXPECT_EQ(push.axes[0].kernel, 1u);
    const push::AveragePoolAxis& axis = push.axes[1];
    EXPECT_EQ(axis.in_extent, 9u);
    EXPECT_EQ(axis.out_extent, 5u);
    EXPECT_EQ(axis.kernel, 3u);
    EXPECT_EQ(axis.stride, 2u);
    EXPECT_EQ(axis.dilation, 2u);
    EXPECT_EQ(axis.begin, 1u);
    EXPECT_EQ(axis.end, 4u);
    EXPECT_EQ(push.output_count, 3u * 5 * 4);
}

TEST(AveragePoolPlan, SplitsWindowsBeyondTheDevicesLoops)
{
    AveragePoolGeometry g = pool(2);
    for (Axis& axis : g.axes)
        axis = {.in = 256, .out = 1, .kernel = 256};
    EXPECT_EQ(plan_average_pool(g, Capabilities{}, {})->steps.size(), 1u);
    Result<Plan> plan = plan_average_pool(g, with_loops(65535), {});
    ASSERT_TRUE(plan) << plan.message();
    ASSERT_EQ(plan->steps.size(), 2u);
    auto first = push_of<push::AveragePoolNd>(plan->steps[0]);
    auto second = push_of<push::AveragePoolNd>(plan->steps[1]);
    EXPECT_EQ(first.starts, 1u);
    EXPECT_EQ(first.finishes, 0u);
    EXPECT_EQ(second.starts, 0u);
    EXPECT_EQ(second.finishes, 1u);
    EXPECT_EQ(first.tap_begin[0], 0u);
    EXPECT_EQ(first.tap_end[0], second.tap_begin[0]);
    EXPECT_EQ(second.tap_end[0], 256u);
    EXPECT_EQ(second.tap_end[1], 256u);
}

TEST(AveragePoolPlan, RefusesInOneSentence)
{
    AveragePoolGeometry g = pool(2);
    g.dtype = DType::bfloat16;
    EXPECT_EQ(plan_average_pool(g, Capabilities{}, {}).message(),
              "AveragePool: there is no kernel for bfloat16 yet, only for float");
    g = pool(2);
    g.axes[0] = {.in = 1, .out = 1, .kernel = 1 << 16, .begin = 1 << 15, .end = 1 << 15};
    g.axes[1] = g.axes[0];
    EXPECT_EQ(plan_average_pool(g, Capabilities{}, {}).message(),
              "AveragePool: kernel_shape spans more than the 2147483647 taps that kernels can count");
}

TEST(ShapePlan, HoldsLittleEndianWords)
{
    ops::ShapeGeometry g;
    g.result = {3, int64_t(5) << 33};
    Result<Plan> plan = plan_shape(g);
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
    EXPECT_EQ(push_of<push::CopyProbe>(whole.steps[0]).count, 1000u);
    EXPECT_EQ(push_of<push::CopyProbe>(whole.steps[0]).stride, 1024u);

    Capabilities few;
    few.max_group_count = {3, 1, 1};
    Plan strided = plan_copy_probe(few, 1000 * 16);
    EXPECT_EQ(strided.steps[0].groups[0], 3u);
    EXPECT_EQ(push_of<push::CopyProbe>(strided.steps[0]).stride, 192u);
}

TEST(ProbePlan, CountsItsOperations)
{
    // 2 groups of 64, 10 iterations of 16 multiply-adds of 4 components
    EXPECT_EQ(flops_probe_operations(Capabilities{}, 2, 10), 2.0 * 64 * 10 * 16 * 4 * 2);
    EXPECT_EQ(flops_probe_bytes(Capabilities{}, 2), 2u * 64 * 16);
    const Step step = plan_flops_probe(DType::float32, Capabilities{}, 2, 10).steps[0];
    EXPECT_EQ(push_of<push::FlopsProbe>(step).iterations, 10u);
    EXPECT_EQ(step.kernel, Kernel::probe_flops_f32);
    EXPECT_EQ(plan_flops_probe(DType::float16, Capabilities{}, 2, 10).steps[0].kernel, Kernel::probe_flops_f16);
}

TEST(Specialization, IsDescribedByName)
{
    Result<Plan> plan = plan_average_pool(pool(2), Capabilities{}, {});
    EXPECT_EQ(describe_specialization(plan->steps[0]),
              (std::vector<std::pair<std::string, uint32_t>>{{"workgroup_size", 64}, {"rank", 2}, {"count_include_pad", 0}}));
}

}  // namespace
}  // namespace vkonnx::plan
