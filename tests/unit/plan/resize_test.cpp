// This file tests plans of Resize: which axes merge, and which coordinates are divided instead of looked up. It also runs plans
// on paper: each output is the sum that the taps of ops say, of elements that lie in the window which its part binds.

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "constant_of.h"
#include "kit/cases.h"
#include "kit/draw.h"
#include "plan/operators/operators.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/resize/resize.h"

namespace vkonnx::plan {
namespace {

using ops::ResizeGeometry;

ResizeGeometry resize_of(const kit::Case& problem)
{
    const auto geometry = ops::resolve(std::get<Resize>(problem.attributes), problem.inputs);
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? *geometry : ResizeGeometry();
}

ResizeGeometry resize_of(std::string_view line)
{
    const Result<kit::Case> problem = kit::parse_case("resize", line);
    EXPECT_TRUE(problem) << problem.message();
    return problem ? resize_of(*problem) : ResizeGeometry();
}

Plan planned_resize(std::string_view line, const Capabilities& capabilities = *Capabilities::preset("desktop"))
{
    const Result<Plan> plan = plan_for(resize_of(line), capabilities, {});
    EXPECT_TRUE(plan) << plan.message();
    return plan ? *plan : Plan();
}

push::ResizeProblem uniform_of(const Plan& plan)
{
    push::ResizeProblem uniform = {};
    EXPECT_EQ(plan.uniform.size(), sizeof(uniform));
    std::memcpy(&uniform, plan.uniform.data(), std::min(plan.uniform.size(), sizeof(uniform)));
    return uniform;
}

std::vector<uint32_t> words_of(const Plan& plan)
{
    std::vector<uint32_t> words(plan.table.size() / 4);
    std::memcpy(words.data(), plan.table.data(), plan.table.size());
    return words;
}

TEST(ResizePlan, NeighboursThatStayAreOneAxis)
{
    const Plan plan = planned_resize("a x=2x3x4x5x1x6 sizes=2,3,8,5,1,6");
    EXPECT_EQ(constant_of(plan.pipelines[0], "axes"), 3u);
    const push::ResizeProblem uniform = uniform_of(plan);
    EXPECT_EQ(uniform.axes[0].out_extent.number, 30u);
    EXPECT_EQ(uniform.axes[1].out_extent.number, 8u);
    EXPECT_EQ(uniform.axes[1].stride, 30u);
    EXPECT_EQ(uniform.axes[2].out_extent.number, 6u);
    EXPECT_EQ(uniform.axes[2].stride, 120u);
}

TEST(ResizePlan, WholeFactorsAreDivided)
{
    const Plan twice = planned_resize("a x=2x4x6 scales=1,2,3");
    EXPECT_EQ(uniform_of(twice).axes[0].factor.number, 3u);
    EXPECT_EQ(uniform_of(twice).axes[1].factor.number, 2u);
    EXPECT_EQ(words_of(twice), (std::vector<uint32_t>{0, 0})) << "only what a binding needs";
    const Plan looked_up = planned_resize("a x=2x4 scales=1,1.5 nearest_mode=ceil");
    EXPECT_EQ(uniform_of(looked_up).axes[0].factor.number, 0u);
    EXPECT_EQ(words_of(looked_up), (std::vector<uint32_t>{0, 1, 2, 2, 3, 3}));
    // The element above is no quotient, though the factor is whole.
    EXPECT_EQ(uniform_of(planned_resize("a x=1x4 scales=1,2 nearest_mode=ceil")).axes[0].factor.number, 0u);
}

TEST(ResizePlan, KernelsByModeAndAxes)
{
    EXPECT_EQ(planned_resize("a x=4x4 scales=2,2").kernel, "resize_nearest_u32");
    EXPECT_EQ(planned_resize("a x=4x4 scales=2,2 type=uint8").kernel, "resize_nearest_u8");
    EXPECT_EQ(planned_resize("a x=4x4 scales=2,2 mode=linear type=uint8").kernel, "resize_direct_u8");
    EXPECT_EQ(planned_resize("a x=4x4 scales=1,1 mode=linear type=double").kernel, "resize_nearest_u64") << "nothing changes";
    EXPECT_EQ(planned_resize("a x=4x4x4 scales=2,2,2 mode=cubic type=float16").kernel, "resize_direct_f16");
    EXPECT_EQ(planned_resize("a x=4x4x4x4 scales=2,2,2,2 mode=linear").kernel, "resize_nd_f32");
    EXPECT_EQ(planned_resize("a x=0x4 scales=2,2").why, "the output is empty");
}

TEST(ResizePlan, Refusals)
{
    const auto refused = [](std::string_view line, const Capabilities& capabilities = *Capabilities::preset("desktop")) {
        const Result<Plan> plan = plan_for(resize_of(line), capabilities, {});
        EXPECT_EQ(plan.code(), Code::unsupported);
        return std::string(plan.message());
    };
    EXPECT_EQ(refused("a x=2x2x2x2x2x2x2 scales=2,2,2,2,2,2,2 mode=linear"),
              "Resize: 7 axes of float change by linear or cubic interpolation, and kernels take 6");
    EXPECT_EQ(refused("a x=4194305 scales=1.1"),
              "Resize: the table of its coordinates may take 4613735 words, more than the 4194304 that plans hold");
    Capabilities tiny = *Capabilities::preset("desktop");
    tiny.max_storage_buffer_range = 256;
    EXPECT_EQ(refused("a x=90 scales=1.1", tiny),
              "Resize: the table of its coordinates may take 99 words, more than the device's "
              "max_storage_buffer_range = 256 allows");
    tiny.max_storage_buffer_range = 4;
    EXPECT_EQ(
        refused("a x=3 scales=1 type=int8", tiny),
        "Resize: the table of its coordinates may take 2 words, more than the device's max_storage_buffer_range = 4 allows");
    EXPECT_EQ(refused("a x=3x3x3x3 scales=2,2,2,2 mode=linear type=uint8"),
              "Resize: 4 axes of uint8 change by linear or cubic interpolation, and kernels take 3");
}

// This class runs the parts of a plan as the kernel does.
class Replayed {
public:
    Replayed(const Plan& plan, const ResizeGeometry& geometry, int64_t inputs)
        : plan_(plan), geometry_(geometry), inputs_(inputs), uniform_(uniform_of(plan)), table_(words_of(plan)),
          axes_(constant_of(plan.pipelines[0], "axes")), width_(bits(geometry.dtype) / 8)
    {
    }

    // Checks that every output is finished once and reads nothing outside its part's window.
    void run()
    {
        std::vector<int> finished(size_t(*element_count(output_of(geometry_))));
        for (const Step& step : plan_.steps) {
            push::GatherPart push = {};
            ASSERT_EQ(step.push.size(), sizeof(push));
            std::memcpy(&push, step.push.data(), sizeof(push));
            ASSERT_EQ(step.operands.size(), 3u);
            EXPECT_EQ(step.operands[1], (Operand{.place = Place::table}));
            for (uint32_t i = push.first_output; i < push.first_output + push.output_count; ++i) {
                finished[i] += push.finishes != 0;
                if (push.channel_count != 0)
                    read(step, push, i);
            }
        }
        for (const int count : finished)
            ASSERT_EQ(count, 1);
    }

private:
    void expect_bound(const Step& step, const push::GatherPart& push, uint32_t place)
    {
        const uint64_t end = (uint64_t(place - push.x_base) + 1) * width_;
        ASSERT_GE(place, push.x_base);
        ASSERT_LT(int64_t(place), inputs_);
        ASSERT_LE(end, bound_bytes(plan_, step.operands[0]));
        ASSERT_EQ(step.operands[0].offset, uint64_t(push.x_base) * width_);
    }

    void read(const Step& step, const push::GatherPart& push, uint32_t index)
    {
        uint32_t origin = 0;
        bool outside = false;
        std::vector<uint32_t> rows;  // the rows of axes with taps, innermost first
        for (uint32_t i = 0; i < axes_; ++i) {
            const push::ResizeAxis& axis = uniform_.axes[i];
            const uint32_t o = index % axis.out_extent.number;
            index /= axis.out_extent.number;
            if (axis.entries != 0) {
                rows.push_back(2 * (axis.row + o * axis.entries));
                outside = outside || table_[rows.back() + 1] != 0;
            } else if (axis.factor.number != 0) {
                origin += o / axis.factor.number * axis.stride;
            } else if (rows.empty() && geometry_.mode == ResizeMode::nearest) {
                outside = outside || table_[axis.row + o] == RESIZE_OUTSIDE;
                origin += table_[axis.row + o];
            } else {
                origin += o * axis.stride;
            }
        }
        if (!outside)
            visit(step, push, rows, 0, origin);
    }

    void visit(const Step& step, const push::GatherPart& push, const std::vector<uint32_t>& rows, size_t axis, uint32_t place)
    {
        if (axis == rows.size())
            return expect_bound(step, push, place);
        const uint32_t end = std::min(table_[rows[axis]], push.tap_end[MAX_AXES - 1 - axis]);
        for (uint32_t tap = push.tap_begin[MAX_AXES - 1 - axis]; tap < end; ++tap)
            visit(step, push, rows, axis + 1, place + table_[rows[axis] + 2 + 2 * tap]);
    }

    const Plan& plan_;
    const ResizeGeometry& geometry_;
    const int64_t inputs_;
    const push::ResizeProblem uniform_;
    const std::vector<uint32_t> table_;
    const uint32_t axes_;
    const uint32_t width_;
};

TEST(ResizePlan, RunOnPaperReadsWhatItBinds)
{
    kit::Draw draw(kit::test_seed(8));
    int dispatches = 0;
    for (int trial = 0; trial < 1500 && !testing::Test::HasFailure();) {
        const kit::Case problem = kit::draw_resize(draw);
        if (!resolve(problem))
            continue;
        ++trial;
        SCOPED_TRACE(kit::to_string(problem) + "\n" + draw.repeat());
        const ResizeGeometry geometry = resize_of(problem);
        Capabilities capabilities = *Capabilities::preset("desktop");
        capabilities.max_storage_buffer_range = draw.of<uint64_t>({512, 2048, 8192, 1 << 20});
        capabilities.max_loop_iterations = draw.of<uint32_t>({540, 600, UINT32_MAX});
        if (draw.one_in(3))
            capabilities.work_per_second = 1000;
        const Result<Plan> plan = plan_for(geometry, capabilities, {});
        if (!plan) {
            EXPECT_EQ(plan.code(), Code::unsupported) << plan.message();
            continue;
        }
        const Status status = check(*plan, capabilities);
        ASSERT_TRUE(status) << status.message();
        dispatches += int(plan->steps.size());
        if (!plan->steps.empty())
            Replayed(*plan, geometry, *element_count(problem.inputs[0])).run();
    }
    EXPECT_GT(dispatches, 3000);
}

}  // namespace
}  // namespace vkonnx::plan
