// This file tests upload, download and views, in memory that the host sees and in memory that it doesn't.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

template <class T>
void expect_round_trip(const Device& device, DType dtype, size_t count)
{
    SCOPED_TRACE(std::to_string(count) + " of " + std::string(name(dtype)));
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = T(i * 2654435761u >> 7);
    const auto tensor = device.tensor({dtype, {int64_t(count)}}, values);
    ASSERT_TRUE(tensor) << tensor.message();
    std::vector<T> back(count, T(85));
    const Status read = tensor->download(back);
    ASSERT_TRUE(read) << read.message();
    EXPECT_TRUE(back == values);
    const Result<std::vector<std::byte>> bytes = tensor->download();
    ASSERT_TRUE(bytes) << bytes.message();
    EXPECT_TRUE(std::ranges::equal(*bytes, std::as_bytes(std::span(values))));
}

void expect_round_trips(const Device& device)
{
    for (const size_t count : {size_t(0), size_t(1), size_t(3), size_t(127), size_t(128), size_t(1001)}) {
        expect_round_trip<int8_t>(device, DType::int8, count);
        expect_round_trip<uint16_t>(device, DType::float16, count);
        expect_round_trip<float>(device, DType::float32, count);
        expect_round_trip<int64_t>(device, DType::int64, count);
    }
}

TEST(TensorCopy, RoundTrips)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        expect_round_trips(*device);
        EXPECT_EQ(shim.guard_report(), "");
    }
}

// Memory is as on a discrete GPU. Copies go through a staging buffer whose memory must be flushed and invalidated.
TEST(TensorCopy, RoundTripsThroughStaging)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.split_memory = true});
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        shim.reset_calls();
        expect_round_trips(*device);
        EXPECT_GT(shim.calls("vkCmdCopyBuffer"), 0u);
        EXPECT_GT(shim.calls("vkFlushMappedMemoryRanges"), 0u);
        EXPECT_GT(shim.calls("vkInvalidateMappedMemoryRanges"), 0u);
        expect_works(*device);

        shim.reset_calls();
        expect_round_trip<float>(*device, DType::float32, (size_t(16) << 18) + 33);  // 16 MiB and a rest
        EXPECT_EQ(shim.calls("vkCmdCopyBuffer"), 6u) << "in pieces of 16 MiB, once up and twice down";
        EXPECT_EQ(shim.violations(), std::vector<std::string>());
        EXPECT_EQ(shim.guard_report(), "");
    }
}

// Kernels read their problem from a uniform buffer, which has to be staged as well.
TEST(TensorCopy, StagesTheUniformBuffer)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.split_memory = true});
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const TensorDesc desc = {DType::float32, {1, 1, 2, 2, 2, 2}};
        shim.reset_calls();
        const auto op = device->prepare(AveragePool{.kernel_shape = {2, 2, 2, 2}}, {desc});
        ASSERT_TRUE(op) << op.message();
        EXPECT_EQ(shim.calls("vkCmdCopyBuffer"), 1u);
        std::vector<float> x(16);
        std::iota(x.begin(), x.end(), 0.0f);
        const auto from = device->tensor(desc, x);
        const auto to = device->tensor(op->outputs()[0]);
        ASSERT_TRUE(from && to);
        ASSERT_TRUE(device->run(*op, {*from}, {*to}));
        std::vector<float> y(1);
        ASSERT_TRUE(to->download(y));
        EXPECT_EQ(y[0], 7.5f);
        EXPECT_EQ(shim.violations(), std::vector<std::string>());
    }
}

TEST(TensorCopy, RefusesOtherSizes)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        auto tensor = device->tensor({DType::float32, {2, 3}});
        ASSERT_TRUE(tensor);
        std::vector<float> five(5), seven(7);
        EXPECT_EQ(tensor->upload(five).message(), "upload: 20 bytes given for float[2,3] with 24 bytes");
        EXPECT_EQ(tensor->download(seven).message(), "download: room for 28 bytes given for float[2,3] with 24 bytes");
        EXPECT_EQ(device->tensor({DType::float32, {2, 3}}, five).code(), Code::invalid_argument);
        EXPECT_FALSE(device->tensor({DType::string, {2}}));
    }
}

TEST(TensorView, SharesMemory)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        auto tensor = device->tensor({DType::int32, {2, 3}}, std::vector<int32_t>{1, 2, 3, 4, 5, 6});
        ASSERT_TRUE(tensor);
        auto view = tensor->view({3, 1, 2});
        ASSERT_TRUE(view) << view.message();
        EXPECT_EQ(view->desc(), (TensorDesc{DType::int32, {3, 1, 2}}));
        EXPECT_EQ(tensor->desc(), (TensorDesc{DType::int32, {2, 3}}));
        ASSERT_TRUE(view->upload(std::vector<int32_t>{6, 5, 4, 3, 2, 1}));
        std::vector<int32_t> values(6);
        ASSERT_TRUE(tensor->download(values));
        EXPECT_EQ(values, (std::vector<int32_t>{6, 5, 4, 3, 2, 1}));
        EXPECT_EQ(tensor->view({7}).message(), "view: int32[7] has 7 elements, but int32[2,3] has 6");
        EXPECT_EQ(tensor->view({-6}).code(), Code::invalid_argument);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
