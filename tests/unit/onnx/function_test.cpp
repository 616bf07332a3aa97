// This file tests functions that a model defines: how their nodes take the places of calls, what they see, and what is refused.
#include "functions.h"

namespace vkonnx::onnx {
namespace {

TEST(Function, NodesTakeThePlaceOfACall)
{
    const FunctionBuilder twice = function("f", {"a"}, {"b"})
                                      .node("Relu", {"a"}, {"h"}, {}, "first")
                                      .node("Concat", {"h", "h"}, {"b"}, {int_attribute("axis", 2)});
    ModelBuilder model = with_functions({twice});
    model.node("f", {"X"}, {"h"}, {}, "call", "local")
        .node("f", {"h"}, {"Y"}, {}, "", "local")
        .node("f", {"Y"}, {"Z"}, {}, "call", "local");
    const auto nodes = explain_file(model.output("Z").build());
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(names_of(nodes),
              (Names{"call/first Relu", "call/b Concat", "Y/first Relu", "Y/b Concat", "call/first Relu", "call/b Concat"}));
    EXPECT_EQ(made(nodes), (Dims{1, 1, 32}));
    EXPECT_EQ(nodes->at(0).inputs, Names{"X"});
    EXPECT_EQ(nodes->at(1).inputs, (Names{"call/h", "call/h"})) << "its name differs from the caller's h";
    EXPECT_EQ(nodes->at(2).inputs, Names{"h"});
    EXPECT_EQ(nodes->at(4).inputs, Names{"Y"});
    EXPECT_EQ(nodes->at(5).inputs, (Names{"call/h_2", "call/h_2"})) << "another call of the same name";
}

// The caller has values of the names that a call of this name would make.
TEST(Function, NewNamesAreNoneOfTheModels)
{
    const std::string then_branch = ModelBuilder().node("Neg", {"X"}, {"call/g"}).output("call/g").graph();
    const std::string else_branch = ModelBuilder().output("X").graph();
    ModelBuilder model = with_functions(
        {function("f", {"a"}, {"b"}).node("Relu", {"a"}, {"h"}).node("Neg", {"h"}, {"g"}).node("Abs", {"g"}, {"b"})});
    model.input("call/h", DType::float32, {1, 1, 4}).initializer(bool_tensor("c", {}, {1}));
    model.node("f", {"call/h"}, {"Y"}, {}, "call", "local").output("Y");
    model.node("If", {"c"}, {"Z"}, {graph_attribute("then_branch", then_branch), graph_attribute("else_branch", else_branch)})
        .output("Z");
    const auto nodes = explain_file(model.build());
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(nodes->at(0).inputs, Names{"call/h"});
    EXPECT_EQ(nodes->at(1).inputs, Names{"call/h_2"});
    EXPECT_EQ(nodes->at(2).inputs, Names{"call/g_3"});
}

TEST(Function, ACallIsNamedByItsPlaceWhereItHasNoName)
{
    const auto nodes = explain_file(with_functions({function("f", {"a"}, {}).node("Multinomial", {"a"}, {""})})
                                        .node("f", {"X"}, {""}, {}, "", "local")
                                        .output("X")
                                        .build());
    EXPECT_TRUE(invalid(nodes, "node #0 (f): it has 1 outputs, but function 'f' of domain 'local' has 0"));
    const auto inner =
        explain_file(with_functions({function("f", {"a"}, {"b"}).node("Multinomial", {"a"}, {""}).node("Abs", {"a"}, {"b"})})
                         .node("f", {"X"}, {""}, {}, "", "local")
                         .output("X")
                         .build());
    EXPECT_TRUE(unsupported(inner, "node '#0/#0': operator 'Multinomial' of domain 'ai.onnx', opset 17 is not supported"));
}

TEST(Function, AttributesAreTheCallsOrTheDefaults)
{
    const FunctionBuilder given = concatenating(referring_attribute("axis", "by", integer)).attribute("by");
    EXPECT_EQ(made(explain_file(calling({given}, {int_attribute("by", 1)}).build())), (Dims{1, 2, 4}));
    EXPECT_EQ(made(explain_file(calling({given}, {int_attribute("by", 2)}).build())), (Dims{1, 1, 8}));
    EXPECT_TRUE(invalid(explain_file(calling({given}).build()), "node 'call/b': Concat: axis")) << "left out";
    const FunctionBuilder with_default =
        concatenating(referring_attribute("axis", "by", integer)).with_default(int_attribute("by", 0));
    EXPECT_EQ(made(explain_file(calling({with_default}).build())), (Dims{2, 1, 4}));
    EXPECT_EQ(made(explain_file(calling({with_default}, {int_attribute("by", 2)}).build())), (Dims{1, 1, 8}));
    const FunctionBuilder left_out = function("f", {"a"}, {"b"})
                                         .node("Transpose", {"a"}, {"b"}, {referring_attribute("perm", "perm", integers)})
                                         .attribute("perm");
    EXPECT_EQ(made(explain_file(calling({left_out}).build())), (Dims{4, 1, 1})) << "Transpose has a default of its own";
    EXPECT_EQ(made(explain_file(calling({left_out}, {ints_attribute("perm", {0, 2, 1})}).build())), (Dims{1, 4, 1}));
    const FunctionBuilder without_type = concatenating(Proto().bytes(1, "axis").bytes(21, "by").str()).attribute("by");
    EXPECT_EQ(made(explain_file(calling({without_type}, {int_attribute("by", 2)}).build())), (Dims{1, 1, 8}));
}

TEST(Function, WrongAttributesAreRefused)
{
    const FunctionBuilder f =
        concatenating(referring_attribute("axis", "by", integer)).attribute("by").with_default(int_attribute("odd", 1));
    EXPECT_TRUE(
        invalid(parse(calling({f}, {float_attribute("by", 1)}).build()),
                "function 'f' of domain 'local': attribute 'axis' of its node 'b' refers to the function's attribute 'by', "
                "which has type FLOAT, expected INT"));
    EXPECT_TRUE(invalid(parse(calling({f}, {int_attribute("into", 1)}).build()),
                        "node 'call': function 'f' of domain 'local': unknown attribute 'into'; expected one of by, odd"));
    EXPECT_TRUE(
        invalid(parse(calling({function("f", {"a"}, {"b"}).node("Abs", {"a"}, {"b"})}, {int_attribute("into", 1)}).build()),
                "unknown attribute 'into'; expected none"));
    EXPECT_TRUE(
        invalid(parse(calling({f}, {int_attribute("by", 1), int_attribute("by", 1)}).build()), "attribute 'by' is given twice"));
    EXPECT_TRUE(invalid(parse(calling({f}, {referring_attribute("by", "axis", integer)}).build()),
                        "node 'call': function 'f' of domain 'local': attribute 'by' refers to a function's attribute 'axis', "
                        "but the node is not in a function"));
    EXPECT_TRUE(invalid(parse(calling({concatenating(referring_attribute("axis", "by", integer))}).build()),
                        "attribute 'axis' of its node 'b' refers to the function's attribute 'by', which it does not declare"));
    EXPECT_TRUE(invalid(parse(calling({FunctionBuilder(f).attribute("by")}).build()),
                        "function 'f' of domain 'local': its attribute 'by' is declared twice"));
    EXPECT_TRUE(invalid(
        parse(calling({concatenating(int_attribute("axis", 1)).attribute("by").with_default(int_attribute("by", 1))}).build()),
        "its attribute 'by' is declared twice"));
    EXPECT_TRUE(invalid(
        parse(calling({concatenating(int_attribute("axis", 1)).with_default(referring_attribute("by", "odd", integer))}).build()),
        "the default of its attribute 'by' refers to another attribute, expected a value"));
}

TEST(Function, InputsThatACallLeavesOutAreAbsent)
{
    const FunctionBuilder clip = function("f", {"a", "low", "high"}, {"b"}).node("Clip", {"a", "low", "high"}, {"b"});
    const auto inputs = [&](const Names& given) {
        const auto nodes = explain_file(calling({clip}, {}, given).initializer(float_tensor("m", {}, {1})).build());
        return nodes ? nodes->at(0).inputs : Names{std::string(nodes.message())};
    };
    EXPECT_EQ(inputs({"X"}), Names{"X"});
    EXPECT_EQ(inputs({"X", "m"}), (Names{"X", "m"}));
    EXPECT_EQ(inputs({"X", "", "m"}), (Names{"X", "", "m"}));
    EXPECT_TRUE(invalid(parse(calling({clip}, {}, {"X", "", "", ""}).build()),
                        "node 'call': it has 4 inputs, but function 'f' of domain 'local' has 3"));
    EXPECT_TRUE(invalid(explain_file(calling({function("f", {"a", "b"}, {"c"}).node("Add", {"a", "b"}, {"c"})}).build()),
                        "node 'call/c': Add: it has 1 inputs, expected 2"));
}

TEST(Function, OutputsThatACallLeavesOutAreNotRead)
{
    const FunctionBuilder both =
        function("f", {"a"}, {"b", "c"}).node("Relu", {"a"}, {"b"}).node("Concat", {"b", "a"}, {"c"}, {int_attribute("axis", 2)});
    const auto nodes = explain_file(with_functions({both}).node("f", {"X"}, {"", "Y"}, {}, "call", "local").output("Y").build());
    EXPECT_EQ(names_of(nodes), (Names{"call/b Relu", "call/c Concat"}));
    EXPECT_EQ(made(nodes), (Dims{1, 1, 8}));
    EXPECT_EQ(nodes->at(1).inputs, (Names{"call/b", "X"}));
    const auto first = explain_file(calling({both}).build());
    ASSERT_TRUE(accepted(first));
    EXPECT_TRUE(first->at(0).runs());
    EXPECT_FALSE(first->at(1).runs());
    EXPECT_TRUE(invalid(parse(with_functions({both}).node("f", {"X"}, {"", "Y", ""}, {}, "call", "local").build()),
                        "node 'call': it has 3 outputs, but function 'f' of domain 'local' has 2"));
}

TEST(Function, AnOutputMayBeAnInput)
{
    const FunctionBuilder f = function("f", {"a", "b"}, {"b", "c"}).node("Relu", {"a"}, {"c"});
    const auto nodes =
        explain_file(with_functions({f}).node("f", {"X", "X"}, {"Y", "Z"}, {}, "call", "local").output("Y").output("Z").build());
    EXPECT_EQ(names_of(nodes), (Names{"call/b Identity", "call/c Relu"}));
    EXPECT_TRUE(invalid(parse(calling({f}).build()),
                        "node 'call': the output 'b' of function 'f' of domain 'local' is an input that the call leaves out"));
    // A function that is nothing but an input needs no import.
    EXPECT_TRUE(accepted(explain_file(calling({FunctionBuilder("f", {"a"}, {"a"})}).build())));
}

TEST(Function, FunctionsCallFunctions)
{
    const FunctionBuilder f = function("f", {"a"}, {"b"})
                                  .node("g", {"a"}, {"h"}, {referring_attribute("by", "by", integer)}, "left", "local")
                                  .node("g", {"h"}, {"b"}, {int_attribute("by", 1)}, "right", "local")
                                  .attribute("by");
    const FunctionBuilder g = function("g", {"a"}, {"b"})
                                  .node("Concat", {"a", "a"}, {"b"}, {referring_attribute("axis", "by", integer)})
                                  .with_default(int_attribute("by", 0));
    EXPECT_EQ(names_of(explain_file(calling({f, g}).build())), (Names{"call/left/b Concat", "call/right/b Concat"}));
    EXPECT_EQ(made(explain_file(calling({f, g}, {int_attribute("by", 2)}).build())), (Dims{1, 2, 8}));
    EXPECT_EQ(made(explain_file(calling({g, f}).build())), (Dims{2, 2, 4}));
}

TEST(Function, VersionsAreThoseOfTheFunctionsImports)
{
    const FunctionBuilder old = FunctionBuilder("f", {"a"}, {"b"})
                                    .opset(11)
                                    .opset(1, "local")
                                    .node("Unsqueeze", {"a"}, {"h"}, {ints_attribute("axes", {0})})
                                    .node("g", {"h"}, {"b"}, {}, "", "local");
    const FunctionBuilder newer = FunctionBuilder("g", {"a"}, {"b"}).opset(13).node("Relu", {"a"}, {"b"});
    const auto nodes = explain_file(calling({old, newer}).build());
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(nodes->at(0).explanation.equation, "Unsqueeze-11");
    EXPECT_EQ(made(nodes), (Dims{1, 1, 1, 4}));
    EXPECT_TRUE(
        invalid(parse(calling({FunctionBuilder("f", {"a"}, {"b"}).node("Relu", {"a"}, {"b"}, {}, "n")}).build()),
                "node 'call/n': Relu is of domain 'ai.onnx', for which function 'f' of domain 'local' has no opset import"));
    EXPECT_TRUE(invalid(parse(calling({FunctionBuilder("f", {"a"}, {"b"}).opset(0).node("Relu", {"a"}, {"b"})}).build()),
                        "which function 'f' of domain 'local' imports in version 0; versions begin at 1"));
    EXPECT_TRUE(invalid(parse(calling({FunctionBuilder("f", {"a"}, {"b"}).opset(11).opset(12)}).build()),
                        "function 'f' of domain 'local' imports domain 'ai.onnx' twice, in version 11 and in version 12"));
    EXPECT_TRUE(invalid(
        parse(calling({FunctionBuilder("f", {"a"}, {"b"}).opset(11).node("g", {"a"}, {"b"}, {}, "n", "local"), newer}).build()),
        "node 'call/n': g is of domain 'local', for which function 'f' of domain 'local' has no opset import"));
    EXPECT_TRUE(invalid(parse(ModelBuilder()
                                  .opset(17)
                                  .input("X", DType::float32, {1})
                                  .function(newer)
                                  .node("g", {"X"}, {"Y"}, {}, "n", "local")
                                  .build()),
                        "node 'n': g is of domain 'local', for which the model has no opset import"));
}

TEST(Function, AFunctionComesBeforeAnOperatorOfItsName)
{
    const FunctionBuilder abs = FunctionBuilder("Abs", {"a"}, {"b"}, "ai.onnx").opset(17).node("Neg", {"a"}, {"b"}, {}, "n");
    EXPECT_EQ(names_of(explain_file(with_functions({abs}).node("Abs", {"X"}, {"Y"}).output("Y").build())), Names{"Y/n Neg"});
    // The Identity that an output makes necessary is not replaced.
    const FunctionBuilder identity = FunctionBuilder("Identity", {"a"}, {"a"}, "").opset(17);
    EXPECT_EQ(names_of(explain_file(with_functions({identity}).node("Identity", {"X"}, {"Y"}, {}, "n").output("Y").build())),
              Names{"n/a Identity"});
}

TEST(Function, OverloadsAreTold)
{
    const auto overloaded = [](const std::string& op_type, const std::string& overload) {
        return function("f", {"a"}, {"b"}).node(op_type, {"a"}, {"b"}, {}, "n").field(13, overload);
    };
    const std::vector<FunctionBuilder> both = {overloaded("Neg", "one"), overloaded("Abs", "two")};
    const std::string call =
        Proto().bytes(1, "X").bytes(2, "Y").bytes(3, "call").bytes(4, "f").bytes(7, "local").bytes(8, "two").str();
    EXPECT_EQ(names_of(explain_file(with_functions(both).graph_field(1, call).output("Y").build())), Names{"call/n Abs"});
    EXPECT_TRUE(unsupported(explain_file(calling(both).build()),
                            "node 'call': operator 'f' of domain 'local', opset 1 is not supported"));
    EXPECT_TRUE(invalid(parse(calling({overloaded("Neg", "one"), overloaded("Abs", "one")}).build()),
                        "the model defines function 'f' of domain 'local' twice, with the overload 'one'"));
}

// ---- subgraphs

// Both branches read an input and a value of the function. One of them also reads the function's attribute.
TEST(Function, SubgraphsSeeTheFunctionsValuesAndAttributes)
{
    const FunctionBuilder f =
        function("f", {"c", "a"}, {"b"})
            .node("Relu", {"a"}, {"z"}, {}, "relu")
            .node("Neg", {"z"}, {"h"})
            .node("If", {"c"}, {"b"},
                  subgraphs(ModelBuilder()
                                .node("Concat", {"h", "a"}, {"w"}, {referring_attribute("axis", "by", integer)}, "in")
                                .output("w")
                                .graph(),
                            ModelBuilder()
                                .initializer(float_tensor("w", {1, 1, 1}, {2}))
                                .node("Mul", {"h", "w"}, {"v"})
                                .output("v")
                                .graph()),
                  "if")
            .with_default(int_attribute("by", 1));
    for (const bool condition : {true, false}) {
        // The caller has values of the names in the subgraphs.
        ModelBuilder model = with_functions({f});
        model.initializer(bool_tensor("yes", {}, {condition}))
            .node("Abs", {"X"}, {"w"}, {}, "abs")
            .node("f", {"yes", "w"}, {"v"}, {int_attribute("by", 2)}, "call", "local")
            .output("v");
        const auto nodes = explain_file(model.build());
        ASSERT_TRUE(accepted(nodes));
        EXPECT_EQ(names_of(nodes),
                  (Names{"abs Abs", "call/relu Relu", "call/h Neg", "call/in Concat", "call/v Mul", "call/if If"}));
        EXPECT_EQ(made(nodes), (Dims{1, 1, condition ? 8 : 4}));
        EXPECT_EQ(nodes->at(3).inputs, (Names{"call/h", "w"}));
        EXPECT_EQ(nodes->at(4).inputs, (Names{"call/h", "call/w"}));
    }
}

TEST(Function, BranchesMayCallFunctions)
{
    const FunctionBuilder f = concatenating(int_attribute("axis", 2));
    const FunctionBuilder g =
        function("g", {"c", "a"}, {"b"})
            .node("If", {"c"}, {"b"}, subgraphs(subgraph("f", {"a"}, {}, "local"), subgraph("Neg", {"a"})), "if");
    ModelBuilder model = with_functions({f, g});
    model.initializer(bool_tensor("yes", {}, {1}));
    const std::string calls = ModelBuilder()
                                  .node("f", {"X"}, {"w"}, {}, "c1", "local")
                                  .node("g", {"yes", "w"}, {"z"}, {}, "c2", "local")
                                  .output("z")
                                  .graph();
    const auto nodes =
        explain_file(model.node("If", {"yes"}, {"Y"}, subgraphs(calls, subgraph("Neg", {"X"}))).output("Y").build());
    EXPECT_EQ(made(nodes), (Dims{1, 1, 16}));
    EXPECT_EQ(names_of(nodes), (Names{"c1/b Concat", "c2/in/b Concat", "c2/in Neg", "c2/if If", "in Neg", "Y If"}));
}

// The subgraph is the caller's, so that it has the caller's names and versions.
TEST(Function, ASubgraphMayBeAnAttributeOfACall)
{
    const FunctionBuilder f =
        FunctionBuilder("f", {"c", "a"}, {"b"})
            .opset(11)
            .node("Relu", {"a"}, {"h"})
            .node("If", {"c"}, {"b"},
                  {referring_attribute("then_branch", "body", graph), referring_attribute("else_branch", "otherwise", graph)},
                  "if")
            .attribute("body")
            .with_default(graph_attribute("otherwise", subgraph("Concat", {"h", "h"}, {int_attribute("axis", 1)})));
    for (const bool condition : {true, false}) {
        const std::string body = ModelBuilder()
                                     .node("Unsqueeze", {"h", "axes"}, {"z"}, {}, "in")
                                     .node("g", {"z"}, {"y"}, {}, "deep", "local")
                                     .output("y")
                                     .graph();
        ModelBuilder model = with_functions({f, function("g", {"a"}, {"b"}).node("Neg", {"a"}, {"b"}, {}, "n")});
        model.initializer(bool_tensor("yes", {}, {condition}))
            .initializer(int64_tensor("axes", {1}, {0}))
            .node("Abs", {"X"}, {"h"}, {}, "abs");
        const auto nodes = explain_file(
            model.node("f", {"yes", "X"}, {"Y"}, {graph_attribute("body", body)}, "call", "local").output("Y").build());
        ASSERT_TRUE(accepted(nodes));
        EXPECT_EQ(names_of(nodes),
                  (Names{"abs Abs", "call/h Relu", "in Unsqueeze", "deep/n Neg", "call/in Concat", "call/if If"}));
        EXPECT_EQ(nodes->at(2).inputs, (Names{"h", "axes"}));
        EXPECT_EQ(nodes->at(4).inputs, (Names{"call/h", "call/h"}));
        EXPECT_EQ(made(nodes), condition ? (Dims{1, 1, 1, 4}) : (Dims{1, 2, 4}));
    }
}

TEST(Function, ASubgraphMayNotReturnAnInputThatIsLeftOut)
{
    const FunctionBuilder f =
        function("f", {"a", "o"}, {"b"})
            .node("If", {"a"}, {"b"}, subgraphs(ModelBuilder().output("o").graph(), ModelBuilder().output("a").graph()));
    EXPECT_TRUE(
        invalid(parse(calling({f}).build()),
                "function 'f' of domain 'local': the output 'o' of a subgraph is an input that the call 'call/' leaves out"));
}

}  // namespace
}  // namespace vkonnx::onnx
