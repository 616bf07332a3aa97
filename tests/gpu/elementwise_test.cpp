// This file tests elementwise operators beyond the cases: outputs in the memory of an input, inputs that are not given, and Mod
// of numbers that are far apart.
#include <gtest/gtest.h>

#include <cmath>

#include "case_devices.h"
#include "kit/elements.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Case;
using Bytes = std::vector<std::byte>;

Case case_of(std::string_view op, std::string_view line)
{
    const Result<Case> parsed = kit::parse_case(op, line);
    EXPECT_TRUE(parsed) << parsed.message();
    return parsed ? *parsed : Case();
}

std::vector<Tensor> uploaded(const Device& device, const std::vector<kit::RealTensor>& inputs)
{
    std::vector<Tensor> tensors;
    for (const kit::RealTensor& input : inputs) {
        const Result<Tensor> tensor = device.tensor(input.desc, kit::encoded(input));
        EXPECT_TRUE(tensor) << tensor.message();
        tensors.push_back(tensor ? *tensor : Tensor());
    }
    return tensors;
}

// Expects that an output in the memory of one input has the bits that it has elsewhere.
void expect_in_place(const Device& device, const Case& problem, size_t input, const PrepareOptions& options)
{
    const std::vector<kit::RealTensor> inputs = fill_inputs(problem, kit::Fill::reals);
    const Result<Bytes> elsewhere = computed(device, problem, inputs, options);
    ASSERT_TRUE(elsewhere) << elsewhere.message();
    const Result<Op> op = device.prepare(problem.attributes, problem.inputs, options);
    ASSERT_TRUE(op) << op.message();
    const std::vector<Tensor> tensors = uploaded(device, inputs);
    const Result<Binding> binding = device.bind(*op, tensors, {&tensors[input], 1});
    ASSERT_TRUE(binding) << binding.message();
    const Status ran = device.run(*binding);
    ASSERT_TRUE(ran) << ran.message();
    Bytes in_place(elsewhere->size());
    const Status read = tensors[input].download(in_place);
    ASSERT_TRUE(read) << read.message();
    EXPECT_EQ(in_place, *elsewhere);
}

struct InPlaceCase {
    const char* line;
    std::vector<size_t> inputs;  // those that may be the output's memory
    const char* op = "elementwise";
};

const InPlaceCase in_place_cases[] = {
    {"flat op=Relu a=37x101", {0}},
    {"quads op=Sub a=37x104 b=37x1", {0}},
    {"quads_of_halves op=Add a=37x1 b=37x104 type=float16 steps=Relu", {1}},
    {"bytes op=Neg a=37x103 type=int8", {0}},
    {"half op=HardSwish a=37x101 type=float16", {0}},
    {"both op=Add a=37x101 b=37x101 type=double", {0, 1}},
    {"column op=Sub a=37x1 b=37x101", {1}},
    {"none op=Mul a=37x1 b=101", {}},
    {"lead op=Mul a=1x37x101 b=1x1x1x1 type=bfloat16", {0}},
    {"rank op=Add a=3701 b=1x3701", {0, 1}},
    {"three op=Max a=37x101 b=101 c=37x101 type=uint16", {0, 2}},
    {"many op=Sum a=37x101 b=37x101 c=37x101 d=37x101 e=101", {0}},
    {"many_halves op=Sum a=37x101 b=37x101 c=37x101 d=37x101 e=101 type=float16", {0, 1, 2, 3}},
    {"elements x=37x101 indices=9x101 updates=9x101", {0}, "scatter_elements"},
    {"many_elements x=37x101 indices=901x101 updates=901x101 type=int64", {0}, "scatter_elements"},
    {"bytes x=37x103 indices=40x1 updates=40x103 type=int8", {0}, "scatter_nd"},
    {"sums_of_halves x=37x101 indices=40x1 updates=40x101 reduction=add type=float16", {0}, "scatter_nd"},
};

TEST(InPlace, GivesTheSameBitsInOnePartAndInMany)
{
    for (const PresentDevice& present : every_device())
        for (const bool small : {false, true}) {
            DeviceOptions options = {.select = std::to_string(present.index)};
            if (small)  // windows of a few rows
                options.capabilities = present.capabilities, options.capabilities->max_storage_buffer_range = 2048;
            const Result<Device> device = Device::open(options);
            ASSERT_TRUE(device) << device.message();
            for (const InPlaceCase& each : in_place_cases) {
                SCOPED_TRACE(present.label + ": " + each.line);
                const Case problem = case_of(each.op, each.line);
                const auto explained = explain(problem.attributes, problem.inputs, device->capabilities());
                ASSERT_TRUE(explained) << explained.message();
                EXPECT_EQ(explained->in_place, each.inputs);
                EXPECT_TRUE(!small || explained->grids.size() > 1) << "it is not cut";
                for (const size_t input : explained->in_place)
                    ASSERT_NO_FATAL_FAILURE(expect_in_place(*device, problem, input, {}));
            }
        }
}

// The quotients have up to 278 bits.
TEST(Mod, OfFloatsIsExactForAnyQuotient)
{
    std::vector<float> a, b, expected;
    for (const float dividend : {1e30f, -3.4e38f, 7.25f, 5e-30f, 1.0f, -2.5f})
        for (const float divisor : {0.3f, -7.1f, 1.2e-38f, 3.1e37f, 1e-20f, 2.0f}) {
            a.push_back(dividend);
            b.push_back(divisor);
            expected.push_back(std::fmod(dividend, divisor));
        }
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const Result<Device>& device = shared_device(present.index);
        ASSERT_TRUE(device) << device.message();
        const TensorDesc desc = {DType::float32, {int64_t(a.size())}};
        const auto op = device->prepare(Elementwise{.kind = ElementwiseKind::mod, .fmod = 1}, std::vector{desc, desc});
        ASSERT_TRUE(op) << op.message();
        const std::vector<Tensor> inputs = {*device->tensor(desc, std::as_bytes(std::span(a))),
                                            *device->tensor(desc, std::as_bytes(std::span(b)))};
        const auto y = device->tensor(desc);
        ASSERT_TRUE(y) << y.message();
        const auto binding = device->bind(*op, inputs, {&*y, 1});
        ASSERT_TRUE(binding) << binding.message();
        ASSERT_TRUE(device->run(*binding));
        std::vector<float> got(a.size());
        ASSERT_TRUE(y->download(got));
        for (size_t i = 0; i < a.size(); ++i)
            if (std::fabs(expected[i]) >= 0x1p-126f || expected[i] == 0) {  // denormals may be flushed
                EXPECT_EQ(got[i], expected[i]) << a[i] << " mod " << b[i];
            }
    }
}

TEST(InPlace, IsRefusedWhereTheOutputIsNotJustTheInput)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const Result<Device>& device = shared_device(present.index);
        ASSERT_TRUE(device) << device.message();
        const TensorDesc square = {DType::float32, {4, 4}};
        const auto shared = device->tensor(square);
        const auto y = device->tensor(square);
        ASSERT_TRUE(shared && y);
        const auto refused = [&](const Op& op, std::vector<Tensor> inputs, const Tensor& output) {
            const auto binding = device->bind(op, inputs, {&output, 1});
            EXPECT_EQ(binding.code(), Code::invalid_argument);
            return std::string(binding.message());
        };
        // Sum of five inputs reads the second one after it has written the output.
        const std::vector<TensorDesc> five(5, square);
        const auto sum = device->prepare(Elementwise{.kind = ElementwiseKind::sum}, five);
        ASSERT_TRUE(sum) << sum.message();
        std::vector<Tensor> inputs(5);
        for (Tensor& input : inputs)
            input = *device->tensor(square);
        EXPECT_EQ(refused(*sum, inputs, inputs[1]), "Sum: output[0] shares memory with input[1]");
        EXPECT_TRUE(device->bind(*sum, inputs, {&inputs[0], 1}));
        inputs[4] = inputs[0];  // refused, too, though input 0, which lies there, may share it
        EXPECT_EQ(refused(*sum, inputs, inputs[0]), "Sum: output[0] shares memory with input[4]");
        // A constant input must keep its elements.
        const auto constant = device->prepare(Elementwise{.kind = ElementwiseKind::add}, {square, square},
                                              {.constants = {{.input = 1, .tensor = *shared}}});
        ASSERT_TRUE(constant) << constant.message();
        EXPECT_EQ(constant->explanation().in_place, (std::vector<size_t>{0, 1}));
        EXPECT_EQ(refused(*constant, {*y}, *shared), "Add: output[0] shares memory with constant input 1");
        EXPECT_TRUE(device->bind(*constant, {&*y, 1}, {&*y, 1}));
    }
}

TEST(Holes, AreLeftOutOfABinding)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const Result<Device>& device = shared_device(present.index);
        ASSERT_TRUE(device) << device.message();
        const TensorDesc x = {DType::float32, {4}}, scalar = {DType::float32, {}}, hole = {.dtype = DType::undefined};
        const auto op = device->prepare(Elementwise{.kind = ElementwiseKind::clip}, {x, hole, scalar});
        ASSERT_TRUE(op) << op.message();
        ASSERT_EQ(op->inputs().size(), 2u);
        EXPECT_EQ(to_string(op->inputs()[1]), "float[]");
        const auto input = device->tensor(x, std::vector<float>{-5, 1, 2, 9});
        const auto most = device->tensor(scalar, std::vector<float>{2});
        const auto y = device->tensor(x);
        ASSERT_TRUE(input && most && y);
        ASSERT_TRUE(device->run(*op, {*input, *most}, {*y}));
        std::vector<float> got(4);
        ASSERT_TRUE(y->download(got));
        EXPECT_EQ(got, (std::vector<float>{-5, 1, 2, 2}));
        EXPECT_EQ(device->run(*op, {*input}, {*y}).message(), "Clip: 1 inputs bound, but it was prepared for 2");
        // The places of constants count the inputs as given to prepare.
        const auto constant = device->prepare(Elementwise{.kind = ElementwiseKind::clip}, {x, hole, scalar},
                                              {.constants = {{.input = 2, .tensor = *most}}});
        ASSERT_TRUE(constant) << constant.message();
        ASSERT_TRUE(device->run(*constant, {*input}, {*y}));
        ASSERT_TRUE(y->download(got));
        EXPECT_EQ(got, (std::vector<float>{-5, 1, 2, 2}));
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
