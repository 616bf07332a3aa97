// This file tests plans of the operators that compare, join truth values, choose and work on bits.

#include <gtest/gtest.h>

#include "constant_of.h"
#include "kit/cases.h"
#include "plan/operators/operators.h"

namespace vkonnx::plan {
namespace {

Result<Plan> planned_for(std::string_view op, std::string_view line, const Capabilities& capabilities)
{
    const Result<kit::Case> problem = kit::parse_case(op, line);
    if (!problem)
        return problem.status();
    const auto planned = [&](const auto& attributes) -> Result<Plan> {
        if constexpr (LogicOperator<std::remove_cvref_t<decltype(attributes)>>) {
            const auto geometry = ops::resolve(attributes, problem->inputs);
            return geometry ? plan_for(*geometry, capabilities, {}) : Result<Plan>(geometry.status());
        }
        return Status(Code::invalid_argument, "no operator of logic.hpp");
    };
    return std::visit(planned, problem->attributes);
}

Plan plan_of(std::string_view op, std::string_view line)
{
    Result<Plan> plan = planned_for(op, line, *Capabilities::preset("desktop"));
    EXPECT_TRUE(plan) << line << ": " << plan.message();
    return plan ? std::move(*plan) : Plan();
}

TEST(LogicPlan, BytesThatLieAsTheOutputAreWorkedOnAsWords)
{
    EXPECT_EQ(plan_of("and", "a a=3x4 b=3x4").kernel, "logic_u32");
    EXPECT_EQ(plan_of("not", "a x=3x4").kernel, "logic_u32");
    EXPECT_EQ(plan_of("bitwise_xor", "a a=3x2 b=3x2 type=int16").kernel, "logic_u32");
    EXPECT_EQ(plan_of("and", "a a=3x5 b=3x5").kernel, "logic_u8") << "15 bytes end amid a word";
    EXPECT_EQ(plan_of("and", "a a=3x4 b=4").kernel, "logic_u8") << "an input is broadcast";
    EXPECT_EQ(plan_of("less", "a a=3x4 b=3x4 type=uint8").kernel, "logic_u8") << "a comparison is no work on bits";
    EXPECT_EQ(plan_of("bit_shift", "a x=3x4 y=3x4 type=uint8 direction=LEFT").kernel, "logic_u8") << "nor is a shift";
    EXPECT_EQ(plan_of("where", "a condition=3x4 x=3x4 y=3x4 x_type=uint8").kernel, "logic_u8");
}

TEST(LogicPlan, ModulesHaveTheWidthOfTheOutput)
{
    EXPECT_EQ(plan_of("equal", "a a=5 b=5 type=double").kernel, "logic_u8");
    EXPECT_EQ(plan_of("is_nan", "a x=5").kernel, "logic_u8");
    for (const auto& [type, kernel] : {std::pair("int8", "logic_u8"), std::pair("bfloat16", "logic_u16"),
                                       std::pair("float", "logic_u32"), std::pair("complex64", "logic_u64")})
        EXPECT_EQ(plan_of("where", std::string("a condition=5 x=5 y=5 x_type=") + type).kernel, kernel);
}

TEST(LogicPlan, TheOutputMayBeTheMemoryOfWhatIsAsWideAndNotBroadcast)
{
    using Inputs = std::vector<uint8_t>;
    EXPECT_EQ(plan_of("equal", "a a=3x4 b=3x4").in_place, Inputs{}) << "four bytes become one";
    EXPECT_EQ(plan_of("equal", "a a=3x4 b=3x4 type=uint8").in_place, (Inputs{0, 1}));
    EXPECT_EQ(plan_of("equal", "a a=3x4 b=4 type=uint8").in_place, Inputs{0});
    EXPECT_EQ(plan_of("where", "a condition=3x4 x=3x4 y=1x4 x_type=float").in_place, Inputs{1});
    EXPECT_EQ(plan_of("where", "a condition=3x4 x=4 y=3x4 x_type=int8").in_place, (Inputs{0, 2}));
    EXPECT_EQ(plan_of("and", "a a=3x4 b=3x4").in_place, (Inputs{0, 1}));
}

TEST(LogicPlan, WhatDependsOnNoTypeSharesItsPipelines)
{
    const auto constants = [](std::string_view op, std::string_view line) {
        return plan_of(op, line).pipelines.front().specialization;
    };
    EXPECT_EQ(constants("where", "a condition=7 x=7 y=7 x_type=float"), constants("where", "a condition=9 x=9 y=9 x_type=int32"));
    EXPECT_EQ(constants("bitwise_not", "a x=7 type=int64"), constants("bitwise_not", "a x=7 type=uint64"));
    EXPECT_NE(constants("less", "a a=7 b=7 type=int64"), constants("less", "a a=7 b=7 type=uint64"));
}

TEST(LogicPlan, LoopsOverAxesKeepTheLimit)
{
    Capabilities few = *Capabilities::preset("desktop");
    few.max_loop_iterations = 8;
    const Result<Plan> plan = planned_for("equal", "a a=2x1x2x1x2x1 b=1x2x1x2x1x2", few);
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.message().find("its loops over 6 axes would exceed the device's 8 iterations"), std::string_view::npos)
        << plan.message();
}

}  // namespace
}  // namespace vkonnx::plan
