// Sessions whose activations run in the kernel before them: the values of the operators one by one, with less to run.
#include <algorithm>

#include "kit/elements.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using onnx::HostTensor;

struct Activation {
    const char* op;
    std::vector<std::string> inputs = {"V"};  // of the node
    std::vector<std::string> attributes = {};
    bool is_function = false;  // not for doubles
};

const Activation activations[] = {
    {"Relu"},
    {"LeakyRelu", {"V"}, {kit::float_attribute("alpha", -0.5f)}},
    {"Clip", {"V", "least", "most"}},
    {"Clip", {"V", "", "most"}},
    {"HardSwish"},
    {"Sigmoid", {"V"}, {}, true},
    {"Tanh", {"V"}, {}, true},
};

HostTensor tensor_of(DType dtype, const Dims& dims, const std::vector<double>& values)
{
    return host(dtype, dims, kit::encoded(dtype, values));
}

// Small numbers of both signs: sums of them, and what activations make of halves, are what they are without an epilogue.
std::vector<double> numbers(size_t count)
{
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = double(int(i * 37 % 11) - 5) / 2;
    return values;
}

// X (1, 3, 4, 5) through a ConvTranspose 'up' and an activation 'act' to Y; with `shown` the value between is an output, too.
std::string file_of(const Activation& activation, DType dtype, bool shown)
{
    kit::ModelBuilder builder;
    const auto constant = [&](const char* name, const Dims& dims, const std::vector<double>& values) {
        builder.initializer(kit::raw_tensor(name, {dtype, dims}, kit::encoded(dtype, values)));
    };
    builder.opset(newest_opset).input("X", dtype, {1, 3, 4, 5});
    constant("W", {3, 2, 3, 3}, numbers(54));
    constant("B", {2}, {0.5, -1});
    constant("least", {}, {-1.5});
    constant("most", {}, {6});
    builder
        .node("ConvTranspose", {"X", "W", "B"}, {"V"}, {kit::ints_attribute("strides", {2, 2})}, "up")
        .node(activation.op, activation.inputs, {"Y"}, activation.attributes, "act")
        .output("Y");
    if (shown)
        builder.output("V");
    return builder.build();
}

size_t running(const onnx::Session& session)
{
    return size_t(std::count_if(session.nodes().begin(), session.nodes().end(), [](const auto& node) { return node.runs(); }));
}

TEST(Fusion, RunsLessAndGivesTheSame)
{
    on_every_device([](CaseDevice& on) {
        for (const Activation& activation : activations)
            for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
                if (dtype == DType::float64 && activation.is_function)
                    continue;
                SCOPED_TRACE(std::string(activation.op) + " " + std::string(name(dtype)));
                const HostTensor x = tensor_of(dtype, {1, 3, 4, 5}, numbers(60));
                auto fused = prepare(on, file_of(activation, dtype, false));
                auto apart = prepare(on, file_of(activation, dtype, true));
                ASSERT_TRUE(fused && apart) << fused.message() << apart.message();
                EXPECT_EQ(running(*fused), 1u);
                EXPECT_EQ(running(*apart), 2u);
                EXPECT_EQ(fused->nodes()[1].explanation.kernel, "fused");
                const auto got = fused->run({&x, 1});
                const auto expected = apart->run({&x, 1});
                ASSERT_TRUE(got && expected) << got.message() << expected.message();
                EXPECT_EQ(got->at(0).desc, expected->at(0).desc);
                EXPECT_TRUE(got->at(0).data == expected->at(0).data);
                EXPECT_FALSE(got->at(0).data == expected->at(1).data) << "it does nothing";
            }
    });
}

// What is between them takes no memory, and a view between them none either.
TEST(Fusion, TakesTheMemoryOfOneValueLess)
{
    on_every_device([](CaseDevice& on) {
        const auto file = [](bool fused) {
            kit::ModelBuilder builder;
            builder.opset(newest_opset)
                .input("X", DType::float32, {1, 1, 62})
                .initializer(kit::float_tensor("W", {1, 4, 3}, std::vector<float>(12, 1)))
                .node("ConvTranspose", {"X", "W"}, {"V"}, {}, "up")
                .node("Flatten", {"V"}, {"flat"})
                .node(fused ? "Relu" : "Abs", {"flat"}, {"R"}, {}, "act")
                .node("Sum", {"R", "R", "R", "R"}, {"Y"})
                .output("Y");
            return builder.build();
        };
        auto fused = prepare(on, file(true));
        auto apart = prepare(on, file(false));
        ASSERT_TRUE(fused && apart) << fused.message() << apart.message();
        EXPECT_EQ(fused->report().unshared_bytes, 4u * 64 * 4);
        EXPECT_EQ(apart->report().unshared_bytes, 2u * 4 * 64 * 4);
        const HostTensor x = floats({1, 1, 62}, std::vector<float>(62, 2));
        const auto got = fused->run({&x, 1});
        const auto expected = apart->run({&x, 1});
        ASSERT_TRUE(got && expected) << got.message() << expected.message();
        EXPECT_EQ(got->at(0).data, expected->at(0).data) << "no sum is negative";
    });
}

TEST(Fusion, WhatIsWrongNamesItsOwnNode)
{
    on_every_device([](CaseDevice& on) {
        const auto session = prepare(on, file_of({"Tanh"}, DType::float64, false));
        EXPECT_EQ(session.message(), "node 'act': Tanh: input has type double, in which there is no such function: float32, float16 "
                                     "and bfloat16 have it");
        const auto forced =
            prepare(on, file_of({"Relu"}, DType::float32, false), {}, {.prepare = {.kernel = "conv_transpose_columns"}});
        EXPECT_EQ(forced.message(), "node 'up': ConvTranspose: kernel \"conv_transpose_columns\" does not fit, because it stores "
                                    "its results as they are, without PrepareOptions::epilogue; those that fit: "
                                    "conv_transpose_phases, conv_transpose_phases_shared, conv_transpose_direct, conv_transpose_nd");
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
