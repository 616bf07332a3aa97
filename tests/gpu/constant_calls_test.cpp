// This file tests what a device computes once, because it depends on constants alone (Fusion::constants).
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using kit::float_tensor;
using kit::int_attribute;
using kit::ModelBuilder;
using onnx::HostTensor;
using onnx::Session;

onnx::SessionOptions without_constants()
{
    return {.without_fusions = uint32_t(onnx::Fusion::constants)};
}

bool any_once(const Session& session)
{
    bool once = false;
    for (const onnx::NodeReport& node : session.nodes())
        once |= node.explanation.kernel == "once";
    return once;
}

// Y = X * W + B, where W is an integer times a scale. All numbers are exact.
TEST(ConstantCalls, GiveTheWeightsOfAProduct)
{
    constexpr int64_t rows = 3, inner = 5, columns = 4;
    std::vector<std::byte> integers;
    std::vector<float> x, expected;
    for (int64_t i = 0; i < inner * columns; ++i)
        integers.push_back(std::byte(i * 7 % 23 - 11));
    for (int64_t i = 0; i < rows * inner; ++i)
        x.push_back(float(i * 5 % 9 - 4));
    const std::vector<float> scales = {1, 0.5f, 0.25f, 2}, bias = {1, 2, 3, 4};
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
            float sum = bias[size_t(c)];
            for (int64_t k = 0; k < inner; ++k)
                sum += x[size_t(r * inner + k)] * float(int8_t(integers[size_t(k * columns + c)])) * scales[size_t(c)];
            expected.push_back(sum);
        }
    const std::string file = ModelBuilder()
                                 .opset(17)
                                 .input("X", DType::float32, {"rows", inner})
                                 .initializer(kit::raw_tensor("q", {DType::int8, {inner, columns}}, integers))
                                 .initializer(float_tensor("s", {columns}, scales))
                                 .initializer(float_tensor("b", {columns}, bias))
                                 .node("Cast", {"q"}, {"c"}, {int_attribute("to", 1)})
                                 .node("Mul", {"c", "s"}, {"w"})
                                 .node("MatMul", {"X", "w"}, {"p"})
                                 .node("Add", {"p", "b"}, {"Y"})
                                 .output("Y")
                                 .build();
    const std::vector<HostTensor> given = {floats({rows, inner}, x)};
    on_every_device([&](const CaseDevice& device) {
        for (const onnx::SessionOptions& options : {onnx::SessionOptions(), without_constants()}) {
            const std::vector<HostTensor> got = run(device, file, given, {{"X", given[0].desc}}, options);
            ASSERT_EQ(got.size(), 1u);
            expect_floats(got[0], {rows, columns}, expected);
        }
    });
}

// A node may have several outputs that are read, and one that is not.
TEST(ConstantCalls, MayHaveSeveralOutputs)
{
    const std::string file = ModelBuilder()
                                 .opset(17)
                                 .input("X", DType::float32, {2, 4})
                                 .initializer(float_tensor("v", {2, 4}, {1, 2, 3, 4, 2, 4, 6, 8}))
                                 .initializer(float_tensor("one", {4}, {1, 1, 1, 1}))
                                 .node("LayerNormalization", {"v", "one"}, {"n", "mean"}, {kit::float_attribute("epsilon", 0)})
                                 .node("Mul", {"X", "n"}, {"p"})
                                 .node("Add", {"p", "mean"}, {"Y"})
                                 .output("Y")
                                 .build();
    const std::vector<HostTensor> given = {floats({2, 4}, {0, 0, 0, 0, 0, 0, 1, 0})};
    on_every_device([&](const CaseDevice& device) {
        const std::vector<HostTensor> once = run(device, file, given);
        const std::vector<HostTensor> each_time = run(device, file, given, {}, without_constants());
        ASSERT_EQ(once.size(), 1u);
        ASSERT_EQ(each_time.size(), 1u);
        EXPECT_EQ(once[0].data, each_time[0].data);
        const std::vector<float> y = values_of<float>(once[0]);
        EXPECT_EQ(std::vector<float>(y.begin(), y.begin() + 4), (std::vector<float>{2.5f, 2.5f, 2.5f, 2.5f}));
        EXPECT_NEAR(y[6], 5 + 1 / std::sqrt(5.0), 1e-5);
    });
}

// Operators that read the same constant are told apart by their attributes, too.
TEST(ConstantCalls, OfOneConstantDiffer)
{
    ModelBuilder model;
    model.opset(17).input("X", DType::float32, {2}).initializer(float_tensor("v", {2}, {-4, 8}));
    for (const float alpha : {0.25f, 0.5f}) {
        const std::string n = alpha < 0.5f ? "0" : "1";
        model.node("LeakyRelu", {"v"}, {"l" + n}, {kit::float_attribute("alpha", alpha)}).node("Mul", {"X", "l" + n}, {"Y" + n});
    }
    const std::string file =
        model.node("Neg", {"v"}, {"l2"}).node("Mul", {"X", "l2"}, {"Y2"}).output("Y0").output("Y1").output("Y2").build();
    on_every_device([&](const CaseDevice& device) {
        const std::vector<HostTensor> got = run(device, file, {floats({2}, {1, 2})});
        ASSERT_EQ(got.size(), 3u);
        expect_floats(got[0], {2}, {-1, 16});
        expect_floats(got[1], {2}, {-2, 16});
        expect_floats(got[2], {2}, {4, -16});
    });
}

// BitCasts lie between the operators. The one in their midst takes the sign off. What has two types is computed in each run.
TEST(ConstantCalls, AreNotReadUnderAnotherType)
{
    const int32_t mask = INT32_MAX;
    std::vector<std::byte> bytes(sizeof(mask));
    std::memcpy(bytes.data(), &mask, sizeof(mask));
    const std::string file = ModelBuilder()
                                 .opset(26)
                                 .input("X", DType::float32, {2})
                                 .initializer(float_tensor("v", {2}, {1, -2}))
                                 .initializer(kit::raw_tensor("mask", {DType::int32, {}}, bytes))
                                 .node("LeakyRelu", {"v"}, {"l"}, {kit::float_attribute("alpha", 0.25f)})
                                 .node("BitCast", {"l"}, {"bits"}, {int_attribute("to", int64_t(DType::int32))})
                                 .node("BitwiseAnd", {"bits", "mask"}, {"masked"})
                                 .node("BitCast", {"masked"}, {"a"}, {int_attribute("to", int64_t(DType::float32))})
                                 .node("Mul", {"X", "a"}, {"Y"})
                                 .output("Y")
                                 .build();
    on_every_device([&](const CaseDevice& device) {
        const std::vector<HostTensor> got = run(device, file, {floats({2}, {3, 4})});
        ASSERT_EQ(got.size(), 1u);
        expect_floats(got[0], {2}, {3, 2});
    });
}

constexpr int weights = 12;

// Returns a model of weights that are integers with a scale, each multiplied by X. Computed once, they take memory together. Else
// they take it one after the other.
std::string many_weights(int64_t elements)
{
    ModelBuilder model;
    model.opset(17).input("X", DType::float32, {"n", 1}).initializer(float_tensor("s", {}, {0.5f}));
    for (int i = 0; i < weights; ++i) {
        const std::string n = std::to_string(i);
        model
            .initializer(
                kit::raw_tensor("q" + n, {DType::int8, {elements}}, std::vector<std::byte>(size_t(elements), std::byte(i + 1))))
            .node("Cast", {"q" + n}, {"c" + n}, {int_attribute("to", 1)})
            .node("Mul", {"c" + n, "s"}, {"w" + n})
            .node("Softmax", {"w" + n}, {"o" + n})
            .node("ReduceMax", {"o" + n}, {"m" + n}, {int_attribute("keepdims", 0)})
            .node("Mul", {"X", "m" + n}, {"y" + n})
            .node("Mul", {"X", "w" + n}, {"z" + n})
            .node("ReduceMax", {"z" + n}, {"t" + n}, {kit::ints_attribute("axes", {1})})
            .node("Add", {"y" + n, "t" + n}, {"u" + n})
            .output("u" + n);
    }
    return model.build();
}

TEST(ConstantCalls, AreComputedInEachRunWhereMemoryIsShort)
{
    constexpr int64_t elements = int64_t(1) << 18;
    const std::string file = many_weights(elements);
    const Result<onnx::Model> model = onnx::Model::parse(kit::as_bytes(file));
    ASSERT_TRUE(model) << model.message();
    const std::vector<HostTensor> given = {floats({1, 1}, {2})};
    const std::vector<onnx::NamedDesc> descs = {{"X", given[0].desc}};
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        DeviceOptions options{.select = std::to_string(present.index)};
        const Result<Device> large = Device::open(options);
        ASSERT_TRUE(large) << large.message();
        const auto once = onnx::explain(*model, descs, large->capabilities());
        const auto each = onnx::explain(*model, descs, large->capabilities(), without_constants());
        ASSERT_TRUE(once && each);
        const auto bytes = [](const onnx::GraphReport& report) {
            return report.constant_bytes + report.packed_bytes + report.arena_bytes;
        };
        ASSERT_GT(bytes(*once), bytes(*each) + 4 * elements * sizeof(float));
        options.max_memory = (bytes(*once) + bytes(*each)) / 2;
        const Result<Device> small = Device::open(options);
        ASSERT_TRUE(small) << small.message();
        for (const Device& device : {*large, *small}) {
            Result<Session> session = Session::prepare(device, *model, descs);
            ASSERT_TRUE(session) << session.message();
            EXPECT_EQ(any_once(*session), device.memory().limit == 0);
            const auto got = session->run(given);
            ASSERT_TRUE(got) << got.message();
            for (int i = 0; i < weights; ++i)
                EXPECT_NEAR(values_of<float>(got->at(size_t(i)))[0], float(i + 1) + 2.0f / elements, 1e-6) << i;
        }
    }
}

// A session for other sizes has the same weights.
TEST(ConstantCalls, AreSharedByPlansOfOtherSizes)
{
    constexpr int64_t elements = int64_t(1) << 18;
    const std::string file = many_weights(elements);
    on_every_device([&](const CaseDevice& device) {
        const Result<Session> one = prepare(device, file, {{"X", {DType::float32, {1, 1}}}});
        ASSERT_TRUE(one) << one.message();
        const uint64_t before = device.device().memory().used;
        Result<Session> two = one->for_inputs(std::vector<onnx::NamedDesc>{{"X", {DType::float32, {2, 1}}}});
        ASSERT_TRUE(two) << two.message();
        EXPECT_TRUE(any_once(*two));
        const std::vector<HostTensor> given = {floats({2, 1}, {2, 4})};
        const auto got = two->run(given);
        ASSERT_TRUE(got) << got.message();
        EXPECT_NEAR(values_of<float>(got->at(3))[1], 8 + 4.0f / elements, 1e-5);
        // The values between its operators take 2 MiB, for the products of X.
        EXPECT_LT(device.device().memory().used, before + 4 * elements * sizeof(float));
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
