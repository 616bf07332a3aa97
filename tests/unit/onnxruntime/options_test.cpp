// This file tests that options of the provider are read, and refused by a sentence.
#include "onnxruntime/options.h"

#include <gtest/gtest.h>

namespace vkonnx::onnxruntime {
namespace {

Result<ProviderOptions> read(const std::string& name, const std::string& value)
{
    return read_options({{"session.some_other_option", "1"}, {std::string(option_prefix) + name, value}});
}

TEST(ProviderOptions, SetWhatTheyName)
{
    EXPECT_EQ(read("device", "gpu:1")->device.select, "gpu:1");
    EXPECT_EQ(read("cache_folder", "")->device.cache_folder, "");
    EXPECT_EQ(read("max_memory", "1048576")->device.max_memory, 1048576U);
    EXPECT_EQ(read("timeout_seconds", "600")->device.timeout_seconds, 600);
    EXPECT_EQ(read("rules", "onnxruntime")->session.rules, Rules::onnxruntime);
    EXPECT_TRUE(read("reproducible", "1")->session.prepare.reproducible);
    EXPECT_FALSE(read("reproducible", "0")->session.prepare.reproducible);
    EXPECT_TRUE(read("tune", "1")->session.prepare.tune);
    EXPECT_EQ(read("without_fusions", "chain,weights")->session.without_fusions,
              uint32_t(onnx::Fusion::chain) | uint32_t(onnx::Fusion::weights));
    EXPECT_EQ(read("without_fusions", "")->session.without_fusions, 0U);
    EXPECT_EQ(read("max_plans", "7")->session.max_plans, 7U);
    EXPECT_EQ(read("max_loop_iterations", "9")->session.max_loop_iterations, 9U);
    EXPECT_EQ(read("prepare_threads", "2")->session.prepare_threads, 2U);
    EXPECT_TRUE(read("groups", "all")->capability.take_all);
    EXPECT_FALSE(read("groups", "worthwhile")->capability.take_all);
    EXPECT_EQ(read("least_nodes", "12")->capability.least_nodes, 12U);
}

TEST(ProviderOptions, AreTheirDefaultsWhereNoneIsGiven)
{
    const Result<ProviderOptions> options = read_options({{"session.some_other_option", "1"}});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->device.select, "");
    EXPECT_EQ(options->device.cache_folder, default_cache_folder());
    EXPECT_EQ(options->capability.least_nodes, 1U);
    EXPECT_FALSE(options->capability.take_all);
}

TEST(ProviderOptions, AreRefusedByASentence)
{
    EXPECT_EQ(read("colour", "red").message(),
              "there is no option 'colour'; the options are device, cache_folder, max_memory, timeout_seconds, rules, "
              "reproducible, tune, "
              "without_fusions, max_plans, max_loop_iterations, prepare_threads, groups and least_nodes");
    EXPECT_EQ(read("max_memory", "-1").message(), "the option max_memory is '-1', expected is a number of bytes");
    EXPECT_EQ(read("max_memory", "1 GB").message(), "the option max_memory is '1 GB', expected is a number of bytes");
    EXPECT_EQ(read("timeout_seconds", "0").message(), "the option timeout_seconds is '0', expected is a number of at least 1");
    EXPECT_EQ(read("max_plans", "0").message(), "the option max_plans is '0', expected is a number of at least 1");
    EXPECT_EQ(read("prepare_threads", "4294967296").message(),
              "the option prepare_threads is '4294967296', expected is a number of at least 1");
    EXPECT_EQ(read("reproducible", "yes").message(), "the option reproducible is 'yes', expected is 0 or 1");
    EXPECT_EQ(read("rules", "mine").message(), "the option rules is 'mine', expected is specification or onnxruntime");
    EXPECT_EQ(read("groups", "").message(), "the option groups is '', expected is worthwhile or all");
    for (const char* const fusions : {"chain,", ",chain", "chain;weights", "chains"})
        EXPECT_EQ(
            read("without_fusions", fusions).message(),
            "the option without_fusions is '" + std::string(fusions) +
                "', expected is some of padding, pattern, weights, activation, chain and prologue, with commas between them");
}

// Two sessions share an open device only where all that it was opened with is the same.
TEST(ProviderOptions, TellDevicesApart)
{
    const DeviceOptions first = {.select = "a", .max_memory = 1, .cache_folder = "c"};
    EXPECT_EQ(device_key(first), device_key({.select = "a", .max_memory = 1, .cache_folder = "c"}));
    EXPECT_NE(device_key(first), device_key({.select = "b", .max_memory = 1, .cache_folder = "c"}));
    EXPECT_NE(device_key(first), device_key({.select = "a", .max_memory = 2, .cache_folder = "c"}));
    EXPECT_NE(device_key(first), device_key({.select = "a", .max_memory = 1, .cache_folder = "d"}));
    EXPECT_NE(device_key(first), device_key({.select = "a", .timeout_seconds = 61, .max_memory = 1, .cache_folder = "c"}));
}

}  // namespace
}  // namespace vkonnx::onnxruntime
