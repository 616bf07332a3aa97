// This file tests how ScatterElements and ScatterND are planned: which kernel, which slices are moved together, which axes are
// left, and how problems are cut.

#include <gtest/gtest.h>

#include "constant_of.h"
#include "kit/cases.h"
#include "plan/operators/operators.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/scatter/scatter.h"

namespace vkonnx::plan {
namespace {

Result<Plan> scatter_plan(std::string_view op, std::string_view line, const Capabilities& capabilities,
                          const PrepareOptions& options)
{
    const Result<kit::Case> problem = kit::parse_case(op, line);
    if (!problem)
        return problem.status();
    const auto planned = [&](const auto& scatter) -> Result<Plan> {
        const auto geometry = ops::resolve(scatter, problem->inputs);
        return geometry ? plan_for(*geometry, capabilities, options) : Result<Plan>(geometry.status());
    };
    if (const auto* elements = std::get_if<ScatterElements>(&problem->attributes))
        return planned(*elements);
    return planned(std::get<ScatterND>(problem->attributes));
}

Plan scatter_plan(std::string_view op, std::string_view line, const PrepareOptions& options = {})
{
    Result<Plan> plan = scatter_plan(op, line, *Capabilities::preset("desktop"), options);
    EXPECT_TRUE(plan) << plan.message();
    return plan ? std::move(*plan) : Plan();
}

std::string scatter_kernel(std::string_view op, std::string_view line)
{
    return scatter_plan(op, line).kernel;
}

TEST(ScatterPlan, SlicesAreMovedInWideWords)
{
    const auto forced = [](std::string_view op, std::string_view line) {
        return scatter_plan(op, line, {.kernel = "scatter"}).kernel;
    };
    EXPECT_EQ(forced("scatter_nd", "a x=50x64 indices=7x1 updates=7x64"), "scatter_u128");
    EXPECT_EQ(forced("scatter_nd", "a x=50x6 indices=7x1 updates=7x6"), "scatter_u64") << "6 is no multiple of 4";
    EXPECT_EQ(forced("scatter_nd", "a x=50x6 indices=7x2 updates=7"), "scatter_u32");
    EXPECT_EQ(forced("scatter_nd", "a x=50x6x5 indices=7x2 updates=7x5 type=float16"), "scatter_u16");
    EXPECT_EQ(forced("scatter_nd", "a x=50x6 indices=7x2 updates=7 type=bool"), "scatter_u8");
    EXPECT_EQ(forced("scatter_elements", "a x=50x64 indices=7x64 updates=7x64"), "scatter_u32");
    EXPECT_EQ(forced("scatter_elements", "a x=50x64 indices=7x64 updates=7x64 type=complex64"), "scatter_u64");
    EXPECT_EQ(forced("scatter_nd", "a x=50x64 indices=7x1 updates=7x64 reduction=add"), "scatter_f32");
    EXPECT_EQ(forced("scatter_nd", "a x=50x64 indices=7x1 updates=7x64 reduction=add type=int8"), "scatter_i8");
    EXPECT_EQ(forced("scatter_nd", "a x=50x64 indices=7x1 updates=7x64 reduction=mul type=bool"), "scatter_u8");
}

// Where many updates may be for an element, their last one is found first.
TEST(ScatterPlan, ManyUpdatesTakeNoLonger)
{
    EXPECT_EQ(scatter_kernel("scatter_elements", "a x=64x7 indices=9000x7 updates=9000x7"), "scatter_last_u32");
    EXPECT_EQ(scatter_kernel("scatter_nd", "a x=64x8 indices=9000x1 updates=9000x8"), "scatter_last_u128");
    EXPECT_EQ(scatter_kernel("scatter_nd", "a x=64x8 indices=9000x1 updates=9000x8 reduction=max"), "scatter_f32");
    const auto seconds = [](const std::string& updates) {
        return seconds_of(scatter_plan("scatter_nd", "a x=64x8 indices=" + updates + "x1 updates=" + updates + "x8"));
    };
    EXPECT_LT(seconds("90000"), 11 * seconds("9000"));
}

// The pass that finds the last updates reads what the one before wrote, and so do all behind it.
TEST(ScatterPlan, LastUpdatesAreFoundInScratchMemory)
{
    const Plan plan = scatter_plan("scatter_nd", "a x=64x8 indices=9000x1 updates=9000x8");
    ASSERT_EQ(plan.steps.size(), 3u);
    EXPECT_EQ(plan.scratch_bytes, 64u * 4);
    const auto access = [&](size_t step) { return plan.steps[step].operands.back().access; };
    EXPECT_EQ(constant_of(plan.pipelines.at(plan.steps[0].pipeline), "clears"), 1u);
    EXPECT_EQ(access(0), Access::write);
    EXPECT_EQ(access(1), Access::read_write);
    EXPECT_EQ(plan.steps[2].operands[1].place, Place::scratch);
    EXPECT_EQ(plan.in_place, std::vector<uint8_t>{0});
    EXPECT_TRUE(check(plan, *Capabilities::preset("desktop")));
}

// Neighbouring axes on which the updates lie as along one are one: the kernel divides by what is left.
TEST(ScatterPlan, AxesAreMerged)
{
    const auto rank = [](std::string_view op, std::string_view line) {
        const Plan plan = scatter_plan(op, line, {.kernel = "scatter"});
        return plan.steps.empty() ? 99u : constant_of(plan.pipelines.at(plan.steps.back().pipeline), "rank");
    };
    EXPECT_EQ(rank("scatter_elements", "a x=1 indices=7 updates=7"), 0u) << "one element";
    EXPECT_EQ(rank("scatter_elements", "a x=9 indices=7 updates=7"), 1u);
    EXPECT_EQ(rank("scatter_elements", "a x=2x3x4x5x6 indices=2x3x9x5x6 updates=2x3x9x5x6 axis=2"), 3u);
    EXPECT_EQ(rank("scatter_elements", "a x=2x3x4x5x6 indices=2x3x9x4x6 updates=2x3x9x4x6 axis=2"), 3u)
        << "4 of 5 rows of 6 are 24 of 30 elements";
    EXPECT_EQ(rank("scatter_elements", "a x=2x3x4x5x6 indices=2x3x9x5x2 updates=2x3x9x5x2 axis=2"), 4u)
        << "5 rows of 2 are no run of 10 in data";
    EXPECT_EQ(rank("scatter_nd", "a x=4x3x5 indices=7x2 updates=7x5"), 1u);
}

TEST(ScatterPlan, AnIndexHasAsManyCoordinatesAsItsBlockDescribes)
{
    const auto planned = [](size_t coordinates) {
        const std::vector<TensorDesc> inputs = {{DType::float32, std::vector<int64_t>(coordinates, 1)},
                                                {DType::int64, {3, int64_t(coordinates)}},
                                                {DType::float32, {3}}};
        return plan_for(*ops::resolve(ScatterND(), inputs), *Capabilities::preset("desktop"), {});
    };
    EXPECT_TRUE(planned(64));
    EXPECT_NE(planned(65).message().find("an index has 65 coordinates, more than its uniform block can describe"),
              std::string_view::npos);
}

// Data and updates of 4096 bytes, of which 1024 can be bound.
TEST(ScatterPlan, UpdatesAreReadInParts)
{
    Capabilities capabilities = *Capabilities::preset("desktop");
    capabilities.storage_buffer_alignment = 64;
    capabilities.max_storage_buffer_range = 1024;
    const Result<Plan> plan =
        scatter_plan("scatter_nd", "a x=4x256 indices=4x1 updates=4x256 reduction=add", capabilities, PrepareOptions());
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_TRUE(check(*plan, capabilities)) << check(*plan, capabilities).message();
    EXPECT_GT(plan->steps.size(), 5u);
    const Result<Plan> last =
        scatter_plan("scatter_nd", "a x=4x256 indices=4x1 updates=4x256", capabilities, {.kernel = "scatter_last"});
    EXPECT_FALSE(last) << "any update may be the last of a slice";
}

}  // namespace
}  // namespace vkonnx::plan
