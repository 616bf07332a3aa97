#include "plan/core/limits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vkonnx::plan {
namespace {

TEST(CheckOptions, RefusesThoseThatNoDeviceMeets)
{
    Capabilities c;
    c.name = "toaster";
    for (const double seconds : {0.0, -1.0, double(NAN)})
        EXPECT_EQ(check_options("Op", c, {.max_dispatch_seconds = seconds}).code(), Code::invalid_argument);
    EXPECT_EQ(check_options("Op", c, {.max_dispatch_seconds = -1}).message(),
              "Op: PrepareOptions::max_dispatch_seconds = -1.000000 must be greater than 0");
    EXPECT_EQ(check_options("Op", c, {.reproducible = true}).code(), Code::unsupported);
    EXPECT_EQ(check_options("Op", c, {.reproducible = true}).message(),
              "Op: PrepareOptions::reproducible needs a device that rounds sums and products of floats to nearest even, and no "
              "self-test has seen 'toaster' do so (Capabilities::rounds_to_nearest)");
    c.rounds_to_nearest = true;
    EXPECT_TRUE(check_options("Op", c, {.reproducible = true}).ok());
}

TEST(CheckDispatches, RefusesMoreThanAnyoneWaitsFor)
{
    EXPECT_TRUE(check_dispatches("Op", {256, 256}).ok());
    const Status status = check_dispatches("Op", {256, 257});
    EXPECT_EQ(status.code(), Code::unsupported);
    EXPECT_EQ(status.message(),
              "Op: the device's limits and max_dispatch_seconds would cut this problem into 65792 dispatches, more than 65536");
    EXPECT_FALSE(check_dispatches("Op", {INT64_MAX, INT64_MAX}).ok());
}

TEST(TooMany, NamesTheLimitThatIsPassed)
{
    Capabilities c;
    c.max_storage_buffer_range = 4096;
    EXPECT_EQ(too_many_bytes(5000, c), "it binds 5000 bytes at once, and the device's max_storage_buffer_range is 4096");
    c.max_storage_buffer_range = uint64_t(1) << 32;
    EXPECT_EQ(too_many_bytes(uint64_t(1) << 31, c), "it binds 2147483648 bytes at once, and kernels count to 2147483647");
    c.max_loop_iterations = 99;
    EXPECT_EQ(too_many_iterations("its loops over a row", c), "its loops over a row would exceed the device's 99 iterations");
}

TEST(CheckAddressable, RefusesWhatKernelsCannotNumber)
{
    EXPECT_TRUE(check_addressable("Op", "input X", {DType::float16, {index_limit - 1}}).ok());
    const Status status = check_addressable("Op", "input X", {DType::float16, {2, index_limit / 2}});
    EXPECT_EQ(status.code(), Code::unsupported);
    EXPECT_EQ(status.message(), "Op: input X float16[2,1073741824] has 2147483648 elements, more than the 2147483647 that "
                                "kernels can number");
    EXPECT_FALSE(check_addressable("Op", "input X", {DType::float32, {INT64_MAX, INT64_MAX}}).ok());
}

}  // namespace
}  // namespace vkonnx::plan
