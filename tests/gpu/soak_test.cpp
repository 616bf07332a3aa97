// That nothing is left behind, however often.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

// This process's memory in bytes; 0 where it is not known, or says nothing because a sanitizer keeps what is freed.
uint64_t resident_bytes()
{
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (uint64_t kib = 0; word == "VmRSS:" && status >> kib)
            return kib << 10;
#endif
    return 0;
}

uint32_t rounds()
{
    const char* const wanted = std::getenv("VKONNX_TEST_ROUNDS");
    return wanted ? uint32_t(std::strtoul(wanted, nullptr, 10)) : 300;
}

// Does a round so often, with no object of it alive after each, and with less than 4 KiB a round more memory after the fiftieth.
template <class Round>
void expect_nothing_left(kit::VulkanShim& shim, Round round)
{
    const int64_t before = shim.live_objects();
    uint64_t early = 0;
    for (uint32_t i = 1; i <= rounds(); ++i) {
        round();
        shim.reset_calls();  // or its own notes grow
        ASSERT_EQ(shim.live_objects(), before) << "after round " << i;
        ASSERT_FALSE(testing::Test::HasFailure()) << "in round " << i;
        if (i == 50)
            early = resident_bytes();
    }
    const uint64_t late = resident_bytes();
    if (rounds() <= 50 || !early)
        return;
    const double growth = (double(late) - double(early)) / (rounds() - 50);
    std::printf("    %u rounds, %.0f bytes of memory more a round after the fiftieth\n", rounds(), growth);
    EXPECT_LT(growth, 4 * 1024);
}

TEST(Soak, DevicesOpenedAndClosed)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.poison = false, .guards = false});
        std::printf("  %s\n", present.label.c_str());
        expect_nothing_left(shim, [&] {
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            expect_works(*device);
        });
        EXPECT_EQ(shim.live_objects(), 0);
    }
}

TEST(Soak, OpsAndTensorsOnOneDevice)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.poison = false, .guards = false});
        DeviceOptions options = through(shim, present);
        options.max_cached_pipelines = 0;  // so that each round compiles anew
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        std::printf("  %s\n", present.label.c_str());
        expect_nothing_left(shim, [&] { expect_works(*device); });
        EXPECT_EQ(device->memory().used, 0u);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
