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

// Vulkan 1.1 knows no SPIR-V 1.6. The layer reports that where it validates shaders, and nothing elsewhere.
TEST(Validation, ReportsAWrongModuleWhereItValidatesShaders)
{
    if (!validation_available())
        GTEST_SKIP() << "no validation layer on this machine, or VKONNX_TEST_VALIDATION=0";
    for (const PresentDevice& present : every_device())
        for (const bool checks : {true, false}) {
            SCOPED_TRACE(present.label + (checks ? "" : ", without validation of shaders"));
            kit::ShimOptions options = CaseDevice::default_options();
            options.checks_shaders = checks;
            const Result<std::shared_ptr<CaseDevice>> opened = CaseDevice::open(present.index, options);
            ASSERT_TRUE(opened) << opened.message();
            (*opened)->take_messages();
            (*opened)->shim().set_spirv_version(0x00010600);
            // The layer may keep the module from the driver, so that this fails.
            (void)(*opened)->device().prepare(AveragePool{.kernel_shape = {1}}, {{DType::float32, {1, 1, 8}}});
            const std::string messages = (*opened)->take_messages();
            EXPECT_EQ(messages.find("SPIR-V binary version") != std::string::npos, checks && checks_shaders(present.index))
                << messages;
        }
    const auto is_checked = [](const PresentDevice& present) { return checks_shaders(present.index); };
    EXPECT_TRUE(std::ranges::any_of(every_device(), is_checked));
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
