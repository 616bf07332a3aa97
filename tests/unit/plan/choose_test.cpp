#include "plan/choose.h"

#include <gtest/gtest.h>

namespace vkonnx::plan {
namespace {

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

}  // namespace
}  // namespace vkonnx::plan
