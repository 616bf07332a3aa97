// This file tests MaxPool's plans, which first find the elements, and then where these are.

#include <gtest/gtest.h>

#include "constant_of.h"
#include "kit/cases.h"
#include "plan/operators/operators.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/engines/pool/pool.h"

namespace vkonnx::plan {
namespace {

Plan planned(std::string_view line, const Capabilities& capabilities = {})
{
    const Result<kit::Case> problem = kit::parse_case("max_pool", line);
    EXPECT_TRUE(problem) << problem.message();
    const auto geometry = ops::resolve(std::get<MaxPool>(problem->attributes), problem->inputs);
    EXPECT_TRUE(geometry) << geometry.message();
    Result<Plan> plan = plan_for(*geometry, capabilities, {});
    EXPECT_TRUE(plan) << plan.message();
    if (!plan)
        return {};
    EXPECT_TRUE(check(*plan, capabilities)) << check(*plan, capabilities).message();
    return *plan;
}

push::PoolProblem problem_of(const Plan& plan)
{
    return block_of<push::PoolProblem>(plan.uniform);
}

push::GatherPart part_of(const Step& step)
{
    return block_of<push::GatherPart>(step.push);
}

TEST(MaxPoolPlan, IndicesFollowTheElements)
{
    const Plan plan = planned("a x=2x3x5x7 kernel_shape=2,3 outputs=2 type=float16");
    ASSERT_EQ(plan.steps.size(), 2u);
    EXPECT_EQ(plan.pipelines[plan.steps[0].pipeline].kernel, Kernel::max_pool_u16);
    EXPECT_EQ(plan.pipelines[plan.steps[1].pipeline].kernel, Kernel::max_pool_indices_u64);
    ASSERT_EQ(plan.steps[1].operands.size(), 3u);
    EXPECT_EQ(plan.steps[1].operands[1].tensor, 1);
    EXPECT_EQ(plan.steps[1].operands[1].access, Access::read);
    EXPECT_EQ(plan.steps[1].operands[2].tensor, 2);
    EXPECT_EQ(plan.tensor_bytes, (std::vector<uint64_t>{420, 240, 960}));
    EXPECT_EQ(planned("a x=2x3x5x7 kernel_shape=2,3").steps.size(), 1u);
}

TEST(MaxPoolPlan, IndicesCountBothWaysInEveryLayout)
{
    const push::PoolProblem rows = problem_of(planned("a x=2x3x5x7 kernel_shape=2,3 outputs=2"));
    EXPECT_EQ(rows.axes[5].index_step, 1u);
    EXPECT_EQ(rows.axes[4].index_step, 7u);
    EXPECT_EQ(rows.index_inner, 35u);
    EXPECT_EQ(rows.index_outer, 35u);
    const push::PoolProblem columns = problem_of(planned("a x=2x3x5x7 kernel_shape=2,3 outputs=2 storage_order=1"));
    EXPECT_EQ(columns.axes[5].index_step, 5u);
    EXPECT_EQ(columns.axes[4].index_step, 1u);
    const push::PoolProblem last = problem_of(planned("a x=2x5x7x3 kernel_shape=2,3 outputs=2 layout=NXC"));
    EXPECT_EQ(last.inner, 3u);
    EXPECT_EQ(last.axes[4].index_step, 7u);
    EXPECT_EQ(last.index_inner, 35u);
    EXPECT_EQ(last.index_outer, 105u);
}

TEST(MaxPoolPlan, AxesAreMergedUnlessIndicesCountThem)
{
    EXPECT_EQ(planned("a x=2x3x4x5x3 kernel_shape=1,2,1").why.find("its 3 spatial axes are merged to 1; "), 0u);
    EXPECT_EQ(planned("a x=2x3x4x5x3 kernel_shape=1,2,1 outputs=2").why.find("merged"), std::string::npos);
}

TEST(MaxPoolPlan, LongWindowsAreCut)
{
    Capabilities few;
    few.max_loop_iterations = 3000;
    const Plan plan = planned("a x=1x1x5000 kernel_shape=4001 outputs=2 type=float16", few);
    size_t first = 0;
    while (first < plan.steps.size() && plan.steps[first].pipeline == plan.steps[0].pipeline)
        ++first;
    ASSERT_GT(first, 2u);
    ASSERT_GT(plan.steps.size(), first + 1);
    EXPECT_EQ(plan.scratch_bytes, 0u) << "a greatest half is a half";
    for (const auto& [begin, end] : {std::pair(size_t(0), first), std::pair(first, plan.steps.size())}) {
        EXPECT_TRUE(part_of(plan.steps[begin]).starts);
        EXPECT_FALSE(part_of(plan.steps[begin]).finishes);
        EXPECT_EQ(plan.steps[begin + 1].operands.back().access, Access::read_write);
        EXPECT_TRUE(part_of(plan.steps[end - 1]).finishes);
    }
}

}  // namespace
}  // namespace vkonnx::plan
