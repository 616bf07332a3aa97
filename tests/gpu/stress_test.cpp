// This file tests eight threads that share each device.
#include <gtest/gtest.h>

#include "kit/draw.h"
#include "kit/stress.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

TEST(Stress, EightThreadsShareADevice)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const DeviceOptions how = {.select = std::to_string(present.index)};
        const auto device = Device::open(how);
        ASSERT_TRUE(device) << device.message();
        kit::StressOptions options;
        options.rounds = uint64_t(kit::test_problems(60));
        options.seed = kit::test_seed(1);
        options.open = how;
        const kit::StressCounts counts = kit::stress(*device, options);
        EXPECT_EQ(counts.failure, "") << "seed " << options.seed;
        EXPECT_GT(counts.verified, 8 * 5u) << "each thread did each of its rounds";
        EXPECT_GT(counts.jobs, 0u);
        EXPECT_GT(counts.opened, 0u);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
