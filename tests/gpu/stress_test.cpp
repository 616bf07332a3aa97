// Eight threads on each device, for VKONNX_TEST_SECONDS (2 when not set).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "kit/stress.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

TEST(Stress, EightThreadsShareADevice)
{
    const char* wanted = std::getenv("VKONNX_TEST_SECONDS");
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const DeviceOptions how = {.select = std::to_string(present.index)};
        const auto device = Device::open(how);
        ASSERT_TRUE(device) << device.message();
        kit::StressOptions options;
        options.seconds = wanted ? std::atof(wanted) : 2;
        options.seed = std::random_device()();
        options.open = how;
        std::printf("%s: 8 threads, seed %u\n", present.label.c_str(), options.seed);
        const kit::StressCounts counts = kit::stress(*device, options);
        std::printf("%s: %s\n", present.label.c_str(), kit::to_string(counts).c_str());
        EXPECT_EQ(counts.failure, "") << "seed " << options.seed;
        EXPECT_GT(counts.verified, 8 * 5u) << "each thread did each of its rounds";
        EXPECT_GT(counts.jobs, 0u);
        EXPECT_GT(counts.opened, 0u);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
