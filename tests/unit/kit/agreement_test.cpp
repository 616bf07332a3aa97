// This file draws random attributes. The library and the reference must agree on what is valid, on sizes and on pads. Both were
// written from the same rules, but apart from each other.
#include "kit/draw.h"

#include <gtest/gtest.h>

namespace vkonnx::kit {
namespace {

Result<Explanation> library_of(const Case& problem)
{
    return explain(problem.attributes, problem.inputs, Capabilities());
}

Result<std::vector<TensorDesc>> inferred(const Case& problem)
{
    return infer(problem.attributes, problem.inputs);
}

void expect_agreement(Case (*drawn)(Draw&), int trials)
{
    Draw draw(test_seed(4));
    int accepted = 0;
    for (int trial = 0; trial < trials && !testing::Test::HasFailure(); ++trial) {
        const Case problem = drawn(draw);
        const Result<Resolution> expected = resolve(problem);
        const Result<std::vector<TensorDesc>> outputs = inferred(problem);
        const std::string repeat = to_string(problem) + "\n" + draw.repeat();
        ASSERT_EQ(outputs.ok(), expected.ok()) << repeat << "\nlibrary: " << outputs.message() << "\n" << expected.message();
        if (!expected)
            continue;
        ++accepted;
        EXPECT_EQ(*outputs, outputs_of(*expected)) << repeat;
        const Result<Explanation> explained = library_of(problem);
        ASSERT_TRUE(explained) << repeat << "\n" << explained.message();
        std::vector<int64_t> begins;
        std::vector<int64_t> ends;
        for (const ReferenceAxis& axis : expected->axes) {
            begins.push_back(axis.begin);
            ends.push_back(axis.end);
        }
        EXPECT_EQ(explained->pads_begin, begins) << repeat;
        EXPECT_EQ(explained->pads_end, ends) << repeat;
    }
    EXPECT_GT(accepted, trials / 2) << "too many draws are refused: " << draw.repeat();
    EXPECT_LT(accepted, trials - trials / 30) << "hardly any draw is refused: " << draw.repeat();
}

TEST(Agreement, ConvTranspose)
{
    expect_agreement(draw_conv_transpose, 20000);
}

TEST(Agreement, OnednnConvTranspose)
{
    expect_agreement(draw_onednn_conv_transpose, 20000);
}

TEST(Agreement, MaxPool)
{
    expect_agreement(draw_max_pool, 20000);
}

TEST(Agreement, AveragePool)
{
    expect_agreement(draw_average_pool, 20000);
}

TEST(Agreement, Elementwise)
{
    expect_agreement(draw_elementwise, 20000);
}

TEST(Agreement, Cast)
{
    expect_agreement(draw_cast, 5000);
}

TEST(Agreement, Resize)
{
    expect_agreement(draw_resize, 20000);
}

TEST(Agreement, Shape)
{
    expect_agreement(draw_shape, 5000);
}

}  // namespace
}  // namespace vkonnx::kit
