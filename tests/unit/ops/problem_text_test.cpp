// This file tests the text by which tuning remembers a kernel. Problems that differ in anything computed must have different
// texts.
#include "ops/problem_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kit/cases.h"

namespace vkonnx::ops {
namespace {

const TensorDesc picture = {DType::float32, {1, 4, 8, 8}};

// Expects that all texts are there, on one line each, and that no two are the same.
void expect_apart(const std::vector<std::string>& texts)
{
    for (const std::string& text : texts) {
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.find_first_of("\t\r\n"), std::string::npos) << text;
        EXPECT_EQ(std::count(texts.begin(), texts.end(), text), 1) << text;
    }
}

template <class Op>
std::vector<std::string> texts_of(const std::vector<Op>& ops, const std::vector<TensorDesc>& inputs)
{
    std::vector<std::string> texts;
    for (const Op& op : ops)
        texts.push_back(problem_text(op, inputs, {}));
    return texts;
}

TEST(ProblemText, TellsMaxPoolsApart)
{
    const MaxPool plain = {.kernel_shape = {3, 3}, .strides = {2, 2}};
    MaxPool window = plain, strides = plain, dilations = plain, begins = plain, ends = plain, indices = plain;
    window.kernel_shape = {3, 2};
    strides.strides = {2, 1};
    dilations.dilations = {1, 2};
    begins.pads = {1, 0, 0, 0};
    ends.pads = {0, 0, 1, 0};
    indices.outputs = 2;
    MaxPool column_major = indices;
    column_major.storage_order = 1;
    expect_apart(texts_of<MaxPool>({plain, window, strides, dilations, begins, ends, indices, column_major}, {picture}));
}

TEST(ProblemText, TellsResizesApart)
{
    const Resize plain = {.scales = {1, 1, 2, 2}};
    Resize scale = plain, linear = plain, cubic = plain, transformation = plain, nearest = plain;
    scale.scales = {1, 1, 2, 3};
    linear.mode = ResizeMode::linear;
    cubic.mode = ResizeMode::cubic;
    transformation.coordinate_transformation_mode = CoordinateTransformationMode::asymmetric;
    nearest.nearest_mode = NearestMode::ceil;
    Resize antialias = linear, coefficient = cubic, outside = cubic, extrapolation = linear, other_value = linear;
    antialias.antialias = 1;
    coefficient.cubic_coeff_a = -0.5f;
    outside.exclude_outside = 1;
    extrapolation.coordinate_transformation_mode = CoordinateTransformationMode::tf_crop_and_resize;
    extrapolation.roi = {0, 0, 0, 0, 1, 1, 1, 2};
    other_value = extrapolation;
    other_value.extrapolation_value = 3;
    expect_apart(texts_of<Resize>(
        {plain, scale, linear, cubic, transformation, nearest, antialias, coefficient, outside, extrapolation, other_value},
        {picture}));
}

TEST(ProblemText, TellsElementwiseOperatorsApart)
{
    const Elementwise relu = {.kind = ElementwiseKind::relu};
    const Elementwise slope = {.kind = ElementwiseKind::leaky_relu},
                      other_slope = {.kind = ElementwiseKind::leaky_relu, .alpha = 0.5f};
    Elementwise doubled = relu, tripled = relu, added = relu, subtracted = relu, swapped = relu;
    doubled.steps = {{.kind = ElementwiseKind::mul, .number = 2}};
    tripled.steps = {{.kind = ElementwiseKind::mul, .number = 3}};
    added.steps = {{.kind = ElementwiseKind::add, .number = 2}};
    subtracted.steps = {{.kind = ElementwiseKind::sub, .number = 2}};
    swapped.steps = {{.kind = ElementwiseKind::sub, .number = 2, .swapped = true}};
    std::vector<std::string> texts =
        texts_of<Elementwise>({relu, slope, other_slope, doubled, tripled, added, subtracted, swapped}, {picture});
    const Elementwise sum = {.kind = ElementwiseKind::add};
    for (const std::vector<int64_t>& other : {std::vector<int64_t>{1, 4, 8, 8}, {8}, {8, 1}, {}})
        texts.push_back(problem_text(sum, std::vector{picture, TensorDesc{DType::float32, other}}, {}));
    const Elementwise power = {.kind = ElementwiseKind::pow};
    for (const DType exponent : {DType::float32, DType::int32})
        texts.push_back(problem_text(power, std::vector{picture, TensorDesc{exponent, {}}}, {}));
    const Elementwise clip = {.kind = ElementwiseKind::clip};
    const TensorDesc none = {DType::undefined}, bound = {DType::float32};
    for (const std::vector<TensorDesc>& bounds : {std::vector{picture}, {picture, bound}, {picture, none, bound}})
        texts.push_back(problem_text(clip, bounds, {}));
    expect_apart(texts);
}

class AroundAConvolution : public testing::Test {
protected:
    std::string text(const PrepareOptions& options)
    {
        return problem_text(conv, std::vector{picture, TensorDesc{DType::float32, {4, 4, 3, 3}}}, options);
    }

    std::string behind(const Elementwise& epilogue) { return text({.epilogue = epilogue}); }

    const Conv conv = {.kernel_shape = {3, 3}};
};

TEST_F(AroundAConvolution, EpiloguesAreApart)
{
    const Elementwise relu = {.kind = ElementwiseKind::relu};
    Elementwise doubled = relu, tripled = relu, added = relu, both = relu;
    doubled.steps = {{.kind = ElementwiseKind::mul, .number = 2}};
    tripled.steps = {{.kind = ElementwiseKind::mul, .number = 3}};
    added.steps = {{.kind = ElementwiseKind::add, .number = 2}};
    both.steps = {{.kind = ElementwiseKind::mul, .number = 2}, {.kind = ElementwiseKind::add, .number = 2}};
    expect_apart({text({}), behind(relu), behind({.kind = ElementwiseKind::tanh}), behind({.kind = ElementwiseKind::leaky_relu}),
                  behind({.kind = ElementwiseKind::leaky_relu, .alpha = 0.5f}),
                  behind({.kind = ElementwiseKind::clip, .min = 0.0f}), behind({.kind = ElementwiseKind::clip, .max = 0.0f}),
                  behind(doubled), behind(tripled), behind(added), behind(both)});
}

TEST_F(AroundAConvolution, OtherOptionsAreApart)
{
    expect_apart({text({}), text({.reproducible = true}), text({.constants = {{.input = 1}}}),
                  text({.constants = {{.input = 0}, {.input = 1}}}), text({.prologue = Prologue{.kind = ElementwiseKind::relu}}),
                  text({.epilogue = Elementwise{.kind = ElementwiseKind::relu}})});
    EXPECT_EQ(text({.constants = {{.input = 0}, {.input = 1}}}), text({.constants = {{.input = 1}, {.input = 0}}}));
}

TEST(ProblemText, IsThereForEveryOperator)
{
    const Result<std::vector<kit::Case>> cases = kit::load_all_cases();
    ASSERT_TRUE(cases) << cases.message();
    std::map<size_t, const kit::Case*> first;  // the first of each operator's list
    for (const kit::Case& problem : *cases)
        first.emplace(problem.attributes.index(), &problem);
    EXPECT_EQ(first.size(), std::variant_size_v<Operator::variant>);
    std::vector<std::string> texts;
    for (const auto& [index, problem] : first)
        texts.push_back(problem_text(problem->attributes, problem->inputs, {}));
    expect_apart(texts);
}

TEST(ProblemText, IsNoneOfWhatIsRefused)
{
    EXPECT_EQ(problem_text(MaxPool{}, std::vector{picture}, {}), "");
    EXPECT_EQ(problem_text(MaxPool{.kernel_shape = {2, 2}}, std::vector{picture}, {.prologue = Prologue{.scaled = true}}), "");
}

}  // namespace
}  // namespace vkonnx::ops
