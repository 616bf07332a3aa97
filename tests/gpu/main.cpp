// gpu_test: runs on every device that Device::list shows and that can be opened. No device is a failure.
#include <gtest/gtest.h>

#include <cstdio>

#include "case_devices.h"
#include "cases_test.h"
#include "random_test.h"

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    std::string problem;
    const auto devices = vkonnx::gpu_test::present_devices(problem);
    if (devices.empty() && !GTEST_FLAG_GET(list_tests)) {
        std::fprintf(stderr, "gpu_test: there is no Vulkan device to test: %s\n", problem.c_str());
        return 1;
    }
    for (const auto& device : devices)
        std::printf("device %u: %s\n", device.index, device.label.c_str());
    std::printf("validation layer: %s\n", vkonnx::gpu_test::validation_available() ? "on" : "off");
    vkonnx::gpu_test::register_case_tests(devices);
    vkonnx::gpu_test::register_random_tests(devices);
    return RUN_ALL_TESTS();
}
