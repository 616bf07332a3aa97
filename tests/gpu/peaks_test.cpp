// Device::measure_peaks on every device present.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

TEST(Peaks, AreOfTheOrderThatHardwareHasAndStayThere)
{
    const auto devices = Device::list();
    ASSERT_TRUE(devices) << devices.message();
    for (const DeviceInfo& info : *devices) {
        SCOPED_TRACE(info.name);
        const Result<Device> device = Device::open({.select = std::to_string(info.index)});
        ASSERT_TRUE(device) << device.message();
        const Result<Peaks> first = device->measure_peaks();
        ASSERT_TRUE(first) << first.message();
        const Result<Peaks> second = device->measure_peaks();
        ASSERT_TRUE(second) << second.message();
        // From a software driver on a slow core to some accelerator of the future: a probe that was folded away or never
        // waited for would lie far above, one that counts too little far below.
        EXPECT_GT(first->flops_f32, 1e8);
        EXPECT_LT(first->flops_f32, 1e16);
        EXPECT_EQ(first->flops_f16 > 1e8, device->capabilities().float16);
        EXPECT_GT(first->copy_bytes_per_second, 1e8);
        EXPECT_LT(first->copy_bytes_per_second, 1e14);
        // generous: other work may share the machine
        EXPECT_LT(std::abs(std::log2(second->flops_f32 / first->flops_f32)), 3);
        EXPECT_LT(std::abs(std::log2(second->copy_bytes_per_second / first->copy_bytes_per_second)), 3);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
