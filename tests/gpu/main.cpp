// gpu_test: runs on every device that Device::list shows and that can be opened. No device is a failure.
#include <gtest/gtest.h>

#include <cstdio>

#include "case_devices.h"
#include "cases_test.h"
#include "random_test.h"

namespace {

class AtLeastOneDevice : public testing::Test {
public:
    explicit AtLeastOneDevice(std::string problem) : problem_(std::move(problem)) {}
    void TestBody() override { FAIL() << "no Vulkan device to test: " << problem_; }

private:
    std::string problem_;
};

}  // namespace

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    std::string problem;
    const auto devices = vkonnx::gpu_test::present_devices(problem);
    for (const auto& device : devices)
        std::printf("device %u: %s\n", device.index, device.label.c_str());
    std::printf("validation layer: %s\n", vkonnx::gpu_test::validation_available() ? "on" : "off");
    if (devices.empty())
        testing::RegisterTest("devices", "at_least_one_is_present", nullptr, nullptr, __FILE__, __LINE__,
                              [problem]() -> testing::Test* { return new AtLeastOneDevice(problem); });
    vkonnx::gpu_test::register_case_tests(devices);
    vkonnx::gpu_test::register_random_tests(devices);
    return RUN_ALL_TESTS();
}
