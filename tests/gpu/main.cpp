// gpu_test runs on every device that Device::list shows and that can be opened. No device is a failure.
//
// VKONNX_TEST_SHARD=2/6 runs the third of six parts of the suites. GoogleTest's own variables part the tests of each suite, and
// drivers then compile the same pipelines for each part.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "case_devices.h"
#include "cases_test.h"
#include "random_test.h"

namespace {

// Adds the suites that are not to run to GoogleTest's filter. Returns false where `shard` is no shard.
bool leave_out_suites_of_other_shards(const char* shard)
{
    int own = 0;
    int shards = 0;
    char more = 0;
    if (std::sscanf(shard, "%d/%d%c", &own, &shards, &more) != 2 || own < 0 || own >= shards)
        return false;
    std::string filter = GTEST_FLAG_GET(filter);
    filter += filter.find('-') == filter.npos ? "-" : ":";
    const auto& tests = *testing::UnitTest::GetInstance();
    for (int i = 0; i < tests.total_test_suite_count(); ++i)
        if (i % shards != own)
            filter += std::string(tests.GetTestSuite(i)->name()) + ".*:";
    GTEST_FLAG_SET(filter, filter);
    return true;
}

}  // namespace

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
    const char* const shard = std::getenv("VKONNX_TEST_SHARD");
    if (shard && !leave_out_suites_of_other_shards(shard)) {
        std::fprintf(stderr, "gpu_test: VKONNX_TEST_SHARD = %s must be a part and the number of parts, as 0/6\n", shard);
        return 1;
    }
    const int code = RUN_ALL_TESTS();
    vkonnx::gpu_test::close_shared_devices();
    return code;
}
