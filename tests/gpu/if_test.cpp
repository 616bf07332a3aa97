// This file tests models with an If on devices: the values of the branch that is taken, and what a session keeps of both.
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

}  // namespace
}  // namespace vkonnx::gpu_test
