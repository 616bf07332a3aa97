// This file tests how case lines are parsed, printed and refused, and how inputs are filled.
#include "kit/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kit/elements.h"

namespace vkonnx::kit {
namespace {

std::string refusal(std::string_view operator_name, std::string_view line)
{
    const Result<Case> parsed = parse_case(operator_name, line);
    return parsed ? "accepted" : std::string(parsed.message());
}

TEST(Cases, ParsesConvTranspose)
{
    const Result<Case> parsed =
        parse_case("conv_transpose", "all_keys x=2x6x5x7 w=6x2x3x2 b kernel_shape=3,2 strides=2,1 dilations=1,3 pads=0,1,2,0 "
                                     "output_padding=1,0 output_shape=9,8 group=3 auto_pad=SAME_LOWER opset=11 "
                                     "rules=onnxruntime fill=reals   # every word at once ");
    ASSERT_TRUE(parsed) << parsed.message();
    const auto& attributes = std::get<ConvTranspose>(parsed->attributes);
    using List = std::vector<int64_t>;
    EXPECT_EQ(parsed->name, "all_keys");
    EXPECT_EQ(parsed->why, "every word at once");
    EXPECT_EQ(operator_of(*parsed), "conv_transpose");
    const std::vector<TensorDesc> inputs = {
        {DType::float32, {2, 6, 5, 7}}, {DType::float32, {6, 2, 3, 2}}, {DType::float32, {6}}};
    EXPECT_EQ(parsed->inputs, inputs) << "a bare b has M = 2 * 3 elements";
    EXPECT_EQ(attributes.kernel_shape, (List{3, 2}));
    EXPECT_EQ(attributes.strides, (List{2, 1}));
    EXPECT_EQ(attributes.dilations, (List{1, 3}));
    EXPECT_EQ(attributes.pads, (List{0, 1, 2, 0}));
    EXPECT_EQ(attributes.output_padding, (List{1, 0}));
    EXPECT_EQ(attributes.output_shape, (List{9, 8}));
    EXPECT_EQ(attributes.group, 3);
    EXPECT_EQ(attributes.auto_pad, AutoPad::same_lower);
    EXPECT_EQ(attributes.opset, 11);
    EXPECT_EQ(attributes.rules, Rules::onnxruntime);
    EXPECT_EQ(parsed->fill, Fill::reals);
}

TEST(Cases, ParsesAveragePoolAndShape)
{
    const Result<Case> pool = parse_case("average_pool", "p x=1x2x3 type=double kernel_shape=2 ceil_mode=0 count_include_pad=1");
    ASSERT_TRUE(pool) << pool.message();
    EXPECT_EQ(pool->inputs.at(0), (TensorDesc{DType::float64, {1, 2, 3}}));
    EXPECT_EQ(std::get<AveragePool>(pool->attributes).ceil_mode, 0) << "given as 0 is not the same as not given";
    EXPECT_EQ(std::get<AveragePool>(pool->attributes).count_include_pad, 1);
    const Result<Case> shape = parse_case("shape", "s x=scalar type=int4 start=-2");
    ASSERT_TRUE(shape) << shape.message();
    EXPECT_EQ(shape->inputs.at(0), (TensorDesc{DType::int4, {}}));
    EXPECT_EQ(std::get<Shape>(shape->attributes).start, -2);
    EXPECT_EQ(std::get<Shape>(shape->attributes).end, std::nullopt);
}

TEST(Cases, ParsesLayoutsAndTheOnednnDialect)
{
    const Result<Case> pool = parse_case("average_pool", "p x=1x5x7x3 layout=NXC kernel_shape=2,2");
    ASSERT_TRUE(pool) << pool.message();
    EXPECT_EQ(pool->inputs.at(0), (TensorDesc{DType::float32, {1, 5, 7, 3}, Layout::nxc}));
    const Result<Case> conv = parse_case("conv_transpose", "c x=1x5x7x3 w=3x2x2x2 b layout=NXC");
    ASSERT_TRUE(conv) << conv.message();
    EXPECT_EQ(conv->inputs.at(0).layout, Layout::nxc);
    EXPECT_EQ(conv->inputs.at(1), (TensorDesc{DType::float32, {3, 2, 2, 2}})) << "W is always ONNX's";
    EXPECT_EQ(conv->inputs.at(2).dims, std::vector<int64_t>{2});
    const Result<Case> parsed =
        parse_case("onednn_conv_transpose", "all x=2x6x5x7 w=4x6x3x2 b type=bfloat16 strides=2,1 pads_begin=0,1 pads_end=2,0 "
                                            "dilations=1,3 output_padding=5,0 groups=3 auto_pad=SAME_LOWER data_format=NCX "
                                            "filter_format=OIX fill=large");
    ASSERT_TRUE(parsed) << parsed.message();
    EXPECT_EQ(operator_of(*parsed), "onednn_conv_transpose");
    const auto& attributes = std::get<onednn::ConvTranspose>(parsed->attributes);
    using List = std::vector<int64_t>;
    EXPECT_EQ(attributes.strides, (List{2, 1}));
    EXPECT_EQ(attributes.pads_begin, (List{0, 1}));
    EXPECT_EQ(attributes.pads_end, (List{2, 0}));
    EXPECT_EQ(attributes.dilations, (List{1, 3}));
    EXPECT_EQ(attributes.output_padding, (List{5, 0}));
    EXPECT_EQ(attributes.groups, 3);
    EXPECT_EQ(attributes.auto_pad, AutoPad::same_lower);
    EXPECT_EQ(attributes.data_format, Layout::ncx);
    EXPECT_EQ(attributes.filter_format, onednn::FilterFormat::oix);
    EXPECT_EQ(parsed->inputs.at(2), (TensorDesc{DType::bfloat16, {12}})) << "4 output channels in each of 3 groups";
    EXPECT_EQ(parse_case("onednn_conv_transpose", "a x=1x1x3x6 w=2x2x6x4 b groups=3")->inputs.at(2).dims, List{12}) << "XIO";
    EXPECT_EQ(parse_case("onednn_conv_transpose", "a x=1x3x6 w=6x4x2 b filter_format=IOX")->inputs.at(2).dims, List{4});
}

TEST(Cases, ParsesSteps)
{
    const Result<Case> parsed = parse_case(
        "elementwise",
        "s op=Identity a=2 b=2 steps=Add:0.5,1:Sub,:Div,Clip:min=-1:max=2,HardSigmoid:beta=3,Selu:gamma=2,Gelu:approximate=tanh");
    ASSERT_TRUE(parsed) << parsed.message();
    const std::vector<ElementwiseStep>& steps = std::get<Elementwise>(parsed->attributes).steps;
    ASSERT_EQ(steps.size(), 7u);
    EXPECT_EQ(steps[0].kind, ElementwiseKind::add);
    EXPECT_EQ(steps[0].number, 0.5);
    EXPECT_FALSE(steps[0].swapped);
    EXPECT_EQ(steps[1].number, 1);
    EXPECT_TRUE(steps[1].swapped);
    EXPECT_EQ(steps[2].kind, ElementwiseKind::div);
    EXPECT_EQ(steps[2].number, std::nullopt);
    EXPECT_TRUE(steps[2].swapped);
    EXPECT_EQ(steps[3].min, -1);
    EXPECT_EQ(steps[3].max, 2);
    EXPECT_EQ(steps[4].beta, 3);
    EXPECT_EQ(steps[5].gamma, 2);
    EXPECT_EQ(steps[6].approximate, GeluApproximation::tanh);
    EXPECT_EQ(to_string(*parsed), "s a=2 b=2 steps=Add:0.5,1:Sub,:Div,Clip:min=-1:max=2,HardSigmoid:beta=3,Selu:gamma=2,"
                                  "Gelu:approximate=tanh");
    for (const char* word : {"steps=", "steps=Add,", "steps=Plus", "steps=Add:1:2", "steps=x:Add", "steps=Add:delta=1",
                             "steps=Gelu:approximate=x", "steps=Clip:min="})
        EXPECT_EQ(refusal("elementwise", "s op=Identity a=2 " + std::string(word)),
                  "case 's': value '" + std::string(word).substr(6) + "' does not fit key 'steps'");
}

TEST(Cases, PrintsTheSameLine)
{
    for (const std::string line : {"a x=2x6x5x7 w=6x2x3x2 b strides=2,1 group=3 auto_pad=VALID opset=11 fill=specials",
                                   "b2 x=1x1x3 w=1x1x2 b=5 type=float16 rules=onnxruntime", "c x=0x1x3 w=1x1x2"}) {
        const Result<Case> parsed = parse_case("conv_transpose", line);
        ASSERT_TRUE(parsed) << parsed.message();
        EXPECT_EQ(to_string(*parsed), line);
    }
    for (const std::string line :
         {"a x=2x6x5x7 w=4x6x3x2 b type=double strides=2,1 pads_begin=0,1 pads_end=2,0 dilations=1,3 output_padding=5,0 groups=3 "
          "auto_pad=VALID data_format=NCX filter_format=OIX fill=positive",
          "b x=1x3x2 w=1x2x5 b=7 strides=1 pads_begin=0 pads_end=0 dilations=1 filter_format=IOX"}) {
        const Result<Case> parsed = parse_case("onednn_conv_transpose", line);
        ASSERT_TRUE(parsed) << parsed.message();
        EXPECT_EQ(to_string(*parsed), line);
    }
    const std::string pool = "p x=1x5x3 type=float16 layout=NXC kernel_shape=2 fill=denormals";
    EXPECT_EQ(to_string(*parse_case("average_pool", pool)), pool);
}

TEST(Cases, RefusesWithASentence)
{
    EXPECT_EQ(refusal("softplus", "a x=1"), "unknown operator 'softplus'");
    EXPECT_EQ(refusal("shape", "Bad-Name x=1"), "'Bad-Name' is no case name: lower case letters, digits and '_' are");
    EXPECT_EQ(refusal("shape", "# only a reason"), "'' is no case name: lower case letters, digits and '_' are");
    EXPECT_EQ(refusal("shape", "a x=1 stride=2"), "case 'a': unknown key 'stride'");
    EXPECT_EQ(refusal("average_pool", "a x=1x1x1 w=1x1x1"), "case 'a': unknown key 'w'");
    EXPECT_EQ(refusal("shape", "a x=1 x=2"), "case 'a': key 'x' is given twice");
    EXPECT_EQ(refusal("shape", "a x=1 start"), "case 'a': key 'start' needs a value");
    EXPECT_EQ(refusal("shape", "a x=2y3"), "case 'a': value '2y3' does not fit key 'x'");
    EXPECT_EQ(refusal("shape", "a x="), "case 'a': value '' does not fit key 'x'");
    EXPECT_EQ(refusal("shape", "a x=1 start=1.5"), "case 'a': value '1.5' does not fit key 'start'");
    EXPECT_EQ(refusal("shape", "a x=1 start=99999999999999999999"),
              "case 'a': value '99999999999999999999' does not fit key 'start'");
    EXPECT_EQ(refusal("shape", "a x=1 type=single"), "case 'a': value 'single' does not fit key 'type'");
    EXPECT_EQ(refusal("average_pool", "a x=1x1x1 kernel_shape=1,,2"), "case 'a': value '1,,2' does not fit key 'kernel_shape'");
    EXPECT_EQ(refusal("average_pool", "a x=1x1x1 auto_pad=SAME"), "case 'a': value 'SAME' does not fit key 'auto_pad'");
    EXPECT_EQ(refusal("average_pool", "a x=1x1x1 fill=random"), "case 'a': value 'random' does not fit key 'fill'");
    EXPECT_EQ(refusal("average_pool", "a kernel_shape=1"), "case 'a': key 'x' is missing");
    EXPECT_EQ(refusal("conv_transpose", "a x=1x1x1"), "case 'a': key 'w' is missing");
    EXPECT_EQ(refusal("onednn_conv_transpose", "a x=1x1x1"), "case 'a': key 'w' is missing");
    EXPECT_EQ(refusal("onednn_conv_transpose", "a x=1x1x1 w=1x1x1 pads=0,0"), "case 'a': unknown key 'pads'");
    EXPECT_EQ(refusal("onednn_conv_transpose", "a x=1x1x1 w=1x1x1 layout=NXC"), "case 'a': unknown key 'layout'");
    EXPECT_EQ(refusal("onednn_conv_transpose", "a x=1x1x1 w=1x1x1 auto_pad=NOTSET"),
              "case 'a': value 'NOTSET' does not fit key 'auto_pad'");
    EXPECT_EQ(refusal("onednn_conv_transpose", "a x=1x1x1 w=1x1x1 filter_format=XOI"),
              "case 'a': value 'XOI' does not fit key 'filter_format'");
    EXPECT_EQ(refusal("average_pool", "a x=1x1x1 layout=NHWC"), "case 'a': value 'NHWC' does not fit key 'layout'");
    EXPECT_EQ(refusal("shape", "a x=1x1x1 layout=NXC"), "case 'a': unknown key 'layout'");
    EXPECT_EQ(parse_cases("shape", "a x=1\n\n# note\nb y=1\n").message(), "line 4: case 'b': unknown key 'y'");
    EXPECT_EQ(parse_cases("shape", "a x=1\na x=2\n").message(), "line 2: case 'a' is there twice");
    EXPECT_EQ(load_cases("nowhere/shape.txt").code(), Code::io);
}

TEST(Fills, FollowFromTheLine)
{
    const Case a = *parse_case("average_pool", "a x=2x3x50 kernel_shape=3");
    const Case b = *parse_case("average_pool", "b x=2x3x50 kernel_shape=3");
    EXPECT_EQ(fill_inputs(a, Fill::reals)[0].values, fill_inputs(a, Fill::reals)[0].values);
    EXPECT_NE(fill_inputs(a, Fill::reals)[0].values, fill_inputs(b, Fill::reals)[0].values);
    EXPECT_EQ(fills_of(a), (std::vector<Fill>{Fill::integers, Fill::reals}));
    EXPECT_EQ(fills_of(*parse_case("average_pool", "a x=1x1x5 kernel_shape=3 fill=specials")), std::vector<Fill>{Fill::specials});
}

TEST(Fills, HoldWhatTheirNamesSay)
{
    const Case problem = *parse_case("conv_transpose", "a x=2x3x500 w=3x2x101 b");
    const auto integers = fill_inputs(problem, Fill::integers);
    const auto reals = fill_inputs(problem, Fill::reals);
    const auto specials = fill_inputs(problem, Fill::specials);
    const auto zeros = fill_inputs(problem, Fill::negative_zero);
    ASSERT_EQ(integers.size(), 3u);
    EXPECT_EQ(integers[0].values.size(), 3000u);
    const auto [least, most] = std::minmax_element(integers[0].values.begin(), integers[0].values.end());
    EXPECT_EQ(*least, -4);
    EXPECT_EQ(*most, 4);
    for (const RealTensor& tensor : reals)
        for (const double value : tensor.values) {
            EXPECT_EQ(double(float(value)), value) << "a float without rounding";
            EXPECT_LE(std::fabs(value), 1);
        }
    for (const double value : integers[1].values)
        EXPECT_EQ(value, std::round(value));
    const auto is_nan = [](double value) { return std::isnan(value); };
    const auto is_inf = [](double value) { return std::isinf(value); };
    EXPECT_TRUE(std::any_of(specials[0].values.begin(), specials[0].values.end(), is_nan));
    EXPECT_TRUE(std::any_of(specials[1].values.begin(), specials[1].values.end(), is_inf));
    EXPECT_TRUE(std::all_of(zeros[0].values.begin(), zeros[0].values.end(),
                            [](double value) { return value == 0 && std::signbit(value); }));
    EXPECT_TRUE(std::all_of(zeros[1].values.begin(), zeros[1].values.end(), [](double value) { return value > 0; }));
    for (const RealTensor& tensor : fill_inputs(problem, Fill::positive))
        EXPECT_TRUE(
            std::all_of(tensor.values.begin(), tensor.values.end(), [](double value) { return value >= 1 && value <= 4; }));
    const auto large = fill_inputs(problem, Fill::large);
    for (const double value : large[0].values) {
        EXPECT_GE(value, 32768);
        EXPECT_LE(value, 57344);
        EXPECT_EQ(std::fmod(value, 8192), 0);
    }
    for (const double sign : {1.0, -1.0})
        EXPECT_GT(std::count(large[1].values.begin(), large[1].values.end(), sign), 200);
}

// Inputs hold only numbers of their type, so that nothing is rounded on the way to a device.
TEST(Fills, HoldNumbersOfTheType)
{
    for (const std::string type : {"float", "float16", "bfloat16", "double"}) {
        const Case problem = *parse_case("conv_transpose", "a x=2x3x500 w=3x2x101 b type=" + type);
        const DType dtype = problem.inputs[0].dtype;
        for (const Fill fill :
             {Fill::integers, Fill::reals, Fill::specials, Fill::positive, Fill::negative_zero, Fill::large, Fill::denormals})
            for (const RealTensor& tensor : fill_inputs(problem, fill)) {
                const auto there_and_back = decoded(dtype, encoded(tensor));
                for (size_t i = 0; i < tensor.values.size(); ++i)
                    ASSERT_TRUE(there_and_back[i] == tensor.values[i] || std::isnan(tensor.values[i]))
                        << type << " " << name(fill) << ": " << tensor.values[i];
            }
        // The fills use all bits of the type.
        const auto reals = fill_inputs(problem, Fill::reals)[0].values;
        const double last_place = std::ldexp(1.0, -format_of(dtype).fraction_bits);
        EXPECT_TRUE(std::any_of(reals.begin(), reals.end(), [&](double x) { return std::fmod(x, 2 * last_place) != 0; })) << type;
        EXPECT_TRUE(std::all_of(reals.begin(), reals.end(), [&](double x) { return std::fmod(x, last_place) == 0; })) << type;
        const auto denormals = fill_inputs(problem, Fill::denormals)[0].values;
        const double normal = std::ldexp(1.0, format_of(dtype).min_exponent());
        const auto below = std::count_if(denormals.begin(), denormals.end(), [&](double x) { return std::fabs(x) < normal; });
        EXPECT_GT(below, 1500) << type;
        EXPECT_LT(below, 3000) << type;
    }
}

// Existing cases must keep their elements, because tolerances and known results depend on them.
TEST(Fills, KeepTheirFloats)
{
    const Case problem = *parse_case("average_pool", "a x=1x1x3 kernel_shape=3");
    EXPECT_EQ(fill_inputs(problem, Fill::integers)[0].values, (std::vector<double>{-1, -4, -1}));
    EXPECT_EQ(fill_inputs(problem, Fill::reals)[0].values,
              (std::vector<double>{-1490780 * 0x1p-23, 7573465 * 0x1p-23, 3347016 * 0x1p-23}));
}

}  // namespace
}  // namespace vkonnx::kit
