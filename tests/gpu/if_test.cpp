// This file tests models with an If on devices: the values of the branch that is taken, what a session keeps of both, and how the
// device chooses between branches that both run.
#include <algorithm>
#include <cstdint>
#include <random>

#include "kit/draw.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using kit::bool_tensor;
using kit::float_tensor;
using kit::graph_attribute;
using kit::int64_tensor;
using kit::ModelBuilder;
using onnx::HostTensor;
using onnx::NamedDesc;

// The rate says which filter X passes, as in models of speech. A value of the graph around them is read in both branches, and an
// If within the first looks at the dimensions of X.
std::string filter_by_rate()
{
    const std::string wide = ModelBuilder().node("Add", {"M", "H"}, {"Z"}).output("Z").graph();
    const std::string narrow = ModelBuilder().output("M").graph();
    const std::string slow =
        ModelBuilder()
            .initializer(float_tensor("W", {1, 1, 1}, {10}))
            .node("Conv", {"H", "W"}, {"M"})
            .node("Shape", {"M"}, {"s"})
            .node("Gather", {"s", "two"}, {"width"})
            .node("Equal", {"width", "four"}, {"is_wide"})
            .node("If", {"is_wide"}, {"Z"}, {graph_attribute("then_branch", wide), graph_attribute("else_branch", narrow)})
            .output("Z")
            .output("X")
            .graph();
    const std::string fast = ModelBuilder()
                                 .initializer(float_tensor("W", {1, 1, 2}, {-1, 100}))
                                 .node("Conv", {"H", "W"}, {"M"})
                                 .node("Relu", {"M"}, {"R"}, {}, "relu")
                                 .output("R")
                                 .output("H")
                                 .graph();
    return ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {1, 1, "width"})
        .input("rate", DType::int64, {})
        .initializer(int64_tensor("slow", {}, {8000}))
        .initializer(int64_tensor("two", {}, {2}))
        .initializer(int64_tensor("four", {}, {4}))
        .initializer(float_tensor("one", {}, {1}))
        .node("Add", {"X", "one"}, {"H"})
        .node("Equal", {"rate", "slow"}, {"is_slow"})
        .node("If", {"is_slow"}, {"filtered", "from"},
              {graph_attribute("then_branch", slow), graph_attribute("else_branch", fast)})
        .node("Mul", {"filtered", "filtered"}, {"Y"})
        .output("Y")
        .output("from")
        .build();
}

std::vector<NamedDesc> described(int64_t width, int64_t value)
{
    std::vector<NamedDesc> inputs = {NamedDesc(), known("rate", number(value))};
    inputs[0].name = "X";
    inputs[0].desc.dims = {1, 1, width};
    return inputs;
}

TEST(OnnxIf, TheValueOfAnInputChoosesTheBranch)
{
    on_every_device([](const CaseDevice& device) {
        const HostTensor x4 = floats({1, 1, 4}, {0, 1, 2, 3}), x3 = floats({1, 1, 3}, {0, 1, -3});
        std::vector<HostTensor> y = run(device, filter_by_rate(), {x4, number(8000)}, described(4, 8000));
        ASSERT_EQ(y.size(), 2u);
        expect_floats(y[0], {1, 1, 4}, {121, 484, 1089, 1936});
        expect_floats(y[1], {1, 1, 4}, {0, 1, 2, 3});
        y = run(device, filter_by_rate(), {x3, number(8000)}, described(3, 8000));
        ASSERT_EQ(y.size(), 2u);
        expect_floats(y[0], {1, 1, 3}, {100, 400, 400});
        y = run(device, filter_by_rate(), {x3, number(16000)}, described(3, 16000));
        ASSERT_EQ(y.size(), 2u);
        expect_floats(y[0], {1, 1, 2}, {199 * 199, 0});
        expect_floats(y[1], {1, 1, 3}, {1, 2, -2});
    });
}

// Each run may have another rate. It takes the plan for it.
TEST(OnnxIf, EveryRunChoosesAnew)
{
    on_every_device([](const CaseDevice& device) {
        Result<onnx::Session> session = prepare(device, filter_by_rate(), described(3, 8000));
        ASSERT_TRUE(session) << session.message();
        const HostTensor x = floats({1, 1, 3}, {0, 1, -3});
        for (const int64_t value : {16000, 8000, 16000, 44100, 8000}) {
            const auto y = session->run(std::vector{x, number(value)});
            ASSERT_TRUE(y) << y.message();
            if (value == 8000)
                expect_floats(y->at(0), {1, 1, 3}, {100, 400, 400});
            else
                expect_floats(y->at(0), {1, 1, 2}, {199 * 199, 0});
        }
    });
}

// The operators of a branch are rewritten with those around it, and the other branch takes no memory.
TEST(OnnxIf, ABranchIsFusedAndTheOtherTakesNothing)
{
    on_every_device([](const CaseDevice& device) {
        const Result<onnx::Session> fast = prepare(device, filter_by_rate(), described(3, 16000));
        ASSERT_TRUE(fast) << fast.message();
        uint64_t constants = 0;
        for (const onnx::ValueReport& value : fast->report().values)
            if (value.name == "W") {
                EXPECT_EQ(value.bytes, 8u);
                ++constants;
            }
        EXPECT_EQ(constants, 1u);
        bool is_fused = false;
        for (const onnx::NodeReport& node : fast->nodes())
            is_fused |= node.name == "relu" && node.explanation.kernel == "fused";
        EXPECT_TRUE(is_fused);
        const Result<onnx::Session> slow = fast->for_inputs(described(3, 8000));
        ASSERT_TRUE(slow) << slow.message();
        for (const onnx::ValueReport& value : slow->report().values)
            if (value.name == "W") {
                EXPECT_EQ(value.bytes, 4u);
            }
    });
}

// ---- conditions that are known only when running

// The sum of X decides. Both branches read X, H and the weights C, which lie in the graph around them. The third output is a
// constant or X, the fourth one X in any case.
std::string decided_by_sum()
{
    const std::string above = ModelBuilder()
                                  .initializer(float_tensor("W", {1, 1, 1}, {10}))
                                  .node("Conv", {"H", "W"}, {"M"})
                                  .node("Relu", {"M"}, {"R"})
                                  .node("Shape", {"H"}, {"S"})
                                  .output("R")
                                  .output("S")
                                  .output("C")
                                  .output("X")
                                  .graph();
    const std::string below = ModelBuilder()
                                  .initializer(int64_tensor("W", {3}, {7, 8, 9}))
                                  .node("Sub", {"H", "C"}, {"D"})
                                  .node("Identity", {"X"}, {"same"})
                                  .output("D")
                                  .output("W")
                                  .output("same")
                                  .output("X")
                                  .graph();
    return ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {1, 1, 4})
        .initializer(float_tensor("one", {}, {1}))
        .initializer(float_tensor("C", {1, 1, 4}, {1, 2, 3, 4}))
        .node("Add", {"X", "one"}, {"H"})
        .node("ReduceSum", {"X"}, {"sum"})  // has the dimensions 1, 1 and 1, as a condition may
        .node("Greater", {"sum", "one"}, {"c"})
        .node("If", {"c"}, {"A", "B", "P", "Q"}, {graph_attribute("then_branch", above), graph_attribute("else_branch", below)})
        .node("Mul", {"A", "A"}, {"Y"})
        .output("Y")
        .output("B")
        .output("P")
        .output("Q")
        .build();
}

void expect_decided(const std::vector<HostTensor>& y, const std::vector<float>& x)
{
    ASSERT_EQ(y.size(), 4u);
    const bool above = x[0] + x[1] + x[2] + x[3] > 1;
    std::vector<float> first(4);
    for (size_t i = 0; i < 4; ++i)
        first[i] = above ? std::max(10 * (x[i] + 1), 0.f) : x[i] - float(i);
    for (float& number : first)
        number *= number;
    expect_floats(y[0], {1, 1, 4}, first);
    EXPECT_EQ(y[1].desc, (TensorDesc{DType::int64, {3}}));
    EXPECT_EQ(values_of<int64_t>(y[1]), above ? (std::vector<int64_t>{1, 1, 4}) : (std::vector<int64_t>{7, 8, 9}));
    expect_floats(y[2], {1, 1, 4}, above ? std::vector<float>{1, 2, 3, 4} : x);
    expect_floats(y[3], {1, 1, 4}, x);
}

const std::vector<float> sums[] = {{1, 2, -3, 4}, {1, -2, 3, -4}, {0, 0, 0, 1}, {0, 0, 0.5f, 0.75f}};

TEST(OnnxIf, TheDeviceChoosesWhereTheConditionIsKnownOnlyThen)
{
    on_every_device([](const CaseDevice& device) {
        Result<onnx::Session> session = prepare(device, decided_by_sum());
        ASSERT_TRUE(session) << session.message();
        for (const std::vector<float>& x : sums) {
            const auto y = session->run(std::vector{floats({1, 1, 4}, x)});
            ASSERT_TRUE(y) << y.message();
            expect_decided(*y, x);
        }
    });
}

// A recording holds both branches, so that it needs no host between them.
TEST(OnnxIf, ARecordingChoosesToo)
{
    on_every_device([](const CaseDevice& device) {
        const Result<onnx::Session> session = prepare(device, decided_by_sum());
        ASSERT_TRUE(session) << session.message();
        Result<Tensor> x = device.device().tensor(session->inputs()[0]);
        ASSERT_TRUE(x) << x.message();
        std::vector<Tensor> outputs;
        for (const TensorDesc& desc : session->outputs()) {
            const Result<Tensor> output = device.device().tensor(desc);
            ASSERT_TRUE(output) << output.message();
            outputs.push_back(*output);
        }
        Result<Recording> recording = session->bind({&*x, 1}, outputs);
        ASSERT_TRUE(recording) << recording.message();
        for (const std::vector<float>& numbers : sums) {
            ASSERT_TRUE(x->upload(std::as_bytes(std::span(numbers))));
            Result<Job> job = recording->submit();
            ASSERT_TRUE(job) << job.message();
            ASSERT_TRUE(job->wait(60));
            std::vector<HostTensor> y;
            for (Tensor& output : outputs) {
                const auto bytes = output.download();
                ASSERT_TRUE(bytes) << bytes.message();
                y.push_back({.desc = output.desc(), .data = *bytes});
            }
            expect_decided(y, numbers);
        }
    });
}

// The branch that is not taken has an index beyond its tensor, a division by zero, and NaN: all of it is left alone.
TEST(OnnxIf, WhatTheOtherBranchMakesDoesNoHarm)
{
    const std::string picked =
        ModelBuilder().node("Gather", {"T", "at"}, {"G"}).node("Div", {"G", "by"}, {"Z"}).output("Z").output("N").graph();
    const std::string plain = ModelBuilder().initializer(int64_tensor("W", {1}, {-5})).output("W").output("X").graph();
    const std::string file =
        ModelBuilder()
            .opset(17)
            .input("at", DType::int64, {1})
            .input("by", DType::int64, {1})
            .input("X", DType::float32, {1})
            .initializer(int64_tensor("T", {3}, {10, 20, 30}))
            .initializer(int64_tensor("three", {1}, {3}))
            .node("Less", {"at", "three"}, {"c"})
            .node("Sqrt", {"X"}, {"N"})
            .node("If", {"c"}, {"Y", "root"}, {graph_attribute("then_branch", picked), graph_attribute("else_branch", plain)})
            .output("Y")
            .output("root")
            .build();
    on_every_device([&](const CaseDevice& device) {
        Result<onnx::Model> model = onnx::Model::parse(kit::as_bytes(file));
        ASSERT_TRUE(model) << model.message();
        const Result<onnx::Session> session = onnx::Session::prepare(device.device(), *model, {});
        ASSERT_TRUE(session) << session.message();
        std::vector<Tensor> inputs, outputs;
        for (const TensorDesc& desc : session->inputs())
            inputs.push_back(*device.device().tensor(desc));
        for (const TensorDesc& desc : session->outputs())
            outputs.push_back(*device.device().tensor(desc));
        Result<Recording> recording = session->bind(inputs, outputs);
        ASSERT_TRUE(recording) << recording.message();
        struct Row {
            int64_t at, by;
            float x;
            int64_t y;
            float root;
        };
        for (const Row& row : {Row{2, 3, 9, 10, 3}, {1, 1, 4, 20, 2}, {1000000, 0, -4, -5, -4}, {INT64_MAX, 0, -1, -5, -1}}) {
            ASSERT_TRUE(inputs[0].upload(std::as_bytes(std::span(&row.at, 1))));
            ASSERT_TRUE(inputs[1].upload(std::as_bytes(std::span(&row.by, 1))));
            ASSERT_TRUE(inputs[2].upload(std::as_bytes(std::span(&row.x, 1))));
            ASSERT_TRUE(recording->run());
            EXPECT_EQ(values_of<int64_t>({.desc = {}, .data = *outputs[0].download()}), (std::vector{row.y})) << row.at;
            EXPECT_EQ(values_of<float>({.desc = {}, .data = *outputs[1].download()}), (std::vector{row.root})) << row.at;
        }
    });
}

// Every bit of a chosen output is that of its branch, in every type that is chosen. Scalars stay scalars.
TEST(OnnxIf, OutputsOfEveryTypeAreChosen)
{
    const DType types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::boolean,
                           DType::int8,    DType::int16,   DType::int32,   DType::int64,    DType::uint8,
                           DType::uint16,  DType::uint32,  DType::uint64,  DType::complex64};
    std::mt19937 random(7);
    on_every_device([&](const CaseDevice& device) {
        for (const DType dtype : types)
            for (const Dims& dims : {Dims{}, Dims{5}, Dims{2, 3, 7}, Dims{0, 3}}) {
                const TensorDesc desc = {.dtype = dtype, .dims = dims};
                std::vector<std::byte> one(size_t(*byte_size(desc))), other(one.size());
                for (std::vector<std::byte>* bytes : {&one, &other})
                    for (std::byte& byte : *bytes)
                        byte = std::byte(dtype == DType::boolean ? random() % 2 : random() % 256);
                const auto constant = [&](const std::vector<std::byte>& bytes) {
                    return ModelBuilder().initializer(kit::raw_tensor("W", desc, bytes)).output("W").graph();
                };
                ModelBuilder model;
                model.opset(17)
                    .input("c", DType::boolean, {1})
                    .node("If", {"c"}, {"Y"},
                          {graph_attribute("then_branch", constant(one)), graph_attribute("else_branch", constant(other))});
                Result<onnx::Session> session = prepare(device, model.output("Y").build());
                ASSERT_TRUE(session) << session.message();
                for (const uint8_t condition : std::vector<uint8_t>{1, 0, 2}) {
                    const auto y = session->run(std::vector{host<uint8_t>(DType::boolean, {1}, {condition})});
                    ASSERT_TRUE(y) << y.message();
                    EXPECT_EQ(y->at(0).desc, desc) << to_string(y->at(0).desc);
                    EXPECT_EQ(y->at(0).data, condition != 0 ? one : other) << to_string(desc) << ", " << int(condition);
                }
            }
    });
}

// What one run of a session was given does not stay for the next one, whether an If is decided beforehand or not.
TEST(OnnxIf, ASessionWithoutTheConditionServesBoth)
{
    on_every_device([](const CaseDevice& device) {
        const std::string twice = ModelBuilder().node("Add", {"X", "X"}, {"Z"}).output("Z").graph();
        const std::string negated = ModelBuilder().node("Neg", {"X"}, {"Z"}).output("Z").graph();
        ModelBuilder model;
        model.opset(17)
            .input("X", DType::float32, {"n"})
            .input("c", DType::boolean, {})
            .node("If", {"c"}, {"Y"}, {graph_attribute("then_branch", twice), graph_attribute("else_branch", negated)});
        std::vector<NamedDesc> descs(1);
        descs[0].name = "X";
        descs[0].desc.dims = {2};
        Result<onnx::Session> session = prepare(device, model.output("Y").build(), descs);
        ASSERT_TRUE(session) << session.message();
        EXPECT_TRUE(session->nodes().back().runs());
        for (const uint8_t condition : std::vector<uint8_t>{1, 0, 1}) {
            const HostTensor c = host<uint8_t>(DType::boolean, {}, {condition});
            auto y = session->run(std::vector{floats({2}, {1, 2}), c});
            ASSERT_TRUE(y) << y.message();
            expect_floats(y->at(0), {2}, condition != 0 ? std::vector<float>{2, 4} : std::vector<float>{-1, -2});
            y = session->run(std::vector{floats({1}, {3}), c});
            ASSERT_TRUE(y) << y.message();
            expect_floats(y->at(0), {1}, {condition != 0 ? 6.f : -3.f});
        }
    });
}

// ---- Ifs in Ifs

// This class draws a model of Ifs in Ifs with what it computes: the same model for the same seed, whatever the conditions are.
// Every graph has an initializer W of its own, which hides that of the graph around it.
class RandomIfs {
public:
    using Numbers = std::vector<float>;

    RandomIfs(unsigned seed, std::vector<bool> conditions) : random_(seed), conditions_(std::move(conditions))
    {
        ModelBuilder model;
        model.opset(17).input("X", DType::float32, {2, 2}).input("c0", DType::boolean, {}).input("c1", DType::boolean, {});
        expected = add(model, {{"X", x}}, 0);
        file = model.build();
    }

    const Numbers x = {1, -2, 3, -4};
    std::string file = {};
    Numbers expected = {};

private:
    struct Drawn {
        std::string name = {};
        Numbers numbers = {};
    };

    size_t below(size_t end) { return size_t(random_() % end); }
    Drawn any(const std::vector<Drawn>& seen) { return seen[below(seen.size())]; }

    // Adds nodes and the output of a graph, which sees these values, and returns what the output is.
    Numbers add(ModelBuilder& graph, std::vector<Drawn> seen, int depth)
    {
        Numbers own(4);
        for (float& number : own)
            number = float(int(below(9)) - 4);
        graph.initializer(float_tensor("W", {2, 2}, own));
        std::erase_if(seen, [](const Drawn& one) { return one.name == "W"; });
        seen.push_back({"W", own});
        for (size_t nodes = 2 + below(4); nodes > 0; --nodes) {
            Drawn made = {.name = "v" + std::to_string(count_++), .numbers = Numbers(4)};
            const size_t kind = below(depth < 4 ? 5 : 3);
            if (kind < 3) {
                const Drawn a = any(seen), b = any(seen);
                for (size_t i = 0; i < 4; ++i)
                    made.numbers[i] = kind == 0   ? a.numbers[i] + b.numbers[i]
                                      : kind == 1 ? a.numbers[i] - b.numbers[i]
                                                  : std::max(a.numbers[i], b.numbers[i]);
                graph.node(kind == 0 ? "Add" : kind == 1 ? "Sub" : "Max", {a.name, b.name}, {made.name});
            } else {
                ModelBuilder then_branch, else_branch;
                const Numbers if_true = add(then_branch, seen, depth + 1), if_false = add(else_branch, seen, depth + 1);
                const size_t condition = below(2);
                made.numbers = conditions_[condition] ? if_true : if_false;
                graph.node(
                    "If", {"c" + std::to_string(condition)}, {made.name},
                    {graph_attribute("then_branch", then_branch.graph()), graph_attribute("else_branch", else_branch.graph())});
            }
            seen.push_back(std::move(made));
        }
        const Drawn output = any(seen);
        graph.output(output.name);
        return output.numbers;
    }

    std::mt19937 random_;
    const std::vector<bool> conditions_;
    size_t count_ = 0;
};

NamedDesc condition(const std::string& name, bool value)
{
    NamedDesc named;
    named.name = name;
    named.value = host<uint8_t>(DType::boolean, {}, {value});
    named.desc = named.value->desc;
    return named;
}

// The first session chooses beforehand and takes a plan for each pair of conditions. The second one knows one of them, and the
// last one none.
TEST(OnnxIf, IfsInIfsGiveWhatTheirBranchesGive)
{
    const uint32_t first = kit::test_seed(20261127);
    on_every_device([&](const CaseDevice& device) {
        for (int round = 0; round < kit::test_problems(60); ++round) {
            const uint32_t seed = first + uint32_t(round);
            const std::string file = RandomIfs(seed, {true, true}).file;
            std::vector<NamedDesc> known = {condition("c0", true), condition("c1", true)};
            Result<onnx::Session> sessions[] = {prepare(device, file, known), prepare(device, file, {known[0]}),
                                                prepare(device, file)};
            for (const Result<onnx::Session>& session : sessions)
                ASSERT_TRUE(session) << session.message() << ", seed " << seed;
            for (const std::vector<bool>& conditions : {std::vector{true, true}, {true, false}, {false, true}, {false, false}}) {
                const RandomIfs drawn(seed, conditions);
                std::vector<HostTensor> inputs = {floats({2, 2}, drawn.x)};
                for (const bool one : conditions)
                    inputs.push_back(host<uint8_t>(DType::boolean, {}, {one}));
                for (Result<onnx::Session>& session : sessions) {
                    const auto y = session->run(inputs);
                    ASSERT_TRUE(y) << y.message() << ", seed " << seed;
                    EXPECT_EQ(values_of<float>(y->at(0)), drawn.expected) << "seed " << seed;
                }
            }
        }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
