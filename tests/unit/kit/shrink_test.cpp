// This file tests that invented failures shrink to the least problem that still fails.
#include "kit/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kit/draw.h"

namespace vkonnx::kit {
namespace {

using Predicate = bool (*)(const Case&);

bool any_above_1(const std::vector<int64_t>& list)
{
    return std::any_of(list.begin(), list.end(), [](int64_t entry) { return entry > 1; });
}

bool dilated_with_two_channels(const Case& problem)
{
    return any_above_1(std::get<ConvTranspose>(problem.attributes).dilations) && problem.inputs[1].dims[0] >= 2;
}

// Expects that every problem for which the predicate holds shrinks to this line.
void expect_shrunk(Case (*drawn)(Draw&), Predicate fails, const std::string& line)
{
    Draw draw(test_seed(5));
    int shrinks = 0;
    for (int trial = 0; trial < 3000 && shrinks < 200; ++trial) {
        const Case problem = drawn(draw);
        if (!resolve(problem) || !fails(problem))
            continue;
        ++shrinks;
        int tries = 0;
        const auto counting = [&](const Case& candidate) {
            ++tries;
            return fails(candidate);
        };
        ASSERT_EQ(to_string(shrunk(problem, counting)), line) << to_string(problem) << "\n" << draw.repeat();
        ASSERT_LT(tries, 700) << to_string(problem);
    }
    EXPECT_GT(shrinks, 10);
}

TEST(Shrink, ConvTranspose)
{
    expect_shrunk(draw_conv_transpose, dilated_with_two_channels, "drawn x=1x2x1 w=2x1x1 dilations=2 fill=integers");
    expect_shrunk(
        draw_conv_transpose,
        [](const Case& problem) {
            const auto& a = std::get<ConvTranspose>(problem.attributes);
            return a.group > 1 && problem.inputs.size() == 3 && problem.inputs[0].dtype == DType::float16;
        },
        "drawn x=1x2x1 w=2x1x1 b type=float16 group=2 fill=integers");
    expect_shrunk(
        draw_conv_transpose,
        [](const Case& problem) {
            const auto& a = std::get<ConvTranspose>(problem.attributes);
            const auto axes = resolve(problem)->axes;
            return a.output_shape.empty() && a.auto_pad == AutoPad::notset &&
                   std::any_of(axes.begin(), axes.end(),
                               [](const ReferenceAxis& axis) { return axis.begin >= 2 && axis.in >= 6; });
        },
        "drawn x=1x1x6 w=1x1x1 pads=2,0 fill=integers");
}

TEST(Shrink, OnednnConvTranspose)
{
    expect_shrunk(
        draw_onednn_conv_transpose,
        [](const Case& problem) { return any_above_1(std::get<onednn::ConvTranspose>(problem.attributes).dilations); },
        "drawn x=1x1x1 w=1x1x1 strides=1 pads_begin=0 pads_end=0 dilations=2 data_format=NCX filter_format=IOX fill=integers");
    expect_shrunk(
        draw_onednn_conv_transpose,
        [](const Case& problem) {
            const auto& a = std::get<onednn::ConvTranspose>(problem.attributes);
            return a.filter_format == onednn::FilterFormat::oix && a.data_format == Layout::nxc &&
                   resolve(problem)->axes.size() >= 2;
        },
        "drawn x=1x1x1x1 w=1x1x1x1 strides=1,1 pads_begin=0,0 pads_end=0,0 dilations=1,1 filter_format=OIX fill=integers");
}

TEST(Shrink, AveragePool)
{
    expect_shrunk(
        draw_average_pool,
        [](const Case& problem) {
            const auto& a = std::get<AveragePool>(problem.attributes);
            return a.count_include_pad == 1 && problem.inputs[0].layout == Layout::nxc;
        },
        "drawn x=1x1x1 layout=NXC kernel_shape=1 count_include_pad=1 fill=integers");
    expect_shrunk(
        draw_average_pool,
        [](const Case& problem) {
            const auto axes = resolve(problem)->axes;
            return std::any_of(axes.begin(), axes.end(),
                               [](const ReferenceAxis& a) { return a.kernel >= 3 && a.stride >= 2 && a.in >= 3; });
        },
        "drawn x=1x1x3 kernel_shape=3 strides=2 fill=integers");
}

TEST(Shrink, Shape)
{
    expect_shrunk(
        draw_shape,
        [](const Case& problem) {
            const auto& a = std::get<Shape>(problem.attributes);
            return a.end && *a.end < -2 && problem.inputs[0].dims.size() >= 2;
        },
        "drawn x=1x1 end=-3");
}

// A refused problem must stay refused while it shrinks, since a valid one would show another fault.
TEST(Shrink, RefusedStaysRefused)
{
    const Case problem = *parse_case("conv_transpose", "a x=2x6x5x7 w=6x2x3x2 b type=double strides=2,1 pads=0,1,2,0 group=4");
    ASSERT_FALSE(resolve(problem));
    const Case least = shrunk(problem, [](const Case&) { return true; });
    EXPECT_FALSE(resolve(least));
    EXPECT_EQ(std::get<ConvTranspose>(least.attributes).strides, std::vector<int64_t>());
    EXPECT_EQ(least.inputs[0].dtype, DType::float32);
}

// A step is removed together with the input that belongs to it.
TEST(Shrink, Steps)
{
    const Case problem = *parse_case("elementwise", "a op=Mul a=4x9 b=9 c=4x1 steps=Neg,:Sub,Clip:min=1,Relu type=double");
    ASSERT_TRUE(resolve(problem));
    const auto least = [&](ElementwiseKind kind) {
        return to_string(shrunk(problem, [&](const Case& candidate) {
            const std::vector<ElementwiseStep>& then = std::get<Elementwise>(candidate.attributes).steps;
            return std::any_of(then.begin(), then.end(), [&](const ElementwiseStep& step) { return step.kind == kind; });
        }));
    };
    EXPECT_EQ(least(ElementwiseKind::clip), "a a=scalar b=scalar op=Mul steps=Clip fill=integers");
    EXPECT_EQ(least(ElementwiseKind::sub), "a a=scalar b=scalar op=Mul steps=Sub:1 fill=integers");
}

TEST(Shrink, IsBoundedAndDeterministic)
{
    const Case problem =
        *parse_case("conv_transpose", "a x=3x8x9x11 w=8x3x3x4 b type=bfloat16 dilations=3,2 pads=1,1,1,1 group=2");
    int calls = 0;
    const auto counting = [&](const Case& candidate) {
        ++calls;
        return dilated_with_two_channels(candidate);
    };
    const std::string first = to_string(shrunk(problem, counting, 7));
    EXPECT_EQ(calls, 7);
    EXPECT_EQ(to_string(shrunk(problem, counting, 7)), first);
    EXPECT_EQ(to_string(shrunk(problem, [](const Case&) { return false; })), to_string(problem));
}

}  // namespace
}  // namespace vkonnx::kit
