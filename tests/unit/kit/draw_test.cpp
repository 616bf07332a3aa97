// This file tests that random problems reach what they promise to reach. A generator that quietly stops drawing a type would
// leave it untested.
#include "kit/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "helpers.h"

namespace vkonnx::kit {
namespace {

constexpr int problems = 4000;

bool is_neutral(const ReferenceAxis& axis)
{
    return axis.kernel == 1 && axis.in == axis.out && axis.begin == 0;
}

// Returns the names of everything that a valid problem is an example of.
std::vector<std::string> kinds_of(const Case& problem, const Resolution& resolution)
{
    const TensorDesc& x = problem.inputs[0];
    const auto& axes = resolution.axes;
    std::vector<std::string> kinds = {std::string(name(x.dtype)), std::to_string(axes.size()) + "-D",
                                      "fill " + std::string(name(problem.fill)), std::string(name(resolution.output.layout))};
    const auto add = [&](bool holds, const char* kind) {
        if (holds)
            kinds.push_back(kind);
    };
    const auto& out = resolution.output.dims;
    add(out[0] == 0, "batch 0");
    add(*element_count(resolution.output) % 2 != 0, "an odd number of elements");
    add(axes.size() > 1 && is_neutral(axes.front()) && axes.front().in == 1, "a leading axis of extent 1");
    add(axes.size() > 1 && is_neutral(axes.back()) && axes.back().in == 1, "a trailing axis of extent 1");
    for (size_t i = 1; i < axes.size(); ++i)
        add(is_neutral(axes[i - 1]) && is_neutral(axes[i]) && axes[i].in > 1, "neighbours that merge");
    add(any_axis(axes, [](const ReferenceAxis& a) { return a.stride > 4; }), "a large stride");
    add(any_axis(axes, [](const ReferenceAxis& a) { return a.dilation > 4 && a.kernel > 1; }), "a large dilation");
    add(any_axis(axes, [](const ReferenceAxis& a) { return std::gcd(a.stride, a.dilation) > 1 && a.kernel > 1; }),
        "a common factor");
    add(any_axis(axes, [](const ReferenceAxis& a) { return a.begin >= dilated(a) || a.end >= dilated(a); }), "pads >= kernel");
    add(any_axis(axes, [](const ReferenceAxis& a) { return a.begin != a.end; }), "asymmetric pads");
    add(any_axis(axes, [](const ReferenceAxis& a) { return a.in == 0; }), "an extent of 0");
    if (problem.inputs.size() > 1) {
        add(problem.inputs.size() == 3, "a bias");
        add(*element_count(problem.inputs[1]) == 0, "no weights");
        add(any_axis(axes, [](const ReferenceAxis& a) { return a.stride * (a.in - 1) + dilated(a) < a.out; }),
            "a tail without taps");
    } else {
        add(std::all_of(axes.begin(), axes.end(), [](const ReferenceAxis& a) { return a.kernel == a.in && a.out == 1; }),
            "one window over everything");
        add(any_axis(axes, [](const ReferenceAxis& a) { return (a.out - 1) * a.stride + dilated(a) > a.in + a.begin + a.end; }),
            "an overhanging window");
    }
    if (const auto* a = std::get_if<ConvTranspose>(&problem.attributes)) {
        kinds.push_back("opset " + std::to_string(a->opset));
        add(a->group > 1, "groups");
        add(a->group > 1 && a->group == problem.inputs[1].dims[0], "depthwise");
        add(a->rules == Rules::onnxruntime, "the other rules");
        add(a->output_shape.size() == axes.size(), "output_shape");
        add(a->output_shape.size() == axes.size() + 2, "output_shape with N and M");
    }
    if (const auto* a = std::get_if<AveragePool>(&problem.attributes)) {
        kinds.push_back("opset " + std::to_string(a->opset));
        add(a->rules == Rules::onnxruntime, "the other rules");
        add(a->ceil_mode == 1, "ceil_mode");
        add(a->count_include_pad == 1, "count_include_pad");
    }
    if (const auto* a = std::get_if<onednn::ConvTranspose>(&problem.attributes)) {
        add(a->groups > 1, "groups");
        add(a->filter_format == onednn::FilterFormat::xio, "XIO");
        add(a->filter_format == onednn::FilterFormat::oix, "OIX");
        add(a->filter_format == onednn::FilterFormat::iox, "IOX");
    }
    return kinds;
}

const std::vector<std::string> everywhere = {"float",
                                             "float16",
                                             "bfloat16",
                                             "double",
                                             "1-D",
                                             "2-D",
                                             "3-D",
                                             "4-D",
                                             "5-D",
                                             "6-D",
                                             "NCX",
                                             "NXC",
                                             "fill integers",
                                             "fill reals",
                                             "fill positive",
                                             "fill specials",
                                             "fill negative_zero",
                                             "fill large",
                                             "fill denormals",
                                             "batch 0",
                                             "an odd number of elements",
                                             "a leading axis of extent 1",
                                             "a trailing axis of extent 1",
                                             "neighbours that merge",
                                             "a large stride",
                                             "a large dilation",
                                             "pads >= kernel",
                                             "asymmetric pads",
                                             "an extent of 0"};

void expect_kinds(Case (*drawn)(Draw&), const std::vector<std::string>& more)
{
    Draw draw(test_seed(2));
    SCOPED_TRACE(draw.repeat());
    std::map<std::string, int> counts;
    int refused = 0;
    for (int i = 0; i < problems; ++i) {
        const Case problem = drawn(draw);
        const Result<Resolution> resolution = resolve(problem);
        const Result<Case> again = parse_case(operator_of(problem), to_string(problem));
        ASSERT_TRUE(again) << again.message();
        ASSERT_EQ(to_string(*again), to_string(problem));
        ASSERT_EQ(again->inputs, problem.inputs) << to_string(problem);
        ASSERT_EQ(resolve(*again).ok(), resolution.ok()) << to_string(problem);
        if (!resolution) {
            ++refused;
            continue;
        }
        ASSERT_LE(*element_count(resolution->output), 20000) << to_string(problem);
        for (const std::string& kind : kinds_of(problem, *resolution))
            ++counts[kind];
    }
    EXPECT_GT(refused, problems / 30);
    EXPECT_LT(refused, problems / 5);
    for (const auto& kinds : {everywhere, more})
        for (const std::string& kind : kinds)
            EXPECT_GT(counts[kind], problems / 400) << kind;
}

TEST(Draw, ConvTransposeReachesEverything)
{
    expect_kinds(draw_conv_transpose, {"opset 1", "opset 10", "opset 11", "opset 21", "opset 22", "opset 25", "a common factor",
                                       "a bias", "no weights", "a tail without taps", "groups", "depthwise", "the other rules",
                                       "output_shape", "output_shape with N and M"});
}

TEST(Draw, OnednnConvTransposeReachesEverything)
{
    expect_kinds(draw_onednn_conv_transpose,
                 {"XIO", "OIX", "IOX", "a common factor", "a bias", "no weights", "a tail without taps", "groups"});
}

TEST(Draw, AveragePoolReachesEverything)
{
    expect_kinds(draw_average_pool,
                 {"opset 1", "opset 7", "opset 9", "opset 10", "opset 11", "opset 18", "opset 19", "opset 22", "opset 25",
                  "one window over everything", "an overhanging window", "the other rules", "ceil_mode", "count_include_pad"});
}

TEST(Draw, ShapeReachesEveryTypeInEveryVersion)
{
    Draw draw(test_seed(3));
    std::map<std::string, int> accepted;
    for (int i = 0; i < 4 * problems; ++i) {
        const Case problem = draw_shape(draw);
        if (resolve(problem))
            ++accepted[std::string(name(problem.inputs[0].dtype))];
    }
    for (int number = 1; number <= int(DType::int2); ++number)
        EXPECT_GT(accepted[std::string(name(DType(number)))], 20) << draw.repeat();
    EXPECT_EQ(accepted.count("undefined"), 0u);
}

TEST(Draw, ReachesEveryOperator)
{
    std::set<size_t> reached;
    Draw draw(1);
    for (const Drawer& drawer : drawers)
        for (int i = 0; i < 100; ++i)
            reached.insert(drawer.draw(draw).attributes.index());
    EXPECT_EQ(reached.size(), std::variant_size_v<Operator::variant>);
}

TEST(Draw, FollowsFromItsSeed)
{
    Draw first(7);
    Draw second(7);
    Draw third(8);
    EXPECT_EQ(first.repeat(), "VKONNX_TEST_SEED=7");
    int different = 0;
    for (int i = 0; i < 50; ++i) {
        const std::string line = to_string(draw_conv_transpose(first));
        EXPECT_EQ(to_string(draw_conv_transpose(second)), line);
        different += to_string(draw_conv_transpose(third)) != line;
    }
    EXPECT_GT(different, 40);
}

}  // namespace
}  // namespace vkonnx::kit
