// This file tests models with an If on devices: the values of the branch that is taken, and what a session keeps of both.
#include <algorithm>
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

HostTensor rate(int64_t value)
{
    return host<int64_t>(DType::int64, {}, {value});
}

std::vector<NamedDesc> described(int64_t width, int64_t value)
{
    std::vector<NamedDesc> inputs(2);
    inputs[0].name = "X";
    inputs[0].desc.dims = {1, 1, width};
    inputs[1].name = "rate";
    inputs[1].desc = rate(value).desc;
    inputs[1].value = rate(value);
    return inputs;
}

TEST(OnnxIf, TheValueOfAnInputChoosesTheBranch)
{
    on_every_device([](const CaseDevice& device) {
        const HostTensor x4 = floats({1, 1, 4}, {0, 1, 2, 3}), x3 = floats({1, 1, 3}, {0, 1, -3});
        std::vector<HostTensor> y = run(device, filter_by_rate(), {x4, rate(8000)}, described(4, 8000));
        ASSERT_EQ(y.size(), 2u);
        expect_floats(y[0], {1, 1, 4}, {121, 484, 1089, 1936});
        expect_floats(y[1], {1, 1, 4}, {0, 1, 2, 3});
        y = run(device, filter_by_rate(), {x3, rate(8000)}, described(3, 8000));
        ASSERT_EQ(y.size(), 2u);
        expect_floats(y[0], {1, 1, 3}, {100, 400, 400});
        y = run(device, filter_by_rate(), {x3, rate(16000)}, described(3, 16000));
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
            const auto y = session->run(std::vector{x, rate(value)});
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

TEST(OnnxIf, IfsInIfsGiveWhatTheirBranchesGive)
{
    const uint32_t first = kit::test_seed(20261127);
    on_every_device([&](const CaseDevice& device) {
        for (int round = 0; round < kit::test_problems(60); ++round) {
            const uint32_t seed = first + uint32_t(round);
            Result<onnx::Session> session =
                prepare(device, RandomIfs(seed, {true, true}).file, {condition("c0", true), condition("c1", true)});
            ASSERT_TRUE(session) << session.message() << ", seed " << seed;
            for (const std::vector<bool>& conditions : {std::vector{true, true}, {true, false}, {false, true}, {false, false}}) {
                const RandomIfs drawn(seed, conditions);
                std::vector<HostTensor> inputs = {floats({2, 2}, drawn.x)};
                for (const bool one : conditions)
                    inputs.push_back(host<uint8_t>(DType::boolean, {}, {one}));
                const auto y = session->run(inputs);
                ASSERT_TRUE(y) << y.message() << ", seed " << seed;
                EXPECT_EQ(values_of<float>(y->at(0)), drawn.expected) << "seed " << seed;
            }
        }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
