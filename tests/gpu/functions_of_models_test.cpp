// This file tests models with functions of their own and with sparse tensors on devices: their values.
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using kit::bool_tensor;
using kit::float_attribute;
using kit::float_tensor;
using kit::FunctionBuilder;
using kit::graph_attribute;
using kit::int64_tensor;
using kit::ModelBuilder;
using kit::raw_tensor;
using kit::referring_attribute;
using kit::sparse_attribute;
using kit::sparse_tensor;
using kit::tensor_attribute;

constexpr int64_t real = 1, graph = 5;  // numbers of types of attributes

// shifted adds a constant of its own, and takes a branch that is its attribute or one that is its own. scaled calls it twice,
// once with the default of alpha.
TEST(OnnxFunction, CallsComputeWhatTheirFunctionsSay)
{
    const std::string own_branch = ModelBuilder()
                                       .initializer(float_tensor("w", {1}, {10}))
                                       .node("LeakyRelu", {"h"}, {"v"}, {referring_attribute("alpha", "alpha", real)})
                                       .node("Mul", {"v", "w"}, {"z"})
                                       .output("z")
                                       .graph();
    const FunctionBuilder shifted =
        FunctionBuilder("shifted", {"yes", "a", "shift"}, {"b", "h"})
            .opset(17)
            .node("Add", {"a", "shift"}, {"h"})
            .node("If", {"yes"}, {"b"},
                  {referring_attribute("then_branch", "branch", graph), graph_attribute("else_branch", own_branch)})
            .attribute("branch")
            .with_default(float_attribute("alpha", 0.5F));
    const std::string handed = ModelBuilder().node("Mul", {"h", "a"}, {"z"}).output("z").graph();
    const FunctionBuilder scaled =
        FunctionBuilder("scaled", {"a", "low"}, {"b"})
            .opset(17)
            .opset(1, "local")
            .node("Constant", {}, {"one"}, {tensor_attribute("value", float_tensor("", {1}, {1}))})
            .node("Constant", {}, {"yes"}, {tensor_attribute("value", bool_tensor("", {}, {1}))})
            .node("Not", {"yes"}, {"no"})
            .node("Neg", {"a"}, {"h"})
            .node("shifted", {"yes", "a", "one"}, {"first", "sum"}, {graph_attribute("branch", handed)}, "", "local")
            .node("shifted", {"no", "first", "a"}, {"second"},
                  {referring_attribute("alpha", "alpha", real), graph_attribute("branch", handed)}, "", "local")
            .node("Sub", {"second", "sum"}, {"c"})
            .node("Clip", {"c", "low"}, {"b"})
            .attribute("alpha");
    const std::string file = ModelBuilder()
                                 .opset(17)
                                 .opset(1, "local")
                                 .function(scaled)
                                 .function(shifted)
                                 .input("X", DType::float32, {4})
                                 .initializer(float_tensor("low", {}, {-20}))
                                 .node("scaled", {"X"}, {"h"}, {}, "call", "local")
                                 .node("scaled", {"X", "low"}, {"Y"}, {float_attribute("alpha", 0.25F)}, "call", "local")
                                 .output("h")
                                 .output("Y")
                                 .build();
    // sum = X + 1; first = -X * X, by the branch of the call; t = first + X; second = 10 * (t < 0 ? alpha * t : t)
    on_every_device([&](const CaseDevice& device) {
        const std::vector<onnx::HostTensor> y = run(device, file, {floats({4}, {0, 2, 0.5F, -2})});
        ASSERT_EQ(y.size(), 2u);
        expect_floats(y[0], {4}, {-1, -13, 1, -29});
        expect_floats(y[1], {4}, {-1, -8, 1, -14});
    });
}

template <class T>
std::string typed(DType dtype, const std::vector<T>& values)
{
    const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
    return raw_tensor("S", {.dtype = dtype, .dims = {2}}, bytes);
}

TEST(OnnxSparse, TensorsAreDenseWithZerosOfTheirType)
{
    const std::string indices = int64_tensor("", {2, 2}, {0, 1, 1, 2});
    const auto file = [&](const std::string& values, DType dtype) {
        return ModelBuilder()
            .opset(21)
            .sparse_initializer(sparse_tensor(values, indices, {2, 3}))
            .node("Constant", {}, {"C"}, {sparse_attribute("sparse_value", sparse_tensor(values, indices, {2, 3}))})
            .output("S", dtype, {2, 3})
            .output("C", dtype, {2, 3})
            .build();
    };
    const auto expect = [&]<class T>(DType dtype, const std::vector<T>& values, const std::vector<T>& dense) {
        on_every_device([&](const CaseDevice& device) {
            const std::vector<onnx::HostTensor> y = run(device, file(typed(dtype, values), dtype), {});
            ASSERT_EQ(y.size(), 2u);
            for (const onnx::HostTensor& one : y) {
                EXPECT_EQ(one.desc.dims, (Dims{2, 3}));
                EXPECT_EQ(one.desc.dtype, dtype);
                EXPECT_EQ(values_of<T>(one), dense) << to_string(one.desc);
            }
        });
    };
    expect(DType::float32, std::vector<float>{1.5F, -2}, {0, 1.5F, 0, 0, 0, -2});
    expect(DType::float64, std::vector<double>{1.5, -2}, {0, 1.5, 0, 0, 0, -2});
    expect(DType::float16, std::vector<uint16_t>{0x3c00, 0xc000}, {0, 0x3c00, 0, 0, 0, 0xc000});
    expect(DType::int64, std::vector<int64_t>{7, -8}, {0, 7, 0, 0, 0, -8});
    expect(DType::uint8, std::vector<uint8_t>{7, 255}, {0, 7, 0, 0, 0, 255});
    expect(DType::boolean, std::vector<uint8_t>{1, 1}, {0, 1, 0, 0, 0, 1});
    expect(DType::complex128, std::vector<double>{1, 2, 3, 4}, {0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 4});
    expect(DType::int4, std::vector<uint8_t>{0xf6}, {0x60, 0x00, 0xf0});
    expect(DType::uint2, std::vector<uint8_t>{0x0b}, {0x0c, 0x08});
    const std::string words = kit::Proto().integers(1, {2}).integer(2, 8).bytes(6, "a").bytes(6, "bc").bytes(8, "S").str();
    on_every_device([&](const CaseDevice& device) {
        const std::vector<onnx::HostTensor> y = run(device, file(words, DType::string), {});
        ASSERT_EQ(y.size(), 2u);
        for (const onnx::HostTensor& one : y)
            EXPECT_EQ(one.strings, (std::vector<std::string>{"", "a", "", "", "", "bc"}));
    });
}

// The weights are uploaded in pieces of 16 MiB. The values lie on both sides of where pieces meet.
TEST(OnnxSparse, WeightsOfSeveralPiecesArriveWhole)
{
    constexpr int64_t piece = 4 << 20, rows = 9;
    const std::vector<int64_t> positions = {0, piece - 1, piece, 2 * piece - 1, 2 * piece, rows * (1 << 20) - 1};
    const std::vector<float> values = {1, 2, 4, 8, 16, 32};
    const std::string weights = sparse_tensor(float_tensor("W", {6}, values), int64_tensor("", {6}, positions), {rows, 1 << 20});
    const std::string file =
        ModelBuilder()
            .opset(17)
            .input("X", DType::float32, {rows, 1})
            .sparse_initializer(weights)
            .node("Mul", {"W", "X"}, {"scaled"})
            .node("ReduceMax", {"scaled"}, {"Y"}, {kit::ints_attribute("axes", {1}), kit::int_attribute("keepdims", 0)})
            .output("Y")
            .build();
    on_every_device([&](const CaseDevice& device) {
        const std::vector<onnx::HostTensor> y = run(device, file, {floats({rows, 1}, std::vector<float>(rows, 1))});
        ASSERT_EQ(y.size(), 1u);
        expect_floats(y[0], {rows}, {1, 0, 0, 2, 4, 0, 0, 8, 32});
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
