// Which elements are moved together, as one of 16 to 128 bits: where every output takes whole runs of them.

#include <gtest/gtest.h>

#include "constant_of.h"
#include "kit/cases.h"
#include "plan/operators.h"
#include "shared/gather.h"

namespace vkonnx::plan {
namespace {

Result<Plan> planned_for(std::string_view op, std::string_view line)
{
    const Result<kit::Case> problem = kit::parse_case(op, line);
    if (!problem)
        return problem.status();
    const auto planned = [&](const auto& attributes) -> Result<Plan> {
        if constexpr (requires { plan_for(*ops::resolve(attributes, problem->inputs), Capabilities(), PrepareOptions()); }) {
            const auto geometry = ops::resolve(attributes, problem->inputs);
            return geometry ? plan_for(*geometry, *Capabilities::preset("desktop"), {}) : Result<Plan>(geometry.status());
        }
        return Status(Code::invalid_argument, "no operator that moves");
    };
    return std::visit(planned, problem->attributes);
}

// The module that moves it, and how many of its elements there are.
std::string moved(std::string_view op, std::string_view line)
{
    const Result<Plan> plan = planned_for(op, line);
    return plan ? std::string(kernel_name(plan->pipelines.front().kernel)) : std::string(plan.message());
}

TEST(MovePlan, TheBlockIsSmallWhereLittleIsTold)
{
    std::string many = "a a=2x3x5 b=2x3x5";
    for (char input = 'c'; input < 'q'; ++input)
        many += std::string(" ") + input + "=2x3x5";
    for (const auto& [op, line, vectors] : {std::tuple("transpose", std::string("a a=2x7x3x8 perm=3,0,2,1"), 32u),
                                            std::tuple("concat", std::string("a a=1x8x5x4 b=1x4x5x4 axis=1"), 32u),
                                            std::tuple("concat", many + " axis=1", 1024u)}) {
        const Result<Plan> plan = planned_for(op, line);
        ASSERT_TRUE(plan) << plan.message();
        EXPECT_EQ(plan->uniform.size(), vectors * 16) << line;
        EXPECT_EQ(constant_of(plan->pipelines.at(0), "vectors"), vectors) << line;
    }
}

TEST(MovePlan, ElementsThatLieTogetherAreMovedTogether)
{
    EXPECT_EQ(moved("concat", "a a=1x8x5x4 b=1x4x5x4 axis=1"), "move_u128");
    EXPECT_EQ(moved("concat", "a a=3x8 b=3x12 axis=1"), "move_u128");
    EXPECT_EQ(moved("concat", "a a=3x6 b=3x10 axis=1"), "move_u64") << "6 is no multiple of 4";
    EXPECT_EQ(moved("concat", "a a=3x5 b=3x3 axis=1"), "move_u32");
    EXPECT_EQ(moved("concat", "a a=3x16 b=3x32 axis=1 type=uint8"), "move_u128");
    EXPECT_EQ(moved("concat", "a a=3x6 b=3x2 axis=1 type=uint8"), "move_u16");
    EXPECT_EQ(moved("concat", "a a=3x2 b=3x4 axis=1 type=double"), "move_u128");
    EXPECT_EQ(moved("slice", "a a=5x12 starts=4 ends=12 axes=1"), "move_u128");
    EXPECT_EQ(moved("slice", "a a=5x12 starts=2 ends=10 axes=1"), "move_u64");
    EXPECT_EQ(moved("slice", "a a=4x9 starts=0 ends=8 axes=1"), "move_u32") << "rows begin anywhere";
    EXPECT_EQ(moved("slice", "a a=4x8 starts=7 ends=-100 axes=1 steps=-1"), "move_u32") << "each of them backwards";
    EXPECT_EQ(moved("split", "a a=3x24 axis=1 split=8,6,10"), "move_u64") << "all outputs are moved alike";
    EXPECT_EQ(moved("transpose", "a a=2x7x3x8 perm=0,2,1,3"), "move_u128");
    EXPECT_EQ(moved("transpose", "a a=8x8 perm=1,0"), "move_u32");
    EXPECT_EQ(moved("pad", "a a=3x8 pads=1,4,0,8 value=1.5 opset=10"), "move_u128");
    EXPECT_EQ(moved("pad", "a a=3x8 b=scalar pads=1,4,0,8"), "move_u32") << "a fill that is read is one element";
    EXPECT_EQ(moved("pad", "a a=3x8 pads=2,0,1,0 mode=reflect"), "move_u128");
    EXPECT_EQ(moved("pad", "a a=3x8 pads=0,4,0,4 mode=edge"), "move_u32") << "one element, four times";
}

TEST(TakePlan, RowsAreTakenInWideWords)
{
    EXPECT_EQ(moved("gather", "a x=50x64 indices=7"), "take_u128");
    EXPECT_EQ(moved("gather", "a x=50x6 indices=7"), "take_u64") << "6 is no multiple of 4";
    EXPECT_EQ(moved("gather", "a x=50x5 indices=7"), "take_u32");
    EXPECT_EQ(moved("gather", "a x=50x64 indices=7 axis=1"), "take_u32");
    EXPECT_EQ(moved("gather", "a x=50x2x8 indices=7 type=uint8"), "take_u128") << "rows are all that lies behind the axis";
    EXPECT_EQ(moved("gather", "a x=50x3 indices=7 type=float16"), "take_u16");
    EXPECT_EQ(moved("gather", "a x=50x3 indices=7 type=bool"), "take_u8");
    EXPECT_EQ(moved("gather", "a x=50x2 indices=7 type=double"), "take_u128");
}

// Data of 4096 bytes, of which 1024 can be bound: 14 rows beside what the alignment takes.
TEST(TakePlan, ATableIsReadInPieces)
{
    const Result<kit::Case> problem = kit::parse_case("gather", "a x=64x16 indices=3");
    ASSERT_TRUE(problem) << problem.message();
    const auto geometry = ops::resolve(std::get<vkonnx::Gather>(problem->attributes), problem->inputs);
    Capabilities capabilities = *Capabilities::preset("desktop");
    capabilities.storage_buffer_alignment = 64;
    capabilities.max_storage_buffer_range = 1024;
    const Result<Plan> plan = plan_for(*geometry, capabilities, {});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_TRUE(check(*plan, capabilities)) << check(*plan, capabilities).message();
    ASSERT_EQ(plan->steps.size(), 5u);
    for (size_t i = 0; i < 5; ++i) {
        const Step& step = plan->steps[i];
        EXPECT_EQ(step.operands[0], (Operand{.offset = i * 14 * 64, .bytes = i < 4 ? 14 * 64u : 8 * 64u}));
        EXPECT_EQ(step.operands[1], Operand{.tensor = 1});
        EXPECT_EQ(step.operands[2], (Operand{.tensor = 2, .access = i == 0 ? Access::write : Access::read_write}));
        EXPECT_EQ(block_of<push::GatherPart>(step.push).first_channel, i);
        EXPECT_EQ(block_of<push::GatherPart>(step.push).x_base, i * 14 * 4);
    }
    capabilities.max_storage_buffer_range = 4096;
    EXPECT_EQ(plan_for(*geometry, capabilities, {})->steps.size(), 1u) << "all of it is bound";
}

}  // namespace
}  // namespace vkonnx::plan
