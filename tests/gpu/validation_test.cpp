// This file has the positive controls of the validation layer. Without them, silence over the other tests would prove nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "case_devices.h"

namespace vkonnx::gpu_test {
namespace {

TEST(Validation, ReportsTooManyWorkgroups)
{
    if (!validation_available())
        GTEST_SKIP() << "no validation layer on this machine, or VKONNX_TEST_VALIDATION=0";
    std::string problem;
    for (const PresentDevice& present : present_devices(problem)) {
        SCOPED_TRACE(present.label);
        const Result<std::shared_ptr<CaseDevice>> opened = CaseDevice::open(present.index);
        ASSERT_TRUE(opened) << opened.message();
        (*opened)->shim().add_groups(65535);  // of software drivers the limit itself; above every other one that matters here
        if ((*opened)->device().capabilities().max_group_count[0] > 65535)
            continue;
        (*opened)->take_messages();
        const Device& device = (*opened)->device();
        const TensorDesc desc = {DType::float32, {1, 1, 7}};
        std::vector<float> values(7);
        std::iota(values.begin(), values.end(), 1.0f);
        const Result<Op> op = device.prepare(AveragePool{.kernel_shape = {1}}, {desc});
        ASSERT_TRUE(op) << op.message();
        Result<Tensor> x = device.tensor(desc, values);
        Result<Tensor> y = device.tensor(desc);
        ASSERT_TRUE(x && y);
        const Status ran = device.run(*op, {*x}, {*y});
        EXPECT_TRUE(ran) << ran.message();
        EXPECT_NE((*opened)->take_messages().find("VUID-vkCmdDispatch-groupCountX-00386"), std::string::npos);
        std::vector<float> got(7);
        ASSERT_TRUE(y->download(got));
        EXPECT_EQ(got, values) << "workgroups behind the last output must write nothing";
        EXPECT_EQ((*opened)->shim().guard_report(), "");
    }
}

// The shader computes in doubles, which were not enabled. Where the layer looks at no shader, it reports nothing: that is what
// saves the time.
TEST(Validation, ReportsWhatAShaderMayNotUseWhereItLooksAtShaders)
{
    if (!validation_available())
        GTEST_SKIP() << "no validation layer on this machine, or VKONNX_TEST_VALIDATION=0";
    bool looked = false;
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::ShimOptions options = CaseDevice::default_options();
        options.enables_float64 = false;
        const Result<std::shared_ptr<CaseDevice>> opened = CaseDevice::open(present.index, options);
        ASSERT_TRUE(opened) << opened.message();
        const Device& device = (*opened)->device();
        (*opened)->take_messages();
        const TensorDesc desc = {DType::float64, {1, 1, 5}};
        const std::vector<double> values = {-2, -1, 0, 1, 2};
        Result<Tensor> x = device.tensor(desc, values);
        Result<Tensor> y = device.tensor(desc);
        ASSERT_TRUE(x && y);
        const Result<Op> op = device.prepare(AveragePool{.kernel_shape = {1}}, {desc});
        ASSERT_TRUE(op) << op.message();
        EXPECT_TRUE(device.run(*op, {*x}, {*y}));
        std::vector<double> got(5);
        ASSERT_TRUE(y->download(got));
        EXPECT_EQ(got, values);
        const std::string messages = (*opened)->take_messages();
        const bool reported = messages.find("Float64") != std::string::npos;
        EXPECT_EQ(reported, checks_shaders(present.index) && present.capabilities.float64) << messages;
        looked |= reported;
    }
    const auto has_doubles = [](const PresentDevice& present) { return present.capabilities.float64; };
    EXPECT_EQ(looked, std::any_of(every_device().begin(), every_device().end(), has_doubles));
}

// This is the control of GPU-assisted validation: the last element lies beyond what is bound, in a guard.
TEST(Validation, ReportsReadsBeyondABufferWhereItIsGpuAssisted)
{
    if (!gpu_assisted())
        GTEST_SKIP() << "VK_LAYER_ENABLES does not name VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT";
    std::string problem;
    for (const PresentDevice& present : present_devices(problem)) {
        SCOPED_TRACE(present.label);
        const Result<std::shared_ptr<CaseDevice>> opened = CaseDevice::open(present.index);
        ASSERT_TRUE(opened) << opened.message();
        (*opened)->take_messages();
        (*opened)->shim().bind_short(4);
        const Device& device = (*opened)->device();
        const TensorDesc desc = {DType::float32, {1, 1, 8}};
        Result<Tensor> x = device.tensor(desc, std::vector<float>(8, 1));
        Result<Tensor> y = device.tensor(desc);
        ASSERT_TRUE(x && y);
        const Result<Op> op = device.prepare(AveragePool{.kernel_shape = {1}}, {desc}, {.kernel = "average_pool_direct"});
        ASSERT_TRUE(op) << op.message();
        const Status ran = device.run(*op, {*x}, {*y});
        EXPECT_TRUE(ran) << ran.message();
        const std::string messages = (*opened)->take_messages();
        EXPECT_NE(messages.find("out of bounds"), std::string::npos) << messages;
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
