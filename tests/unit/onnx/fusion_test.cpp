// This file tests what is fused into what, and what is not, before anything runs: see Fusion of onnx.hpp.
// tests/gpu/random_fusion_test.cpp tests the values.
#include <algorithm>
#include <functional>
#include <tuple>

#include "helpers.h"
#include "kit/elements.h"

namespace vkonnx::onnx {
namespace {

// Returns a model of X (1, 2, 6) and a convolution "conv" of 3 channels to V.
ModelBuilder with_conv()
{
    ModelBuilder builder;
    builder.opset(17).input("X", DType::float32, {1, 2, 6});
    builder.initializer(float_tensor("W", {3, 2, 1}, std::vector<float>(6, 1))).node("Conv", {"X", "W"}, {"V"}, {}, "conv");
    return builder;
}

ModelBuilder& add_numbers(ModelBuilder& builder)
{
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, float>>{
             {"zero", 0}, {"half", 0.5f}, {"three", 3}, {"six", 6}, {"sixth", 1.0f / 6}})
        builder.initializer(float_tensor(name, {}, {value}));
    return builder.initializer(float_tensor("row", {3, 1}, {1, 2, 3}));
}

ModelBuilder& add_statistics(ModelBuilder& builder)
{
    for (const char* const name : {"scale", "shift", "mean", "var"})
        builder.initializer(float_tensor(name, {3}, {1, 2, 3}));
    return builder;
}

Result<GraphReport> report_of(const ModelBuilder& builder, const SessionOptions& options = {}, const char* preset = "minimum")
{
    const Result<Model> model = parse(builder.build());
    return model ? explain(*model, {}, *Capabilities::preset(preset), options) : model.status();
}

// Returns options without chains, which have tests of their own. Elsewhere everything that is not fused would become a chain.
SessionOptions without(uint32_t fusions = 0)
{
    SessionOptions options;
    options.without_fusions = fusions | uint32_t(Fusion::chain);
    return options;
}

SessionOptions without(Fusion fusion)
{
    return without(uint32_t(fusion));
}

// Returns the names of the nodes that run, in their order.
Names running(const ModelBuilder& builder, const SessionOptions& options = without(), const char* preset = "minimum")
{
    const Result<GraphReport> report = report_of(builder, options, preset);
    EXPECT_TRUE(accepted(report));
    Names names;
    for (const NodeReport& node : report ? report->nodes : std::vector<NodeReport>())
        if (node.runs())
            names.push_back(node.name);
    return names;
}

ModelBuilder normalized(const std::vector<std::string>& attributes = {})
{
    ModelBuilder builder = with_conv();
    add_statistics(builder)
        .node("BatchNormalization", {"V", "scale", "shift", "mean", "var"}, {"Y"}, attributes, "norm")
        .output("Y");
    return builder;
}

TEST(Fusion, NormalizationGoesIntoTheWeights)
{
    const auto report = report_of(normalized());
    ASSERT_TRUE(accepted(report));
    const NodeReport& norm = report->nodes[1];
    EXPECT_EQ(norm.explanation.kernel, "fused");
    EXPECT_EQ(norm.explanation.why, "it is in the weights of node 'conv'");
    EXPECT_EQ(norm.fused_into, 0u);
    EXPECT_EQ(report->unshared_bytes, 0u);
    EXPECT_EQ(running(normalized(), without(Fusion::weights)), (Names{"conv", "norm"}));
    // In training mode the normalization computes statistics of its own.
    EXPECT_EQ(running(normalized({int_attribute("training_mode", 1)})), (Names{"conv", "norm"}));
}

TEST(Fusion, NothingGoesIntoWeightsThatOthersSee)
{
    ModelBuilder seen = normalized();
    seen.output("V");
    EXPECT_EQ(running(seen), (Names{"conv", "norm"}));
    ModelBuilder given;  // weights that are given with each run
    given.opset(17).input("X", DType::float32, {1, 2, 6}).input("W", DType::float32, {3, 2, 1});
    given.node("Conv", {"X", "W"}, {"V"}, {}, "conv");
    add_statistics(given).node("BatchNormalization", {"V", "scale", "shift", "mean", "var"}, {"Y"}, {}, "norm").output("Y");
    EXPECT_EQ(running(given), (Names{"conv", "norm"}));
    ModelBuilder scaled = with_conv();  // a scale that is given with each run
    add_statistics(scaled).input("s", DType::float32, {3});
    scaled.node("BatchNormalization", {"V", "s", "shift", "mean", "var"}, {"Y"}, {}, "norm").output("Y");
    EXPECT_EQ(running(scaled), (Names{"conv", "norm"}));
    ModelBuilder flat = with_conv();  // its channels are not the convolution's
    flat.node("Reshape", {"V", "dims"}, {"F"}, {}, "flat").initializer(int64_tensor("dims", {3}, {1, 18, 1}));
    flat.initializer(float_tensor("many", {18}, std::vector<float>(18, 1)));
    flat.node("BatchNormalization", {"F", "many", "many", "many", "many"}, {"Y"}, {}, "norm").output("Y");
    EXPECT_EQ(running(flat), (Names{"conv", "norm"}));
}

TEST(Fusion, ConstantsOfChannelsGoIntoTheWeights)
{
    const auto runs = [](const char* op, const std::vector<std::string>& inputs) {
        ModelBuilder builder = with_conv();
        add_numbers(builder).initializer(float_tensor("line", {6}, std::vector<float>(6, 1)));
        return running(builder.node(op, inputs, {"Y"}, {}, "act").output("Y"));
    };
    for (const char* const op : {"Add", "Sub", "Mul"}) {
        EXPECT_EQ(runs(op, {"V", "row"}), Names{"conv"}) << op;
        EXPECT_EQ(runs(op, {"row", "V"}), Names{"conv"}) << op;
        EXPECT_EQ(runs(op, {"V", "six"}), Names{"conv"}) << op;
        EXPECT_EQ(runs(op, {"V", "line"}), (Names{"conv", "act"})) << op << " along another axis";
    }
    EXPECT_EQ(runs("Div", {"V", "row"}), Names{"conv"});
    EXPECT_EQ(runs("Div", {"row", "V"}), (Names{"conv", "act"}));
    EXPECT_EQ(runs("Div", {"V", "zero"}), (Names{"conv", "act"})) << "infinities stay where they are";
}

TEST(Fusion, AProductWithABiasIsAGemm)
{
    const auto built = [](const std::vector<kit::Dim>& a) {
        ModelBuilder builder;
        builder.opset(17).input("X", DType::float32, a).initializer(float_tensor("W", {4, 3}, std::vector<float>(12, 1)));
        builder.initializer(float_tensor("b", {3}, {1, 2, 3}));
        return builder.node("MatMul", {"X", "W"}, {"V"}, {}, "product").node("Add", {"b", "V"}, {"Y"}, {}, "sum").output("Y");
    };
    const auto report = report_of(built({2, 5, 4}));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(report->nodes[1].fused_into, 0u);
    EXPECT_NE(report->nodes[0].explanation.equation.find("Gemm"), std::string::npos);
    EXPECT_EQ(running(built({5, 4})), Names{"product"});
    EXPECT_EQ(running(built({4})), (Names{"product", "sum"}));
}

TEST(Fusion, WeightsThatTheTypeCantHoldStay)
{
    const auto are_folded = [](DType dtype, const std::vector<double>& weights, const char* op, double number) {
        ModelBuilder builder;
        const auto constant = [&](const char* name, const Dims& dims, const std::vector<double>& values) {
            builder.initializer(raw_tensor(name, {dtype, dims}, kit::encoded(dtype, values)));
        };
        builder.opset(22).input("X", dtype, {1, 2, 6});
        constant("W", {1, 2, 1}, weights);
        constant("b", {1}, {weights[0]});
        constant("number", {}, {number});
        builder.node("Conv", {"X", "W", "b"}, {"V"}, {}, "conv").node(op, {"V", "number"}, {"Y"}, {}, "act").output("Y");
        return running(builder).size() == 1;
    };
    struct Ends {
        DType dtype;
        double least, greatest;  // the ends of the normal numbers
    };
    for (const auto& [dtype, least, greatest] :
         {Ends{DType::float16, 0x1p-14, 65504}, Ends{DType::bfloat16, 0x1p-126, 0x1.fep127},
          Ends{DType::float32, 0x1p-126, 0x1.fffffep127}, Ends{DType::float64, 0x1p-1022, 0x1.fffffffffffffp1023}}) {
        SCOPED_TRACE(name(dtype));
        EXPECT_TRUE(are_folded(dtype, {8 * least, 4 * least}, "Mul", 0.25)) << "the least normal number";
        EXPECT_FALSE(are_folded(dtype, {8 * least, 2 * least}, "Mul", 0.25)) << "a denormal one";
        EXPECT_FALSE(are_folded(dtype, {8 * least, 2 * least}, "Div", -4));
        EXPECT_FALSE(are_folded(dtype, {least / 2, least / 2}, "Mul", 0.5));
        EXPECT_TRUE(are_folded(dtype, {1, greatest / 2}, "Mul", 2)) << "the greatest";
        EXPECT_FALSE(are_folded(dtype, {1, greatest}, "Mul", -1.25)) << "beyond it";
        EXPECT_TRUE(are_folded(dtype, {1, 0}, "Mul", 0.25)) << "zero";
        EXPECT_TRUE(are_folded(dtype, {1, 2 * least}, "Mul", 0)) << "zero";
        EXPECT_TRUE(are_folded(dtype, {greatest, least / 2}, "Mul", -1)) << "what is as it was";
        // The number is added to the bias.
        EXPECT_TRUE(are_folded(dtype, {greatest, 1}, "Add", -greatest));
        EXPECT_FALSE(are_folded(dtype, {greatest, 1}, "Add", greatest));
        // A number may become too small to be normal where it is nothing beside the others.
        EXPECT_EQ(are_folded(dtype, {1, 2 * least}, "Mul", 0.25), dtype != DType::float16);
        EXPECT_EQ(are_folded(dtype, {0x1p48 * least, least}, "Mul", 0.5), dtype != DType::float16);
        EXPECT_FALSE(are_folded(dtype, {0x1p47 * least, least}, "Mul", 0.5));
    }
}

// Exporters write x * clip(x + 3, 0, 6) / 6 in these ways.
TEST(Fusion, HardSwishIsReadWhereItIsSpelledOut)
{
    using Step = std::pair<const char*, Names>;
    const auto built = [](const std::vector<Step>& steps) {
        ModelBuilder builder = with_conv();
        add_numbers(builder);
        for (const auto& [op, names] : steps)
            builder.node(op, Names(names.begin(), names.end() - 1), {names.back()}, {}, names.back());
        return builder.output("Y");
    };
    const Step sum = {"Add", {"V", "three", "a"}};
    const Step clip = {"Clip", {"a", "zero", "six", "c"}};
    const std::vector<std::vector<Step>> spelled = {
        {sum, clip, {"Mul", {"V", "c", "m"}}, {"Div", {"m", "six", "Y"}}},
        {sum, clip, {"Div", {"c", "six", "d"}}, {"Mul", {"V", "d", "Y"}}},
        {{"Add", {"three", "V", "a"}}, clip, {"Mul", {"c", "sixth", "d"}}, {"Mul", {"d", "V", "Y"}}},
        {sum, clip, {"Mul", {"c", "V", "m"}}, {"Mul", {"sixth", "m", "Y"}}},
    };
    for (const std::vector<Step>& steps : spelled) {
        EXPECT_EQ(running(built(steps)), Names{"conv"}) << "the activation of the convolution";
        EXPECT_EQ(running(built(steps), without(Fusion::activation)), (Names{"conv", "Y"}));
        EXPECT_EQ(running(built(steps), without(Fusion::pattern)).size(), 1 + steps.size());
    }
    const auto report = report_of(built(spelled[0]));
    ASSERT_TRUE(accepted(report));
    EXPECT_NE(report->nodes[0].explanation.equation.find("epilogue: ONNX HardSwish-"), std::string::npos);
    EXPECT_EQ(report->nodes[2].explanation.why, "it is part of the HardSwish of node 'Y'");
    EXPECT_EQ(report->nodes[2].fused_into, 0u) << "who computes it in the end";

    // These have another number, another x, or a part that somebody else reads.
    EXPECT_EQ(running(built({{"Add", {"V", "six", "a"}}, clip, {"Mul", {"V", "c", "m"}}, {"Div", {"m", "six", "Y"}}})).size(),
              5u);
    EXPECT_EQ(running(built({sum, clip, {"Mul", {"V", "c", "m"}}, {"Div", {"m", "three", "Y"}}})).size(), 5u);
    EXPECT_EQ(running(built({sum, clip, {"Mul", {"a", "c", "m"}}, {"Div", {"m", "six", "Y"}}})), (Names{"conv", "c", "m", "Y"}))
        << "the sum is the convolution's bias";
    ModelBuilder seen = built(spelled[0]);
    EXPECT_EQ(running(seen.output("c")).size(), 5u);
}

TEST(Fusion, HardSigmoidIsReadWhereItIsSpelledOut)
{
    ModelBuilder builder = with_conv();
    add_numbers(builder).node("Add", {"V", "three"}, {"a"}).node("Clip", {"a", "zero", "six"}, {"c"});
    builder.node("Div", {"c", "six"}, {"Y"}, {}, "act").output("Y");
    const auto report = report_of(builder);
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(running(builder), Names{"conv"});
    EXPECT_NE(report->nodes[0].explanation.equation.find("epilogue: ONNX HardSigmoid-"), std::string::npos);
    EXPECT_EQ(running(builder, without(Fusion::activation)), (Names{"conv", "act"}));
    ModelBuilder gated = with_conv();
    gated.node("HardSigmoid", {"V"}, {"g"}, {float_attribute("alpha", 1.0f / 6)}, "gate")
        .node("Mul", {"g", "V"}, {"Y"})
        .output("Y");
    EXPECT_EQ(running(gated), Names{"conv"}) << "HardSwish";
}

// A view between the parts changes nothing, unless its shape makes Mul broadcast each element to all others.
TEST(Fusion, WhatIsSpelledOutMayHaveViewsBetweenItsParts)
{
    const auto built = [](const std::vector<int64_t>& dims) {
        ModelBuilder builder;
        builder.opset(17).input("X", DType::float32, {4}).initializer(int64_tensor("dims", {int64_t(dims.size())}, dims));
        add_numbers(builder).node("Add", {"X", "three"}, {"a"}, {}, "a").node("Clip", {"a", "zero", "six"}, {"c"}, {}, "c");
        builder.node("Reshape", {"c", "dims"}, {"r"}, {}, "r").node("Mul", {"X", "r"}, {"m"}, {}, "m");
        return builder.node("Div", {"m", "six"}, {"Y"}, {}, "Y").output("Y");
    };
    EXPECT_EQ(running(built({1, 4})), Names{"Y"});
    EXPECT_EQ(running(built({4, 1})), (Names{"a", "c", "m", "Y"}));
    const auto report = report_of(built({1, 4}));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(report->nodes.back().explanation.outputs.front().dims, (Dims{1, 4}));
}

TEST(Fusion, PaddingGoesIntoTheConvolution)
{
    const auto built = [](const std::vector<int64_t>& pads, const std::vector<std::string>& pad,
                          const std::vector<std::string>& conv, float value = 0) {
        ModelBuilder builder;
        builder.opset(17).input("X", DType::float32, {1, 2, 6}).initializer(int64_tensor("pads", {6}, pads));
        builder.initializer(float_tensor("value", {}, {value})).initializer(float_tensor("W", {3, 2, 3}, std::vector<float>(18)));
        builder.node("Pad", {"X", "pads", "value"}, {"P"}, pad, "pad");
        return builder.node("Conv", {"P", "W"}, {"Y"}, conv, "conv").output("Y");
    };
    const auto report = report_of(built({0, 0, 2, 0, 0, 1}, {}, {ints_attribute("pads", {1, 0})}));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(report->nodes[0].explanation.why, "it is the padding of node 'conv'");
    EXPECT_EQ(report->nodes[0].fused_into, 1u);
    EXPECT_EQ(report->nodes[1].explanation.outputs.front().dims, (Dims{1, 3, 8})) << "6 + 3 + 1 - 2";
    EXPECT_EQ(running(built({0, 0, 2, 0, 0, 1}, {}, {string_attribute("auto_pad", "VALID")})), Names{"conv"});

    const Names both = {"pad", "conv"};
    EXPECT_EQ(running(built({0, 0, 2, 0, 0, 1}, {}, {}), without(Fusion::padding)), both);
    EXPECT_EQ(running(built({0, 0, 2, 0, 0, 1}, {}, {}, 1)), both) << "another value";
    EXPECT_EQ(running(built({0, 0, 2, 0, 0, 1}, {string_attribute("mode", "edge")}, {})), both);
    EXPECT_EQ(running(built({0, 0, 2, 0, 0, -1}, {}, {})), both) << "takes away";
    EXPECT_EQ(running(built({1, 0, 2, 0, 0, 1}, {}, {})), both) << "instances";
    EXPECT_EQ(running(built({0, 0, 2, 0, 0, 1}, {}, {string_attribute("auto_pad", "SAME_UPPER")})), both);
}

// This struct builds a convolution "conv" of 4 channels in two groups, or a transposed one, that reads F, and what makes F of X
// (1, 4, 6).
struct InFront {
    const char* op = "Conv";
    DType dtype = DType::float32;
    int64_t group = 2;

    ModelBuilder built(const std::function<void(ModelBuilder&)>& add_front, bool shown = false) const
    {
        ModelBuilder builder;
        builder.opset(22).input("X", dtype, {1, 4, 6}).input("unknown", dtype, {4, 1});
        const auto constant = [&](const char* name, const Dims& dims, const std::vector<double>& values) {
            builder.initializer(raw_tensor(name, {dtype, dims}, kit::encoded(dtype, values)));
        };
        for (const char* const name : {"scale", "shift", "mean", "var"})
            constant(name, {4}, {1, 2, 3, 4});
        constant("slopes", {4, 1}, {1, 2, 3, 4});
        constant("one_slope", {1}, {0.5});
        constant("slopes_of_places", {1, 6}, {1, 2, 3, 4, 5, 6});
        constant("W", {4, 4 / group, 3}, std::vector<double>(size_t(16 / group * 3), 1));
        add_front(builder);
        builder.node(op, {"F", "W"}, {"Y"}, {int_attribute("group", group)}, "conv").output("Y");
        if (shown)
            builder.output("F");
        return builder;
    }
};

void add_norm(ModelBuilder& builder, const char* from, const char* to)
{
    builder.node("BatchNormalization", {from, "scale", "shift", "mean", "var"}, {to}, {}, "norm");
}

Names running_on_desktop(const ModelBuilder& builder, const SessionOptions& options = without())
{
    return running(builder, options, "desktop");
}

TEST(Fusion, WhatIsInFrontIsAPrologue)
{
    for (const char* const op : {"Conv", "ConvTranspose"}) {
        const InFront in_front = {.op = op};
        const ModelBuilder both = in_front.built([](ModelBuilder& builder) {
            add_norm(builder, "X", "n");
            builder.node("Relu", {"n"}, {"F"}, {}, "act");
        });
        const auto report = report_of(both, {}, "desktop");
        ASSERT_TRUE(accepted(report));
        EXPECT_EQ(running_on_desktop(both), Names{"conv"});
        for (const size_t node : {0, 1}) {
            EXPECT_EQ(report->nodes[node].explanation.why, "it is the prologue of node 'conv'");
            EXPECT_EQ(report->nodes[node].fused_into, 2u);
        }
        EXPECT_NE(report->nodes[2].explanation.equation.find("prologue: t = x * scale + offset, t < 0 ? 0 : t"),
                  std::string::npos);
        EXPECT_EQ(running_on_desktop(both, without(Fusion::prologue)), (Names{"norm", "act", "conv"}));
        EXPECT_EQ(running(both), (Names{"norm", "act", "conv"})) << "with 4 storage buffers";
        EXPECT_EQ(running_on_desktop(in_front.built([](ModelBuilder& builder) { add_norm(builder, "X", "F"); })), Names{"conv"});
        for (const char* const slopes : {"slopes", "one_slope"})
            EXPECT_EQ(running_on_desktop(in_front.built([&](ModelBuilder& builder) {
                          builder.node("PRelu", {"X", slopes}, {"F"}, {}, "act");
                      })),
                      Names{"conv"});
        for (const char* const activation : {"Relu", "LeakyRelu"})
            EXPECT_EQ(running_on_desktop(in_front.built([&](ModelBuilder& builder) {
                          add_norm(builder, "X", "n");
                          builder.node(activation, {"n"}, {"F"}, {}, "act");
                      })),
                      Names{"conv"});
    }
}

// Returns the end of a unit of ShuffleNet: Y is an activation of a Concat of a convolution and of B, which `part` must make.
ModelBuilder joined(const char* activation, const std::function<void(ModelBuilder&)>& part)
{
    ModelBuilder builder;
    builder.opset(17).input("X", DType::float32, {1, 2, 6}).input("Z", DType::float32, {1, 3, 6});
    builder.initializer(float_tensor("W", {3, 2, 1}, std::vector<float>(6, 1)))
        .initializer(float_tensor("zero", {}, {0}))
        .initializer(float_tensor("six", {}, {6}))
        .initializer(float_tensor("minus", {}, {-1}))
        .initializer(float_tensor("known", {1, 3, 6}, std::vector<float>(18, 1)))
        .node("Conv", {"X", "W"}, {"A"}, {}, "conv");
    part(builder);
    const bool clips = std::string(activation) == "Clip";
    builder.node("Concat", {"A", "B"}, {"J"}, {kit::int_attribute("axis", 2)}, "join")
        .node(activation, clips ? std::vector<std::string>{"J", "minus", "six"} : std::vector<std::string>{"J"}, {"Y"}, {}, "act")
        .output("Y");
    return builder;
}

TEST(Fusion, BehindAConcatAnActivationGoesIntoItsParts)
{
    const auto conv = [](ModelBuilder& builder) { builder.node("Conv", {"X", "W"}, {"B"}, {}, "other"); };
    for (const char* const activation : {"Relu", "Tanh", "Clip"}) {
        const auto report = report_of(joined(activation, conv), without());
        ASSERT_TRUE(accepted(report));
        EXPECT_EQ(running(joined(activation, conv)), (Names{"conv", "other", "join"}));
        for (const size_t node : {0, 1})
            EXPECT_NE(report->nodes[node].explanation.equation.find(std::string("epilogue: ONNX ") + activation + "-"),
                      std::string::npos);
        EXPECT_EQ(report->nodes[3].explanation.why, "it is the epilogue of what is joined by node 'join'");
        EXPECT_EQ(report->nodes[3].fused_into, 2u);
    }
    EXPECT_EQ(running(joined("Relu", conv), without(Fusion::activation)), (Names{"conv", "other", "join", "act"}));
    const std::function<void(ModelBuilder&)> others[] = {
        [](ModelBuilder& builder) { builder.node("Abs", {"Z"}, {"B"}, {}, "other"); },
        [](ModelBuilder& builder) { builder.node("Relu", {"A"}, {"B"}, {}, "other"); },
        [](ModelBuilder& builder) {
            builder.node("Conv", {"X", "W"}, {"B"}, {}, "other").output("B");
        },
        [](ModelBuilder& builder) {
            builder.node("Conv", {"X", "W"}, {"b"}, {}, "first").node("Sigmoid", {"b"}, {"B"}, {}, "other");
        },
        [](ModelBuilder& builder) { builder.node("Identity", {"known"}, {"B"}, {}, "other"); },
    };
    for (size_t i = 0; i < std::size(others); ++i) {
        const Names left = running(joined("Tanh", others[i]));
        EXPECT_EQ(left.empty() ? std::string() : left.back(), "act") << i;
    }
}

// Relu is needed only where something may be below 0.
TEST(Fusion, ReluBehindAConcatIsNothingToPartsThatAreNowhereNegative)
{
    const auto pooled = [](const char* op, std::vector<std::string> more = {}) {
        return [=](ModelBuilder& builder) mutable {
            more.insert(more.begin(), "Z");
            builder.node(op, more, {"b"}, {}, "other")
                .node("AveragePool", {"b"}, {"B"}, {kit::ints_attribute("kernel_shape", {1})}, "pool");
        };
    };
    const auto windows = [&](std::vector<std::string> attributes) {
        return [=](ModelBuilder& builder) {
            builder.node("Relu", {"Z"}, {"r"}, {}, "other").node("MaxPool", {"r"}, {"B"}, attributes, "pool");
        };
    };
    const auto goes = [](const std::function<void(ModelBuilder&)>& part) {
        return running(joined("Relu", part)).back() == "join";
    };
    EXPECT_EQ(running(joined("Relu", pooled("Relu"))), (Names{"conv", "other", "pool", "join"}));
    for (const char* const op : {"Abs", "Sigmoid", "HardSigmoid", "Exp", "Softmax"})
        EXPECT_TRUE(goes(pooled(op))) << op;
    for (const char* const op : {"Tanh", "LeakyRelu", "Neg", "Sqrt", "LogSoftmax"})
        EXPECT_FALSE(goes(pooled(op))) << op;
    EXPECT_TRUE(goes(pooled("Clip", {"zero", "six"})));
    EXPECT_TRUE(goes(pooled("Clip", {"zero"})));
    EXPECT_FALSE(goes(pooled("Clip", {"minus", "six"})));
    EXPECT_FALSE(goes(pooled("Clip", {"", "six"})));
    EXPECT_FALSE(goes(pooled("Clip", {"zero", "minus"}))) << "all is -1";
    EXPECT_FALSE(running(joined("Clip", pooled("Relu"))).back() == "join") << "it does something above 0, too";

    const std::string three = kit::ints_attribute("kernel_shape", {3});
    EXPECT_TRUE(goes(windows({three, kit::ints_attribute("pads", {1, 1})})));
    EXPECT_TRUE(goes(windows({three, kit::ints_attribute("pads", {2, 0})})));
    for (const char* const auto_pad : {"SAME_UPPER", "SAME_LOWER", "VALID"})
        EXPECT_TRUE(goes(windows({three, kit::string_attribute("auto_pad", auto_pad)}))) << auto_pad;
    EXPECT_FALSE(goes(windows(
        {kit::ints_attribute("kernel_shape", {1}), kit::ints_attribute("pads", {1, 0}), kit::ints_attribute("strides", {7})})))
        << "a window is all padding, which is the lowest number";
    EXPECT_FALSE(goes(windows(
        {kit::ints_attribute("kernel_shape", {2}), kit::ints_attribute("dilations", {7}), kit::ints_attribute("pads", {1, 1})})))
        << "its taps stand beside X";
    EXPECT_FALSE(goes([](ModelBuilder& builder) {
        builder.node("MaxPool", {"Z"}, {"B"}, {kit::ints_attribute("kernel_shape", {1})}, "pool");
    }));
    EXPECT_TRUE(goes([](ModelBuilder& builder) {
        builder.node("Relu", {"Z"}, {"r"}, {}, "other")
            .node("Concat", {"r", "known"}, {"s"}, {kit::int_attribute("axis", 2)}, "constant")
            .node("Transpose", {"r"}, {"B"}, {kit::ints_attribute("perm", {0, 1, 2})}, "moved")
            .output("s");
    }));
    EXPECT_FALSE(goes([](ModelBuilder& builder) {
        builder.node("Relu", {"Z"}, {"r"}, {}, "other")
            .node("Concat", {"r", "Z"}, {"B"}, {kit::int_attribute("axis", 2)}, "more");
    })) << "one of its own parts may be";
}

// The models end as DenseNet does.
TEST(Fusion, WhatIsInFrontOfAPoolIsAPrologue)
{
    const auto built = [&](DType dtype, bool others_see_it) {
        ModelBuilder builder;
        builder.opset(17).input("X", dtype, {2, 4, 5, 3});
        for (const char* const name : {"scale", "shift", "mean", "var"})
            builder.initializer(raw_tensor(name, {dtype, {4}}, kit::encoded(dtype, std::vector<double>{1, 2, 3, 4})));
        add_norm(builder, "X", "n");
        builder.node("Relu", {"n"}, {"F"}, {}, "act");
        builder.node("GlobalAveragePool", {"F"}, {"Y"}, {}, "pool").output("Y");
        if (others_see_it)
            builder.output("F");
        return builder;
    };
    const ModelBuilder floats = built(DType::float32, false);
    const auto report = report_of(floats, {}, "desktop");
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(running_on_desktop(floats), Names{"pool"});
    for (const size_t node : {0, 1})
        EXPECT_EQ(report->nodes[node].explanation.why, "it is the prologue of node 'pool'");
    EXPECT_NE(report->nodes[2].explanation.equation.find("prologue: t = x * scale + offset, t < 0 ? 0 : t"), std::string::npos);
    EXPECT_EQ(running_on_desktop(floats, without(Fusion::prologue)), (Names{"norm", "act", "pool"}));
    EXPECT_EQ(running_on_desktop(built(DType::float32, true)), (Names{"norm", "act", "pool"}));
    EXPECT_EQ(running_on_desktop(built(DType::float16, false)), (Names{"norm", "pool"})) << "of halves the activation alone";
}

TEST(Fusion, NotAllInFrontIsAPrologue)
{
    const InFront in_front;
    const auto prelu = [](const char* slopes) {
        return [slopes](ModelBuilder& builder) { builder.node("PRelu", {"X", slopes}, {"F"}, {}, "act"); };
    };
    const auto both = [](ModelBuilder& builder) {
        add_norm(builder, "X", "n");
        builder.node("Relu", {"n"}, {"F"}, {}, "act");
    };
    const Names alone = {"act", "conv"};
    EXPECT_EQ(running_on_desktop(in_front.built(prelu("slopes"), true)), alone) << "others see it";
    EXPECT_EQ(running_on_desktop(in_front.built(prelu("unknown"))), alone);
    EXPECT_EQ(running_on_desktop(in_front.built(prelu("slopes_of_places"))), alone);
    EXPECT_EQ(running_on_desktop(in_front.built([](ModelBuilder& builder) { builder.node("Tanh", {"X"}, {"F"}, {}, "act"); })),
              alone);
    EXPECT_EQ(running_on_desktop(InFront{.group = 4}.built(prelu("slopes"))), alone) << "depthwise";
    EXPECT_EQ(running_on_desktop(in_front.built([](ModelBuilder& builder) {
                  builder.node("Relu", {"X"}, {"F"}, {}, "act").node("Neg", {"F"}, {"Z"}, {}, "other").output("Z");
              })),
              (Names{"act", "other", "conv"}))
        << "a second reader";
    EXPECT_EQ(running_on_desktop(in_front.built([](ModelBuilder& builder) {
                  add_norm(builder, "X", "n");
                  builder.node("Relu", {"n"}, {"F"}, {}, "act").output("n");
              })),
              (Names{"norm", "conv"}))
        << "the activation still is";
    EXPECT_EQ(running_on_desktop(in_front.built([](ModelBuilder& builder) {
                  builder.node("Add", {"X", "X"}, {"a"}, {}, "sum").node("Relu", {"a"}, {"F"}, {}, "act");
              }),
                                 {}),
              alone)
        << "a chain does as well";
    for (const DType half : {DType::float16, DType::bfloat16}) {
        EXPECT_EQ(running_on_desktop(InFront{.dtype = half}.built(both)), (Names{"norm", "conv"}));
        EXPECT_EQ(running_on_desktop(InFront{.dtype = half}.built(prelu("slopes"))), Names{"conv"});
        EXPECT_EQ(running_on_desktop(InFront{.dtype = half}.built(
                      [](ModelBuilder& builder) { builder.node("LeakyRelu", {"X"}, {"F"}, {}, "act"); })),
                  alone);
    }
}

// Returns a model with the inputs X, A, B and C, all of them (1, 3, 4).
ModelBuilder with_tensors(DType dtype = DType::float32)
{
    ModelBuilder builder;
    builder.opset(17);
    for (const char* const name : {"X", "A", "B", "C"})
        builder.input(name, dtype, {1, 3, 4});
    return builder;
}

TEST(Fusion, ElementwiseOperatorsAreStepsOfTheLast)
{
    ModelBuilder builder = with_tensors();
    add_numbers(builder).node("Add", {"X", "A"}, {"s"}, {}, "sum").node("Sub", {"six", "s"}, {"d"}, {}, "rest");
    builder.node("Relu", {"d"}, {"r"}, {}, "act").node("Div", {"B", "r"}, {"Y"}, {}, "share").output("Y");
    const auto report = report_of(builder);
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(running(builder, {}), Names{"share"});
    EXPECT_EQ(running(builder), (Names{"sum", "rest", "act", "share"}));
    EXPECT_EQ(report->nodes[0].explanation.why, "it is a step of node 'rest'");
    EXPECT_EQ(report->nodes[0].fused_into, 3u);
    EXPECT_EQ(report->arena_bytes, 0u);
    // A gate reads its input again.
    ModelBuilder gate = with_tensors();
    gate.node("Sigmoid", {"X"}, {"s"}, {}, "gate").node("Mul", {"X", "s"}, {"Y"}, {}, "product").output("Y");
    EXPECT_EQ(running(gate, {}), Names{"product"});
    // A Sum of two inputs is an Add, and Clip's bounds are numbers.
    ModelBuilder sums = with_tensors();
    add_numbers(sums).node("Sum", {"X", "A"}, {"s"}, {}, "sum").node("Clip", {"s", "zero", "six"}, {"c"}, {}, "clip");
    EXPECT_EQ(running(sums.node("Max", {"c", "B"}, {"Y"}, {}, "most").output("Y"), {}), Names{"most"});
}

TEST(Fusion, NormalizationIsAStepWhereNoWeightsAreBeforeIt)
{
    ModelBuilder builder = with_tensors();
    add_statistics(builder).node("BatchNormalization", {"X", "scale", "shift", "mean", "var"}, {"n"}, {}, "norm");
    builder.node("Relu", {"n"}, {"Y"}, {}, "act").output("Y");
    EXPECT_EQ(running(builder, {}), Names{"act"});
    EXPECT_EQ(running(builder), (Names{"norm", "act"}));
}

// Returns the names of the nodes that run. Y is a Relu, or a convolution, of X (1, 2, 3) normalized by these numbers.
Names running_normalized(DType dtype, double scale, double shift, double mean, const char* before = "Relu")
{
    ModelBuilder builder;
    builder.opset(22).input("X", dtype, {1, 2, 3});
    const auto constant = [&](const char* name, const Dims& dims, const std::vector<double>& values) {
        builder.initializer(raw_tensor(name, {dtype, dims}, kit::encoded(dtype, values)));
    };
    constant("scale", {2}, {1, scale});
    constant("shift", {2}, {1, shift});
    constant("mean", {2}, {1, mean});
    constant("var", {2}, {1, 1});
    constant("W", {2, 2, 1}, {1, 1, 1, 1});
    builder.node("BatchNormalization", {"X", "scale", "shift", "mean", "var"}, {"n"}, {}, "norm");
    const bool is_conv = std::string(before) == "Conv";
    builder.node(before, is_conv ? Names{"n", "W"} : Names{"n"}, {"Y"}, {}, "last").output("Y");
    return running(builder, {}, "desktop");
}

// In a chain and a prologue a normalization is x * scale + shift. Both must be normal and finite numbers of the type.
TEST(Fusion, NormalizationIsByItselfWhereItsNumbersWouldBeWrong)
{
    const Names both = {"norm", "last"}, one = {"last"};
    for (const char* const last : {"Relu", "Conv"}) {
        SCOPED_TRACE(last);
        for (const DType half : {DType::float16, DType::bfloat16})
            EXPECT_EQ(running_normalized(half, 1, 1, 1, last), both);
        for (const auto& [dtype, least, greatest] :
             {std::tuple(DType::float32, 0x1p-126, 0x1p127), std::tuple(DType::float64, 0x1p-1022, 0x1p1023)}) {
            SCOPED_TRACE(name(dtype));
            EXPECT_EQ(running_normalized(dtype, 2, 1, greatest / 4, last), one);
            EXPECT_EQ(running_normalized(dtype, 0, 1, 1, last), one);
            EXPECT_EQ(running_normalized(dtype, 16, 1, greatest / 4, last), both) << "an infinite offset";
            EXPECT_EQ(running_normalized(dtype, 5, greatest, greatest / 2, last), both) << "an infinite product";
            EXPECT_EQ(running_normalized(dtype, 1.5, greatest, -greatest, last), both) << "an infinite sum";
            EXPECT_EQ(running_normalized(dtype, least / 2, 1, 1, last), both) << "a denormal factor";
        }
    }
}

TEST(Fusion, AnOperatorOfOneInputIsNoStepWithTwo)
{
    for (const char* const op : {"Max", "Min", "Sum"}) {
        ModelBuilder builder = with_tensors();
        builder.node("Sum", {"X", "A", "B"}, {"s"}, {}, "three").node(op, {"s"}, {"Y"}, {}, "one").output("Y");
        const auto report = report_of(builder);
        ASSERT_TRUE(accepted(report));
        EXPECT_EQ(running(builder, {}), Names{"one"});
        EXPECT_EQ(report->nodes[1].explanation.equation.find("steps"), std::string::npos)
            << report->nodes[1].explanation.equation;
        EXPECT_NE(report->nodes[1].explanation.equation.find("ONNX Sum-"), std::string::npos);
    }
}

TEST(Fusion, ConstantsOfChannelsGoIntoTheNormalizationBeforeThem)
{
    const auto built = [](const std::vector<std::string>& attributes, const char* shift) {
        ModelBuilder builder = with_tensors();
        builder.input("given", DType::float32, {3});
        add_statistics(add_numbers(builder));
        builder.node("BatchNormalization", {"X", "scale", shift, "mean", "var"}, {"n"}, attributes, "norm");
        builder.node("Mul", {"n", "row"}, {"m"}, {}, "factor").node("Add", {"row", "m"}, {"a"}, {}, "shift");
        return builder.node("Relu", {"a"}, {"Y"}, {}, "act").output("Y");
    };
    EXPECT_EQ(running(built({}, "shift")), (Names{"norm", "act"}));
    EXPECT_EQ(running(built({}, "shift"), {}), Names{"act"}) << "a chain of two inputs more, not of four";
    EXPECT_EQ(running(built({}, "given")), (Names{"norm", "factor", "shift", "act"}));
    EXPECT_EQ(running(built({int_attribute("training_mode", 1)}, "shift")), (Names{"norm", "factor", "shift", "act"}));
    ModelBuilder each;  // a scale for each element
    each.opset(8).input("X", DType::float32, {1, 3, 4}).initializer(float_tensor("row", {3, 1}, {1, 2, 3}));
    each.initializer(float_tensor("s", {3, 4}, std::vector<float>(12, 1)));
    each.node("BatchNormalization", {"X", "s", "s", "s", "s"}, {"n"}, {int_attribute("spatial", 0)}, "norm");
    EXPECT_EQ(running(each.node("Mul", {"n", "row"}, {"Y"}, {}, "factor").output("Y")), (Names{"norm", "factor"}));
}

TEST(Fusion, ChainsEndWhereOneOperatorCantBeAllOfThem)
{
    // Four inputs are too many.
    ModelBuilder many = with_tensors();
    many.node("Add", {"X", "A"}, {"a"}, {}, "first").node("Add", {"a", "B"}, {"b"}, {}, "second");
    many.node("Add", {"b", "C"}, {"c"}, {}, "third").node("Relu", {"c"}, {"Y"}, {}, "act").output("Y");
    EXPECT_EQ(running(many, {}), (Names{"second", "act"}));
    // Seven steps are too many.
    ModelBuilder deep = with_tensors();
    for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
             {"X", "a"}, {"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "e"}, {"e", "f"}, {"f", "Y"}})
        deep.node("Abs", {from}, {to}, {}, to);
    EXPECT_EQ(running(deep.output("Y"), {}), (Names{"f", "Y"}));
    // A value that others read, too, ends a chain.
    ModelBuilder seen = with_tensors();
    seen.node("Add", {"X", "A"}, {"a"}, {}, "sum").node("Relu", {"a"}, {"Y"}, {}, "act").output("Y").output("a");
    EXPECT_EQ(running(seen, {}), (Names{"sum", "act"}));
    // The few elements would be computed again for each of many.
    ModelBuilder small = with_tensors();
    small.input("S", DType::float32, {3, 1}).node("Exp", {"S"}, {"e"}, {}, "few").node("Mul", {"X", "e"}, {"Y"}, {}, "many");
    EXPECT_EQ(running(small.output("Y"), {}), (Names{"few", "many"}));
    // Integers can be a chain, too.
    ModelBuilder integers = with_tensors(DType::int32);
    integers.node("Add", {"X", "A"}, {"a"}, {}, "sum").node("Abs", {"a"}, {"Y"}, {}, "act").output("Y");
    EXPECT_EQ(running(integers, {}), Names{"act"});
}

TEST(Fusion, OnlyBitsThatThereAreCanBeSwitchedOff)
{
    SessionOptions options;
    options.without_fusions = 127;
    EXPECT_TRUE(accepted(report_of(normalized(), options)));
    options.without_fusions = 129;
    EXPECT_TRUE(invalid(report_of(normalized(), options),
                        "SessionOptions::without_fusions = 129 must be bits of Fusion, of which all together are 127"));
}

}  // namespace
}  // namespace vkonnx::onnx
