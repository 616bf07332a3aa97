// What tuning remembers a kernel by: problems that differ in anything that is computed have different texts.
#include "ops/problem_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace vkonnx::ops {
namespace {

const TensorDesc picture = {DType::float32, {1, 4, 8, 8}};

// All texts are there, on one line each, and no two are the same.
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
    const TensorDesc row = {DType::float32, {4}}, matrix = {DType::float32, {4, 4}}, filters = {DType::float32, {4, 4, 3, 3}};
    const std::vector<std::pair<Operator, std::vector<TensorDesc>>> problems = {
        {ConvTranspose{}, {picture, filters}},
        {onednn::ConvTranspose{.strides = {1, 1},
                               .pads_begin = {0, 0},
                               .pads_end = {0, 0},
                               .dilations = {1, 1},
                               .data_format = Layout::ncx,
                               .filter_format = onednn::FilterFormat::iox},
         {picture, filters}},
        {Conv{}, {picture, filters}},
        {AveragePool{.kernel_shape = {2, 2}}, {picture}},
        {MaxPool{.kernel_shape = {2, 2}}, {picture}},
        {Shape{}, {picture}},
        {Elementwise{}, {picture}},
        {Gemm{}, {matrix, matrix}},
        {MatMul{}, {matrix, matrix}},
        {Transpose{}, {picture}},
        {Slice{.starts = {1}, .ends = {2}}, {row}},
        {Pad{.pads = {1, 1}}, {row}},
        {Concat{.axis = 0}, {row, row}},
        {Split{.num_outputs = 2, .outputs = 2}, {row}},
        {DepthToSpace{.blocksize = 2}, {picture}},
        {Cast{.to = int64_t(DType::float16)}, {picture}},
        {Resize{.scales = {1, 1, 2, 2}}, {picture}},
        {GlobalAveragePool{}, {picture}},
        {GlobalMaxPool{}, {picture}},
        {ReduceMean{}, {picture}},
        {ReduceSum{}, {picture}},
        {Softmax{}, {picture}},
        {InstanceNormalization{}, {picture, row, row}},
        {BatchNormalization{}, {picture, row, row, row, row}},
        {LRN{.size = 3}, {picture}},
        {LayerNormalization{}, {row, row, row}},
    };
    std::set<size_t> operators;
    std::vector<std::string> texts;
    for (const auto& [op, inputs] : problems) {
        operators.insert(op.index());
        EXPECT_TRUE(infer(op, inputs)) << infer(op, inputs).message();
        if (!std::holds_alternative<onednn::ConvTranspose>(op))  // which is the same problem as ConvTranspose
            texts.push_back(problem_text(op, inputs, {}));
    }
    EXPECT_EQ(operators.size(), std::variant_size_v<Operator>);
    expect_apart(texts);
}

TEST(ProblemText, IsNoneOfWhatIsRefused)
{
    EXPECT_EQ(problem_text(MaxPool{}, std::vector{picture}, {}), "");
    EXPECT_EQ(problem_text(MaxPool{.kernel_shape = {2, 2}}, std::vector{picture}, {.prologue = Prologue{.scaled = true}}), "");
}

}  // namespace
}  // namespace vkonnx::ops
