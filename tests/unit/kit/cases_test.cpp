// Case lines: parsing, printing, refusals; the lists of this tree; fills.
#include "kit/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

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

TEST(Cases, PrintsTheSameLine)
{
    for (const std::string line : {"a x=2x6x5x7 w=6x2x3x2 b strides=2,1 group=3 auto_pad=VALID opset=11 fill=specials",
                                   "b2 x=1x1x3 w=1x1x2 b=5 type=float16 rules=onnxruntime", "c x=0x1x3 w=1x1x2"}) {
        const Result<Case> parsed = parse_case("conv_transpose", line);
        ASSERT_TRUE(parsed) << parsed.message();
        EXPECT_EQ(to_string(*parsed), line);
    }
}

TEST(Cases, RefusesWithASentence)
{
    EXPECT_EQ(refusal("max_pool", "a x=1"), "unknown operator 'max_pool'");
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
    EXPECT_EQ(parse_cases("shape", "a x=1\n\n# note\nb y=1\n").message(), "line 4: case 'b': unknown key 'y'");
    EXPECT_EQ(parse_cases("shape", "a x=1\na x=2\n").message(), "line 2: case 'a' is there twice");
    EXPECT_EQ(load_cases("nowhere/shape.txt").code(), Code::io);
}

// Words of a line without the name, sorted, and without the word of one key.
std::multiset<std::string> words_without(const Case& problem, const std::string& key)
{
    std::istringstream words(to_string(problem));
    std::string word;
    words >> word;
    std::multiset<std::string> kept;
    while (words >> word)
        if (word.substr(0, word.find('=')) != key)
            kept.insert(word);
    return kept;
}

// Do both cases give the same numbers for the inputs of the first (and all that those inputs leave open)?
bool same_results(const Case& first, const Case& second)
{
    const Result<Resolution> a = resolve(first);
    const Result<Resolution> b = resolve(second);
    if (a->output.dims != b->output.dims)
        return false;
    if (std::holds_alternative<Shape>(first.attributes))
        return *reference(std::get<Shape>(first.attributes), first.inputs[0]) ==
               *reference(std::get<Shape>(second.attributes), second.inputs[0]);
    // a third input is drawn last, so that a case without bias shares X and W with its pair
    const Case& fuller = first.inputs.size() >= second.inputs.size() ? first : second;
    std::vector<HostTensor> inputs = fill_inputs(fuller, Fill::reals);
    const auto sample = sample_of(a->output, 500);
    const auto values = [&](const Case& problem) {
        return *reference(problem, std::span(inputs).first(problem.inputs.size()), sample);
    };
    const auto left = values(first);
    const auto right = values(second);
    return std::equal(left.begin(), left.end(), right.begin(),
                      [](const Answer& l, const Answer& r) { return l.value.hi == r.value.hi; });
}

TEST(CaseLists, EveryLineIsUnderstoodAndValid)
{
    const Result<std::vector<Case>> cases = load_all_cases();
    ASSERT_TRUE(cases) << cases.message();
    EXPECT_GT(cases->size(), 150u);
    for (const Case& problem : *cases) {
        const Result<Case> again = parse_case(operator_of(problem), to_string(problem));
        ASSERT_TRUE(again) << again.message();
        EXPECT_EQ(to_string(*again), to_string(problem));
        EXPECT_EQ(again->inputs, problem.inputs);
        EXPECT_TRUE(resolve(problem)) << to_string(problem) << ": " << resolve(problem).message();
    }
}

TEST(CaseLists, EveryAttributeChangesSomeResult)
{
    const Result<std::vector<Case>> cases = load_all_cases();
    ASSERT_TRUE(cases) << cases.message();
    const std::vector<std::pair<std::string, std::vector<std::string>>> expected = {
        {"conv_transpose",
         {"b", "strides", "dilations", "pads", "output_padding", "output_shape", "group", "auto_pad", "opset", "rules"}},
        {"average_pool", {"kernel_shape", "strides", "dilations", "pads", "ceil_mode", "count_include_pad", "auto_pad", "rules"}},
        {"shape", {"start", "end"}}};
    for (const auto& [operator_name, keys] : expected)
        for (const std::string& key : keys) {
            bool found = false;
            for (const Case& a : *cases)
                for (const Case& b : *cases)
                    found = found || (&a < &b && operator_of(a) == operator_name && operator_of(b) == operator_name &&
                                      words_without(a, key) == words_without(b, key) &&
                                      words_without(a, "") != words_without(b, "") && !same_results(a, b));
            EXPECT_TRUE(found) << "no two lines of " << operator_name << " differ only in " << key << " and in their results";
        }
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
    for (const HostTensor& tensor : reals)
        for (const double value : tensor.values) {
            EXPECT_EQ(static_cast<double>(static_cast<float>(value)), value) << "a float without rounding";
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
}

}  // namespace
}  // namespace vkonnx::kit
