// This file tests If: which branch takes its place, when both run, what branches see of the graphs around them, and what is
// refused.
#include <functional>

#include "helpers.h"

namespace vkonnx::onnx {
namespace {

// Returns a branch with a sparse initializer that is too large.
std::string too_large()
{
    const std::string values = float_tensor("W", {1}, {1}), indices = int64_tensor("", {1}, {0});
    return ModelBuilder().sparse_initializer(sparse_tensor(values, indices, {1 << 30})).output("X").graph();
}

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

// The condition is an input whose elements nobody gives beforehand.
ModelBuilder with_open_condition()
{
    return ModelBuilder().opset(17).input("X", DType::float32, {1, 1, 4}).input("c", DType::boolean, {1, 1});
}

constexpr std::string_view open_condition =
    "node 'if': If: cond ('c') is known only when running, because the host can't compute it from constants, dimensions and "
    "NamedDesc::value; both branches run, ";

TEST(If, BothBranchesRunWhereTheConditionIsNotKnown)
{
    const auto nodes = explain_file(with_if(with_open_condition(), branch("Abs", {"X"}), branch("Neg", {"X"})).build());
    ASSERT_TRUE(makes(nodes, 4));
    ASSERT_EQ(nodes->size(), 3u);
    for (const NodeReport& node : *nodes)
        EXPECT_TRUE(node.runs()) << node.name;
    const Explanation& chosen = nodes->back().explanation;
    EXPECT_EQ(chosen.kernel, "logic_u32");
    EXPECT_EQ(chosen.equation.substr(0, chosen.equation.find(':')), "ONNX If-16\nONNX Where-16") << chosen.equation;
    EXPECT_TRUE(chosen.why.starts_with(
        "its condition is known only when running: both branches run, and this takes the outputs of one; "))
        << chosen.why;
    EXPECT_EQ(chosen.outputs.size(), 1u);
    EXPECT_EQ(chosen.outputs.front().dims, (Dims{1, 1, 4})) << "the condition's dimensions don't count";
}

// Each output has a Where of its own, but one that is not asked for, or that both branches have from the same value.
TEST(If, OnlyWhatDiffersIsChosen)
{
    const auto with = [](const Names& outputs) {
        const std::string then_branch = ModelBuilder().node("Abs", {"X"}, {"A"}).output("X").output("A").output("c").graph();
        const std::string else_branch = ModelBuilder()
                                            .node("Neg", {"X"}, {"N"})
                                            .node("Concat", {"X", "X"}, {"B"}, {int_attribute("axis", 2)})
                                            .output("X")
                                            .output("N")
                                            .output("B")
                                            .graph();
        ModelBuilder model = with_open_condition();
        model.node("If", {"c"}, outputs, branches(then_branch, else_branch), "if");
        for (const std::string& output : outputs)
            if (!output.empty())
                model.output(output);
        return explain_file(model.build());
    };
    auto nodes = with({"Q", "P", ""});
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(nodes->at(3).explanation.kernel, "logic_u32") << "one output is chosen, and the other one is X in any case";
    EXPECT_EQ(nodes->at(3).explanation.outputs.size(), 2u);
    EXPECT_EQ(nodes->at(2).explanation.kernel, "none") << "nothing reads the Concat";
    nodes = with({"Q", "", ""});
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(nodes->at(3).explanation.kernel, "view");
    EXPECT_EQ(nodes->at(3).explanation.why, "its branches give the same values");
    EXPECT_EQ(nodes->at(0).explanation.kernel, "none");
    EXPECT_TRUE(unsupported(with({"Q", "P", "R"}), "but output 'R' is bool[1,1] in then_branch and float[1,1,8] in else_branch"));
}

// A Where that nothing reads is left out, and the node is told by the other one, whichever comes first.
TEST(If, AnOutputThatNothingReadsIsNotChosen)
{
    const auto two = [](const std::string& op) {
        return ModelBuilder().node(op, {"X"}, {"A"}).node(op, {"A"}, {"B"}).output("A").output("B").graph();
    };
    for (const std::string read : {"P", "Q"}) {
        ModelBuilder model = with_open_condition();
        model.node("If", {"c"}, {"P", "Q"}, branches(two("Abs"), two("Neg")), "if").output(read);
        const auto nodes = explain_file(model.build());
        ASSERT_TRUE(accepted(nodes));
        EXPECT_EQ(nodes->back().explanation.kernel, "logic_u32") << read;
    }
    ModelBuilder both = with_open_condition();
    both.node("If", {"c"}, {"P", "Q"}, branches(two("Abs"), two("Neg")), "if").output("P").output("Q");
    const auto nodes = explain_file(both.build());
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(nodes->back().explanation.kernel, "logic_u32 + logic_u32");
    ModelBuilder none = with_open_condition();
    none.node("If", {"c"}, {"P", "Q"}, branches(two("Abs"), two("Neg")), "if").output("X");
    const auto unread = explain_file(none.build());
    ASSERT_TRUE(accepted(unread));
    for (const NodeReport& node : *unread)
        EXPECT_EQ(node.explanation.kernel, "none") << node.name;
}

// Whoever gives the condition may have branches whose outputs differ.
TEST(If, BothBranchesThatRunGiveTheSameTypeAndDimensions)
{
    const auto with = [](const std::string& then_branch, const std::string& else_branch) {
        return explain_file(with_if(with_open_condition(), then_branch, else_branch).build());
    };
    EXPECT_TRUE(
        unsupported(with(repeating(2), repeating(3)),
                    std::string(open_condition) +
                        "but output 'Y' is float[1,1,8] in then_branch and float[1,1,12] in else_branch, expected the same"));
    EXPECT_TRUE(unsupported(with(repeating(1), ModelBuilder().initializer(int64_tensor("n", {}, {1})).output("n").graph()),
                            "but output 'Y' is float[1,1,4] in then_branch and int64[] in else_branch, expected the same"));
    EXPECT_TRUE(unsupported(with(repeating(1), branch("Flatten", {"X"})), "float[1,1,4] in then_branch and float[1,4] in else"));
    // An If within a branch is told with those around it.
    const std::string inner =
        ModelBuilder().node("If", {"c"}, {"Z"}, branches(repeating(2), repeating(3)), "inner").output("Z").graph();
    EXPECT_TRUE(unsupported(with(inner, repeating(1)),
                            std::string(open_condition) + "but then_branch can't: node 'inner': If: cond ('c') is known only"));
    EXPECT_TRUE(unsupported(with(inner, repeating(1)), "both branches run, but output 'Z' is float[1,1,8] in then_branch"));
}

// Where chooses among tensors of the types that it has.
TEST(If, OutputsOfBothBranchesHaveATypeThatIsChosen)
{
    const auto with = [](const TensorDesc& desc, size_t bytes) {
        const auto constant = [&](char byte) {
            const std::string data(bytes, byte);
            return ModelBuilder().initializer(raw_tensor("W", desc, as_bytes(data))).output("W").graph();
        };
        return explain_file(with_if(with_open_condition(), constant(1), constant(2)).build());
    };
    EXPECT_TRUE(accepted(with({.dtype = DType::bfloat16, .dims = {3}}, 6)));
    EXPECT_TRUE(accepted(with({.dtype = DType::float64, .dims = {3}}, 24)));
    EXPECT_TRUE(unsupported(with({.dtype = DType::complex128, .dims = {3}}, 48),
                            std::string(open_condition) + "but output 'Y' can't: Where: "));
    EXPECT_FALSE(with({.dtype = DType::float8e4m3fn, .dims = {3}}, 3));
}

// What can't run is refused with the branch that it is in, and with why that branch runs.
TEST(If, ABranchThatCanNotRunIsRefusedWhereBothDo)
{
    const std::string wrong = ModelBuilder()
                                  .initializer(int64_tensor("shape", {2}, {3, 5}))
                                  .node("Reshape", {"X", "shape"}, {"Z"}, {}, "wrong")
                                  .output("Z")
                                  .graph();
    const std::string sequence = Proto().bytes(1, "X").bytes(2, Proto().bytes(4, "").str()).str();
    const std::string listed = ModelBuilder().node("Reshape", {"X", "X"}, {"Z"}, {}, "listed").output("Z").graph();
    const std::pair<std::string, std::string> rows[] = {
        {branch("Multinomial", {"X"}),
         " can't: node 'Z': operator 'Multinomial' of domain 'ai.onnx', opset 17 is not supported; "},
        {wrong, " can't: node 'wrong': Reshape: shape [3,5]"},
        {listed, " can't: node 'listed': Reshape: shape ('X') is float[1,1,4], expected int64"},
        {branch("If", {"X"}, branches(repeating(1), repeating(1))), " can't: node 'Z': If: cond ('X') is float[1,1,4], expected"},
        {too_large(), " can't: sparse initializer 0: sparse tensor 'W': as the dense tensor float[1073741824] it has more than"},
        {ModelBuilder().output("c").graph_field(12, sequence).graph(), " can't: output 'X': it is no dense tensor; sequences"},
    };
    for (const auto& [unknown, sentence] : rows)
        for (const bool is_then : {true, false}) {
            const std::string fine = repeating(1), name = is_then ? "then_branch" : "else_branch";
            const auto nodes =
                explain_file(with_if(with_open_condition(), is_then ? unknown : fine, is_then ? fine : unknown).build());
            ASSERT_FALSE(nodes) << sentence;
            const std::string expected = std::string(open_condition) + "but " + name + sentence;
            EXPECT_TRUE(nodes.message().starts_with(expected)) << nodes.message();
        }
    // The sentence names an If within another one only where its condition is not known.
    const std::string within = branch("If", {"yes"}, branches(branch("Multinomial", {"X"}), repeating(1)));
    ModelBuilder model = with_open_condition();
    model.initializer(bool_tensor("yes", {}, {1}));
    EXPECT_TRUE(unsupported(explain_file(with_if(model, repeating(1), within).build()),
                            std::string(open_condition) + "but else_branch can't: node 'Z': operator 'Multinomial'"));
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

// The host does not add floats, so that both branches run although the elements of X are known.
TEST(If, AConditionMayBeComputedByTheDeviceAlone)
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
    const std::string file = with_if(model, repeating(2), branch("Concat", {"X", "X"}, {int_attribute("axis", 2)})).build();
    const auto nodes = explain_file(file, {x});
    ASSERT_TRUE(makes(nodes, 8));
    EXPECT_TRUE(nodes->back().runs());
    EXPECT_TRUE(makes(explain_file(file), 8));
    const auto later = explain_file(with_if(model, repeating(2), repeating(3)).build(), {x});
    ASSERT_TRUE(later) << later.message();
    EXPECT_EQ(later->back().explanation.kernel, "later") << "a run chooses between branches of different sizes";
    EXPECT_EQ(later->back().explanation.why, "it is planned when a run has computed the elements of 'c'");
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

// A condition asks for the elements of an input only where the host may compute it from them. It runs both branches otherwise,
// and does so where it follows from floats, because a plan for each number would serve nobody.
TEST(If, InputsThatOnlyADeviceMakesAConditionOfAreNotTold)
{
    const auto told = [](DType dtype, const std::function<void(ModelBuilder&)>& add) {
        ModelBuilder model;
        model.opset(17).input("X", DType::float32, {1, 1, 4}).input("n", dtype, {2, 2}).initializer(int64_tensor("at", {}, {1}));
        add(model);
        const Result<Model> parsed = parse(with_if(model, branch("Abs", {"X"}), branch("Neg", {"X"})).build());
        EXPECT_TRUE(accepted(parsed));
        return parsed && parsed->inputs()[1].decides_dimensions;
    };
    const auto compared = [](ModelBuilder& model) {
        model.node("Gather", {"n", "at"}, {"row"})
            .node("Gather", {"row", "at"}, {"one"})
            .node("Mul", {"one", "one"}, {"square"})
            .node("Identity", {"square"}, {"same"})
            .node("Less", {"same", "one"}, {"c"});
    };
    EXPECT_TRUE(told(DType::int64, compared));
    EXPECT_TRUE(told(DType::int64, [](ModelBuilder& model) {
        model.initializer(int64_tensor("place", {2}, {0, 1})).initializer(int64_tensor("update", {}, {1}));
        model.node("ScatterND", {"n", "place", "update"}, {"more"}).node("Cast", {"more"}, {"c"}, {int_attribute("to", 9)});
    }));
    EXPECT_FALSE(told(DType::float32, compared));
    EXPECT_FALSE(told(DType::int64, [](ModelBuilder& model) {
        model.node("MatMul", {"n", "n"}, {"square"})
            .node("Gather", {"square", "at"}, {"row"})
            .node("Gather", {"row", "at"}, {"one"});
        model.node("Cast", {"one"}, {"c"}, {int_attribute("to", 9)});
    }));
    EXPECT_FALSE(told(DType::int64, [](ModelBuilder& model) {
        model.node("Einsum", {"n"}, {"one"}, {string_attribute("equation", "ii->")});
        model.node("Cast", {"one"}, {"c"}, {int_attribute("to", 9)});
    }));
    EXPECT_FALSE(told(DType::int64, [](ModelBuilder& model) {
        model.node("Pow", {"n", "n"}, {"powers"}).node("Slice", {"powers", "at", "at"}, {"c"});
    }));
    // What an If gives may be the condition of another one.
    EXPECT_TRUE(told(DType::boolean, [](ModelBuilder& model) {
        model.initializer(bool_tensor("yes", {}, {1}));
        model.node("If", {"yes"}, {"c"}, branches(ModelBuilder().output("n").graph(), branch("Not", {"yes"})));
    }));
    // A list must be known, whatever a condition wants, unless a stage computes it for the next one.
    const auto reshaped = [](const char* sizes) {
        return [sizes](ModelBuilder& model) {
            model.node("MatMul", {"n", "n"}, {"product"}).node("Cast", {sizes}, {"list"}, {int_attribute("to", 7)});
            model.node("Reshape", {"X", "list"}, {"Y2"}).node("Less", {"X", "X"}, {"c"});
        };
    };
    EXPECT_TRUE(told(DType::float32, reshaped("n")));
    EXPECT_FALSE(told(DType::float32, reshaped("product")));
    // The host looks for elements between two stages.
    EXPECT_FALSE(told(DType::int64, [](ModelBuilder& model) {
        model.node("NonZero", {"n"}, {"places"}).node("Less", {"places", "at"}, {"c"});
    }));
}

// The elementwise operators through which an input is told are those that vkonnx::evaluate computes of integers.
TEST(If, AnInputIsToldThroughWhatTheHostComputes)
{
    const std::vector<std::byte> one = {std::byte(1), {}, {}, {}, {}, {}, {}, {}};
    size_t computed = 0;
    for (const Operator& op : every_operator()) {
        const Schema* schema = vkonnx::schema(op);
        if (!std::holds_alternative<Elementwise>(op) || schema->name == "Identity")  // Identity is a view
            continue;
        size_t count = 0;
        while (count < schema->inputs.size() && schema->inputs[count].option != Schema::Option::optional)
            ++count;
        const std::vector<TensorDesc> descs(count, {.dtype = DType::int64, .dims = {}});
        const bool is_computed = bool(evaluate(op, descs, std::vector<std::span<const std::byte>>(count, one)));
        computed += is_computed;
        ModelBuilder model;
        model.opset(newest_opset).input("X", DType::float32, {1, 1, 4}).input("n", DType::int64, {});
        model.node(schema->name, Names(count, "n"), {"v"}).node("Cast", {"v"}, {"c"}, {int_attribute("to", 9)});
        const Result<Model> parsed = parse(with_if(model, branch("Abs", {"X"}), branch("Neg", {"X"})).build());
        ASSERT_TRUE(accepted(parsed));
        EXPECT_EQ(parsed->inputs()[1].decides_dimensions, is_computed) << schema->name;
    }
    EXPECT_GE(computed, 10u);
}

// ---- what is not supported

TEST(If, WhatIsUnsupportedInTheOtherBranchDoesNoHarm)
{
    const std::string sequence = Proto().bytes(1, "X").bytes(2, Proto().bytes(4, "").str()).str();
    const std::pair<std::string, std::string> rows[] = {
        {branch("Multinomial", {"X"}),
         "node 'Z': operator 'Multinomial' of domain 'ai.onnx', opset 17 is not supported; supported are Abs"},
        {branch("SequenceMap", {"X"}, {graph_attribute("body", "")}),
         "node 'Z': operator 'SequenceMap' of domain 'ai.onnx', opset 17 (with a subgraph in attribute 'body') is not supported; "
         "supported"},
        {too_large(),
         "node 'if': If: then_branch: sparse initializer 0: sparse tensor 'W': as the dense tensor float[1073741824]"},
        {ModelBuilder().output("c").graph_field(12, sequence).graph(),
         "node 'if': If: then_branch: output 'X': it is no dense tensor; sequences, maps, optionals"},
    };
    for (const auto& [unknown, sentence] : rows) {
        EXPECT_TRUE(makes(explain_file(with_if(with_condition(false), unknown, repeating(3)).build()), 12)) << sentence;
        EXPECT_TRUE(unsupported(explain_file(with_if(with_condition(true), unknown, repeating(3)).build()), sentence));
    }
    // The model is refused, whichever branch is taken, where the unsupported node is in the model's own graph.
    ModelBuilder outside = with_condition(false);
    outside.node("Multinomial", {"X"}, {"H"});
    EXPECT_TRUE(
        unsupported(explain_file(with_if(outside, repeating(2), repeating(3)).build()), "node 'H': operator 'Multinomial'"));
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
    EXPECT_TRUE(invalid(with(DType::int64),
                        "node 'if': If: else_branch: output 'Z' is float[1,1,4], but the subgraph declares int64[9]"));
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
