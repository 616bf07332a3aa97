// This file tests what happens when the device is lost, does not answer or has no memory left.
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

TEST(Failure, ALostDeviceStaysLostAndSaysSo)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        int errors = 0;
        {
            DeviceOptions options = through(shim, present);
            options.log = [&](LogLevel level, std::string_view) { errors += level == LogLevel::error; };
            const auto device = Device::open(options);
            ASSERT_TRUE(device) << device.message();
            SmallRun small(*device);
            ASSERT_TRUE(small.op);
            auto binding = device->bind(small.op, {&small.x, 1}, {&small.y, 1});
            ASSERT_TRUE(binding) << binding.message();
            ASSERT_TRUE(device->run(*binding));

            shim.lose_device_at_submit(1);
            const Status lost = device->run(*binding);
            EXPECT_EQ(lost.code(), Code::device_lost);
            EXPECT_EQ(lost.message(), "the device is lost");
            shim.reset_calls();
            EXPECT_EQ(device->run(*binding).code(), Code::device_lost);
            EXPECT_EQ(device->tensor(small.problem.input).code(), Code::device_lost);
            EXPECT_EQ(device->prepare(small.problem.attributes, {small.problem.input}).code(), Code::device_lost);
            EXPECT_EQ(device->bind(small.op, {&small.x, 1}, {&small.y, 1}).code(), Code::device_lost);
            EXPECT_EQ(small.x.upload(small.problem.x).code(), Code::device_lost);
            std::vector<float> values(3);
            EXPECT_EQ(small.y.download(values).code(), Code::device_lost);
            EXPECT_EQ(shim.calls("vk*"), 0u) << "a lost device is not asked again";
            EXPECT_EQ(errors, 1);
        }
        EXPECT_EQ(shim.live_objects(), 0);
        const auto fresh = Device::open(through(shim, present));
        ASSERT_TRUE(fresh) << fresh.message();
        expect_works(*fresh);
    }
}

TEST(Failure, AWaitIsFinite)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        {
            DeviceOptions options = through(shim, present);
            options.timeout_seconds = 250.5;
            const auto device = Device::open(options);
            ASSERT_TRUE(device) << device.message();
            const SmallRun small(*device);
            ASSERT_TRUE(small.op);
            shim.time_out_waits(1);
            const Status late = device->run(small.op, {small.x}, {small.y});
            EXPECT_EQ(late.code(), Code::timeout);
            EXPECT_TRUE(holds(late.message(), "did not answer within 250.5"));
            const Status after = device->run(small.op, {small.x}, {small.y});
            EXPECT_EQ(after.code(), Code::device_lost);
            EXPECT_EQ(after.message(), "the device was given up after it did not answer in time");
        }
        EXPECT_EQ(shim.live_objects(), 0) << "the work did end, so everything can be destroyed";
    }
}

TEST(Failure, WorkThatNeverEndsIsLeftAlone)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        {
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            const SmallRun small(*device);
            ASSERT_TRUE(small.op);
            shim.time_out_waits(1000);
            shim.reset_calls();
            EXPECT_EQ(device->run(small.op, {small.x}, {small.y}).code(), Code::timeout);
        }
        EXPECT_EQ(shim.calls("vkDestroy*") + shim.calls("vkFreeMemory"), 0u);
        EXPECT_EQ(shim.calls("vkWaitForFences"), 2u) << "the run's, and one more chance for all objects together";
        EXPECT_EQ(shim.calls("vkDeviceWaitIdle"), 0u);
    }
}

TEST(Failure, OutOfMemoryIsALiteralAndPasses)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const auto held = device->tensor({DType::float32, {64}});  // keeps a block in use, so that none can be dropped
        ASSERT_TRUE(held) << held.message();
        const int64_t before = shim.live_objects();
        shim.fail_allocations(1000);
        const auto tensor = device->tensor({DType::float32, {int64_t(1) << 23}});  // too large for what is at hand
        EXPECT_EQ(tensor.code(), Code::out_of_memory);
        EXPECT_EQ(tensor.message(), "the device is out of memory");
        EXPECT_EQ(shim.live_objects(), before);
        shim.fail_allocations(0);
        expect_works(*device);
    }
}

TEST(Failure, SizesAreNeverTruncated)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        // These are 2^42 + 4 bytes. Modulo 2^32 they would be a tensor of one element.
        const auto large = device->tensor({DType::float32, {(int64_t(1) << 40) + 1}});
        EXPECT_TRUE(large.code() == Code::unsupported || large.code() == Code::out_of_memory) << large.message();
        const auto overflow = device->tensor({DType::float32, {int64_t(1) << 62}});
        EXPECT_FALSE(overflow);
        EXPECT_EQ(device->tensor({DType::float32, {-1}}).code(), Code::invalid_argument);
    }
}

// This loader gives what the one below it gives, but for one function.
const char* lacking = nullptr;
PFN_vkGetInstanceProcAddr complete = nullptr;

PFN_vkVoidFunction VKAPI_CALL incomplete(VkInstance instance, const char* name)
{
    return std::string_view(name) == lacking ? nullptr : complete(instance, name);
}

TEST(Failure, AnIncompleteLoaderLeavesNoInstance)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const char* name : {"vkGetPhysicalDeviceFeatures2", "vkCreateDevice", "vkEnumeratePhysicalDevices"}) {
            kit::VulkanShim shim;
            complete = reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr());
            lacking = name;
            DeviceOptions options = through(shim, present);
            options.get_instance_proc_addr = reinterpret_cast<void (*)()>(&incomplete);
            const auto device = Device::open(options);
            EXPECT_EQ(device.code(), Code::driver_error);
            EXPECT_EQ(device.message(), "the Vulkan loader lacks " + std::string(name));
            EXPECT_EQ(shim.calls("vkCreateInstance"), 1u);
            EXPECT_EQ(shim.live_objects(), 0);
        }
    }
}

PFN_vkGetDeviceProcAddr complete_device = nullptr;

PFN_vkVoidFunction VKAPI_CALL incomplete_device(VkDevice device, const char* name)
{
    return std::string_view(name) == lacking ? nullptr : complete_device(device, name);
}

PFN_vkVoidFunction VKAPI_CALL with_incomplete_device(VkInstance instance, const char* name)
{
    const PFN_vkVoidFunction found = complete(instance, name);
    if (std::string_view(name) != "vkGetDeviceProcAddr" || !found)
        return found;
    complete_device = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(&incomplete_device);
}

TEST(Failure, AnIncompleteDriverLeavesNoDevice)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const char* name : {"vkGetDeviceQueue", "vkCreateComputePipelines", "vkCmdDispatch", "vkQueueWaitIdle"}) {
            kit::VulkanShim shim;
            complete = reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr());
            lacking = name;
            DeviceOptions options = through(shim, present);
            options.get_instance_proc_addr = reinterpret_cast<void (*)()>(&with_incomplete_device);
            const auto device = Device::open(options);
            EXPECT_EQ(device.code(), Code::driver_error);
            EXPECT_EQ(device.message(), "the Vulkan driver lacks " + std::string(name));
            EXPECT_EQ(shim.calls("vkCreateDevice"), 1u);
            EXPECT_EQ(shim.live_objects(), 0);
        }
    }
}

// Makes the first call of this name fail, and returns what `Device::open` says then.
Status open_with_failing(std::string_view name, VkResult error, const PresentDevice& present, bool validation)
{
    kit::VulkanShim shim({.watch_flight = true});
    DeviceOptions options = through(shim, present);
    options.validation = validation;
    shim.inject({});
    (void)Device::open(options);
    const auto calls = shim.fallible_calls();
    const auto found = std::ranges::find(calls, name, &kit::FallibleCall::name);
    EXPECT_NE(found, calls.end()) << name;
    shim.inject({.call = size_t(found - calls.begin()), .error = error});
    const auto device = Device::open(options);
    EXPECT_EQ(shim.injected(), 1u);
    return device.status();
}

TEST(Failure, AQuestionThatFailedIsNoAnswer)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const char* name : {"vkEnumerateInstanceVersion", "vkEnumerateInstanceExtensionProperties",
                                 "vkEnumeratePhysicalDevices", "vkEnumerateDeviceExtensionProperties"}) {
            const Status status = open_with_failing(name, VK_ERROR_OUT_OF_HOST_MEMORY, present, false);
            EXPECT_EQ(status.code(), Code::out_of_memory) << name << ": " << status.message();
            EXPECT_EQ(status.message(), "the host is out of memory") << name;
        }
        const Status broken =
            open_with_failing("vkEnumerateDeviceExtensionProperties", VK_ERROR_LAYER_NOT_PRESENT, present, false);
        if (!broken) {  // else another device of the list failed
            EXPECT_TRUE(holds(broken.message(), "vkEnumerateDeviceExtensionProperties failed with VK_ERROR_LAYER_NOT_PRESENT"));
        }
        if (validation_available()) {
            EXPECT_EQ(open_with_failing("vkEnumerateInstanceLayerProperties", VK_ERROR_OUT_OF_HOST_MEMORY, present, true).code(),
                      Code::out_of_memory);
            EXPECT_EQ(open_with_failing("vkCreateDebugUtilsMessengerEXT", VK_ERROR_OUT_OF_HOST_MEMORY, present, true).code(),
                      Code::out_of_memory);
        }
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
