// This file tests If: which branch takes its place, what its branches see of the graphs around them, and what is refused.
#include "helpers.h"

namespace vkonnx::onnx {
namespace {

// Returns a branch of one node, which makes Z.
std::string branch(const std::string& op, const Names& inputs, const std::vector<std::string>& attributes = {})
{
    return ModelBuilder().node(op, inputs, {"Z"}, attributes).output("Z").graph();
}

// Returns a branch that makes Z of the dimensions 1, 1 and `times` * 4, where X has 1, 1 and 4.
std::string repeating(size_t times)
{
    return branch("Concat", Names(times, "X"), {int_attribute("axis", 2)});
}

std::vector<std::string> branches(const std::string& then_branch, const std::string& else_branch)
{
    return {graph_attribute("then_branch", then_branch), graph_attribute("else_branch", else_branch)};
}

ModelBuilder with_condition(bool condition)
{
    return ModelBuilder().opset(17).input("X", DType::float32, {1, 1, 4}).initializer(bool_tensor("c", {}, {condition}));
}

ModelBuilder with_if(ModelBuilder model, const std::string& then_branch, const std::string& else_branch)
{
    return model.node("If", {"c"}, {"Y"}, branches(then_branch, else_branch), "if").output("Y");
}

// Returns the last dimension of what the last node makes.
testing::AssertionResult makes(const Result<std::vector<NodeReport>>& nodes, int64_t last)
{
    if (!nodes)
        return testing::AssertionFailure() << nodes.message();
    const Dims& dims = nodes->back().explanation.outputs.front().dims;
    if (dims.empty() || dims.back() != last)
        return testing::AssertionFailure() << testing::PrintToString(dims) << ", expected " << last << " at the end";
    return testing::AssertionSuccess();
}

// ---- conditions

TEST(If, TheBranchOfItsConditionTakesItsPlace)
{
    for (const bool condition : {true, false}) {
        const auto nodes = explain_file(with_if(with_condition(condition), repeating(2), repeating(3)).build());
        ASSERT_TRUE(makes(nodes, condition ? 8 : 12));
        ASSERT_EQ(nodes->size(), 3u) << "the nodes of then_branch, those of else_branch, the If";
        EXPECT_TRUE(nodes->at(condition ? 0 : 1).runs());
        const Explanation& other = nodes->at(condition ? 1 : 0).explanation;
        EXPECT_EQ(other.kernel, "none");
        EXPECT_EQ(other.why, "it is in a branch of node 'if' that is not taken");
        EXPECT_TRUE(other.outputs.empty());
        EXPECT_EQ(nodes->at(2).explanation.kernel, "view");
        EXPECT_EQ(nodes->at(2).explanation.why, condition ? "its condition is true: the nodes of then_branch take its place"
                                                          : "its condition is false: the nodes of else_branch take its place");
        EXPECT_EQ(nodes->at(2).explanation.equation, "If-16");
        EXPECT_EQ(nodes->at(2).inputs, Names{"c"});
    }
}

TEST(If, EveryVersionIsTaken)
{
    const std::pair<int64_t, int> versions[] = {{7, 1},   {11, 11}, {13, 13}, {16, 16}, {19, 19},
                                                {21, 21}, {23, 23}, {24, 24}, {25, 25}};
    for (const auto& [opset, version] : versions) {
        ModelBuilder model;
        model.opset(opset).input("X", DType::float32, {1, 1, 4}).initializer(bool_tensor("c", {1, 1}, {1}));
        const auto nodes = explain_file(with_if(model, branch("Abs", {"X"}), branch("Neg", {"X"})).build());
        ASSERT_TRUE(makes(nodes, 4));
        EXPECT_EQ(nodes->back().explanation.equation, "If-" + std::to_string(version));
    }
}

// The condition tells whether X has 4 columns.
ModelBuilder counting_columns(int64_t columns)
{
    return ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {1, 1, columns})
        .initializer(int64_tensor("two", {}, {2}))
        .initializer(int64_tensor("four", {}, {4}))
        .node("Shape", {"X"}, {"s"})
        .node("Gather", {"s", "two"}, {"columns"})
        .node("Equal", {"columns", "four"}, {"c"});
}

TEST(If, AConditionMayFollowFromDimensions)
{
    EXPECT_TRUE(makes(explain_file(with_if(counting_columns(4), repeating(2), repeating(3)).build()), 8));
    EXPECT_TRUE(makes(explain_file(with_if(counting_columns(5), repeating(2), repeating(3)).build()), 15));
}

// The inner If reads what the outer branch makes, and a value of the model's graph.
TEST(If, BranchesMayHoldFurtherIfs)
{
    const auto nested = [](bool condition, bool inner) {
        const std::string doubled =
            ModelBuilder()
                .initializer(bool_tensor("yes", {}, {inner}))
                .node("Concat", {"X", "X"}, {"two"}, {int_attribute("axis", 2)})
                .node("If", {"yes"}, {"chosen"},
                      branches(branch("Concat", {"two", "X"}, {int_attribute("axis", 2)}), branch("Neg", {"two"})), "inner")
                .node("Identity", {"chosen"}, {"Z"})
                .output("Z")
                .graph();
        return explain_file(with_if(with_condition(condition), doubled, repeating(1)).build());
    };
    EXPECT_TRUE(makes(nested(true, true), 12));
    EXPECT_TRUE(makes(nested(true, false), 8));
    EXPECT_TRUE(makes(nested(false, true), 4));
    const auto nodes = nested(false, true);
    for (size_t i = 0; i < 5; ++i)
        EXPECT_EQ(nodes->at(i).explanation.kernel, "none") << i;
    EXPECT_EQ(nodes->at(1).explanation.why, "it is in a branch of node 'inner' that is not taken");
    EXPECT_EQ(nodes->at(3).name, "inner");
    EXPECT_EQ(nodes->at(3).explanation.why, "it is in a branch of node 'if' that is not taken");
}

TEST(If, AConditionIsOneBool)
{
    const auto with = [](const std::string& condition) {
        ModelBuilder model;
        model.opset(17).input("X", DType::float32, {1, 1, 4}).initializer(condition);
        return explain_file(with_if(model, repeating(2), repeating(3)).build());
    };
    EXPECT_TRUE(makes(with(bool_tensor("c", {1}, {0})), 12));
    EXPECT_TRUE(invalid(with(bool_tensor("c", {2}, {1, 1})), "node 'if': If: cond ('c') is bool[2], expected one bool"));
    EXPECT_TRUE(invalid(with(bool_tensor("c", {0}, {})), "node 'if': If: cond ('c') is bool[0], expected one bool"));
    EXPECT_TRUE(invalid(with(int64_tensor("c", {}, {1})), "node 'if': If: cond ('c') is int64[], expected one bool"));
}

TEST(If, AConditionMustBeKnown)
{
    const auto with = [](const std::string& then_branch) {
        ModelBuilder model;
        model.opset(17).input("X", DType::float32, {1, 1, 4}).input("c", DType::boolean, {});
        return explain_file(with_if(model, then_branch, branch("Neg", {"X"})).build());
    };
    // The If is named once, also where its branch, or one of an If within it, has the first node.
    const std::string named =
        "node 'if': If: cond ('c') is known only when running; supported are an initializer, a Constant, an "
        "input with NamedDesc::value, ";
    EXPECT_TRUE(unsupported(with(repeating(2)), named));
    const std::string inner = branch("If", {"c"}, branches(branch("Abs", {"X"}), branch("Neg", {"X"})));
    const Result<std::vector<NodeReport>> nested = with(inner);
    EXPECT_TRUE(unsupported(nested, named));
    EXPECT_TRUE(nested.message().starts_with("node 'if': If"));
    const Result<Model> model =
        parse(with_if(ModelBuilder().opset(17).input("X", DType::float32, {1, 1, 4}).input("c", DType::boolean, {}),
                      ModelBuilder().output("X").graph(), ModelBuilder().output("X").graph())
                  .build());
    ASSERT_TRUE(accepted(model));
    const Result<GraphReport> empty = explain(*model, {}, *Capabilities::preset("minimum"));
    EXPECT_TRUE(unsupported(empty, named));
    EXPECT_TRUE(empty.message().starts_with("node 'if': If"));
}

NamedDesc known_condition(bool condition)
{
    NamedDesc named;
    named.name = "c";
    named.desc.dtype = DType::boolean;
    HostTensor value;
    value.desc = named.desc;
    value.data = {std::byte(condition)};
    named.value = value;
    return named;
}

TEST(If, AnInputThatIsKnownMayBeTheCondition)
{
    ModelBuilder model;
    model.opset(17).input("X", DType::float32, {1, 1, 4}).input("c", DType::boolean, {});
    const std::string file = with_if(model, repeating(2), repeating(3)).build();
    EXPECT_TRUE(makes(explain_file(file, {known_condition(true)}), 8));
    EXPECT_TRUE(makes(explain_file(file, {known_condition(false)}), 12));
}

// The host does not add floats, so that elements that are known do not help.
TEST(If, AConditionThatOnlyADeviceComputesIsRefused)
{
    ModelBuilder model;
    model.opset(17).input("X", DType::float32, {1, 1, 4}).initializer(float_tensor("zero", {}, {0}));
    model.node("ReduceSum", {"X"}, {"sum"}).node("Greater", {"sum", "zero"}, {"c"});
    NamedDesc x;
    x.name = "X";
    x.desc.dims = {1, 1, 4};
    HostTensor value;
    value.desc = x.desc;
    value.data.resize(16);
    x.value = value;
    EXPECT_TRUE(unsupported(explain_file(with_if(model, repeating(2), repeating(3)).build(), {x}),
                            "node 'if': If: cond ('c') is known only when running"));
}

// A session must know the elements of an input that decides a branch, by itself or by what is computed from it, and of one that
// decides dimensions by what a branch makes.
TEST(If, InputsThatDecideABranchAreTold)
{
    const std::string sizes =
        ModelBuilder().node("Mul", {"n", "one"}, {"Z"}).node("Abs", {"free"}, {"A"}).output("A").output("Z").graph();
    const std::string others = ModelBuilder().output("free").output("m").graph();
    const Result<Model> model = parse(ModelBuilder()
                                          .opset(17)
                                          .input("X", DType::float32, {1, 1, 4})
                                          .input("rate", DType::int64, {})
                                          .input("n", DType::int64, {3})
                                          .input("m", DType::int64, {3})
                                          .input("free", DType::float32, {1, 1, 4})
                                          .initializer(int64_tensor("one", {}, {1}))
                                          .node("Equal", {"rate", "one"}, {"c"})
                                          .node("If", {"c"}, {"V", "shape"}, branches(sizes, others))
                                          .node("Reshape", {"X", "shape"}, {"Y"})
                                          .node("If", {"c"}, {"W"}, branches(branch("Abs", {"free"}), branch("Neg", {"free"})))
                                          .output("Y")
                                          .output("V")
                                          .output("W")
                                          .build());
    ASSERT_TRUE(accepted(model));
    const bool expected[] = {false, true, true, true, false};
    for (size_t i = 0; i < 5; ++i)
        EXPECT_EQ(model->inputs()[i].decides_dimensions, expected[i]) << model->inputs()[i].name;
}

// ---- what is not supported

TEST(If, WhatIsUnsupportedInTheOtherBranchDoesNoHarm)
{
    const std::string sequence = Proto().bytes(1, "X").bytes(2, Proto().bytes(4, "").str()).str();
    const std::pair<std::string, std::string> rows[] = {
        {branch("Hardmax", {"X"}),
         "node 'Z': operator 'Hardmax' of domain 'ai.onnx', opset 17 is not supported; supported are Abs"},
        {branch("Loop", {"X"}, {graph_attribute("body", "")}), "node 'Z': operator 'Loop' of domain 'ai.onnx', opset 17 (with a "
                                                               "subgraph in attribute 'body') is not supported; supported"},
        {ModelBuilder().graph_field(15, "").output("X").graph(),
         "node 'if': If: then_branch: the graph has a sparse initializer, which is not supported"},
        {ModelBuilder().output("c").graph_field(12, sequence).graph(),
         "node 'if': If: then_branch: output 'X': it is no dense tensor; sequences, maps, optionals"},
    };
    for (const auto& [unknown, sentence] : rows) {
        EXPECT_TRUE(makes(explain_file(with_if(with_condition(false), unknown, repeating(3)).build()), 12)) << sentence;
        EXPECT_TRUE(unsupported(explain_file(with_if(with_condition(true), unknown, repeating(3)).build()), sentence));
    }
    // The model is refused, whichever branch is taken, where the unsupported node is in the model's own graph.
    ModelBuilder outside = with_condition(false);
    outside.node("Hardmax", {"X"}, {"H"});
    EXPECT_TRUE(unsupported(explain_file(with_if(outside, repeating(2), repeating(3)).build()), "node 'H': operator 'Hardmax'"));
}

// A Reshape that fits no element is wrong only where it runs.
TEST(If, WhatIsWrongInTheOtherBranchDoesNoHarm)
{
    const std::string wrong = ModelBuilder()
                                  .initializer(int64_tensor("shape", {2}, {3, 5}))
                                  .node("Reshape", {"X", "shape"}, {"Z"}, {}, "wrong")
                                  .output("Z")
                                  .graph();
    EXPECT_TRUE(makes(explain_file(with_if(with_condition(true), repeating(2), wrong).build()), 8));
    EXPECT_TRUE(
        invalid(explain_file(with_if(with_condition(false), repeating(2), wrong).build()), "node 'wrong': Reshape: shape [3,5]"));
}

// ---- names

TEST(If, BranchesSeeWhatTheGraphsAroundThemHave)
{
    const auto taken = [](const std::string& then_branch) {
        ModelBuilder model = with_condition(true);
        model.initializer(float_tensor("W", {1, 1, 2}, {1, 2})).node("Concat", {"X", "X"}, {"twice"}, {int_attribute("axis", 2)});
        return explain_file(with_if(model, then_branch, repeating(1)).build());
    };
    EXPECT_TRUE(makes(taken(branch("Neg", {"twice"})), 8));
    EXPECT_TRUE(makes(taken(branch("Neg", {"W"})), 2));
    // An output may be a value of another graph, or an initializer.
    EXPECT_TRUE(makes(taken(ModelBuilder().output("X").graph()), 4));
    EXPECT_TRUE(makes(taken(ModelBuilder().output("twice").graph()), 8));
    EXPECT_TRUE(makes(taken(ModelBuilder().initializer(float_tensor("own", {1, 1, 3}, {1, 2, 3})).output("own").graph()), 3));
    // An initializer hides a value of the same name. Old files list it among the inputs.
    const std::string hiding = float_tensor("W", {1, 1, 5}, {1, 2, 3, 4, 5});
    EXPECT_TRUE(makes(taken(ModelBuilder().initializer(hiding).node("Neg", {"W"}, {"Z"}).output("Z").graph()), 5));
    EXPECT_TRUE(makes(taken(ModelBuilder()
                                .input("W", DType::float32, {1, 1, 5})
                                .initializer(hiding)
                                .node("Neg", {"W"}, {"Z"})
                                .output("Z")
                                .graph()),
                      5));
}

// What a branch makes is its own: the If's output, the other branch and what comes later may have the same names.
TEST(If, NamesEndWithTheirBranch)
{
    ModelBuilder model = with_condition(true);
    const auto making = [](const std::string& name) { return ModelBuilder().node("Neg", {"X"}, {name}).output(name).graph(); };
    model.node("If", {"c"}, {"Y"}, branches(making("Y"), making("Y")))
        .node("If", {"c"}, {"B"}, branches(making("later"), making("Z")))
        .node("Abs", {"B"}, {"later"})
        .output("later");
    EXPECT_TRUE(makes(explain_file(model.build()), 4));
    model.node("Neg", {"Z"}, {"gone"}, {}, "outside");
    EXPECT_TRUE(invalid(parse(model.build()), "node 'outside': its input 'Z' is neither a graph input nor an initializer"));
}

// A branch may read what a node makes that stands behind the If, and its own nodes may stand in any order, too.
TEST(If, WaitsForWhatItsBranchesRead)
{
    ModelBuilder model = with_condition(true);
    const std::string unordered = ModelBuilder().node("Neg", {"a"}, {"b"}).node("Add", {"after", "X"}, {"a"}).output("b").graph();
    model.node("If", {"c"}, {"Y"}, branches(unordered, repeating(1))).node("Abs", {"X"}, {"after"});
    const Result<std::vector<NodeReport>> reports = explain_file(model.output("Y").build());
    ASSERT_TRUE(reports) << reports.message();
    std::vector<std::string> order;
    for (const NodeReport& report : *reports)
        order.push_back(report.op_type);
    EXPECT_EQ(order, (std::vector<std::string>{"Abs", "Add", "Neg", "Concat", "If"}));
}

TEST(If, WrongNamesAreFoundOnLoading)
{
    const auto wrong = [](const std::string& then_branch, const std::string& what) {
        ModelBuilder model = with_condition(false);
        model.node("Neg", {"X"}, {"before"});
        model.node("If", {"c"}, {"Y"}, branches(then_branch, repeating(1)), "if").node("Neg", {"X"}, {"after"}, {}, "last");
        return invalid(parse(model.output("Y").build()), "node 'if': If: then_branch: " + what);
    };
    EXPECT_TRUE(wrong(branch("Neg", {"nothing"}),
                      "node 'Z': its input 'nothing' is neither a graph input nor an initializer nor a node's output"));
    EXPECT_TRUE(wrong(branch("Neg", {"Y"}), "node 'Z': its input 'Y', made by node 'if', is part of a cycle or depends on one"));
    EXPECT_TRUE(wrong(branch("Neg", {"Z"}), "node 'Z': its input 'Z' is its own output"));
    EXPECT_TRUE(wrong(ModelBuilder().node("Neg", {"b"}, {"a"}).node("Neg", {"a"}, {"b"}).output("a").graph(),
                      "node 'a': its input 'b', made by node 'b', is part of a cycle or depends on one"));
    for (const std::string name : {"X", "c", "before"})
        EXPECT_TRUE(wrong(ModelBuilder().node("Neg", {"X"}, {name}).output(name).graph(),
                          "node '" + name + "': its output '" + name + "' has the name of a value of a graph around it"));
    EXPECT_TRUE(wrong(ModelBuilder().node("Neg", {"X"}, {"a"}).node("Abs", {"X"}, {"a"}).output("a").graph(),
                      "node 'a': its output 'a' is made twice"));
    EXPECT_TRUE(wrong(ModelBuilder().output("nothing").graph(), "the graph output 'nothing' is neither"));
    EXPECT_TRUE(wrong(ModelBuilder().output("X").output("X").graph(), "two graph outputs have the name 'X'"));
    EXPECT_TRUE(wrong(ModelBuilder().input("q", DType::float32, {1}).output("q").graph(),
                      "it has the input 'q', which nothing fills; expected none"));
    EXPECT_TRUE(wrong(ModelBuilder().initializer(float_tensor("W", {3}, {1})).output("W").graph(), "initializer 0: tensor 'W'"));
    EXPECT_TRUE(wrong(ModelBuilder().node("Neg", {"X"}, {"Z"}, {}, "", "foreign").output("Z").graph(),
                      "node 'Z': Neg is of domain 'foreign', for which the model has no opset import"));
}

// ---- the node

TEST(If, BothBranchesHaveAsManyOutputsAsTheNode)
{
    const std::string one = ModelBuilder().output("X").graph();
    const std::string two = ModelBuilder().output("X").output("c").graph();
    const auto with = [&](const std::string& then_branch, const std::string& else_branch, const Names& outputs) {
        return explain_file(with_condition(true).node("If", {"c"}, outputs, branches(then_branch, else_branch), "if").build());
    };
    EXPECT_TRUE(accepted(with(two, two, {"Y", "Z"})));
    EXPECT_TRUE(accepted(with(two, two, {"Y", ""})));
    EXPECT_TRUE(invalid(with(two, one, {"Y", "Z"}), "node 'if': If: else_branch: it has 1 outputs, but the node has 2"));
    EXPECT_TRUE(invalid(with(two, one, {"Y"}), "node 'if': If: then_branch: it has 2 outputs, but the node has 1"));
    EXPECT_TRUE(invalid(with(one, one, {}), "node 'if': If: it has 0 outputs, expected 1 or more"));
}

TEST(If, AttributesAreTheBranches)
{
    const auto with = [](const std::vector<std::string>& attributes, const Names& inputs = {"c"}) {
        return explain_file(with_condition(true).node("If", inputs, {"Y"}, attributes, "if").output("Y").build());
    };
    const std::string then_branch = graph_attribute("then_branch", repeating(2));
    const std::string else_branch = graph_attribute("else_branch", repeating(3));
    EXPECT_TRUE(makes(with({else_branch, then_branch}), 8));
    EXPECT_TRUE(invalid(with({then_branch}), "node 'if': If: attribute else_branch is required"));
    EXPECT_TRUE(invalid(with({else_branch}), "node 'if': If: attribute then_branch is required"));
    EXPECT_TRUE(invalid(with({then_branch, else_branch, then_branch}), "If: attribute then_branch is given twice"));
    EXPECT_TRUE(invalid(with({then_branch, else_branch, int_attribute("odd", 1)}), "If: unknown attribute 'odd'"));
    EXPECT_TRUE(
        invalid(with({then_branch, int_attribute("else_branch", 1)}), "attribute else_branch has type INT, expected GRAPH"));
    EXPECT_TRUE(invalid(with({then_branch, Proto().bytes(1, "else_branch").integer(20, 5).str()}),
                        "attribute 'else_branch' of type GRAPH has no value (graph.node[0].attribute[1]"));
    EXPECT_TRUE(invalid(with({then_branch, else_branch}, {}), "If: it has 0 inputs, expected 1"));
    EXPECT_TRUE(invalid(with({then_branch, else_branch}, {"c", "c"}), "If: it has 2 inputs, expected 1"));
}

TEST(If, OutputsHaveTheTypesThatTheirBranchDeclares)
{
    const auto with = [](DType dtype) {
        const std::string declaring = ModelBuilder().node("Neg", {"X"}, {"Z"}).output("Z", dtype, {9}).graph();
        return explain_file(with_if(with_condition(false), repeating(2), declaring).build());
    };
    EXPECT_TRUE(makes(with(DType::float32), 4)) << "declared extents bind nothing";
    EXPECT_TRUE(
        invalid(with(DType::int64), "node 'if': If: else_branch: output 'Z' is float[1,1,4], but the branch declares int64[9]"));
}

// Nodes are known by their place in the whole model: the first nodes of two graphs compute different numbers of the same
// constant.
TEST(If, WhatIsComputedBeforehandIsNotMistaken)
{
    const std::string negated = ModelBuilder().node("Sub", {"n", "one"}, {"Z"}).output("Z").graph();
    ModelBuilder model = with_condition(true);
    model.initializer(int64_tensor("n", {1}, {5})).initializer(int64_tensor("one", {1}, {1}));
    model.node("Add", {"n", "one"}, {"more"})
        .node("If", {"c"}, {"less"}, branches(negated, negated))
        .node("Concat", {"more", "less"}, {"both"}, {int_attribute("axis", 0)})
        .node("ConstantOfShape", {"both"}, {"Y"})
        .output("Y");
    const auto nodes = explain_file(model.build());
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(nodes->back().explanation.outputs.front().dims, (Dims{6, 4}));
}

// ---- how deep

std::string nested(int depth)
{
    std::string graph = repeating(2);
    for (int i = 1; i < depth; ++i)
        graph = branch("If", {"c"}, branches(graph, ModelBuilder().output("X").graph()));
    return with_if(with_condition(true), graph, ModelBuilder().output("X").graph()).build();
}

TEST(If, SubgraphsMayLieInOneAnotherOnlySoDeep)
{
    EXPECT_TRUE(makes(explain_file(nested(32)), 8));
    EXPECT_TRUE(
        invalid(parse(nested(33)), "not a valid ONNX model: subgraphs lie in one another more than 32 deep (graph.node[0]"));
}

}  // namespace
}  // namespace vkonnx::onnx
