// This file tests models with a Loop or a Scan on devices: what passes from one iteration to the next, what is joined, how often
// a body runs, and subgraphs in one another.
#include <cstdint>
#include <numeric>

#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using kit::bool_tensor;
using kit::float_tensor;
using kit::graph_attribute;
using kit::int64_tensor;
using kit::int_attribute;
using kit::ints_attribute;
using kit::ModelBuilder;
using onnx::HostTensor;
using onnx::NamedDesc;

// Iteration i makes s + (i + 1) * X of s, and gives s before that and the dot product of both.
std::string growing_body()
{
    return ModelBuilder()
        .input("i", DType::int64, {})
        .input("goes_on", DType::boolean, {})
        .input("s", DType::float32, {3})
        .initializer(float_tensor("one", {}, {1}))
        .node("Cast", {"i"}, {"f"}, {int_attribute("to", 1)})
        .node("Add", {"f", "one"}, {"factor"})
        .node("Mul", {"X", "factor"}, {"more"})
        .node("Add", {"s", "more"}, {"t"})
        .node("Mul", {"s", "t"}, {"products"})
        .node("ReduceSum", {"products"}, {"dot"}, {int_attribute("keepdims", 0)})
        .node("Identity", {"s"}, {"before"})
        .output("goes_on")
        .output("t")
        .output("before")
        .output("dot")
        .graph();
}

std::string growing(const std::vector<std::string>& inputs)
{
    return ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {3})
        .input("count", DType::int64, {})
        .initializer(float_tensor("zero", {3}, {0, 0, 0}))
        .initializer(bool_tensor("yes", {}, {true}))
        .initializer(bool_tensor("no", {}, {false}))
        .node("Loop", inputs, {"Y", "all", "dots"}, {graph_attribute("body", growing_body())})
        .output("Y")
        .output("all")
        .output("dots")
        .build();
}

std::vector<NamedDesc> counted(int64_t count)
{
    return {known("count", number(count))};
}

TEST(OnnxLoop, PassesStatesAndJoinsWhatIterationsGive)
{
    on_every_device([](const CaseDevice& device) {
        const HostTensor x = floats({3}, {1, 2, -1});
        for (const std::vector<std::string>& inputs :
             {std::vector<std::string>{"count", "", "zero"}, std::vector<std::string>{"count", "yes", "zero"}}) {
            const std::vector<HostTensor> y = run(device, growing(inputs), {x, number(3)}, counted(3));
            ASSERT_EQ(y.size(), 3u);
            expect_floats(y[0], {3}, {6, 12, -6});
            expect_floats(y[1], {3, 3}, {0, 0, 0, 1, 2, -1, 3, 6, -3});
            expect_floats(y[2], {3}, {0, 18, 108});
        }
    });
}

// A body that never runs makes nothing: the state is as it was. Dimensions of what would be joined are those that it declares.
TEST(OnnxLoop, MayNeverRun)
{
    on_every_device([](const CaseDevice& device) {
        const std::string body = ModelBuilder()
                                     .input("i", DType::int64, {})
                                     .input("goes_on", DType::boolean, {})
                                     .input("s", DType::float32, {3})
                                     .node("Neg", {"s"}, {"t"})
                                     .node("Neg", {"t"}, {"given"})
                                     .output("goes_on")
                                     .output("t")
                                     .output("given", DType::float32, {3})
                                     .graph();
        const HostTensor x = floats({3}, {1, 2, -1});
        for (const bool by_count : {true, false}) {
            const std::string file = ModelBuilder()
                                         .opset(17)
                                         .input("X", DType::float32, {3})
                                         .initializer(int64_tensor("M", {1}, {by_count ? 0 : 5}))
                                         .initializer(bool_tensor("c", {1}, {by_count}))
                                         .node("Loop", {"M", "c", "X"}, {"Y", "all"}, {graph_attribute("body", body)})
                                         .output("Y")
                                         .output("all")
                                         .build();
            const std::vector<HostTensor> y = run(device, file, {x});
            ASSERT_EQ(y.size(), 2u);
            expect_floats(y[0], {3}, {1, 2, -1});
            expect_floats(y[1], {0, 3}, {});
        }
    });
}

// The condition is computed from a state: the body runs until the square of 2^i is 16. States may change their dimensions.
TEST(OnnxLoop, EndsByAConditionThatTheHostComputes)
{
    on_every_device([](const CaseDevice& device) {
        const std::string body = ModelBuilder()
                                     .input("i", DType::int64, {})
                                     .input("goes_on", DType::boolean, {})
                                     .input("power", DType::int64, {})
                                     .input("s", DType::float32, {"n"})
                                     .node("Add", {"power", "power"}, {"next"})
                                     .node("Mul", {"power", "power"}, {"square"})
                                     .node("Less", {"square", "limit"}, {"is_below"})
                                     .node("Concat", {"s", "X"}, {"t"}, {int_attribute("axis", 0)})
                                     .output("is_below")
                                     .output("next")
                                     .output("t")
                                     .graph();
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {2})
                                     .initializer(int64_tensor("limit", {}, {16}))
                                     .initializer(int64_tensor("first", {}, {1}))
                                     .node("Loop", {"", "", "first", "X"}, {"power", "Y"}, {graph_attribute("body", body)})
                                     .output("power")
                                     .output("Y")
                                     .build();
        const std::vector<HostTensor> y = run(device, file, {floats({2}, {3, -4})});
        ASSERT_EQ(y.size(), 2u);
        EXPECT_EQ(values_of<int64_t>(y[0]), std::vector<int64_t>{8});
        expect_floats(y[1], {8}, {3, -4, 3, -4, 3, -4, 3, -4});
    });
}

// More elements than one Concat joins.
TEST(OnnxLoop, JoinsManyIterations)
{
    on_every_device([](const CaseDevice& device) {
        const std::vector<HostTensor> y =
            run(device, growing({"count", "", "zero"}), {floats({3}, {1, 0, 0}), number(300)}, counted(300));
        ASSERT_EQ(y.size(), 3u);
        const std::vector<float> all = values_of<float>(y[1]);
        ASSERT_EQ(all.size(), 900u);
        for (size_t i = 0; i < 300; ++i)
            ASSERT_EQ(all[3 * i], float(i * (i + 1) / 2)) << i;
    });
}

// An inner Loop runs as often as the outer iteration's number says, and an If within it is decided anew each time.
TEST(OnnxLoop, SubgraphsInOneAnother)
{
    on_every_device([](const CaseDevice& device) {
        const std::string doubled = ModelBuilder().node("Add", {"u", "u"}, {"d"}).output("d").graph();
        const std::string kept = ModelBuilder().output("u").graph();
        const std::string inner =
            ModelBuilder()
                .input("j", DType::int64, {})
                .input("inner_goes_on", DType::boolean, {})
                .input("u", DType::float32, {2})
                .node("Equal", {"j", "one"}, {"is_one"})
                .node("If", {"is_one"}, {"v"}, {graph_attribute("then_branch", doubled), graph_attribute("else_branch", kept)})
                .node("Add", {"v", "X"}, {"w"})
                .output("inner_goes_on")
                .output("w")
                .graph();
        const std::string outer = ModelBuilder()
                                      .input("i", DType::int64, {})
                                      .input("goes_on", DType::boolean, {})
                                      .input("s", DType::float32, {2})
                                      .node("Loop", {"i", "", "s"}, {"t"}, {graph_attribute("body", inner)})
                                      .output("goes_on")
                                      .output("t")
                                      .output("s")
                                      .graph();
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {2})
                                     .initializer(int64_tensor("one", {}, {1}))
                                     .initializer(int64_tensor("M", {}, {4}))
                                     .node("Loop", {"M", "", "X"}, {"Y", "all"}, {graph_attribute("body", outer)})
                                     .output("Y")
                                     .output("all")
                                     .build();
        const std::vector<HostTensor> y = run(device, file, {floats({2}, {1, -2})});
        ASSERT_EQ(y.size(), 2u);
        // s is 1, then 1 again, 2 after one iteration of the inner Loop, (2 + 1) * 2 + 1, and ((7 + 1) * 2 + 1) + 1.
        expect_floats(y[0], {2}, {18, -36});
        expect_floats(y[1], {4, 2}, {1, -2, 1, -2, 2, -4, 7, -14});
    });
}

// The first input is scanned along its last axis, the second one backward along its first; of the two outputs that are joined the
// second is joined along its last axis and backward.
TEST(OnnxScan, GoesAlongAxesInBothDirections)
{
    on_every_device([](const CaseDevice& device) {
        const std::string body = ModelBuilder()
                                     .input("s", DType::float32, {2})
                                     .input("a", DType::float32, {2})
                                     .input("b", DType::float32, {})
                                     .node("Mul", {"a", "b"}, {"p"})
                                     .node("Add", {"s", "p"}, {"t"})
                                     .output("t")
                                     .output("p")
                                     .output("s")
                                     .graph();
        const std::string file =
            ModelBuilder()
                .opset(17)
                .input("S", DType::float32, {2})
                .input("A", DType::float32, {2, 3})
                .input("B", DType::float32, {3})
                .node("Scan", {"S", "A", "B"}, {"last", "products", "before"},
                      {graph_attribute("body", body), int_attribute("num_scan_inputs", 2),
                       ints_attribute("scan_input_axes", {-1, 0}), ints_attribute("scan_input_directions", {0, 1}),
                       ints_attribute("scan_output_axes", {0, -1}), ints_attribute("scan_output_directions", {0, 1})})
                .output("last")
                .output("products")
                .output("before")
                .build();
        const std::vector<HostTensor> y =
            run(device, file, {floats({2}, {10, 20}), floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({3}, {7, 8, 9})});
        ASSERT_EQ(y.size(), 3u);
        // a is (1, 4), (2, 5), (3, 6) and b is 9, 8, 7.
        expect_floats(y[0], {2}, {10 + 9 + 16 + 21, 20 + 36 + 40 + 42});
        expect_floats(y[1], {3, 2}, {9, 36, 16, 40, 21, 42});
        expect_floats(y[2], {2, 3}, {35, 19, 10, 96, 56, 20});
    });
}

// Each run may have another number of iterations. It takes the plan for it.
TEST(OnnxLoop, EveryRunMayRunItAnotherNumberOfTimes)
{
    on_every_device([](const CaseDevice& device) {
        Result<onnx::Session> session = prepare(device, growing({"count", "", "zero"}), counted(1));
        ASSERT_TRUE(session) << session.message();
        for (const int64_t count : {2, 4, 1, 2}) {
            const auto y = session->run(std::vector{floats({3}, {1, 2, -1}), number(count)});
            ASSERT_TRUE(y) << y.message();
            const float sum = float(count * (count + 1) / 2);
            expect_floats(y->at(0), {3}, {sum, 2 * sum, -sum});
            EXPECT_EQ(y->at(1).desc.dims, (Dims{count, 3}));
        }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
