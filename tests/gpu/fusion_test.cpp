// This file tests sessions whose activations run in the kernel before them: they give the values of the single operators, with
// fewer dispatches.
#include <algorithm>
#include <cmath>
#include <functional>

#include "kit/elements.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using onnx::HostTensor;

struct Activation {
    const char* op;
    std::vector<std::string> inputs = {"V"};  // the inputs of the node
    std::vector<std::string> attributes = {};
    bool is_function = false;  // such kinds take no doubles
};

const Activation activations[] = {
    {"Relu"},
    {"LeakyRelu", {"V"}, {kit::float_attribute("alpha", -0.5f)}},
    {"Clip", {"V", "least", "most"}},
    {"Clip", {"V", "", "most"}},
    {"HardSigmoid", {"V"}, {kit::float_attribute("alpha", 0.125f), kit::float_attribute("beta", 0.25f)}},
    {"HardSwish"},
    {"Sigmoid", {"V"}, {}, true},
    {"Tanh", {"V"}, {}, true},
};

HostTensor tensor_of(DType dtype, const Dims& dims, const std::vector<double>& values)
{
    return host(dtype, dims, kit::encoded(dtype, values));
}

// Returns small numbers of both signs, so that sums of them, and what activations make of halves, are the same without an
// epilogue.
std::vector<double> numbers(size_t count)
{
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = double(int(i * 37 % 11) - 5) / 2;
    return values;
}

// X (1, 3, 4, 5) goes through a ConvTranspose 'up' and an activation 'act' to Y. With `shown` the value between is an output,
// too.
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
    builder.node("ConvTranspose", {"X", "W", "B"}, {"V"}, {kit::ints_attribute("strides", {2, 2})}, "up")
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

// The value between fused operators must take no memory, and neither must a view between them.
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

// X (1, 8, 4, 6) goes through operators that become a prologue, 'norm' and 'act' as far as they are given, and a convolution to
// Y.
std::string prologue_file(const std::string& op, const Activation* activation, bool normalizes, DType dtype)
{
    kit::ModelBuilder builder;
    const auto constant = [&](const char* name, const Dims& dims, const std::vector<double>& values) {
        builder.initializer(kit::raw_tensor(name, {dtype, dims}, kit::encoded(dtype, values)));
    };
    builder.opset(newest_opset).input("X", dtype, {1, 8, 4, 6});
    const bool is_point = op == "point";
    const Dims kernel = is_point ? Dims{16, 8, 1, 1} : Dims{8, 8, 3, 3};
    constant("W", kernel, numbers(is_point ? 128 : 576));
    constant("B", {kernel[0]}, numbers(size_t(kernel[0])));
    constant("slopes", {8, 1, 1}, {0.5, -1, 2, 0.25, 0, 1, -0.5, 4});
    constant("scale", {8}, {1, 2, -1, 0.7, 3, 1, -2, 0.3});
    constant("shift", {8}, {1, -2, 3, 0.3, -1, 0, 2, 0.1});
    constant("mean", {8}, {0.1, 0.2, -1, 2, 0, 1, -2, 0.5});
    constant("var", {8}, {1, 2, 0.5, 3, 1, 2, 0.1, 4});
    if (normalizes)
        builder.node("BatchNormalization", {"X", "scale", "shift", "mean", "var"}, {"N"}, {}, "norm");
    if (activation) {
        std::vector<std::string> inputs = activation->inputs;
        inputs[0] = normalizes ? "N" : "X";
        builder.node(activation->op, inputs, {"V"}, activation->attributes, "act");
    }
    const std::string last = activation ? "V" : "N";
    std::vector<std::string> attributes;
    if (!is_point)
        attributes = {kit::ints_attribute("pads", {1, 1, 1, 1})};
    return builder.node(is_point ? "Conv" : op, {last, "W", "B"}, {"Y"}, attributes, "conv").output("Y").build();
}

TEST(Fusion, APrologueRunsLessAndGivesTheSame)
{
    const Activation relu = {"Relu"}, prelu = {"PRelu", {"", "slopes"}},
                     leaky = {"LeakyRelu", {""}, {kit::float_attribute("alpha", 0.25f)}};
    on_every_device([&](CaseDevice& on) {
        for (const char* const op : {"Conv", "point", "ConvTranspose"})
            for (const Activation* const activation : {static_cast<const Activation*>(nullptr), &relu, &prelu, &leaky})
                for (const bool normalizes : {true, false}) {
                    if (!activation && !normalizes)
                        continue;
                    const std::string file = prologue_file(op, activation, normalizes, DType::float32);
                    SCOPED_TRACE(std::string(op) + " behind " + (normalizes ? "BatchNormalization " : "") +
                                 (activation ? activation->op : ""));
                    const HostTensor x = tensor_of(DType::float32, {1, 8, 4, 6}, numbers(192));
                    auto fused = prepare(on, file);
                    auto apart = prepare(on, file, {}, {.without_fusions = uint32_t(onnx::Fusion::prologue)});
                    ASSERT_TRUE(fused && apart) << fused.message() << apart.message();
                    EXPECT_EQ(running(*fused), 1u);
                    EXPECT_GT(running(*apart), 1u);
                    EXPECT_EQ(fused->nodes()[0].explanation.why, "it is the prologue of node 'conv'");
                    const auto got = fused->run({&x, 1});
                    const auto expected = apart->run({&x, 1});
                    ASSERT_TRUE(got && expected) << got.message() << expected.message();
                    const std::vector<double> y = kit::decoded(DType::float32, got->at(0).data);
                    const std::vector<double> same = kit::decoded(DType::float32, expected->at(0).data);
                    ASSERT_EQ(y.size(), same.size());
                    for (size_t i = 0; i < y.size(); ++i)
                        ASSERT_NEAR(y[i], same[i], 1e-4) << i;
                }
    });
}

// What is computed for one size must be reused for the next: the numbers of a prologue, too, which are on the device once.
TEST(Fusion, APrologueIsThatOfOtherSizes)
{
    on_every_device([&](CaseDevice& on) {
        kit::ModelBuilder builder;
        builder.opset(newest_opset).input("X", DType::float32, {1, 4, "n"});
        for (const char* const name : {"scale", "shift", "mean", "var"})
            builder.initializer(kit::float_tensor(name, {4}, {1, 2, 3, 4}));
        builder.initializer(kit::float_tensor("W", {2, 4, 3}, std::vector<float>(24, 1)))
            .node("BatchNormalization", {"X", "scale", "shift", "mean", "var"}, {"N"})
            .node("Conv", {"N", "W"}, {"Y"}, {}, "conv")
            .output("Y");
        auto session = prepare(on, builder.build(), {{.name = "X", .desc = {.dims = {1, 4, 9}}}});
        ASSERT_TRUE(session) << session.message();
        for (const int64_t size : {9, 13, 9}) {
            const HostTensor x = floats({1, 4, size}, std::vector<float>(size_t(4 * size), 2));
            const auto got = session->run({&x, 1});
            ASSERT_TRUE(got) << got.message();
            EXPECT_EQ(got->at(0).desc.dims, (Dims{1, 2, size - 2}));
            const std::vector<double> y = kit::decoded(DType::float32, got->at(0).data);
            double channel_sum = 0;
            for (const double c : {1, 2, 3, 4})
                channel_sum += (2 - c) / std::sqrt(c + 1e-5) * c + c;
            for (const double value : y)
                ASSERT_NEAR(value, 3 * channel_sum, 1e-4);
        }
    });
}

// The activation moves into the convolution, and away from what is nowhere negative, as in ShuffleNet's units.
TEST(Fusion, BehindAConcatAnActivationGivesTheSame)
{
    on_every_device([](CaseDevice& on) {
        for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
            SCOPED_TRACE(name(dtype));
            kit::ModelBuilder builder;
            builder.opset(newest_opset)
                .input("X", dtype, {1, 3, 4, 5})
                .initializer(kit::raw_tensor("W", {dtype, {5, 3, 1, 1}}, kit::encoded(dtype, numbers(15))))
                .node("Relu", {"X"}, {"R"}, {}, "positive")
                .node("MaxPool", {"R"}, {"P"},
                      {kit::ints_attribute("kernel_shape", {3, 3}), kit::ints_attribute("pads", {1, 1, 1, 1})})
                .node("Conv", {"P", "W"}, {"A"}, {}, "conv")
                .node("AveragePool", {"P"}, {"B"}, {kit::ints_attribute("kernel_shape", {1, 1})}, "pool")
                .node("Concat", {"A", "B"}, {"J"}, {kit::int_attribute("axis", 1)}, "join")
                .node("Relu", {"J"}, {"Y"}, {}, "act")
                .output("Y");
            std::vector<double> values = numbers(60);
            values[7] = NAN;
            const HostTensor x = tensor_of(dtype, {1, 3, 4, 5}, values);
            auto fused = prepare(on, builder.build());
            auto apart = prepare(on, builder.build(), {}, {.without_fusions = uint32_t(onnx::Fusion::activation)});
            ASSERT_TRUE(fused && apart) << fused.message() << apart.message();
            EXPECT_EQ(running(*fused) + 1, running(*apart));
            const auto got = fused->run({&x, 1});
            const auto expected = apart->run({&x, 1});
            ASSERT_TRUE(got && expected) << got.message() << expected.message();
            EXPECT_TRUE(got->at(0).data == expected->at(0).data);
            const std::vector<double> y = kit::decoded(dtype, got->at(0).data);
            EXPECT_GT(std::count(y.begin(), y.begin() + 100, 0), 0) << "it has something to do";
            EXPECT_TRUE(std::none_of(y.begin(), y.end(), [](double one) { return one < 0; }));
        }
    });
}

// ---- the answers of single nodes

// This struct holds a model whose output is Y, and what it gives with and without fusions.
struct Compared {
    const CaseDevice& on;
    kit::ModelBuilder builder = {};
    std::vector<HostTensor> inputs = {};
    std::vector<double> fused = {};
    std::vector<double> apart = {};
    size_t running = 0;  // the nodes that run in the fused session

    explicit Compared(const CaseDevice& device) : on(device) { builder.opset(newest_opset); }

    void input(const char* name, DType dtype, const Dims& dims, const std::vector<double>& values)
    {
        inputs.push_back(tensor_of(dtype, dims, values));
        builder.input(name, dtype, std::vector<kit::Dim>(dims.begin(), dims.end()));
    }

    void constant(const char* name, DType dtype, const Dims& dims, const std::vector<double>& values)
    {
        builder.initializer(kit::raw_tensor(name, {dtype, dims}, kit::encoded(dtype, values)));
    }

    void list(const char* name, const std::vector<int64_t>& values)
    {
        builder.initializer(kit::int64_tensor(name, {int64_t(values.size())}, values));
    }

    void run()
    {
        builder.output("Y");
        for (const bool fuses : {false, true}) {
            auto session = prepare(on, builder.build(), {}, {.without_fusions = fuses ? 0u : 63u});
            ASSERT_TRUE(session) << session.message();
            const auto got = session->run(inputs);
            ASSERT_TRUE(got) << got.message();
            const HostTensor& y = got->at(0);
            (fuses ? fused : apart) = y.desc.dtype == DType::int32 ? integers(y) : kit::decoded(y.desc.dtype, y.data);
            running = gpu_test::running(*session);
        }
    }

    static std::vector<double> integers(const HostTensor& tensor)
    {
        const std::vector<int32_t> values = values_of<int32_t>(tensor);
        return std::vector<double>(values.begin(), values.end());
    }
};

TEST(Fusion, AnOperatorOfOneInputPassesItOn)
{
    struct Before {
        const char* op;
        DType dtype = DType::float32;
        bool bounds_are_known = false;
        std::function<double(double, double, double)> value;
    };
    const auto clipped = [](double x, double least, double most) { return std::min(std::max(x, least), most); };
    const Before befores[] = {
        {"Sum", DType::float32, false, [](double x, double a, double b) { return x + a + b; }},
        {"Max", DType::float32, false,
         [](double x, double a, double b) {
             return std::max({x, a, b});
         }},
        {"Min", DType::float16, false,
         [](double x, double a, double b) {
             return std::min({x, a, b});
         }},
        {"Clip", DType::float32, false, clipped},
        {"Clip", DType::int32, false, clipped},
        {"Clip", DType::int32, true, clipped},
    };
    on_every_device([&](CaseDevice& on) {
        for (const Before& before : befores)
            for (const char* const op : {"Max", "Min", "Sum"}) {
                const bool is_integer = before.dtype == DType::int32;
                if (is_integer && std::string(op) == "Sum")
                    continue;
                SCOPED_TRACE(std::string(op) + " behind " + before.op + " of " + std::string(name(before.dtype)));
                const bool clips = std::string(before.op) == "Clip";
                const std::vector<double> x = {-4, -2, 0, 2, 4, 6}, a = {-2}, b = {3};
                Compared models(on);
                const auto add = [&](const char* name, const Dims& dims, const std::vector<double>& values, bool is_known) {
                    const std::vector<int32_t> whole(values.begin(), values.end());
                    if (is_integer && is_known)
                        models.builder.initializer(kit::raw_tensor(name, {DType::int32, dims}, std::as_bytes(std::span(whole))));
                    else if (is_integer) {
                        models.inputs.push_back(host(DType::int32, dims, whole));
                        models.builder.input(name, DType::int32, std::vector<kit::Dim>(dims.begin(), dims.end()));
                    } else
                        models.input(name, before.dtype, dims, values);
                };
                add("X", {6}, x, false);
                add("a", clips ? Dims{} : Dims{1}, a, before.bounds_are_known);
                add("b", clips ? Dims{} : Dims{1}, b, before.bounds_are_known);
                models.builder.node(before.op, {"X", "a", "b"}, {"V"}).node(op, {"V"}, {"U"}).node("Abs", {"U"}, {"Y"});
                models.run();
                ASSERT_EQ(models.fused.size(), x.size());
                for (size_t i = 0; i < x.size(); ++i) {
                    EXPECT_EQ(models.fused[i], std::abs(before.value(x[i], a[0], b[0]))) << i;
                    EXPECT_EQ(models.fused[i], models.apart[i]) << i;
                }
                EXPECT_EQ(models.running, 1u);
            }
    });
}

// With a view between the parts of HardSwish, the Mul may combine each element with each. Other views change nothing.
TEST(Fusion, AGateIsBroadcastByAView)
{
    struct View {
        const char* op;
        std::vector<std::string> inputs = {"c"};
        std::vector<std::string> attributes = {};
        bool broadcasts = true;
    };
    const View views[] = {
        {"Reshape", {"c", "column"}},
        {"Unsqueeze", {"c", "last"}},
        {"Flatten", {"c"}, {kit::int_attribute("axis", 1)}},
        {"Reshape", {"c", "row"}, {}, false},
        {"Unsqueeze", {"c", "first"}, {}, false},
        {"Flatten", {"c"}, {kit::int_attribute("axis", 0)}, false},
    };
    on_every_device([&](CaseDevice& on) {
        for (const View& view : views) {
            SCOPED_TRACE(std::string(view.op) + " " + view.inputs.back());
            const std::vector<double> x = {-4, -1.5, 1, 5};
            Compared models(on);
            models.input("X", DType::float32, {4}, x);
            models.constant("zero", DType::float32, {}, {0});
            models.constant("three", DType::float32, {}, {3});
            models.constant("six", DType::float32, {}, {6});
            models.list("column", {4, 1});
            models.list("row", {1, 4});
            models.list("first", {0});
            models.list("last", {1});
            models.builder.node("Add", {"X", "three"}, {"a"})
                .node("Clip", {"a", "zero", "six"}, {"c"})
                .node(view.op, view.inputs, {"gate"}, view.attributes)
                .node("Mul", {"X", "gate"}, {"m"})
                .node("Div", {"m", "six"}, {"Y"});
            models.run();
            const auto gate = [&](size_t i) { return std::min(std::max(x[i] + 3, 0.0), 6.0); };
            ASSERT_EQ(models.fused.size(), view.broadcasts ? 16u : 4u);
            for (size_t i = 0; i < models.fused.size(); ++i) {
                EXPECT_NEAR(models.fused[i], x[i % 4] * gate(view.broadcasts ? i / 4 : i) / 6, 1e-6) << i;
                EXPECT_NEAR(models.fused[i], models.apart[i], 1e-6) << i;
            }
            if (!view.broadcasts) {
                EXPECT_EQ(models.running, 1u) << "a HardSwish";
            }
        }
    });
}

// A HardSigmoid in several nodes has the dimensions that a view between its parts gave it, and those who read it see them.
TEST(Fusion, AGateHasTheDimensionsOfAView)
{
    on_every_device([](CaseDevice& on) {
        const std::vector<double> x = {-4, -3, -1.5, 0, 1, 5};
        Compared models(on);
        models.input("X", DType::float32, {2, 3}, x);
        models.input("Z", DType::float32, {3, 1}, {1, 2, 4});
        models.constant("zero", DType::float32, {}, {0});
        models.constant("three", DType::float32, {}, {3});
        models.constant("six", DType::float32, {}, {6});
        models.list("dims", {3, 2});
        models.builder.node("Add", {"X", "three"}, {"a"})
            .node("Reshape", {"a", "dims"}, {"r"})
            .node("Clip", {"r", "zero", "six"}, {"c"})
            .node("Div", {"c", "six"}, {"gate"})
            .node("Mul", {"gate", "Z"}, {"Y"});
        models.run();
        ASSERT_EQ(models.fused.size(), 6u);
        for (size_t i = 0; i < 6; ++i) {
            const double z = i < 2 ? 1 : i < 4 ? 2 : 4;
            EXPECT_NEAR(models.fused[i], std::min(std::max(x[i] + 3, 0.0), 6.0) / 6 * z, 1e-6) << i;
            EXPECT_NEAR(models.fused[i], models.apart[i], 1e-6) << i;
        }
        EXPECT_EQ(models.running, 1u);
    });
}

void add_normalization(Compared& models, DType dtype, double scale, double shift, double mean, double var, const char* to)
{
    for (const auto& [name, value] :
         std::initializer_list<std::pair<const char*, double>>{{"scale", scale}, {"shift", shift}, {"mean", mean}, {"var", var}})
        models.constant(name, dtype, {2}, {value, value});
    models.builder.node("BatchNormalization", {"X", "scale", "shift", "mean", "var"}, {to});
}

// A product near 700 less an offset of 700 would keep two bits, if both were halves.
TEST(Fusion, AHalfIsNormalizedInFloat)
{
    on_every_device([](CaseDevice& on) {
        for (const DType dtype : {DType::float16, DType::bfloat16})
            for (const bool in_front_of_conv : {false, true}) {
                SCOPED_TRACE(std::string(name(dtype)) + (in_front_of_conv ? " Conv" : " Relu"));
                const std::vector<double> x = dtype == DType::float16 ? std::vector<double>{1000.5, 1001, 1003.5, 999}
                                                                      : std::vector<double>{1004, 1008, 1024, 996};
                Compared models(on);
                models.input("X", dtype, {1, 2, 2}, x);
                add_normalization(models, dtype, 0.7, 0, 1000, 1, in_front_of_conv ? "N" : "V");
                if (in_front_of_conv) {
                    models.constant("W", dtype, {2, 2, 1}, {1, 0, 0, 1});
                    models.builder.node("Conv", {"N", "W"}, {"V"});
                }
                models.builder.node("Relu", {"V"}, {"Y"});
                models.run();
                const double scale = kit::rounded(dtype, 0.7) / std::sqrt(1 + 1e-5);
                const double ulp = dtype == DType::float16 ? 0x1p-10 : 0x1p-7;
                ASSERT_EQ(models.fused.size(), x.size());
                for (size_t i = 0; i < x.size(); ++i) {
                    const double expected = std::max(0.0, (x[i] - 1000) * scale);
                    EXPECT_NEAR(models.fused[i], expected, expected * ulp) << i;
                    EXPECT_EQ(models.fused[i], models.apart[i]) << i;
                }
            }
    });
}

// A mean of 1e30 times a factor of 1e10 is beyond the greatest float; the difference from it is not.
TEST(Fusion, NothingIsAddedThatAFloatCantHold)
{
    on_every_device([](CaseDevice& on) {
        for (const bool in_front_of_conv : {false, true}) {
            SCOPED_TRACE(in_front_of_conv ? "prologue" : "chain");
            Compared models(on);
            models.input("X", DType::float32, {1, 2, 2}, {1e30, 1e30, 1e30, 1e30});
            add_normalization(models, DType::float32, 1e10, 2, 1e30, 1, in_front_of_conv ? "N" : "V");
            if (in_front_of_conv) {
                models.constant("W", DType::float32, {2, 2, 1}, {1, 0, 0, 1});
                models.builder.node("Conv", {"N", "W"}, {"V"});
            }
            models.builder.node("Relu", {"V"}, {"Y"});
            models.run();
            EXPECT_EQ(models.fused, std::vector<double>(4, 2));
            EXPECT_EQ(models.apart, models.fused);
        }
        // Two numbers go into a bias, and their sum is beyond the greatest float.
        Compared models(on);
        models.input("X", DType::float32, {1, 1, 2}, {-1, -0.5});
        models.constant("W", DType::float32, {1, 1, 1}, {3e38});
        models.constant("much", DType::float32, {}, {2e38});
        models.builder.node("Conv", {"X", "W"}, {"V"}).node("Add", {"V", "much"}, {"a"}).node("Add", {"a", "much"}, {"Y"});
        models.run();
        ASSERT_EQ(models.fused.size(), 2u);
        EXPECT_NEAR(models.fused[0], 1e38, 1e33);
        EXPECT_NEAR(models.fused[1], 2.5e38, 1e33);
        EXPECT_EQ(models.fused, models.apart);
    });
}

// Weights whose product with the factor would be denormal or infinite stay as they are, others are folded.
TEST(Fusion, NothingIsFoldedIntoWeightsThatTheTypeCantHold)
{
    struct Fold {
        DType dtype;
        double x, weight, factor;
        bool is_made;
    };
    const Fold folds[] = {
        {DType::float16, 300, 0.02, 1e-4, false},    {DType::float16, 0.1, 200, 400, false},
        {DType::float16, 30, 0.02, 0.01, true},      {DType::float32, 1e-25, 1e20, 1e25, false},
        {DType::float32, 1e25, 1e-20, 1e-25, false}, {DType::float32, 1e-25, 1e20, 1e15, true},
        {DType::bfloat16, 1e-25, 1e20, 1e25, false}, {DType::bfloat16, 1e25, 1e-20, 1e-25, false},
    };
    on_every_device([&](CaseDevice& on) {
        for (const Fold& fold : folds) {
            SCOPED_TRACE(std::string(name(fold.dtype)) + " " + std::to_string(fold.weight) + " * " + std::to_string(fold.factor));
            const double x = kit::rounded(fold.dtype, fold.x), weight = kit::rounded(fold.dtype, fold.weight),
                         factor = kit::rounded(fold.dtype, fold.factor);
            Compared models(on);
            models.input("X", fold.dtype, {1, 2, 3}, {x, 0, -x, x, 0, 0});
            models.constant("W", fold.dtype, {1, 2, 1}, {weight, weight});
            models.constant("factor", fold.dtype, {}, {factor});
            models.builder.node("Conv", {"X", "W"}, {"V"}).node("Mul", {"V", "factor"}, {"Y"});
            models.run();
            const double unit = std::ldexp(1.0, -kit::format_of(fold.dtype).fraction_bits);
            // Y may be a denormal half, which is off by half the distance of such numbers.
            const double least = fold.dtype == DType::float16 ? 0x1p-25 : 0;
            const std::vector<double> expected = {2 * x * weight * factor, 0, -x * weight * factor};
            ASSERT_EQ(models.fused.size(), expected.size());
            for (size_t i = 0; i < expected.size(); ++i) {
                const double bound = 3 * unit * std::abs(expected[i]) + least;  // rounded three times
                EXPECT_NEAR(models.fused[i], expected[i], bound) << i;
            }
            EXPECT_EQ(models.running, fold.is_made ? 1u : 2u);
        }
    });
}

// The scale of a normalization may be a float whose quotient by the deviation is none.
TEST(Fusion, NothingIsFoldedIntoANormalizationThatItCantDivide)
{
    struct Fold {
        double scale, var, factor;
        bool is_made;
    };
    const Fold folds[] = {{1e35, 1e-6, 100, false}, {1e-32, 1e10, 0.01, false}, {1e35, 1e-6, 10, true}, {1e-20, 1e10, 10, true}};
    on_every_device([&](CaseDevice& on) {
        for (const Fold& fold : folds) {
            SCOPED_TRACE(std::to_string(std::log10(fold.scale)) + " * " + std::to_string(fold.factor));
            const double deviation = std::sqrt(fold.var + 1e-5);
            const double x = fold.scale > 1 ? 1e-30 : 1e38;
            Compared models(on);
            models.input("X", DType::float32, {1, 2, 2}, {x, -x, 0, 2 * x});
            add_normalization(models, DType::float32, fold.scale, 0, 0, fold.var, "V");
            models.constant("factor", DType::float32, {}, {fold.factor});
            models.builder.node("Mul", {"V", "factor"}, {"Y"});
            models.run();
            const double made = x * fold.scale / deviation * fold.factor;
            const std::vector<double> expected = {made, -made, 0, 2 * made};
            ASSERT_EQ(models.fused.size(), expected.size());
            for (size_t i = 0; i < expected.size(); ++i)
                EXPECT_NEAR(models.fused[i], expected[i], 1e-5 * std::abs(expected[i])) << i;
            EXPECT_EQ(models.running, 1u) << "a chain does as well";
            const auto report =
                onnx::explain(*onnx::Model::parse(kit::as_bytes(models.builder.build())), {}, *Capabilities::preset("desktop"),
                              {.without_fusions = uint32_t(onnx::Fusion::chain)});
            ASSERT_TRUE(report) << report.message();
            EXPECT_EQ(report->nodes[1].runs(), !fold.is_made);
        }
    });
}

TEST(Fusion, WhatIsWrongNamesItsOwnNode)
{
    on_every_device([](CaseDevice& on) {
        const auto session = prepare(on, file_of({"Tanh"}, DType::float64, false));
        EXPECT_EQ(session.message(),
                  "node 'act': Tanh: input has type double, in which there is no such function: float32, float16 "
                  "and bfloat16 have it");
        const auto forced =
            prepare(on, file_of({"Relu"}, DType::float32, false), {}, {.prepare = {.kernel = "conv_transpose_columns"}});
        EXPECT_EQ(forced.message(),
                  "node 'up': ConvTranspose: kernel \"conv_transpose_columns\" does not fit, because it stores "
                  "its results as they are, without PrepareOptions::epilogue; those that fit: "
                  "conv_transpose_phases, conv_transpose_phases_shared, conv_transpose_direct, conv_transpose_nd");
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
