// This file tests the context of a run that a result carries along.
#include "bench/context.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/counters.h"

namespace vkonnx::bench {
namespace {

std::string value_of(const ContextEntries& entries, const std::string& key)
{
    for (const auto& [name, value] : entries)
        if (name == key)
            return value;
    return "(absent)";
}

TEST(Context, DriftIsTheGreaterChange)
{
    const Peaks before = {.flops_f32 = 100e9, .copy_bytes_per_second = 20e9};
    EXPECT_NEAR(drift_of(before, {.flops_f32 = 97e9, .copy_bytes_per_second = 20.2e9}), 0.03, 1e-12);
    EXPECT_NEAR(drift_of(before, {.flops_f32 = 100e9, .copy_bytes_per_second = 22e9}), 0.1, 1e-12);
    EXPECT_EQ(drift_of(before, before), 0);
}

TEST(Context, PeaksAreInBillions)
{
    const Peaks halves = {.flops_f32 = 1e12, .flops_f16 = 2e12, .copy_bytes_per_second = 1e9};
    EXPECT_EQ(value_of(peaks_before(halves), context::peak_f16_before), "2000");
    EXPECT_EQ(value_of(peaks_after(halves, halves), context::peak_f16_after), "2000");
    const Peaks before = {.flops_f32 = 67e12, .copy_bytes_per_second = 4.8e12};
    EXPECT_EQ(value_of(peaks_before(before), context::peak_f32_before), "67000");
    EXPECT_EQ(value_of(peaks_before(before), context::peak_copy_before), "4800");
    const ContextEntries after = peaks_after(before, {.flops_f32 = 33.5e12, .copy_bytes_per_second = 4.8e12});
    EXPECT_EQ(value_of(after, context::peak_f32_after), "33500");
    EXPECT_EQ(value_of(after, context::drift_percent), "50");
}

#if !defined(_WIN32)
TEST(Context, SeesValidationForcedByTheEnvironment)
{
    const char* layers = std::getenv("VK_INSTANCE_LAYERS");
    const std::string before = layers ? layers : "";
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation", 1);
    EXPECT_TRUE(validation_is_forced());
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_other", 1);
    EXPECT_FALSE(validation_is_forced());
    layers ? setenv("VK_INSTANCE_LAYERS", before.c_str(), 1) : unsetenv("VK_INSTANCE_LAYERS");
}
#endif

}  // namespace
}  // namespace vkonnx::bench
