// This file tests the self-test's plan: what it binds and runs.
#include "plan/core/probe.h"

#include <cstring>

#include <gtest/gtest.h>

namespace vkonnx::plan {
namespace {

push::SelfTest push_of(const Plan& plan)
{
    push::SelfTest push;
    EXPECT_EQ(plan.steps[0].push.size(), sizeof push);
    std::memcpy(&push, plan.steps[0].push.data(), sizeof push);
    return push;
}

TEST(ProbePlan, TestsEveryPair)
{
    const Plan plan = plan_self_test(true, {.count = 200, .rows = 0, .taps = 0}, 4);
    EXPECT_TRUE(check(plan, Capabilities{}));
    EXPECT_EQ(plan.pipelines[0].kernel, Kernel::self_test_f64);
    EXPECT_EQ(plan.pipelines[0].specialization, std::vector<uint32_t>{self_test_workgroup});
    EXPECT_EQ(plan.tensor_bytes, (std::vector<uint64_t>{200 * 8, 200 * 16, 200 * 9 * 4}));
    EXPECT_EQ(plan.steps[0].groups, (std::array<uint32_t, 3>{4, 1, 1}));
    EXPECT_FALSE(plan.steps[0].operands[1].written());
    EXPECT_TRUE(plan.steps[0].operands[2].written());
    EXPECT_EQ(push_of(plan).count, 200u);
    EXPECT_EQ(plan_self_test(false, {.count = 200, .rows = 0, .taps = 0}, 4).pipelines[0].kernel, Kernel::self_test_f32);
}

TEST(ProbePlan, MeasuresARateWithoutResults)
{
    const Plan plan = plan_self_test(false, {.count = 4096, .rows = 48, .taps = 2}, 32768);
    EXPECT_TRUE(check(plan, Capabilities{}));
    EXPECT_EQ(plan.tensor_bytes, (std::vector<uint64_t>{4096 * 8, 16, 9 * 4}));
    EXPECT_EQ(push_of(plan).rows, 48u);
    EXPECT_EQ(push_of(plan).taps, 2u);
    EXPECT_EQ(plan.steps[0].groups[0], 32768u);
}

}  // namespace
}  // namespace vkonnx::plan
