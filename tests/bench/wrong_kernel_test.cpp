// This file tests drivers that compute nothing, or compute wrongly. They give an error instead of a number, and exit code 1.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>

#include "bench/run.h"
#include "cli.h"
#include "kit/temporary_folder.h"
#include "kit/vulkan_shim.h"

namespace vkonnx::bench {
namespace {

// These tests leave out the self-test, since a device that swallows dispatches would not be opened with it.
class WrongKernel : public testing::Test {
protected:
    void SetUp() override
    {
        if (!Device::open())
            GTEST_SKIP() << "no device";
    }

    int run_with(const kit::ShimOptions& shim_options)
    {
        kit::VulkanShim shim(shim_options);
        EXPECT_EQ(shim.error(), "");
        const Options options = {.cases = {"average_pool x=1x2x16 kernel_shape=4", "conv_transpose x=1x2x5 w=2x3x3"},
                                 .budget_seconds = 0.01,
                                 .json_path = path_,
                                 .format = "json"};
        testing::internal::CaptureStdout();
        const int code = run(options, {.get_instance_proc_addr = shim.get_instance_proc_addr(), .self_test = false});
        testing::internal::GetCapturedStdout();
        std::ifstream file(path_);
        json_ = nlohmann::json::parse(file);
        return code;
    }

    const kit::TemporaryFolder folder_;
    const std::string path_ = folder_ / "result.json";
    nlohmann::json json_;
};

TEST_F(WrongKernel, IsAnErrorAndNotANumber)
{
    EXPECT_EQ(run_with({.swallow_dispatches = true}), tools::exit_failed);
    ASSERT_EQ(json_.at("benchmarks").size(), 2u);
    for (const auto& one : json_.at("benchmarks")) {
        EXPECT_EQ(one.at("error_occurred"), true) << one;
        EXPECT_NE(one.at("error_message").get<std::string>().find("wrong result"), std::string::npos) << one;
        EXPECT_FALSE(one.contains("GFLOP/s")) << one;
    }
}

TEST_F(WrongKernel, TheSameThroughAnHonestDriverIsANumber)
{
    EXPECT_EQ(run_with({}), tools::exit_done);
    ASSERT_EQ(json_.at("benchmarks").size(), 2u);
    for (const auto& one : json_.at("benchmarks")) {
        EXPECT_FALSE(one.contains("error_occurred")) << one;
        EXPECT_GT(one.at("GFLOP/s"), 0) << one;
        EXPECT_GT(one.at("real_time"), 0) << one;
        EXPECT_EQ(one.at("verified"), one.at("outputs")) << one;
    }
}

TEST_F(WrongKernel, WithoutTimestampsTheWallClockCounts)
{
    EXPECT_EQ(run_with({.timestamp_bits = 0u}), tools::exit_done);
    for (const auto& one : json_.at("benchmarks"))
        EXPECT_GT(one.at("real_time"), 0) << one;
}

}  // namespace
}  // namespace vkonnx::bench
