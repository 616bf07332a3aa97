// This file tests models in which elements that a run computes decide sizes. They run in stages (Session::runs_in_stages): what
// decides, what passes from stage to stage, and what such sessions tell and refuse.
#include <cmath>
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
using onnx::HostView;
using onnx::Session;

void expect_integers(const HostTensor& tensor, const Dims& dims, const std::vector<int64_t>& values)
{
    EXPECT_EQ(tensor.desc, (TensorDesc{.dtype = DType::int64, .dims = dims})) << to_string(tensor.desc);
    EXPECT_EQ(values_of<int64_t>(tensor), values);
}

// The elements of X above 0, and their places. The operators before NonZero and behind it run on the device.
std::string positive()
{
    return ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {2, 3})
        .node("Relu", {"X"}, {"r"})
        .node("NonZero", {"r"}, {"places"}, {}, "found")
        .node("Transpose", {"places"}, {"columns"}, {ints_attribute("perm", {1, 0})})
        .node("GatherND", {"r", "columns"}, {"taken"}, {}, "take")
        .node("Neg", {"taken"}, {"Y"})
        .output("Y", DType::float32, {"n"})
        .output("places", DType::int64, {2, "n"})
        .output("r", DType::float32, {2, 3})
        .build();
}

TEST(OnnxStages, TakeAsManyElementsAsARunFinds)
{
    on_every_device([](const CaseDevice& device) {
        Result<Session> session = prepare(device, positive());
        ASSERT_TRUE(session) << session.message();
        EXPECT_TRUE(session->runs_in_stages());
        const auto expect = [&](const std::vector<float>& x, const std::vector<float>& y, const std::vector<int64_t>& places) {
            const auto made = session->run(std::vector{floats({2, 3}, x)});
            ASSERT_TRUE(made) << made.message();
            const auto found = int64_t(y.size());
            expect_floats((*made)[0], {found}, y);
            expect_integers((*made)[1], {2, found}, places);
            EXPECT_EQ((*made)[2].desc.dims, (Dims{2, 3}));
        };
        expect({1, -2, 3, -4, -5, 6}, {-1, -3, -6}, {0, 0, 1, 0, 2, 2});
        expect({-1, -2, 3, -4, -5, -6}, {-3}, {0, 2});
        expect({-1, -1, -1, -1, -1, -1}, {}, {});
        expect({7, -2, 8, -4, -5, 9}, {-7, -8, -9}, {0, 0, 1, 0, 2, 2});
    });
}

TEST(OnnxStages, AreToldAndBoundNowhere)
{
    on_every_device([](const CaseDevice& device) {
        const Result<Session> session = prepare(device, positive());
        ASSERT_TRUE(session) << session.message();
        ASSERT_EQ(session->outputs().size(), 3u);
        EXPECT_EQ(session->outputs()[0], (TensorDesc{.dtype = DType::float32, .dims = {-1}}));
        EXPECT_EQ(session->outputs()[1], (TensorDesc{.dtype = DType::int64, .dims = {2, -1}}));
        EXPECT_EQ(session->inputs()[0], (TensorDesc{.dtype = DType::float32, .dims = {2, 3}}));
        ASSERT_EQ(session->nodes().size(), 5u);
        EXPECT_TRUE(session->nodes()[0].runs());
        for (size_t i = 1; i < 5; ++i) {
            EXPECT_EQ(session->nodes()[i].explanation.kernel, "later") << i;
            EXPECT_FALSE(session->nodes()[i].runs());
        }
        EXPECT_EQ(session->nodes()[1].name, "found");
        EXPECT_EQ(session->nodes()[1].explanation.why, "the host computes it between two stages of a run");
        EXPECT_EQ(session->nodes()[3].explanation.why, "it reads what is planned when a run has come so far");
        const Tensor none[3];
        EXPECT_EQ(session->bind({none, 1}, {none, 3}).message(),
                  "Session::bind: only a run decides the sizes of values in this model; supported are Session::run, run_views "
                  "and run_into");
    });
}

TEST(OnnxStages, WriteOutputsWhereTheCallerWantsThem)
{
    on_every_device([](const CaseDevice& device) {
        Result<Session> session = prepare(device, positive());
        ASSERT_TRUE(session) << session.message();
        const HostTensor x = floats({2, 3}, {-1, 5, -1, 4, -1, -1});
        const HostView view = {.desc = x.desc, .data = x.data};
        std::vector<std::vector<std::byte>> memory(3);
        std::vector<TensorDesc> descs(3);
        const Status status = session->run_into({&view, 1}, [&](size_t i, const TensorDesc& desc) {
            descs[i] = desc;
            memory[i].resize(size_t(*byte_size(desc)));
            return Result(std::span(memory[i]));
        });
        ASSERT_TRUE(status) << status.message();
        EXPECT_EQ(descs[0].dims, (Dims{2}));
        expect_floats({.desc = descs[0], .data = memory[0]}, {2}, {-5, -4});
        EXPECT_EQ(session
                      ->run_into({&view, 1},
                                 [&](size_t i, const TensorDesc&) {
                                     memory[i].resize(3);
                                     return Result(std::span(memory[i]));
                                 })
                      .message(),
                  "output 'Y': its memory has 3 bytes, float[2] needs 8");
    });
}

// What the file gives and what is computed of it is constant in every stage, and may be an output of any of them.
TEST(OnnxStages, PassConstantsAndInputsOn)
{
    on_every_device([](const CaseDevice& device) {
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {3})
                                     .input("given", DType::float32, {2})
                                     .initializer(float_tensor("w", {2, 3}, {1, 2, 3, 4, 5, 6}))
                                     .initializer(int64_tensor("zero", {}, {0}))
                                     .initializer(int64_tensor("one", {}, {1}))
                                     .node("Transpose", {"w"}, {"turned"}, {ints_attribute("perm", {1, 0})})
                                     .node("MatMul", {"X", "turned"}, {"y"})
                                     .node("ReduceMax", {"y"}, {"most"}, {int_attribute("keepdims", 0)})
                                     .node("Cast", {"most"}, {"count"}, {int_attribute("to", 7)})
                                     .node("Range", {"zero", "count", "one"}, {"numbers"})
                                     .node("Cast", {"numbers"}, {"reals"}, {int_attribute("to", 1)})
                                     .node("Unsqueeze", {"reals", "axes"}, {"column"})
                                     .initializer(int64_tensor("axes", {1}, {1}))
                                     .initializer(float_tensor("row", {1, 3}, {1, 1, 1}))
                                     .node("MatMul", {"column", "row"}, {"spread"})
                                     .node("MatMul", {"spread", "turned"}, {"product"})
                                     .node("Add", {"product", "given"}, {"Y"})
                                     .output("Y")
                                     .output("turned")
                                     .output("given")
                                     .output("row")
                                     .output("y")
                                     .build();
        const std::vector<HostTensor> made = run(device, file, {floats({3}, {0, 0, 0.5f}), floats({2}, {10, 20})});
        ASSERT_EQ(made.size(), 5u);
        expect_floats(made[0], {3, 2}, {10, 20, 16, 35, 22, 50});
        expect_floats(made[1], {3, 2}, {1, 4, 2, 5, 3, 6});
        expect_floats(made[2], {2}, {10, 20});
        expect_floats(made[3], {1, 3}, {1, 1, 1});
        expect_floats(made[4], {2}, {1.5f, 3});
    });
}

// Weights that the host makes of a file's lie on the device once, and are no input of a stage, which would have them twice.
TEST(OnnxStages, KeepConstantsOnTheDevice)
{
    constexpr int64_t extent = 512;
    on_every_device([](const CaseDevice& device) {
        std::vector<int64_t> weights(extent * extent);
        for (size_t i = 0; i < weights.size(); ++i)
            weights[i] = int64_t(i / extent == i % extent ? 2 : 0);
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {extent})
                                     .initializer(int64_tensor("w", {extent, extent}, weights))
                                     .initializer(int64_tensor("column", {2}, {-1, 1}))
                                     .initializer(float_tensor("row", {1, extent}, std::vector<float>(extent, 1)))
                                     .node("Cast", {"w"}, {"weights"}, {int_attribute("to", 1)})
                                     .node("Relu", {"X"}, {"r"})
                                     .node("NonZero", {"r"}, {"places"})
                                     .node("Cast", {"places"}, {"numbers"}, {int_attribute("to", 1)})
                                     .node("Reshape", {"numbers", "column"}, {"rows"})
                                     .node("MatMul", {"rows", "row"}, {"spread"})
                                     .node("MatMul", {"spread", "weights"}, {"Y"})
                                     .output("Y")
                                     .build();
        std::vector<float> x(extent, -1), y(2 * extent);
        x[3] = x[10] = 1;
        std::fill_n(y.begin(), extent, 6.0f);
        std::fill_n(y.begin() + extent, extent, 20.0f);
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        const uint64_t before = device.device().memory().used;
        const auto made = session->run(std::vector{floats({extent}, x)});
        ASSERT_TRUE(made) << made.message();
        expect_floats((*made)[0], {2, extent}, y);
        EXPECT_LT(device.device().memory().used - before, uint64_t(extent * extent * sizeof(float)) * 3 / 2);
    });
}

// The sizes of TopK and Expand come from elements of their inputs, and one decides the next.
TEST(OnnxStages, MayDecideOneAfterTheOther)
{
    on_every_device([](const CaseDevice& device) {
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {4})
                                     .initializer(int64_tensor("first", {1}, {0}))
                                     .initializer(int64_tensor("minus", {1}, {-1}))
                                     .node("Abs", {"X"}, {"a"})
                                     .node("ReduceMin", {"a"}, {"least"})
                                     .node("Cast", {"least"}, {"k"}, {int_attribute("to", 7)})
                                     .node("TopK", {"a", "k"}, {"best", "places"}, {}, "top")
                                     .node("Sqrt", {"best"}, {"roots"})
                                     .node("ReduceSum", {"roots"}, {"sum"})
                                     .node("Cast", {"sum"}, {"rows"}, {int_attribute("to", 7)})
                                     .node("Expand", {"roots", "shape"}, {"Y"}, {}, "expand")
                                     .node("Unsqueeze", {"rows", "first"}, {"rows_1"})
                                     .node("Squeeze", {"rows_1", "first"}, {"rows_0"})
                                     .node("Concat", {"rows_0", "k"}, {"shape"}, {int_attribute("axis", 0)})
                                     .output("Y")
                                     .build();
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        const auto expect = [&](const std::vector<float>& x, const Dims& dims, const std::vector<float>& row) {
            const auto made = session->run(std::vector{floats({4}, x)});
            ASSERT_TRUE(made) << made.message();
            std::vector<float> rows;
            for (int64_t i = 0; i < dims[0]; ++i)
                rows.insert(rows.end(), row.begin(), row.end());
            expect_floats((*made)[0], dims, rows);
        };
        expect({-9, 4, 2, 16}, {7, 2}, {4, 3});
        expect({-9, 4, 1, 16}, {4, 1}, {4});
        expect({9, 4, 3, -16}, {9, 3}, {4, 3, 2});
        expect({16, 4, 2, 9}, {7, 2}, {4, 3});
    });
}

TEST(OnnxStages, RunTheBranchThatElementsChoose)
{
    on_every_device([](const CaseDevice& device) {
        const std::string twice =
            ModelBuilder().node("Concat", {"a", "a"}, {"long"}, {int_attribute("axis", 0)}).output("long").graph();
        const std::string none = ModelBuilder().node("Neg", {"a"}, {"short"}).output("short").graph();
        const std::string file =
            ModelBuilder()
                .opset(17)
                .input("X", DType::float32, {2})
                .initializer(float_tensor("three", {}, {3}))
                .node("Abs", {"X"}, {"a"})
                .node("ReduceSum", {"a"}, {"sum"}, {int_attribute("keepdims", 0)})
                .node("Greater", {"sum", "three"}, {"is_large"})
                .node("If", {"is_large"}, {"y"}, {graph_attribute("then_branch", twice), graph_attribute("else_branch", none)})
                .node("Relu", {"y"}, {"Y"})
                .output("Y")
                .build();
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        const auto large = session->run(std::vector{floats({2}, {-1, 4})});
        const auto small = session->run(std::vector{floats({2}, {-1, 1})});
        ASSERT_TRUE(large && small) << large.message() << small.message();
        expect_floats((*large)[0], {4}, {1, 4, 1, 4});
        expect_floats((*small)[0], {2}, {0, 0});
    });
}

TEST(OnnxStages, RunABodyAsOftenAsElementsSay)
{
    on_every_device([](const CaseDevice& device) {
        const std::string body = ModelBuilder()
                                     .input("i", DType::int64, {})
                                     .input("goes_on", DType::boolean, {})
                                     .input("s", DType::float32, {2})
                                     .node("Add", {"s", "a"}, {"t"})
                                     .node("Identity", {"t"}, {"scanned"})
                                     .output("goes_on")
                                     .output("t")
                                     .output("scanned")
                                     .graph();
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {2})
                                     .initializer(float_tensor("zero", {2}, {0, 0}))
                                     .node("Abs", {"X"}, {"a"})
                                     .node("ReduceMax", {"a"}, {"most"}, {int_attribute("keepdims", 0)})
                                     .node("Cast", {"most"}, {"M"}, {int_attribute("to", 7)})
                                     .node("Loop", {"M", "", "zero"}, {"Y", "all"}, {graph_attribute("body", body)})
                                     .output("Y")
                                     .output("all")
                                     .build();
        const std::vector<HostTensor> thrice = run(device, file, {floats({2}, {-1, 3})});
        ASSERT_EQ(thrice.size(), 2u);
        expect_floats(thrice[0], {2}, {3, 9});
        expect_floats(thrice[1], {3, 2}, {1, 3, 2, 6, 3, 9});
    });
}

// A session may be asked for other sizes of inputs, and a run may bring its own.
TEST(OnnxStages, TakeInputsOfOtherSizes)
{
    on_every_device([](const CaseDevice& device) {
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {"n"})
                                     .node("Relu", {"X"}, {"r"})
                                     .node("NonZero", {"r"}, {"places"})
                                     .output("places")
                                     .build();
        onnx::NamedDesc four, two;
        four.name = two.name = "X";
        four.desc.dims = {4};
        two.desc.dims = {2};
        Result<Session> session = prepare(device, file, {four});
        ASSERT_TRUE(session) << session.message();
        Result<Session> other = session->for_inputs(std::vector{two});
        ASSERT_TRUE(other) << other.message();
        EXPECT_EQ(other->inputs()[0].dims, (Dims{2}));
        const auto in_two = other->run(std::vector{floats({2}, {-1, 1})});
        const auto in_four = session->run(std::vector{floats({4}, {1, 0, 0, 1})});
        const auto in_three = session->run(std::vector{floats({3}, {0, 1, 1})});
        ASSERT_TRUE(in_two && in_four && in_three) << in_two.message() << in_four.message() << in_three.message();
        expect_integers((*in_two)[0], {1, 1}, {1});
        expect_integers((*in_four)[0], {1, 2}, {0, 3});
        expect_integers((*in_three)[0], {1, 2}, {1, 2});
    });
}

// A detector's head: the device makes boxes and scores, the host takes some, and the device gathers these. Unique counts their
// classes.
TEST(OnnxStages, TakeTheBoxesThatARunFinds)
{
    on_every_device([](const CaseDevice& device) {
        const std::string file =
            ModelBuilder()
                .opset(17)
                .input("logits", DType::float32, {1, 2, 3})
                .initializer(float_tensor("boxes", {1, 3, 4}, {0, 0, 1, 1, 0, 0.125f, 1, 1.125f, 4, 4, 5, 5}))
                .initializer(float_tensor("two", {}, {2}))
                .initializer(int64_tensor("most", {}, {3}))
                .initializer(float_tensor("threshold", {}, {0.5f}))
                .initializer(float_tensor("least", {}, {0.5f}))
                .initializer(int64_tensor("one", {}, {1}))
                .initializer(int64_tensor("last", {}, {2}))
                .node("Mul", {"boxes", "two"}, {"scaled"})
                .node("Sigmoid", {"logits"}, {"scores"})
                .node("NonMaxSuppression", {"scaled", "scores", "most", "threshold", "least"}, {"found"})
                .node("Gather", {"found", "last"}, {"places"}, {int_attribute("axis", 1)})
                .node("Gather", {"found", "one"}, {"classes"}, {int_attribute("axis", 1)})
                .node("Gather", {"scaled", "places"}, {"Y"}, {int_attribute("axis", 1)})
                .node("Unique", {"classes"}, {"kinds", "", "", "counts"})
                .output("Y")
                .output("classes")
                .output("kinds")
                .output("counts")
                .build();
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        const auto some = session->run(std::vector{floats({1, 2, 3}, {1, 2, 3, -1, -1, 4})});
        const auto none = session->run(std::vector{floats({1, 2, 3}, {-1, -2, -3, -1, -1, -4})});
        ASSERT_TRUE(some && none) << some.message() << none.message();
        expect_floats((*some)[0], {1, 3, 4}, {8, 8, 10, 10, 0, 0.25f, 2, 2.25f, 8, 8, 10, 10});
        expect_integers((*some)[1], {3}, {0, 0, 1});
        expect_integers((*some)[2], {2}, {0, 1});
        expect_integers((*some)[3], {2}, {2, 1});
        expect_floats((*none)[0], {1, 0, 4}, {});
        expect_integers((*none)[3], {0}, {});
    });
}

// An element that no size may have ends the run with the node's sentence, and the session goes on.
TEST(OnnxStages, RefuseWrongElementsInOneSentence)
{
    on_every_device([](const CaseDevice& device) {
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {2})
                                     .initializer(int64_tensor("zero", {}, {0}))
                                     .initializer(int64_tensor("six", {}, {6}))
                                     .initializer(int64_tensor("flat", {1}, {-1}))
                                     .node("ReduceSum", {"X"}, {"sum"}, {int_attribute("keepdims", 0)})
                                     .node("Cast", {"sum"}, {"step"}, {int_attribute("to", 7)})
                                     .node("Range", {"zero", "six", "step"}, {"numbers"}, {}, "count")
                                     .node("Reshape", {"step", "flat"}, {"axis"})
                                     .node("Expand", {"numbers", "axis"}, {"Y"}, {}, "spread")
                                     .output("Y")
                                     .build();
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        EXPECT_EQ(session->run(std::vector{floats({2}, {1, -1})}).message(), "node 'count': Range: delta = 0 must not be 0");
        const auto wrong = session->run(std::vector{floats({2}, {1, 1})});
        EXPECT_EQ(wrong.code(), Code::invalid_argument);
        EXPECT_TRUE(wrong.message().starts_with("node 'spread': Expand: ")) << wrong.message();
        const auto right = session->run(std::vector{floats({2}, {1, 5})});
        ASSERT_TRUE(right) << right.message();
        expect_integers((*right)[0], {6}, {0, 0, 0, 0, 0, 0});
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
