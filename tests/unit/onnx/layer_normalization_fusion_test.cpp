// This file tests where LayerNormalization is found in the operators that spell it out, and where not.
// tests/gpu/layer_normalization_fusion_test.cpp tests the values.
#include <algorithm>

#include "helpers.h"
#include "kit/elements.h"

namespace vkonnx::onnx {
namespace {

// This struct holds the parts that a model may write in another way. "X" has the dimensions 2, 3 and 4.
struct Parts {
    std::vector<int64_t> axes = {-1};
    std::vector<int64_t> axes_of_variance = {-1};
    float exponent = 2;
    bool multiplies = false;  // d by itself, in place of Pow
    const char* divided = "d";
    std::vector<int64_t> scale = {4};
    std::vector<int64_t> bias = {4};
    const char* seen = nullptr;  // a value that is also an output of the model
    DType dtype = DType::float32;
};

Names running_nodes(const Parts& parts)
{
    ModelBuilder builder;
    const auto constant = [&](const char* name, const std::vector<int64_t>& dims, float value) {
        const std::vector<double> values(size_t(*element_count({.dims = dims})), value);
        builder.initializer(raw_tensor(name, {parts.dtype, dims}, kit::encoded(parts.dtype, values)));
    };
    builder.opset(13).input("X", parts.dtype, {2, 3, 4});
    constant("two", {}, parts.exponent);
    constant("epsilon", {}, 0.5f);
    constant("scale", parts.scale, 3);
    constant("bias", parts.bias, 1);
    const std::string keepdims = int_attribute("keepdims", 1);
    builder.node("ReduceMean", {"X"}, {"m"}, {ints_attribute("axes", parts.axes), keepdims}, "m")
        .node("Sub", {"X", "m"}, {"d"}, {}, "d")
        .node(parts.multiplies ? "Mul" : "Pow", {"d", parts.multiplies ? "d" : "two"}, {"p"}, {}, "p")
        .node("ReduceMean", {"p"}, {"v"}, {ints_attribute("axes", parts.axes_of_variance), keepdims}, "v")
        .node("Add", {"v", "epsilon"}, {"e"}, {}, "e")
        .node("Sqrt", {"e"}, {"s"}, {}, "s")
        .node("Div", {parts.divided, "s"}, {"q"}, {}, "q")
        .node("Mul", {"q", "scale"}, {"y"}, {}, "y")
        .node("Add", {"y", "bias"}, {"Y"}, {}, "Y")
        .output("Y");
    if (parts.seen)
        builder.output(parts.seen);
    const Result<Model> model = parse(builder.build());
    EXPECT_TRUE(accepted(model));
    SessionOptions options;
    options.without_fusions = uint32_t(Fusion::chain);
    const Result<GraphReport> report = explain(*model, {}, *Capabilities::preset("minimum"), options);
    EXPECT_TRUE(accepted(report));
    Names names;
    for (const NodeReport& node : report ? report->nodes : std::vector<NodeReport>())
        if (node.runs())
            names.push_back(node.name);
    return names;
}

const Names all = {"m", "d", "p", "v", "e", "s", "q", "y", "Y"};

TEST(LayerNormalizationFusion, TakesWhatSpellsItOut)
{
    EXPECT_EQ(running_nodes({}), Names{"Y"});
    EXPECT_EQ(running_nodes({.axes = {2}}), Names{"Y"}) << "the same axis, counted from the first one";
    EXPECT_EQ(running_nodes({.axes = {1, 2}, .axes_of_variance = {-1, -2}, .scale = {3, 4}, .bias = {3, 4}}), Names{"Y"});
    EXPECT_EQ(running_nodes({.multiplies = true, .dtype = DType::float16}), Names{"Y"});
    EXPECT_EQ(running_nodes({.bias = {1}}), (Names{"y", "Y"})) << "the bias is added behind it";
    EXPECT_EQ(running_nodes({.seen = "y"}), (Names{"y", "Y"})) << "what has no bias yet is an output of the model";
}

TEST(LayerNormalizationFusion, LeavesWhatIsAnother)
{
    EXPECT_EQ(running_nodes({.axes = {1}, .axes_of_variance = {1}, .scale = {3, 4}, .bias = {3, 4}}), all) << "no last axis";
    EXPECT_EQ(running_nodes({.axes = {-1, -2}, .scale = {3, 4}, .bias = {3, 4}}), all) << "the variance is along another axis";
    EXPECT_EQ(running_nodes({.exponent = 3}), all);
    EXPECT_EQ(running_nodes({.divided = "X"}), all) << "what is divided is not the difference";
    EXPECT_EQ(running_nodes({.scale = {1}}), all) << "one factor for all";
    EXPECT_EQ(running_nodes({.seen = "d"}), all) << "the difference is needed";
    EXPECT_EQ(running_nodes({.seen = "s"}), all);
    EXPECT_EQ(running_nodes({.multiplies = true, .dtype = DType::float64}), all)
        << "LayerNormalization computes doubles' statistics in float";
}

}  // namespace
}  // namespace vkonnx::onnx
