// This file tests that nothing is left behind, however often the same work is done.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <vector>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

// Returns this process's memory in bytes. It is 0 where it is not known, or says nothing because a sanitizer keeps what is freed.
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

// Returns the bytes that a process grows by in each round: the median between neighbours of what it held at equal distances. A
// leak grows everywhere; a driver's pools and the allocator's arenas, whose number depends on how threads happen to meet, grow by
// megabytes at once and then no more.
double growth_a_round(std::span<const uint64_t> held, uint32_t distance)
{
    std::vector<double> grown;
    for (size_t i = 1; i < held.size(); ++i)
        grown.push_back((double(held[i]) - double(held[i - 1])) / distance);
    std::ranges::nth_element(grown, grown.begin() + grown.size() / 2);
    return grown[grown.size() / 2];
}

// Does a round again and again. No object of it may be alive after each, and memory may grow by less than 4 KiB a round once it
// has settled.
template <class Round>
void expect_nothing_left(kit::VulkanShim& shim, Round round)
{
    constexpr uint32_t settled = 50, distance = 25;
    const int64_t before = shim.live_objects();
    std::vector<uint64_t> held;
    for (uint32_t i = 1; i <= rounds(); ++i) {
        round();
        shim.reset_calls();  // else its own notes grow
        ASSERT_EQ(shim.live_objects(), before) << "after round " << i;
        ASSERT_FALSE(testing::Test::HasFailure()) << "in round " << i;
        if (i >= settled && i % distance == 0)
            held.push_back(resident_bytes());
    }
    if (held.size() < 4 || held.front() == 0)
        return;
    const double growth = growth_a_round(held, distance);
    std::printf("    %u rounds, %.0f bytes of memory more a round after the fiftieth\n", rounds(), growth);
    EXPECT_LT(growth, 4 * 1024);
}

TEST(Soak, GrowthIsWhatEachRoundLeaves)
{
    EXPECT_EQ(growth_a_round(std::vector<uint64_t>{0, 500, 1000, 1500, 2000}, 5), 100);
    EXPECT_EQ(growth_a_round(std::vector<uint64_t>{7, 7, 2'000'007, 2'000'007, 2'000'007}, 5), 0);  // a single growth
    EXPECT_EQ(growth_a_round(std::vector<uint64_t>{0, 500, 5'000'000, 5'000'500, 5'001'000}, 5), 100);
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
