// This file tests what is refused of functions that a model defines, and how many nodes and bytes their calls may make.
#include "functions.h"

namespace vkonnx::onnx {
namespace {

// ---- what is refused

TEST(Function, SeesNothingOfItsCaller)
{
    const auto nodes = parse(calling({function("f", {"a"}, {"b"}).node("Add", {"a", "X"}, {"b"}, {}, "n")}).build());
    EXPECT_TRUE(
        invalid(nodes, "node 'call/n': its input 'call/X' is neither a graph input nor an initializer nor a node's output"));
}

TEST(Function, NamesWithinItAreClear)
{
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"b"})}).build()),
                        "function 'f' of domain 'local': its output 'b' is neither one of its inputs nor a node's output"));
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"b", "b"}).node("Abs", {"a"}, {"b"})}).build()),
                        "its output 'b' is given twice"));
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a", "a"}, {"b"}).node("Abs", {"a"}, {"b"})}).build()),
                        "its input 'a' is given twice"));
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"a"}).node("Abs", {"a"}, {"a"})}).build()),
                        "its input 'a' has the name of what a node or an initializer within it makes"));
    const std::string hiding = ModelBuilder().initializer(float_tensor("a", {}, {1})).output("a").graph();
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"b"}).node("If", {"a"}, {"b"}, subgraphs(hiding, hiding))}).build()),
                        "its input 'a' has the name of what a node or an initializer within it makes"));
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"b"}), function("f", {"a"}, {"a"})}).build()), "its output 'b'"));
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"a"}), function("f", {"a"}, {"a"})}).build()),
                        "the model defines function 'f' of domain 'local' twice"));
    EXPECT_TRUE(invalid(
        parse(calling({function("f", {"a"}, {"b"}).node("Abs", {"a"}, {"b"}).node("Neg", {"a"}, {"b"}, {}, "n")}).build()),
        "node 'call/n': its output 'Y' is made twice"));
}

TEST(Function, NoFunctionCallsItself)
{
    const FunctionBuilder f = function("f", {"a"}, {"b"}).node("g", {"a"}, {"b"}, {}, "n", "local");
    const FunctionBuilder g = function("g", {"a"}, {"b"})
                                  .node("If", {"a"}, {"b"}, subgraphs(subgraph("f", {"a"}, {}, "local"), subgraph("Abs", {"a"})));
    EXPECT_TRUE(invalid(parse(calling({f, g}).build()),
                        "node 'call/n/in': function 'f' of domain 'local' calls itself, which ONNX forbids"));
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"b"}).node("f", {"a"}, {"b"}, {}, "n", "local")}).build()),
                        "node 'call/n': function 'f' of domain 'local' calls itself"));
}

// Each function calls the next one twice.
std::vector<FunctionBuilder> doubling(int functions, const FunctionBuilder& last)
{
    std::vector<FunctionBuilder> all = {last};
    for (int i = 1; i < functions; ++i) {
        const std::string next = i + 1 < functions ? "f" + std::to_string(i + 1) : "last";
        all.push_back(function(i == 1 ? "f" : "f" + std::to_string(i), {"a"}, {"b"})
                          .node(next, {"a"}, {"h"}, {}, "", "local")
                          .node(next, {"h"}, {"b"}, {}, "", "local"));
    }
    return all;
}

TEST(Function, ThereIsAMostOfNodes)
{
    const FunctionBuilder last = function("last", {"a"}, {"b"}).node("Abs", {"a"}, {"b"});
    const auto small = explain_file(calling(doubling(9, last)).build());
    ASSERT_TRUE(accepted(small));
    EXPECT_EQ(small->size(), 256u);
    constexpr const char* sentence =
        "the calls of the model's functions make more than 200000 nodes, which is the limit of this library";
    EXPECT_TRUE(unsupported(parse(calling(doubling(31, last)).build()), sentence));
    EXPECT_TRUE(unsupported(parse(calling(doubling(31, function("last", {"a"}, {"a"}))).build()), sentence))
        << "functions without nodes";
    // Each function hands on an If whose branches are both what it got.
    std::vector<FunctionBuilder> handing = {
        function("f0", {"c"}, {"b"})
            .node("If", {"c"}, {"b"},
                  {referring_attribute("then_branch", "g", graph), referring_attribute("else_branch", "g", graph)})
            .attribute("g")};
    for (int i = 1; i < 24; ++i) {
        const std::string both =
            ModelBuilder()
                .node("If", {"c"}, {"z"},
                      {referring_attribute("then_branch", "g", graph), referring_attribute("else_branch", "g", graph)})
                .output("z")
                .graph();
        handing.push_back(function(i == 23 ? "f" : "f" + std::to_string(i), {"c"}, {"b"})
                              .node("f" + std::to_string(i - 1), {"c"}, {"b"}, {graph_attribute("g", both)}, "", "local")
                              .attribute("g"));
    }
    EXPECT_TRUE(unsupported(parse(calling(handing, {graph_attribute("g", subgraph("Abs", {"X"}))}).build()), sentence));
}

TEST(Function, ThereIsAMostOfBytes)
{
    constexpr const char* sentence = "the calls of the model's functions make nodes and names of more than 268435456 bytes";
    const std::string long_name(100'000, 'n');
    EXPECT_TRUE(unsupported(
        parse(calling(doubling(20, function("last", {"a"}, {"b"}).node("Abs", {"a"}, {"b"}, {}, long_name))).build()), sentence));
    EXPECT_TRUE(unsupported(
        parse(calling(doubling(20, function("last", {"a"}, {"b"})
                                       .node("Abs", {"a"}, {"b"}, {ints_attribute("odd", std::vector<int64_t>(100'000))})))
                  .build()),
        sentence));
    EXPECT_TRUE(unsupported(
        parse(calling(doubling(20, function("last", {"a"}, {"b"}).node("Concat", Names(10'000, "a"), {"b"}))).build()),
        sentence));
    Names many = {"a"};
    for (int i = 0; i < 20'000; ++i)
        many.push_back("i" + std::to_string(i));
    EXPECT_TRUE(unsupported(parse(calling(doubling(20, function("last", many, {"a"}))).build()), sentence));
    const std::string graph =
        ModelBuilder().initializer(float_tensor("w", Dims(64, 1), {1})).node("Abs", {"w"}, {"z"}).output("z").graph();
    EXPECT_TRUE(accepted(
        parse(calling(doubling(10, function("last", {"a"}, {"b"}).node("If", {"a"}, {"b"}, subgraphs(graph, graph)))).build())));
    std::vector<int64_t> ones(64, 1);
    ModelBuilder weights;
    for (int i = 0; i < 1000; ++i)
        weights.initializer(float_tensor("w" + std::to_string(i), ones, {1}));
    const std::string heavy = weights.output("w0").graph();
    EXPECT_TRUE(unsupported(
        parse(calling(doubling(20, function("last", {"a"}, {"b"}).node("If", {"a"}, {"b"}, subgraphs(heavy, heavy)))).build()),
        sentence));
}

TEST(Function, CallsAndSubgraphsLieInOneAnotherOnlySoDeep)
{
    const auto chain = [](int functions) {
        std::vector<FunctionBuilder> all = {function(functions == 1 ? "f" : "f1", {"a"}, {"b"}).node("Abs", {"a"}, {"b"})};
        for (int i = 2; i <= functions; ++i)
            all.push_back(function(i == functions ? "f" : "f" + std::to_string(i), {"a"}, {"b"})
                              .node("f" + std::to_string(i - 1), {"a"}, {"b"}, {}, "n", "local"));
        return parse(calling(all).build());
    };
    EXPECT_TRUE(accepted(chain(64)));
    EXPECT_TRUE(unsupported(chain(65), "function 'f1' of domain 'local' is called by functions that call each other more than 64 "
                                       "deep, which is the limit of this library"));
    const auto nested = [](int functions) {
        std::vector<FunctionBuilder> all = {function("f1", {"a"}, {"b"}).node("Abs", {"a"}, {"b"})};
        for (int i = 2; i <= functions; ++i)
            all.push_back(
                function(i == functions ? "f" : "f" + std::to_string(i), {"a"}, {"b"})
                    .node("If", {"a"}, {"b"},
                          subgraphs(subgraph("f" + std::to_string(i - 1), {"a"}, {}, "local"), subgraph("Abs", {"a"}))));
        return parse(calling(all).build());
    };
    EXPECT_TRUE(accepted(nested(33)));
    EXPECT_TRUE(
        invalid(nested(34), "with the model's functions in their places, subgraphs lie in one another more than 32 deep"));
}

TEST(Function, WrongMessagesAreTold)
{
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"b"}).field(7, "")}).build()),
                        "a node without op_type (functions[0].node[0]"));
    EXPECT_TRUE(invalid(parse(calling({function("", {"a"}, {"b"})}).build()), "a function without a name (functions[0]"));
    EXPECT_TRUE(invalid(parse(calling({function("f", {"a"}, {"b"}).field(11, "")}).build()),
                        "an attribute without a name (functions[0].attribute_proto[0]"));
}

}  // namespace
}  // namespace vkonnx::onnx
