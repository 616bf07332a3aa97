// This file tests what Loop and Scan refuse, and what explain tells of them.
#include <algorithm>

#include "helpers.h"

namespace vkonnx::onnx {
namespace {

// Returns a body with a state, whose condition is `condition`.
ModelBuilder body(const std::string& condition = "goes_on")
{
    return ModelBuilder()
        .input("i", DType::int64, {})
        .input("goes_on", DType::boolean, {})
        .input("s", DType::float32, {4})
        .node("Relu", {"s"}, {"t"}, {}, "relu")
        .output(condition)
        .output("t");
}

ModelBuilder with_loop(const Names& inputs, const std::string& body, const Names& outputs = {"Y"})
{
    ModelBuilder model = ModelBuilder()
                             .opset(17)
                             .input("X", DType::float32, {4})
                             .input("unknown", DType::float32, {})
                             .initializer(int64_tensor("three", {}, {3}))
                             .initializer(int64_tensor("two", {2}, {3, 3}))
                             .initializer(float_tensor("zero", {}, {0}))
                             .node("Greater", {"unknown", "zero"}, {"is_positive"})
                             .node("Loop", inputs, outputs, {graph_attribute("body", body)}, "loop");
    for (const std::string& output : outputs)
        model.output(output);
    return model;
}

TEST(Loop, TellsWhatTakesItsPlace)
{
    const auto nodes = explain_file(with_loop({"three", "", "X"}, body().graph()).build());
    ASSERT_TRUE(nodes) << nodes.message();
    ASSERT_EQ(nodes->size(), 3u);
    EXPECT_EQ((*nodes)[1].explanation.kernel, "none");
    EXPECT_EQ((*nodes)[1].explanation.why, "node 'loop' runs it in each iteration, and tells of it");
    EXPECT_EQ((*nodes)[2].explanation.outputs, (std::vector<TensorDesc>{{DType::float32, {4}}}));
    EXPECT_EQ((*nodes)[2].explanation.equation,
              "ONNX Loop-16\nONNX Identity-25: output = input\nthen ONNX Relu-14: Y = max(0, X)\n"
              "then ONNX Relu-14: Y = max(0, X)\nthen ONNX Relu-14: Y = max(0, X)")
        << "the iterations are one chain";
}

// A node that became many calls tells of the first 40.
TEST(Loop, TellsOfItsFirstCalls)
{
    SessionOptions options;
    for (const auto& fusion : fusion_words)
        options.without_fusions |= uint32_t(fusion.value);
    const auto lines_of = [&](int64_t iterations) {
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {4})
                                     .initializer(int64_tensor("M", {}, {iterations}))
                                     .node("Loop", {"M", "", "X"}, {"Y"}, {graph_attribute("body", body().graph())}, "loop")
                                     .output("Y")
                                     .build();
        const auto nodes = explain_file(file, {}, options);
        EXPECT_TRUE(nodes) << nodes.message();
        return nodes ? nodes->back().explanation.equation : std::string();
    };
    const std::string forty = lines_of(40), many = lines_of(300);
    EXPECT_EQ(std::count(forty.begin(), forty.end(), '\n'), 40);
    EXPECT_EQ(many, forty + "\nand 260 more");
}

TEST(Loop, RefusesInOneSentence)
{
    const auto of = [](const Names& inputs, const std::string& body, const Names& outputs = {"Y"},
                       const SessionOptions& options = {}) {
        return explain_file(with_loop(inputs, body, outputs).build(), {}, options);
    };
    EXPECT_TRUE(invalid(of({"two", "", "X"}, body().graph()), "node 'loop': Loop: M ('two') has 2 elements, expected one"));
    EXPECT_TRUE(invalid(of({"X", "", "X"}, body().graph()), "node 'loop': Loop: M ('X') is float[4], expected int64"));
    EXPECT_TRUE(
        invalid(of({"three", "three", "X"}, body().graph()), "node 'loop': Loop: cond ('three') is int64[], expected one bool"));
    EXPECT_TRUE(invalid(of({"three", "", "X", "X"}, body().graph()),
                        "node 'loop': Loop: body: it has 3 inputs, expected 4, as the node fills"));
    EXPECT_TRUE(invalid(of({"three", "", "X"}, body().graph(), {"Y", "all"}),
                        "node 'loop': Loop: it has 2 outputs, but its body gives 1"));
    EXPECT_TRUE(unsupported(of({"", "", "X"}, body().graph()),
                            "node 'loop': Loop: with it more than SessionOptions::max_loop_iterations = 4096 bodies run"));
    EXPECT_TRUE(unsupported(of({"three", "", "X"}, body().graph(), {"Y"}, {.max_loop_iterations = 2}),
                            "with it more than SessionOptions::max_loop_iterations = 2 bodies run"));
    EXPECT_TRUE(explain_file(with_loop({"three", "", "X"}, body().graph()).build(), {}, {.max_loop_iterations = 3}));
    const std::string few =
        ModelBuilder().input("i", DType::int64, {}).input("goes_on", DType::boolean, {}).output("goes_on").graph();
    EXPECT_TRUE(invalid(of({"three", "", "X"}, few), "node 'loop': Loop: body: it has 2 inputs, expected 3, as the node fills"));
    const std::string wrong = body()
                                  .node("Add", {"t", "unknown"}, {"u"}, {}, "add")
                                  .node("Concat", {"u", "i"}, {"v"}, {int_attribute("axis", 0)}, "join")
                                  .output("v")
                                  .graph();
    EXPECT_TRUE(
        invalid(of({"three", "", "X"}, wrong, {"Y", "all"}), "node 'loop': Loop: body, iteration 0: node 'join': Concat"));
    const std::string twice = ModelBuilder().input("i", DType::int64, {}).input("i", DType::boolean, {}).output("i").graph();
    EXPECT_TRUE(invalid(of({"three", "", "X"}, twice),
                        "node 'loop': Loop: body: its input 'i' has the name of another input or of an initializer"));
    EXPECT_TRUE(invalid(explain_file(ModelBuilder()
                                         .opset(17)
                                         .input("X", DType::float32, {4})
                                         .node("Loop", {"", "", "X"}, {"Y"}, {}, "loop")
                                         .output("Y")
                                         .build()),
                        "node 'loop': Loop: attribute body is required"));
}

// A small file may have a body of many nodes, and ask for many iterations of it.
TEST(Loop, BodiesBecomeOnlySoManyNodes)
{
    ModelBuilder many = body();
    for (int i = 0; i < 400; ++i)
        many.node("Identity", {"t"}, {"t" + std::to_string(i)});
    EXPECT_TRUE(unsupported(explain_file(with_loop({"", "", "X"}, many.graph()).build()),
                            "node 'loop': Loop: with it the nodes of all iterations are more than 1000000"));
}

// What never runs has no dimensions but those that the body declares.
TEST(Loop, ThatNeverRunsDeclaresWhatIsJoined)
{
    const auto of = [](ModelBuilder body) {
        return explain_file(ModelBuilder()
                                .opset(17)
                                .input("X", DType::float32, {4})
                                .initializer(int64_tensor("none", {}, {0}))
                                .node("Loop", {"none", "", "X"}, {"Y", "all"}, {graph_attribute("body", body.graph())}, "loop")
                                .output("Y")
                                .output("all")
                                .build());
    };
    EXPECT_TRUE(of(body().node("Neg", {"t"}, {"n"}).output("n", DType::float32, {4})));
    EXPECT_TRUE(unsupported(of(body().node("Neg", {"t"}, {"n"}).output("n", DType::float32, {"width"})),
                            "node 'loop': Loop: output 'all': the body never runs, and declares only float[?] for it"));
}

TEST(Scan, RefusesInOneSentence)
{
    const std::string body = ModelBuilder()
                                 .input("s", DType::float32, {})
                                 .input("x", DType::float32, {})
                                 .node("Add", {"s", "x"}, {"t"})
                                 .output("t")
                                 .output("t_again")
                                 .node("Neg", {"t"}, {"t_again"})
                                 .graph();
    const auto of = [&](std::vector<std::string> attributes, const Names& inputs = {"S", "X"}, int64_t opset = 17) {
        attributes.push_back(graph_attribute("body", body));
        return explain_file(ModelBuilder()
                                .opset(opset)
                                .input("S", DType::float32, {})
                                .input("X", DType::float32, {4})
                                .input("Z", DType::float32, {5})
                                .node("Scan", inputs, {"Y", "all"}, attributes, "scan")
                                .output("Y")
                                .output("all")
                                .build());
    };
    const std::string one = int_attribute("num_scan_inputs", 1);
    EXPECT_TRUE(of({one}));
    EXPECT_TRUE(invalid(of({}), "node 'scan': Scan: num_scan_inputs = 0 must be from 1 to 2, the number of inputs"));
    EXPECT_TRUE(invalid(of({int_attribute("num_scan_inputs", 3)}), "num_scan_inputs = 3 must be from 1 to 2"));
    EXPECT_TRUE(
        invalid(of({int_attribute("num_scan_inputs", 2)}, {"X", "Z"}), "has 5 elements along its axis, but the first has 4"));
    EXPECT_TRUE(
        invalid(of({one, ints_attribute("scan_input_axes", {1})}), "scan_input_axes[0] = 1 must be in [-1, 0] for rank 1"));
    EXPECT_TRUE(invalid(of({one, ints_attribute("scan_input_axes", {0, 0})}), "scan_input_axes has 2 entries, expected 1"));
    EXPECT_TRUE(invalid(of({one, ints_attribute("scan_input_directions", {2})}), "scan_input_directions[0] = 2 must be 0 or 1"));
    EXPECT_TRUE(
        invalid(of({one, ints_attribute("scan_output_directions", {-1})}), "scan_output_directions[0] = -1 must be 0 or 1"));
    EXPECT_TRUE(
        invalid(of({one, ints_attribute("scan_output_axes", {1})}), "scan_output_axes[0] = 1 must be in [-1, 0] for rank 1"));
    EXPECT_TRUE(invalid(of({one}, {"S", "X", "Z"}), "Scan: body: it has 2 inputs, expected 3, as the node fills"));
    EXPECT_TRUE(unsupported(of({one}, {"S", "X"}, 8), "older versions are not supported"));
}

}  // namespace
}  // namespace vkonnx::onnx
