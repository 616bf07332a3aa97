// This file tests the library that VKONNX_OPERATORS=AveragePool;ConvTranspose;Relu and VKONNX_TYPES=bf16 make. It refuses by a
// sentence what is left out, and computes what is there.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace vkonnx {
namespace {

const std::string operators = ", whose VKONNX_OPERATORS is \"AveragePool;ConvTranspose;Relu\"";
const std::string types = ", whose VKONNX_TYPES is \"bf16\"";

TensorDesc desc(DType dtype)
{
    return {dtype, {1, 2, 4, 4}};
}

std::string refusal(const Operator& op, std::vector<TensorDesc> inputs)
{
    const auto explanation = explain(op, inputs, *Capabilities::preset("desktop"), {});
    if (explanation)
        return "";
    EXPECT_EQ(explanation.code(), Code::unsupported);
    return std::string(explanation.message());
}

TEST(LeftOut, OperatorsAreRefused)
{
    const TensorDesc x = desc(DType::float32);
    EXPECT_EQ(refusal(MaxPool{.kernel_shape = {2, 2}}, {x}), "MaxPool is left out of this build of vkonnx" + operators);
    EXPECT_EQ(refusal(Softmax{}, {x}), "Softmax is left out of this build of vkonnx" + operators);
    EXPECT_EQ(refusal(Transpose{}, {x}), "Transpose is left out of this build of vkonnx" + operators);
    EXPECT_EQ(kernels(Softmax{}, std::vector{x}, Capabilities{}).message(),
              "Softmax is left out of this build of vkonnx" + operators);
    // Small products have modules of their own, which no other operator needs. So it does not help that ConvTranspose has brought
    // the modules for large products.
    EXPECT_EQ(refusal(MatMul{}, {x, x}), "MatMul is left out of this build of vkonnx" + operators);
    EXPECT_EQ(refusal(Conv{}, {x, {DType::float32, {2, 2, 1, 1}}}), "Conv is left out of this build of vkonnx" + operators);
}

TEST(LeftOut, TypesAreRefused)
{
    const AveragePool pool = {.kernel_shape = {2, 2}};
    EXPECT_EQ(refusal(pool, {desc(DType::float16)}), "AveragePool: f16 is left out of this build of vkonnx" + types);
    EXPECT_EQ(refusal(pool, {desc(DType::float64)}), "AveragePool: f64 is left out of this build of vkonnx" + types);
    const TensorDesc weights = {DType::float16, {2, 8, 3, 3}};
    EXPECT_EQ(refusal(ConvTranspose{}, {desc(DType::float16), weights}),
              "ConvTranspose: f16 is left out of this build of vkonnx" + types);
    EXPECT_EQ(refusal(Elementwise{.kind = ElementwiseKind::relu}, {desc(DType::int32)}),
              "Relu: i32 is left out of this build of vkonnx" + types);
    const auto all = kernels(pool, std::vector{desc(DType::float16)}, Capabilities{});
    ASSERT_TRUE(all) << all.message();
    for (const KernelInfo& kernel : *all)
        EXPECT_NE(kernel.unfit, "") << kernel.name;
}

TEST(LeftOut, WhatIsThereIsPlanned)
{
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
        EXPECT_EQ(refusal(AveragePool{.kernel_shape = {2, 2}}, {desc(dtype)}), "");
        EXPECT_EQ(refusal(ConvTranspose{}, {desc(dtype), {dtype, {2, 8, 3, 3}}}), "");
        // Elementwise operators share their modules, and come together.
        EXPECT_EQ(refusal(Elementwise{.kind = ElementwiseKind::relu}, {desc(dtype)}), "");
        EXPECT_EQ(refusal(Elementwise{.kind = ElementwiseKind::add}, {desc(dtype), desc(dtype)}), "");
    }
    EXPECT_EQ(refusal(Shape{}, {desc(DType::float16)}), "") << "it needs no module";
}

TEST(LeftOut, WhatIsThereComputes)
{
    const std::vector<float> values = {1, 3, -8, 2, 0, 4, 5, 7, 2, 4, 4, 8};
    const TensorDesc desc = {DType::float32, {1, 1, 2, 6}};
    const auto devices = Device::list();
    ASSERT_TRUE(devices) << devices.message();
    ASSERT_FALSE(devices->empty());
    for (const DeviceInfo& info : *devices) {
        SCOPED_TRACE(info.name);
        const auto device = Device::open({.select = std::to_string(info.index)});
        ASSERT_TRUE(device) << device.message();
        const auto op = device->prepare(AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}}, {desc});
        ASSERT_TRUE(op) << op.message();
        const auto x = device->tensor(desc, values);
        const auto y = device->tensor({DType::float32, {1, 1, 1, 3}});
        const Status ran = device->run(*op, {*x}, {*y});
        ASSERT_TRUE(ran) << ran.message();
        std::vector<float> means(3);
        ASSERT_TRUE(y->download(means));
        EXPECT_EQ(means, (std::vector<float>{4, 0, 4}));
        EXPECT_EQ(device->prepare(Softmax{}, {desc}).message(), "Softmax is left out of this build of vkonnx" + operators);
    }
}

}  // namespace
}  // namespace vkonnx
