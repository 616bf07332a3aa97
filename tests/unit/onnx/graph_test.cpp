// This file tests what makes a graph runnable: its names, edges, order, opset imports and operators.
#include <random>

#include "helpers.h"

namespace vkonnx::onnx {
namespace {

ModelBuilder with_input()
{
    return ModelBuilder().opset(17).input("X", DType::float32, {1, 1, 4});
}

TEST(Graph, DanglingInput)
{
    EXPECT_TRUE(invalid(parse(with_input().node("Identity", {"nothing"}, {"Y"}, {}, "copy").build()),
                        "node 'copy': its input 'nothing' is neither a graph input nor an initializer nor a node's output"));
}

TEST(Graph, DanglingOutput)
{
    EXPECT_TRUE(invalid(parse(with_input().output("Y").build()),
                        "the graph output 'Y' is neither a graph input nor an initializer nor a node's output"));
}

// Nodes run in the order of the file as far as it can run. One that reads what is made later waits for that.
TEST(Graph, NodesWaitForWhatTheyRead)
{
    ModelBuilder model = with_input();
    model.node("Add", {"B", "A"}, {"Y"}).node("Neg", {"X"}, {"C"}).node("Abs", {"A"}, {"B"}).node("Sqrt", {"X"}, {"A"});
    const Result<std::vector<NodeReport>> reports = explain_file(model.output("Y").output("C").build());
    ASSERT_TRUE(accepted(reports));
    std::vector<std::string> order;
    for (const NodeReport& report : *reports)
        order.push_back(report.op_type);
    EXPECT_EQ(order, (std::vector<std::string>{"Neg", "Sqrt", "Abs", "Add"}));
}

TEST(Graph, SelfLoopAndCycle)
{
    EXPECT_TRUE(invalid(parse(with_input().node("Identity", {"Y"}, {"Y"}).build()), "node 'Y': its input 'Y' is its own output"));
    EXPECT_TRUE(invalid(
        parse(with_input().node("Identity", {"X"}, {"A"}).node("Identity", {"C"}, {"B"}).node("Identity", {"B"}, {"C"}).build()),
        "node 'B': its input 'C', made by node 'C', is part of a cycle or depends on one"));
}

TEST(Graph, NodesWithoutNameAndOutputAreToldByTheirPlace)
{
    for (const Names& outputs : {Names{}, Names{""}}) {
        const ModelBuilder two = with_input().node("Identity", {"X"}, {"A"}).node("Identity", {"A"}, {"B"});
        EXPECT_TRUE(invalid(explain_file(ModelBuilder(two).node("AveragePool", {"B"}, outputs).output("B").build()),
                            "node #2 (AveragePool): AveragePool: it has " + std::to_string(outputs.size()) + " outputs"));
        EXPECT_TRUE(invalid(parse(ModelBuilder(two).node("AveragePool", {"nothing"}, outputs).build()),
                            "node #2 (AveragePool): its input 'nothing' is neither"));
        EXPECT_TRUE(unsupported(explain_file(ModelBuilder(two).node("Re\x1blu", {"B"}, outputs).output("B").build()),
                                "node #2 (Re\\x1blu): operator 'Re\\x1blu' of domain"));
    }
    EXPECT_TRUE(invalid(parse(with_input().node("Identity", {"nothing"}, {"", "second"}).build()), "node 'second': "))
        << "the first output that has a name";
}

// Sentences must not show control characters of a name in the file.
TEST(Graph, NamesCannotCommandATerminal)
{
    const std::pair<std::string, std::string> rows[] = {
        {"plain", "plain"},
        {"gr\u00fc\u00df \u20ac \U0001f600 \u00a0", "gr\u00fc\u00df \u20ac \U0001f600 \u00a0"},
        {"\x1b[31mred", "\\x1b[31mred"},
        {std::string("a\0b\tc\nd\re\x7f", 10), "a\\x00b\\x09c\\x0ad\\x0de\\x7f"},
        {"\xc2\x9b"
         "31m\xc2\x80\xc2\x9f",
         "\\xc2\\x9b31m\\xc2\\x80\\xc2\\x9f"},  // C1: CSI and the outermost
        {"\x9b\xff\xfe", "\\x9b\\xff\\xfe"},
        {"\xc1\xbf\xe0\x9f\xbf\xf0\x8f\xbf\xbf", "\\xc1\\xbf\\xe0\\x9f\\xbf\\xf0\\x8f\\xbf\\xbf"},  // in too many bytes
        {"\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"},  // a surrogate, beyond the last character
        {"\u202eabc\u2066", "\\xe2\\x80\\xaeabc\\xe2\\x81\\xa6"},                 // marks that change the direction of text
        {"\xe2\x82", "\\xe2\\x82"},                                               // a sequence that is cut off
        {std::string(79, 'x') + "\u20ac"
                                "y",
         std::string(79, 'x') + "\u20ac..."},  // not cut within a character
    };
    for (const auto& [name, shown] : rows) {
        const std::string in_quotes = "'" + shown + "'";
        EXPECT_TRUE(invalid(parse(with_input().output(name).build()), "the graph output " + in_quotes + " is neither"));
        EXPECT_TRUE(
            invalid(parse(with_input().node("Identity", {"nothing"}, {"Y"}, {}, name).build()), "node " + in_quotes + ":"));
        EXPECT_TRUE(invalid(parse(with_input().node(name, {"X"}, {"Y"}, {}, "", "a" + name).build()),
                            "node 'Y': " + shown + " is of domain 'a"));
    }
}

TEST(Graph, DuplicateNames)
{
    std::string tensor = float_tensor("W", {1}, {1});
    EXPECT_TRUE(invalid(parse(with_input().input("X", DType::float32, {1}).build()), "two graph inputs have the name 'X'"));
    EXPECT_TRUE(
        invalid(parse(with_input().initializer(tensor).initializer(tensor).build()), "two initializers have the name 'W'"));
    EXPECT_TRUE(invalid(parse(with_input().node("Identity", {"X"}, {"Y"}).node("Identity", {"X"}, {"Y"}).build()),
                        "node 'Y': its output 'Y' is made twice"));
    EXPECT_TRUE(invalid(parse(with_input().node("Identity", {"X"}, {"X"}).build()),
                        "node 'X': its output 'X' has the name of a graph input or initializer"));
    EXPECT_TRUE(invalid(parse(with_input().initializer(tensor).node("Identity", {"X"}, {"W"}).build()),
                        "its output 'W' has the name of a graph input or initializer"));
    EXPECT_TRUE(invalid(parse(with_input().output("X").output("X").build()), "two graph outputs have the name 'X'"));
    std::string split = Proto().bytes(1, "X").bytes(2, "A").bytes(2, "A").bytes(4, "Split").str();
    EXPECT_TRUE(invalid(parse(with_input().graph_field(1, split).build()), "its output 'A' is made twice"));
}

TEST(Graph, MissingNames)
{
    EXPECT_TRUE(invalid(parse(with_input().input("", DType::float32, {}).build()), "without a name (graph.input[1], byte "));
    EXPECT_TRUE(invalid(parse(with_input().output("").build()), "without a name (graph.output[0], byte "));
    EXPECT_TRUE(invalid(parse(with_input().initializer(float_tensor("", {1}, {1})).build()),
                        "an initializer without a name (graph, byte "));
}

TEST(Graph, InitializersThatAreGraphInputsToo)
{
    ModelBuilder model = with_input().input("W", DType::float32, {2}).initializer(float_tensor("W", {2}, {1, 2}));
    Result<Model> parsed = parse(model.output("W").build());
    ASSERT_TRUE(accepted(parsed));
    ASSERT_EQ(parsed->inputs().size(), 1U);
    EXPECT_EQ(parsed->inputs()[0].name, "X");
    EXPECT_TRUE(invalid(parse(with_input().input("W", DType::float32, {3}).initializer(float_tensor("W", {2}, {1, 2})).build()),
                        "initializer 'W': dims[0] = 2, but the model declares float[3]"));
    EXPECT_TRUE(invalid(parse(with_input().input("W", DType::int32, {2}).initializer(float_tensor("W", {2}, {1, 2})).build()),
                        "initializer 'W': it has type float, but the model declares int32[2]"));
}

TEST(Graph, WrongInitializersAreFoundOnLoading)
{
    EXPECT_TRUE(invalid(parse(with_input().initializer(float_tensor("W", {3}, {1, 2})).build()),
                        "initializer 0: tensor 'W': raw_data has 8 bytes, float[3] needs 12"));
}

TEST(Graph, OpsetImports)
{
    auto with = [](ModelBuilder model) {
        return parse(model.input("X", DType::float32, {1}).node("Identity", {"X"}, {"Y"}).build());
    };
    EXPECT_TRUE(accepted(with(ModelBuilder().opset(17, "ai.onnx"))));
    EXPECT_TRUE(accepted(with(ModelBuilder().opset(17).opset(17, "ai.onnx"))));
    EXPECT_TRUE(accepted(with(ModelBuilder().opset(1000))));
    EXPECT_TRUE(
        invalid(with(ModelBuilder()), "node 'Y': Identity is of domain 'ai.onnx', for which the model has no opset import"));
    EXPECT_TRUE(invalid(with(ModelBuilder().opset(17, "com.example")), "for which the model has no opset import"));
    EXPECT_TRUE(invalid(with(ModelBuilder().opset(0)), "which the model imports in version 0; versions begin at 1"));
    EXPECT_TRUE(invalid(with(ModelBuilder().opset(-5)), "in version -5; versions begin at 1"));
    EXPECT_TRUE(invalid(with(ModelBuilder().opset(17).opset(18, "ai.onnx")),
                        "the model imports domain 'ai.onnx' twice, in version 17 and in version 18"));
    // An import that no node needs may have any version.
    EXPECT_TRUE(accepted(parse(ModelBuilder().opset(0).input("X", DType::float32, {1}).output("X").build())));
}

TEST(Graph, DomainsOfNodes)
{
    EXPECT_TRUE(accepted(explain_file(with_input().node("Identity", {"X"}, {"Y"}, {}, "", "ai.onnx").build())));
    Result<std::vector<NodeReport>> foreign =
        explain_file(with_input().opset(3, "com.example").node("Identity", {"X"}, {"Y"}, {}, "odd", "com.example").build());
    EXPECT_TRUE(unsupported(foreign,
                            "node 'odd': operator 'Identity' of domain 'com.example', opset 3 is not supported; supported are "));
    // The list is in alphabetical order, one domain after the other.
    const std::string_view list = foreign.message().substr(foreign.message().find("supported are "));
    for (const char* part : {" AveragePool, ", ", Constant, ConstantOfShape, Conv, ConvInteger, ConvTranspose, ", ", Shape, ",
                             ", Xor of domain 'ai.onnx'"})
        EXPECT_NE(list.find(part), std::string_view::npos) << part << " is not in " << list;
}

TEST(Graph, UnsupportedOperatorsCanBeInspectedButNotRun)
{
    std::string file = with_input().node("Multinomial", {"X"}, {"Y"}).output("Y").build();
    Result<Model> model = parse(file);
    ASSERT_TRUE(accepted(model));
    EXPECT_EQ(model->inputs()[0].name, "X");
    EXPECT_TRUE(
        unsupported(explain_file(file), "node 'Y': operator 'Multinomial' of domain 'ai.onnx', opset 17 is not supported"));
}

TEST(Graph, SubgraphsAreNamed)
{
    EXPECT_TRUE(unsupported(explain_file(with_input().node("SequenceMap", {"X"}, {"Y"}, {graph_attribute("body", "")}).build()),
                            "operator 'SequenceMap' of domain 'ai.onnx', opset 17 (with a subgraph in attribute 'body')"));
}

TEST(Graph, NumberOfInputsAndOutputs)
{
    auto with = [](const std::string& op, const Names& inputs, const Names& outputs) {
        return explain_file(with_input().node(op, inputs, outputs).build());
    };
    EXPECT_TRUE(invalid(with("Identity", {}, {"Y"}), "node 'Y': Identity: it has 0 inputs, expected 1 at opset 17"));
    EXPECT_TRUE(invalid(with("Identity", {"X", "X"}, {"Y"}), "Identity: it has 2 inputs, expected 1"));
    EXPECT_TRUE(invalid(with("ConvTranspose", {"X"}, {"Y"}), "ConvTranspose: it has 1 inputs, expected 2 to 3"));
    EXPECT_TRUE(invalid(with("ConvTranspose", {"X", "X", "X", "X"}, {"Y"}), "ConvTranspose: it has 4 inputs"));
    EXPECT_TRUE(invalid(with("ConvTranspose", {"", "X"}, {"Y"}), "ConvTranspose: input 0 is required"));
    EXPECT_TRUE(invalid(with("Shape", {"X"}, {"Y", "Z"}), "Shape: it has 2 outputs, expected one with a name"));
    EXPECT_TRUE(invalid(with("Shape", {"X"}, {""}), "Shape: it has 1 outputs, expected one with a name"));
    EXPECT_TRUE(invalid(with("Shape", {"X"}, {}), "Shape: it has 0 outputs, expected one with a name"));
    EXPECT_TRUE(accepted(with("Identity", {"X", ""}, {"Y"})));
    EXPECT_TRUE(
        invalid(with("GRU", {"X", "X", "X"}, {"", ""}), "GRU: it has 2 outputs, expected 1 to 2, any of them with a name"));
    EXPECT_TRUE(invalid(with("GRU", {"X", "X", "X"}, {"", "", "Y"}), "GRU: it has 3 outputs, expected 1 to 2"));
}

TEST(Graph, ManyNodes)
{
    constexpr int count = 100'000;
    ModelBuilder model = with_input();
    for (int i = 0; i < count; ++i)
        model.node("Identity", {i == 0 ? "X" : std::to_string(i)}, {std::to_string(i + 1)});
    Result<std::vector<NodeReport>> reports = explain_file(model.output(std::to_string(count)).build());
    ASSERT_TRUE(accepted(reports));
    EXPECT_EQ(reports->size(), size_t(count));
}

TEST(Graph, ManyNodesInReverse)
{
    constexpr int count = 100'000;
    ModelBuilder model = with_input();
    for (int i = count; i > 0; --i)
        model.node("Identity", {i == 1 ? "X" : std::to_string(i - 1)}, {std::to_string(i)});
    Result<std::vector<NodeReport>> reports = explain_file(model.output(std::to_string(count)).build());
    ASSERT_TRUE(accepted(reports));
    EXPECT_EQ(reports->size(), size_t(count));
}

}  // namespace
}  // namespace vkonnx::onnx
