// This file tests which elements are moved together, as one of 16 to 128 bits: where every output takes whole runs of them.

#include <gtest/gtest.h>

#include "constant_of.h"
#include "kit/cases.h"
#include "plan/operators/operators.h"
#include "shaders/engines/gather/gather.h"

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

// Returns the name of the module that moves the elements, or why there is no plan.
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

TEST(TakePlan, GatherNDIsAGatherWhereItCanBe)
{
    EXPECT_EQ(moved("gather_nd", "a x=50x64 indices=7x1"), "take_u128");
    EXPECT_EQ(moved("gather_nd", "a x=1x50x6 indices=1x7x1 batch_dims=1"), "take_u64");
    EXPECT_EQ(moved("gather_nd", "a x=2x50x6 indices=2x7x1 batch_dims=1"), "take_nd_u64") << "each batch has its own indices";
    EXPECT_EQ(moved("gather_nd", "a x=50x6x64 indices=7x2"), "take_nd_u128");
    EXPECT_EQ(moved("gather_nd", "a x=50x6x5 indices=7x2 type=float16"), "take_nd_u16");
    EXPECT_EQ(moved("gather_nd", "a x=50x6 indices=7x2 type=bool"), "take_nd_u8");
    EXPECT_EQ(moved("gather_elements", "a x=50x64 indices=7x64"), "take_nd_u32") << "each element has its own index";
    EXPECT_EQ(moved("gather_elements", "a x=50x64 indices=7x64 type=complex64"), "take_nd_u64");
}

// Neighbouring axes become one where indices and data go along them as along one axis. The kernel divides by those that are left.
TEST(TakePlan, AxesAreMerged)
{
    const auto rank = [](std::string_view op, std::string_view line) {
        const Result<Plan> plan = planned_for(op, line);
        EXPECT_TRUE(plan) << plan.message();
        return plan ? constant_of(plan->pipelines.front(), "rank") : 0u;
    };
    EXPECT_EQ(rank("gather_elements", "a x=9 indices=1"), 0u) << "one element";
    EXPECT_EQ(rank("gather_elements", "a x=9 indices=7"), 1u);
    EXPECT_EQ(rank("gather_elements", "a x=2x3x4x5x6 indices=2x3x9x5x6 axis=2"), 3u);
    EXPECT_EQ(rank("gather_elements", "a x=2x3x4x5x6 indices=2x3x9x5x2 axis=2"), 4u) << "5 rows of 2 are no run of 10 in data";
    EXPECT_EQ(rank("gather_nd", "a x=4x3x5 indices=7x3"), 1u) << "elements alone";
    EXPECT_EQ(rank("gather_nd", "a x=4x3x5 indices=7x2"), 2u);
    EXPECT_EQ(rank("gather_nd", "a x=4x3x5 indices=4x7x1 batch_dims=1"), 3u);
}

TEST(TakePlan, AnIndexHasAsManyCoordinatesAsItsBlockDescribes)
{
    const auto planned = [](size_t coordinates, uint32_t iterations) {
        Capabilities capabilities = *Capabilities::preset("desktop");
        capabilities.max_loop_iterations = iterations;
        const std::vector<TensorDesc> inputs = {{DType::float32, std::vector<int64_t>(coordinates, 1)},
                                                {DType::int64, {3, int64_t(coordinates)}}};
        return plan_for(*ops::resolve(vkonnx::GatherND(), inputs), capabilities, {});
    };
    const uint32_t many = Capabilities::preset("desktop")->max_loop_iterations;
    EXPECT_TRUE(planned(64, many));
    EXPECT_NE(planned(65, many).message().find("an index has 65 coordinates, more than its uniform block can describe"),
              std::string_view::npos);
    EXPECT_NE(planned(9, 8).message().find("its loops over 9 axes would exceed the device's 8 iterations"),
              std::string_view::npos)
        << planned(9, 8).message();
}

// Of the data's 4096 bytes 1024 can be bound, which is 239 elements beside what the alignment takes.
TEST(TakePlan, DataIsReadInPieces)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {64, 16}}, {DType::int32, {3, 16}}};
    const auto geometry = ops::resolve(GatherElements(), inputs);
    Capabilities capabilities = *Capabilities::preset("desktop");
    capabilities.storage_buffer_alignment = 64;
    capabilities.max_storage_buffer_range = 1024;
    const Result<Plan> plan = plan_for(*geometry, capabilities, {});
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_TRUE(check(*plan, capabilities)) << check(*plan, capabilities).message();
    ASSERT_EQ(plan->steps.size(), 5u);
    for (uint64_t i = 0; i < 5; ++i) {
        const Step& step = plan->steps[i];
        const uint64_t begin = i * 239 * 4 / 64 * 64;
        EXPECT_EQ(step.operands[0].offset, begin);
        EXPECT_EQ(step.operands[0].offset + step.operands[0].bytes, i < 4 ? (i + 1) * 239 * 4 : 4096);
        EXPECT_EQ(step.operands[1], Operand{.tensor = 1});
        EXPECT_EQ(step.operands[2], (Operand{.tensor = 2, .access = i == 0 ? Access::write : Access::read_write}));
        EXPECT_EQ(block_of<push::GatherPart>(step.push).first_channel, i);
        EXPECT_EQ(block_of<push::GatherPart>(step.push).x_base, begin / 4);
    }
    capabilities.max_storage_buffer_range = 4096;
    EXPECT_EQ(plan_for(*geometry, capabilities, {})->steps.size(), 1u) << "all of it is bound";
}

// Of the data's 4096 bytes 1024 can be bound, which is 14 rows beside what the alignment takes.
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
