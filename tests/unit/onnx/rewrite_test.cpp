// This file tests what becomes of a graph before anything runs: what is folded, removed, or laid over one another.
#include <algorithm>

#include "helpers.h"

namespace vkonnx::onnx {
namespace {

// Returns options without chains, because elementwise operators stand here for any that are not fused.
SessionOptions unchained()
{
    SessionOptions options;
    options.without_fusions = uint32_t(Fusion::chain);
    return options;
}

Result<GraphReport> report_of(const ModelBuilder& builder, const SessionOptions& options = unchained(),
                              const Capabilities& capabilities = *Capabilities::preset("minimum"))
{
    const Result<Model> model = parse(builder.build());
    if (!model)
        return model.status();
    return explain(*model, {}, capabilities, options);
}

ModelBuilder model(int64_t opset = 17)
{
    ModelBuilder builder;
    builder.opset(opset);
    return builder;
}

ModelBuilder with_x(const std::vector<kit::Dim>& dims = {1, 2, 6}, int64_t opset = 17)
{
    ModelBuilder builder = model(opset);
    builder.input("X", DType::float32, dims);
    return builder;
}

const NodeReport& node(const GraphReport& report, const std::string& name)
{
    const auto found =
        std::find_if(report.nodes.begin(), report.nodes.end(), [&](const NodeReport& one) { return one.name == name; });
    EXPECT_NE(found, report.nodes.end()) << "no node " << name;
    return found == report.nodes.end() ? report.nodes.front() : *found;
}

const ValueReport& value(const GraphReport& report, const std::string& name)
{
    const auto found =
        std::find_if(report.values.begin(), report.values.end(), [&](const ValueReport& one) { return one.name == name; });
    EXPECT_NE(found, report.values.end()) << "no value " << name;
    return found == report.values.end() ? report.values.front() : *found;
}

TEST(Rewrite, NamesWhatANodeReadsAndWrites)
{
    const auto report = report_of(
        with_x().node("Clip", {"X", "", "most"}, {"Y"}, {}, "c").initializer(float_tensor("most", {}, {6})).output("Y"));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(node(*report, "c").inputs, (Names{"X", "", "most"}));
    EXPECT_EQ(node(*report, "c").outputs, Names{"Y"});
    EXPECT_TRUE(node(*report, "c").runs());
}

// Exporters compute sizes like (shape * 2 + 1) / 3. All of it must be computed before anything runs.
TEST(Rewrite, FoldsWhatDependsOnShapesOnly)
{
    const auto ints = [](const char* name, const std::vector<int64_t>& values) {
        return int64_tensor(name, {int64_t(values.size())}, values);
    };
    const auto report = report_of(with_x({4, 7})
                                      .initializer(ints("two", {2}))
                                      .initializer(ints("one", {1}))
                                      .initializer(ints("parts", {3, -5}))
                                      .initializer(ints("least", {2, 2}))
                                      .node("Shape", {"X"}, {"shape"}, {}, "shape")
                                      .node("Mul", {"shape", "two"}, {"twice"}, {}, "mul")  // 8 14
                                      .node("Sub", {"twice", "one"}, {"less"}, {}, "sub")   // 7 13
                                      .node("Div", {"less", "parts"}, {"div"}, {}, "div")   // 2 -2
                                      .node("Neg", {"div"}, {"neg"}, {}, "neg")             // -2 2
                                      .node("Abs", {"neg"}, {"abs"}, {}, "abs")             // 2 2
                                      .node("Add", {"abs", "shape"}, {"add"}, {}, "add")    // 6 9
                                      .node("Max", {"add", "least", "shape"}, {"max"}, {}, "max")
                                      .node("Min", {"max", "twice"}, {"min"}, {}, "min")  // 6 9
                                      .node("Relu", {"min"}, {"size"}, {}, "relu")
                                      .initializer(float_tensor("W", {54}, std::vector<float>(54)))
                                      .node("Reshape", {"W", "size"}, {"Y"}, {}, "reshape")
                                      .output("Y"));
    ASSERT_TRUE(accepted(report));
    for (const char* name : {"shape", "mul", "sub", "div", "neg", "abs", "add", "max", "min", "relu"})
        EXPECT_EQ(node(*report, name).explanation.kernel, "host") << name;
    EXPECT_EQ(node(*report, "reshape").explanation.outputs[0].dims, (Dims{6, 9}));
    EXPECT_EQ(report->arena_bytes, 0u);
}

TEST(Rewrite, FoldedIntegersWrapAndDivideAsTheDeviceDoes)
{
    const auto folded = [](const std::string& op, int64_t a, int64_t b) {
        const auto report = report_of(model()
                                          .initializer(int64_tensor("a", {1}, {a}))
                                          .initializer(int64_tensor("b", {1}, {b}))
                                          .node(op, {"a", "b"}, {"c"})
                                          .initializer(float_tensor("W", {2, 3}, std::vector<float>(6)))
                                          .node("Reshape", {"W", "c"}, {"Y"}, {}, "r")
                                          .output("Y"));
        return report ? report->nodes.back().explanation.outputs[0].dims : Dims{-99};
    };
    EXPECT_EQ(folded("Div", 13, 2), Dims{6});
    EXPECT_EQ(folded("Div", -13, -2), Dims{6});
    EXPECT_EQ(folded("Mul", INT64_MIN + 3, 2), Dims{6});
    EXPECT_EQ(folded("Add", INT64_MAX, INT64_MIN + 7), Dims{6});
    EXPECT_EQ(folded("Sub", INT64_MIN, INT64_MAX - 5), Dims{6});
    EXPECT_EQ(folded("Sub", INT64_MIN, INT64_MAX - 6), Dims{-99}) << "7 elements are none of 6";
    const auto by_zero = report_of(model()
                                       .initializer(int64_tensor("a", {1}, {5}))
                                       .initializer(int64_tensor("b", {1}, {0}))
                                       .node("Div", {"a", "b"}, {"c"})
                                       .initializer(float_tensor("W", {0, 3}, {}))
                                       .node("Reshape", {"W", "c"}, {"Y"})
                                       .output("Y"));
    ASSERT_TRUE(accepted(by_zero));
    EXPECT_EQ(by_zero->nodes.back().explanation.outputs[0].dims, Dims{0});
}

TEST(Rewrite, FoldsOfThirtyTwoBitsWrapThere)
{
    const int32_t halves[] = {INT32_MAX, -1};
    const auto report = report_of(model()
                                      .initializer(kit::raw_tensor("a", {DType::int32, {2}}, std::as_bytes(std::span(halves))))
                                      .node("Add", {"a", "a"}, {"Y"}, {}, "add")
                                      .output("Y"));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(node(*report, "add").explanation.kernel, "host");
}

TEST(Rewrite, FloatsAreLeftToTheDevice)
{
    const auto report =
        report_of(model().initializer(float_tensor("a", {2}, {1, 2})).node("Neg", {"a"}, {"Y"}, {}, "neg").output("Y"));
    ASSERT_TRUE(accepted(report));
    EXPECT_TRUE(node(*report, "neg").runs());
}

TEST(Rewrite, FoldsNoMoreThanItsBound)
{
    ModelBuilder builder = model();
    builder.initializer(int64_tensor("a", {3, 1}, {1, 2, 3}))
        .initializer(int64_tensor("b", {5}, {1, 2, 3, 4, 5}))
        .node("Add", {"a", "b"}, {"Y"}, {}, "add")
        .output("Y");
    const auto within = report_of(builder, {.max_folded_bytes = 15 * 8});
    ASSERT_TRUE(accepted(within));
    EXPECT_EQ(node(*within, "add").explanation.kernel, "host");
    const auto beyond = report_of(builder, {.max_folded_bytes = 15 * 8 - 1});
    ASSERT_TRUE(accepted(beyond));
    EXPECT_TRUE(node(*beyond, "add").runs());
    EXPECT_TRUE(unsupported(report_of(with_x().node("Shape", {"X"}, {"Y"}, {}, "s").output("Y"), {.max_folded_bytes = 23}),
                            "node 's': Shape: what is computed before anything runs has 24 bytes, above "
                            "SessionOptions::max_folded_bytes = 23"));
}

TEST(Rewrite, WhatNobodyReadsIsNotPrepared)
{
    const auto report = report_of(with_x()
                                      .node("Relu", {"X"}, {"a"}, {}, "a")
                                      .node("Neg", {"a"}, {"b"}, {}, "b")
                                      .node("Abs", {"b"}, {"c"}, {}, "c")
                                      .node("Relu", {"a"}, {"Y"}, {}, "y")
                                      .output("Y"));
    ASSERT_TRUE(accepted(report));
    EXPECT_TRUE(node(*report, "a").runs());
    EXPECT_TRUE(node(*report, "y").runs());
    for (const char* name : {"b", "c"}) {
        EXPECT_EQ(node(*report, name).explanation.kernel, "none");
        EXPECT_EQ(node(*report, name).explanation.why, "no output of the graph depends on it");
        EXPECT_EQ(value(*report, name).place, ValuePlace::none);
    }
}

// Returns a model with X (1, 2, 6) and a ConvTranspose 'up' to V (1, 3, 8).
ModelBuilder with_up(int64_t opset = 17)
{
    ModelBuilder builder = with_x({1, 2, 6}, opset);
    builder.initializer(float_tensor("W", {2, 3, 3}, std::vector<float>(18))).node("ConvTranspose", {"X", "W"}, {"V"}, {}, "up");
    return builder;
}

TEST(Rewrite, ActivationsAreFusedIntoAConvTranspose)
{
    for (const char* const op : {"Relu", "LeakyRelu", "Clip", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish"}) {
        SCOPED_TRACE(op);
        const auto report = report_of(with_up().node(op, {"V"}, {"Y"}, {}, "act").output("Y"));
        ASSERT_TRUE(accepted(report));
        EXPECT_TRUE(node(*report, "up").runs());
        EXPECT_NE(node(*report, "up").explanation.equation.find(std::string("epilogue: ONNX ") + op + "-"), std::string::npos);
        EXPECT_FALSE(node(*report, "act").runs());
        EXPECT_EQ(node(*report, "act").explanation.kernel, "fused");
        EXPECT_EQ(node(*report, "act").explanation.why, "it is the epilogue of node 'up'");
        EXPECT_EQ(node(*report, "act").fused_into, 0u);
        EXPECT_FALSE(node(*report, "up").fused_into);
        EXPECT_EQ(value(*report, "V").place, ValuePlace::none);
        EXPECT_EQ(value(*report, "Y").place, ValuePlace::output);
        EXPECT_EQ(value(*report, "Y").first, 0u) << "the node that writes it";
        EXPECT_EQ(report->arena_bytes, 0u);
    }
    for (const char* const op : {"Neg", "Exp", "Elu"}) {
        const auto report = report_of(with_up().node(op, {"V"}, {"Y"}, {}, "act").output("Y"));
        ASSERT_TRUE(accepted(report));
        EXPECT_TRUE(node(*report, "act").runs()) << op;
        EXPECT_EQ(value(*report, "V").place, ValuePlace::arena);
    }
}

TEST(Rewrite, ActivationsAreFusedIntoAConv)
{
    const auto report = report_of(with_x()
                                      .initializer(float_tensor("w", {3, 2, 1}, std::vector<float>(6, 1)))
                                      .node("Conv", {"X", "w"}, {"V"}, {}, "conv")
                                      .node("Relu", {"V"}, {"Y"}, {}, "act")
                                      .output("Y"));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(node(*report, "act").explanation.why, "it is the epilogue of node 'conv'");
    EXPECT_NE(node(*report, "conv").explanation.equation.find("epilogue: ONNX Relu-"), std::string::npos);
}

TEST(Rewrite, OnlyOneActivationIsFused)
{
    const auto report =
        report_of(with_up().node("Relu", {"V"}, {"a"}, {}, "first").node("Sigmoid", {"a"}, {"Y"}, {}, "second").output("Y"));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(node(*report, "first").explanation.kernel, "fused");
    EXPECT_TRUE(node(*report, "second").runs());
}

TEST(Rewrite, NothingIsFusedWhereTheValueBetweenIsRead)
{
    ModelBuilder outputs = with_up();
    outputs.node("Relu", {"V"}, {"Y"}, {}, "act").output("Y").output("V");
    ModelBuilder readers = with_up();
    readers.node("Relu", {"V"}, {"a"}, {}, "act").node("Add", {"a", "V"}, {"Y"}, {}, "sum").output("Y");
    ModelBuilder view = with_up();  // the view shows it under another name
    view.node("Relu", {"V"}, {"Y"}, {}, "act").node("Flatten", {"V"}, {"flat"}).output("Y").output("flat");
    for (const ModelBuilder* builder : {&outputs, &readers, &view}) {
        const auto report = report_of(*builder);
        ASSERT_TRUE(accepted(report));
        EXPECT_TRUE(node(*report, "act").runs());
        EXPECT_EQ(node(*report, "up").explanation.equation.find("epilogue"), std::string::npos);
    }
    // Two activations of one value are both readers of it.
    const auto twice = report_of(
        with_up().node("Relu", {"V"}, {"Y"}, {}, "act").node("Tanh", {"V"}, {"Z"}, {}, "other").output("Y").output("Z"));
    ASSERT_TRUE(accepted(twice));
    EXPECT_TRUE(node(*twice, "act").runs() && node(*twice, "other").runs());
    // A reader whose result nobody needs does not count.
    const auto unread =
        report_of(with_up().node("Neg", {"V"}, {"n"}, {}, "neg").node("Relu", {"V"}, {"Y"}, {}, "act").output("Y"));
    ASSERT_TRUE(accepted(unread));
    EXPECT_EQ(node(*unread, "act").explanation.kernel, "fused");
    // AveragePool takes no epilogue.
    const auto pool = report_of(with_x()
                                    .node("AveragePool", {"X"}, {"V"}, {ints_attribute("kernel_shape", {3})}, "pool")
                                    .node("Relu", {"V"}, {"Y"}, {}, "act")
                                    .output("Y"));
    ASSERT_TRUE(accepted(pool));
    EXPECT_TRUE(node(*pool, "act").runs());
}

TEST(Rewrite, ViewsStandNotBetweenThem)
{
    const auto report = report_of(
        with_up().node("Dropout", {"V"}, {"d"}).node("Flatten", {"d"}, {"f"}).node("Relu", {"f"}, {"Y"}, {}, "act").output("Y"));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(node(*report, "act").explanation.kernel, "fused");
    EXPECT_EQ(value(*report, "Y").desc.dims, (Dims{1, 24}));
}

TEST(Rewrite, ClipIsFusedWhereItsBoundsAreKnown)
{
    const auto kernel_of = [](ModelBuilder builder, const std::vector<std::string>& inputs) {
        const auto report = report_of(builder.node("Clip", inputs, {"Y"}, {}, "act").output("Y"));
        EXPECT_TRUE(accepted(report));
        return report ? node(*report, "act").explanation.kernel : "";
    };
    ModelBuilder known = with_up();
    known.initializer(float_tensor("least", {}, {0})).initializer(float_tensor("most", {}, {6}));
    EXPECT_EQ(kernel_of(known, {"V", "least", "most"}), "fused");
    EXPECT_EQ(kernel_of(known, {"V", "", "most"}), "fused");
    EXPECT_EQ(kernel_of(known, {"V"}), "fused");
    ModelBuilder given = with_up();
    given.input("most", DType::float32, std::vector<kit::Dim>{});
    EXPECT_NE(kernel_of(given, {"V", "", "most"}), "fused");

    const auto attributes = report_of(
        with_up(10).node("Clip", {"V"}, {"Y"}, {float_attribute("min", 0), float_attribute("max", 6)}, "act").output("Y"));
    ASSERT_TRUE(accepted(attributes));
    EXPECT_EQ(node(*attributes, "act").explanation.kernel, "fused");

    // One bound is a double that float32 does not have.
    for (const double most : {0.5, 0.1}) {
        ModelBuilder doubles = model();
        const std::vector<double> weights(18);
        doubles.input("X", DType::float64, {1, 2, 6})
            .initializer(kit::raw_tensor("W", {DType::float64, {2, 3, 3}}, std::as_bytes(std::span(weights))))
            .initializer(kit::raw_tensor("most", {DType::float64, {}}, std::as_bytes(std::span(&most, 1))))
            .node("ConvTranspose", {"X", "W"}, {"V"}, {}, "up");
        EXPECT_EQ(kernel_of(doubles, {"V", "", "most"}) == "fused", most == 0.5);
    }
}

TEST(Rewrite, ASessionTakesNoEpilogueOfItsOwn)
{
    EXPECT_TRUE(invalid(report_of(with_up().output("V"), {.prepare = {.epilogue = Elementwise{.kind = ElementwiseKind::relu}}}),
                        "SessionOptions::prepare.epilogue = Relu, expected none: what follows in the graph is fused by itself"));
}

TEST(Rewrite, DropoutIsAView)
{
    for (const int64_t opset : {7, 10, 12, 13, 22}) {
        const auto report = report_of(with_x({1, 2, 6}, opset)
                                          .node("Relu", {"X"}, {"a"})
                                          .node("Dropout", {"a"}, {"b", "mask"}, {}, "d")
                                          .node("Neg", {"b"}, {"Y"})
                                          .output("Y"));
        ASSERT_TRUE(accepted(report));
        EXPECT_EQ(node(*report, "d").explanation.kernel, "view");
        EXPECT_EQ(node(*report, "d").explanation.outputs[1].dtype, opset < 10 ? DType::float32 : DType::boolean);
    }
    const auto dropout = [](int64_t opset, const std::vector<std::string>& inputs, const std::vector<std::string>& attributes,
                            bool training = false) {
        const std::byte mode[] = {std::byte(training)};
        return report_of(with_x({1, 2, 6}, opset)
                             .initializer(float_tensor("ratio", {}, {0.5f}))
                             .initializer(kit::raw_tensor("mode", {DType::boolean, {}}, mode))
                             .node("Dropout", inputs, {"Y"}, attributes, "d")
                             .output("Y"));
    };
    EXPECT_TRUE(accepted(dropout(13, {"X", "ratio", "mode"}, {int_attribute("seed", 3)})));
    EXPECT_TRUE(accepted(dropout(13, {"X", "", "mode"}, {})));
    EXPECT_TRUE(accepted(dropout(6, {"X"}, {int_attribute("is_test", 1), float_attribute("ratio", 0.25f)})));
    EXPECT_TRUE(unsupported(dropout(13, {"X", "ratio", "mode"}, {}, true),
                            "Dropout: training_mode ('mode') is true, which asks for training; supported is false"));
    EXPECT_TRUE(unsupported(dropout(6, {"X"}, {}), "Dropout: is_test = 0 asks for training, which is not supported; expected 1"));
    EXPECT_TRUE(invalid(dropout(13, {"X"}, {float_attribute("ratio", 0.25f)}),
                        "Dropout: attribute ratio exists only until version 10; this node has version 13"));
    EXPECT_TRUE(invalid(dropout(10, {"X", "ratio"}, {}), "Dropout: it has 2 inputs, expected 1 at opset 10"));
}

// In a chain of sixty operators two neighbouring values live at once, whatever its length.
TEST(Rewrite, AChainTakesTheMemoryOfTwoValues)
{
    ModelBuilder builder = with_x({1, 2, 1024});
    std::string last = "X";
    for (int i = 0; i < 60; ++i) {
        const std::string next = i == 59 ? "Y" : "v" + std::to_string(i);
        builder.node("AveragePool", {last}, {next}, {ints_attribute("kernel_shape", {3}), ints_attribute("pads", {1, 1})});
        last = next;
    }
    const auto report = report_of(builder.output("Y"));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(report->unshared_bytes, 59u * 8192);
    EXPECT_EQ(report->arena_bytes, 2u * 8192);
    EXPECT_EQ(value(*report, "X").place, ValuePlace::input);
    EXPECT_EQ(value(*report, "Y").place, ValuePlace::output);
    EXPECT_EQ(value(*report, "v3").place, ValuePlace::arena);
    EXPECT_EQ(value(*report, "v3").first, 3u);
    EXPECT_EQ(value(*report, "v3").last, 4u);
}

TEST(Rewrite, ScratchMemoryLiesWhereValuesAreDead)
{
    ModelBuilder builder = with_x({1, 8, 64, 64});
    builder.initializer(float_tensor("W", {8, 8, 3, 3}, std::vector<float>(8 * 8 * 3 * 3, 1)))
        .node("AveragePool", {"X"}, {"large"}, {ints_attribute("kernel_shape", {3, 3}), ints_attribute("pads", {1, 1, 1, 1})})
        .node("AveragePool", {"large"}, {"small"}, {ints_attribute("kernel_shape", {8, 8}), ints_attribute("strides", {8, 8})})
        .node("Conv", {"small", "W"}, {"convolved"}, {ints_attribute("pads", {1, 1, 1, 1})})
        .node("AveragePool", {"convolved"}, {"Y"}, {ints_attribute("kernel_shape", {2, 2})});
    const auto report = report_of(builder.output("Y"));
    ASSERT_TRUE(accepted(report));
    const uint64_t large = 8 * 64 * 64 * 4, small = 8 * 8 * 8 * 4;
    const Explanation& conv = report->nodes[2].explanation;
    ASSERT_NE(conv.scratch_bytes, 0u) << conv.kernel;
    EXPECT_EQ(report->scratch_bytes, conv.scratch_bytes);
    EXPECT_EQ(report->unshared_bytes, large + 2 * small);
    EXPECT_EQ(report->arena_bytes, large + small) << "what is convolved lives until 'convolved' and scratch lie in 'large'";
}

// An activation writes over its input, unless that is read again.
TEST(Rewrite, InPlaceOnlyWhereTheValueDies)
{
    const auto pool = [](ModelBuilder& builder, const char* from, const char* to) {
        builder.node("AveragePool", {from}, {to}, {ints_attribute("kernel_shape", {3}), ints_attribute("pads", {1, 1})});
    };
    ModelBuilder dies = with_x({1, 2, 1024});
    pool(dies, "X", "a");
    dies.node("Relu", {"a"}, {"b"}).node("Add", {"b", "b"}, {"c"});
    pool(dies, "c", "Y");
    const auto in_place = report_of(dies.output("Y"));
    ASSERT_TRUE(accepted(in_place));
    EXPECT_EQ(in_place->arena_bytes, 8192u);
    EXPECT_EQ(value(*in_place, "b").offset, value(*in_place, "a").offset);

    ModelBuilder lives = with_x({1, 2, 1024});
    pool(lives, "X", "a");
    lives.node("Relu", {"a"}, {"b"}).node("Add", {"b", "a"}, {"c"});
    pool(lives, "c", "Y");
    const auto apart = report_of(lives.output("Y"));
    ASSERT_TRUE(accepted(apart));
    EXPECT_EQ(apart->arena_bytes, 2 * 8192u);
    EXPECT_NE(value(*apart, "b").offset, value(*apart, "a").offset);

    // The value is read once as it is and once through a view that is broadcast. An element would be gone before its last reader.
    ModelBuilder viewed = with_x({1, 32, 1});
    pool(viewed, "X", "a");
    viewed.initializer(int64_tensor("row", {3}, {1, 1, 32})).node("Reshape", {"a", "row"}, {"b"}).node("Add", {"a", "b"}, {"c"});
    pool(viewed, "c", "Y");
    const auto twice = report_of(viewed.output("Y"));
    ASSERT_TRUE(accepted(twice));
    EXPECT_NE(value(*twice, "c").offset, value(*twice, "a").offset);
}

TEST(Rewrite, ThreadsMustBeOneOrMore)
{
    EXPECT_TRUE(invalid(report_of(with_x().node("Relu", {"X"}, {"Y"}).output("Y"), {.prepare_threads = 0}),
                        "SessionOptions::prepare_threads = 0 must be at least 1"));
}

TEST(Rewrite, VersionsOfOldAreRefusedBeforeTheirAttributes)
{
    const auto report = report_of(
        with_x({1, 2, 6}, 5).node("Sum", {"X", "X"}, {"Y"}, {ints_attribute("consumed_inputs", {0, 0})}, "sum").output("Y"));
    EXPECT_TRUE(unsupported(report,
                            "node 'sum': Sum: opset = 5 must be at least 6: what broadcasts in a way of its own, as older "
                            "versions do, is not supported"));
    EXPECT_TRUE(accepted(report_of(with_x({1, 2, 6}, 6).node("Relu", {"X"}, {"Y"}).output("Y"))));
}

TEST(Rewrite, ShapesThatDoNotBroadcastNameTheNode)
{
    const auto report = report_of(
        with_x().initializer(float_tensor("b", {4}, {1, 2, 3, 4})).node("Add", {"X", "b"}, {"Y"}, {}, "sum").output("Y"));
    EXPECT_TRUE(invalid(report, "node 'sum': Add"));
}

// FSRCNN ends like this. Where most bytes live at once, scratch memory may take an eighth of them, and elsewhere also what lacks
// to the most.
TEST(ScratchBudget, KeepsTheArenaNearWhatLivesAtOnce)
{
    const auto model = [] {
        return ModelBuilder()
            .opset(17)
            .input("X", DType::float32, {1, 12, 96, 104})
            .initializer(kit::float_tensor("V", {56, 12, 1, 1}, std::vector<float>(56 * 12, 1)))
            .initializer(kit::float_tensor("W", {56, 1, 9, 9}, std::vector<float>(56 * 81, 1)))
            .node("Conv", {"X", "V"}, {"H"})
            .node("ConvTranspose", {"H", "W"}, {"Y"},
                  {ints_attribute("strides", {3, 3}), ints_attribute("pads", {4, 4, 4, 4}),
                   ints_attribute("output_padding", {2, 2})})
            .output("Y");
    };
    constexpr uint64_t x = 12 * 96 * 104 * 4, h = 56 * 96 * 104 * 4, y = 288 * 312 * 4, most = std::max(x + h, h + y);
    const auto report = report_of(model(), {}, *Capabilities::preset("lavapipe"));
    ASSERT_TRUE(accepted(report));
    const Explanation& up = report->nodes[1].explanation;
    EXPECT_EQ(up.kernel, "conv_transpose_phases_f32");
    EXPECT_GT(up.scratch_bytes, 0u);
    EXPECT_LE(up.scratch_bytes, most - (h + y) + most / 8);
    EXPECT_LE(report->arena_bytes, h + most / 8 + most - (h + y));

    SessionOptions less;
    less.prepare.scratch_budget = 0;
    const auto least = report_of(model(), less, *Capabilities::preset("lavapipe"));
    ASSERT_TRUE(accepted(least));
    EXPECT_LT(least->nodes[1].explanation.scratch_bytes, up.scratch_bytes) << "the caller's own";
}

}  // namespace
}  // namespace vkonnx::onnx
