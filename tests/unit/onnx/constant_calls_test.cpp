// This file tests which nodes a device computes once, because their inputs are constants: see Fusion::constants of onnx.hpp.
// tests/gpu/constant_calls_test.cpp tests the values.
#include <map>

#include "helpers.h"

namespace vkonnx::onnx {
namespace {

// Returns what became of each node, by its name: the kernel of its explanation, or "runs".
std::map<std::string, std::string> fates(const ModelBuilder& builder, const SessionOptions& options = {})
{
    const Result<Model> model = parse(builder.build());
    EXPECT_TRUE(accepted(model));
    const Result<GraphReport> report =
        model ? explain(*model, {}, *Capabilities::preset("desktop"), options) : Result<GraphReport>(model.status());
    EXPECT_TRUE(accepted(report));
    std::map<std::string, std::string> kernels;
    for (const NodeReport& node : report ? report->nodes : std::vector<NodeReport>())
        kernels[node.name] = node.runs() ? "runs" : node.explanation.kernel;
    return kernels;
}

using Fates = std::map<std::string, std::string>;

SessionOptions without_fusions(uint32_t fusions)
{
    SessionOptions options;
    options.without_fusions = fusions;
    return options;
}

// A model of X (2, 3), and of weights (3, 4) that are integers with a scale.
ModelBuilder with_weights()
{
    ModelBuilder builder;
    builder.opset(17)
        .input("X", DType::float32, {2, 3})
        .initializer(raw_tensor("q", {DType::int8, {3, 4}}, std::vector<std::byte>(12, std::byte(3))))
        .initializer(float_tensor("s", {4}, {1, 2, 3, 4}))
        .node("Cast", {"q"}, {"c"}, {int_attribute("to", 1)}, "cast")
        .node("Mul", {"c", "s"}, {"w"}, {}, "scale");
    return builder;
}

TEST(ConstantCalls, MakeWeightsOutOfIntegersOnce)
{
    ModelBuilder builder = with_weights();
    builder.initializer(float_tensor("b", {4}, {1, 2, 3, 4}))
        .node("MatMul", {"X", "w"}, {"p"}, {}, "product")
        .node("Add", {"p", "b"}, {"Y"}, {}, "bias")
        .output("Y");
    EXPECT_EQ(fates(builder), (Fates{{"cast", "once"}, {"scale", "once"}, {"product", "runs"}, {"bias", "fused"}}));
    EXPECT_EQ(fates(builder, without_fusions(uint32_t(Fusion::constants) | uint32_t(Fusion::chain))),
              (Fates{{"cast", "runs"}, {"scale", "runs"}, {"product", "runs"}, {"bias", "runs"}}));
}

// The host does not have these numbers, and so what needs them is no part of weights.
TEST(ConstantCalls, AreNotKnownToTheHost)
{
    ModelBuilder builder = with_weights();
    builder.initializer(float_tensor("f", {4}, {1, 2, 3, 4}))
        .node("MatMul", {"X", "w"}, {"p"}, {}, "product")
        .node("Mul", {"p", "f"}, {"Y"}, {}, "factor")
        .output("Y");
    EXPECT_EQ(fates(builder), (Fates{{"cast", "once"}, {"scale", "once"}, {"product", "runs"}, {"factor", "runs"}}));
    builder = with_weights();
    builder.initializer(float_tensor("b", {4}, {1, 2, 3, 4}))
        .node("Exp", {"b"}, {"e"}, {}, "function")
        .node("MatMul", {"X", "w"}, {"p"}, {}, "product")
        .node("Add", {"p", "e"}, {"Y"}, {}, "bias")
        .output("Y");
    EXPECT_EQ(fates(builder),
              (Fates{{"cast", "once"}, {"scale", "once"}, {"function", "once"}, {"product", "runs"}, {"bias", "runs"}}));
}

TEST(ConstantCalls, LeaveOutputsOfTheModelToEachRun)
{
    ModelBuilder builder = with_weights();
    builder.node("Identity", {"w"}, {"W"}, {}, "same").node("MatMul", {"X", "w"}, {"Y"}, {}, "product").output("Y").output("W");
    EXPECT_EQ(fates(builder), (Fates{{"cast", "once"}, {"scale", "runs"}, {"same", "view"}, {"product", "runs"}}));
}

TEST(ConstantCalls, LeaveWhatGrowsToEachRun)
{
    ModelBuilder builder;
    builder.opset(17)
        .input("X", DType::float32, {2, 4})
        .initializer(float_tensor("column", {4, 1}, {1, 2, 3, 4}))
        .initializer(float_tensor("row", {5}, {1, 2, 3, 4, 5}))
        .node("Neg", {"row"}, {"r"}, {}, "same size")
        .node("Mul", {"column", "r"}, {"t"}, {}, "table")
        .node("MatMul", {"X", "t"}, {"Y"}, {}, "product")
        .output("Y");
    EXPECT_EQ(fates(builder), (Fates{{"same size", "once"}, {"table", "runs"}, {"product", "runs"}}));
}

// A chain of nodes, of which each reads what the one before has made, once or twice.
Fates chain(size_t nodes, bool twice)
{
    ModelBuilder builder;
    builder.opset(17).input("X", DType::float32, {3}).initializer(float_tensor("v0", {3}, {1, 2, 3}));
    for (size_t i = 0; i < nodes; ++i) {
        const std::string from = "v" + std::to_string(i), to = "v" + std::to_string(i + 1);
        if (twice)
            builder.node("Sub", {from, from}, {to}, {}, to);
        else
            builder.node("Neg", {from}, {to}, {}, to);
    }
    builder.node("Add", {"X", "v" + std::to_string(nodes)}, {"Y"}, {}, "sum").output("Y");
    return fates(builder, without_fusions(uint32_t(Fusion::chain)));
}

TEST(ConstantCalls, AreAtMost32ForAConstant)
{
    Fates expected = {{"sum", "runs"}};
    for (size_t i = 1; i <= 40; ++i)
        expected["v" + std::to_string(i)] = i <= 32 ? "once" : "runs";
    EXPECT_EQ(chain(40, false), expected);
    // The nodes of the second chain take 1, 3, 7, 15, 31 and 63 calls.
    EXPECT_EQ(
        chain(6, true),
        (Fates{{"v1", "once"}, {"v2", "once"}, {"v3", "once"}, {"v4", "once"}, {"v5", "once"}, {"v6", "runs"}, {"sum", "runs"}}));
}

TEST(ConstantCalls, AreRefusedAsOthersAre)
{
    ModelBuilder builder = with_weights();
    builder.node("MatMul", {"X", "w"}, {"Y"}, {}, "product").output("Y");
    SessionOptions options;
    options.prepare.kernel = "conv_nd";
    EXPECT_TRUE(refused(explain_file(builder.build(), {}, options), Code::invalid_argument, "node 'cast': "));
}

}  // namespace
}  // namespace vkonnx::onnx
