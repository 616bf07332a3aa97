// SPDX-License-Identifier: Apache-2.0
#include "gpu/functions.h"

#include <initializer_list>
#include <mutex>

#ifdef VKONNX_RESULT_NAMES
#include <vulkan/vk_enum_string_helper.h>
#endif

namespace vkonnx::gpu {
namespace {

// Whoever reads or writes a variable of volk holds this lock.
std::mutex volk_mutex;

// Returns the first name that `get` does not find, or null. A table with null in place of one of these would crash at the call.
template <class Get>
const char* first_missing(std::initializer_list<const char*> names, Get get)
{
    for (const char* name : names)
        if (!get(name))
            return name;
    return nullptr;
}

std::string name_of(VkResult result)
{
#ifdef VKONNX_RESULT_NAMES
    const std::string name = string_VkResult(result);
    if (name.starts_with("VK_"))
        return name;
#endif
    return "VkResult " + std::to_string(int(result));
}

}  // namespace

Result<Loader> find_loader(void (*get_instance_proc_addr)())
{
    std::lock_guard lock(volk_mutex);
    if (get_instance_proc_addr)
        volkInitializeCustom(reinterpret_cast<PFN_vkGetInstanceProcAddr>(get_instance_proc_addr));
    else if (volkInitialize() != VK_SUCCESS)
        return Status(Code::no_loader, "no Vulkan loader found (libvulkan.so.1, vulkan-1.dll or libvulkan.dylib)");
    if (!vkCreateInstance || !vkEnumerateInstanceExtensionProperties)
        return Status(Code::no_loader, "the Vulkan loader's vkGetInstanceProcAddr does not know vkCreateInstance");
    return Loader{.get = vkGetInstanceProcAddr,
                  .create_instance = vkCreateInstance,
                  .instance_version = vkEnumerateInstanceVersion,
                  .instance_extensions = vkEnumerateInstanceExtensionProperties,
                  .instance_layers = vkEnumerateInstanceLayerProperties};
}

Status load(const Loader& loader, VkInstance instance, InstanceFunctions& functions)
{
    std::lock_guard lock(volk_mutex);
    volkInitializeCustom(loader.get);
    volkLoadInstanceOnly(instance);
    functions = {
        .vkDestroyInstance = vkDestroyInstance,
        .vkEnumeratePhysicalDevices = vkEnumeratePhysicalDevices,
        .vkGetPhysicalDeviceProperties = vkGetPhysicalDeviceProperties,
        .vkGetPhysicalDeviceProperties2 = vkGetPhysicalDeviceProperties2,
        .vkGetPhysicalDeviceFeatures2 = vkGetPhysicalDeviceFeatures2,
        .vkGetPhysicalDeviceQueueFamilyProperties = vkGetPhysicalDeviceQueueFamilyProperties,
        .vkGetPhysicalDeviceMemoryProperties = vkGetPhysicalDeviceMemoryProperties,
        .vkEnumerateDeviceExtensionProperties = vkEnumerateDeviceExtensionProperties,
        .vkCreateDevice = vkCreateDevice,
        .vkGetDeviceProcAddr = vkGetDeviceProcAddr,
        .vkCreateDebugUtilsMessengerEXT = vkCreateDebugUtilsMessengerEXT,
        .vkDestroyDebugUtilsMessengerEXT = vkDestroyDebugUtilsMessengerEXT,
        .vkSetDebugUtilsObjectNameEXT = vkSetDebugUtilsObjectNameEXT,
        .vkCmdBeginDebugUtilsLabelEXT = vkCmdBeginDebugUtilsLabelEXT,
        .vkCmdEndDebugUtilsLabelEXT = vkCmdEndDebugUtilsLabelEXT,
        // volk has this function from 1.3.255 on only.
        .vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR =
            reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
                loader.get(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR")),
    };
    const char* const missing = first_missing({"vkDestroyInstance", "vkEnumeratePhysicalDevices", "vkGetPhysicalDeviceProperties",
                                               "vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceFeatures2",
                                               "vkGetPhysicalDeviceQueueFamilyProperties", "vkGetPhysicalDeviceMemoryProperties",
                                               "vkEnumerateDeviceExtensionProperties", "vkCreateDevice", "vkGetDeviceProcAddr"},
                                              [&](const char* name) { return loader.get(instance, name); });
    if (missing)
        return Status(Code::driver_error, std::string("the Vulkan loader lacks ") + missing);
    return {};
}

Status load(const InstanceFunctions& instance, VkDevice device, VolkDeviceTable& functions)
{
    std::lock_guard lock(volk_mutex);
    vkGetDeviceProcAddr = instance.vkGetDeviceProcAddr;
    volkLoadDeviceTable(&functions, device);
    const char* const missing = first_missing({"vkDestroyDevice",
                                               "vkGetDeviceQueue",
                                               "vkQueueSubmit",
                                               "vkQueueWaitIdle",
                                               "vkAllocateMemory",
                                               "vkFreeMemory",
                                               "vkMapMemory",
                                               "vkFlushMappedMemoryRanges",
                                               "vkInvalidateMappedMemoryRanges",
                                               "vkCreateBuffer",
                                               "vkDestroyBuffer",
                                               "vkCreateBufferView",
                                               "vkDestroyBufferView",
                                               "vkGetBufferMemoryRequirements",
                                               "vkBindBufferMemory",
                                               "vkCreateFence",
                                               "vkDestroyFence",
                                               "vkResetFences",
                                               "vkGetFenceStatus",
                                               "vkWaitForFences",
                                               "vkCreateQueryPool",
                                               "vkDestroyQueryPool",
                                               "vkGetQueryPoolResults",
                                               "vkCreateShaderModule",
                                               "vkDestroyShaderModule",
                                               "vkCreatePipelineCache",
                                               "vkDestroyPipelineCache",
                                               "vkGetPipelineCacheData",
                                               "vkCreatePipelineLayout",
                                               "vkDestroyPipelineLayout",
                                               "vkCreateComputePipelines",
                                               "vkDestroyPipeline",
                                               "vkCreateDescriptorSetLayout",
                                               "vkDestroyDescriptorSetLayout",
                                               "vkCreateDescriptorPool",
                                               "vkDestroyDescriptorPool",
                                               "vkAllocateDescriptorSets",
                                               "vkUpdateDescriptorSets",
                                               "vkCreateCommandPool",
                                               "vkDestroyCommandPool",
                                               "vkResetCommandPool",
                                               "vkAllocateCommandBuffers",
                                               "vkBeginCommandBuffer",
                                               "vkEndCommandBuffer",
                                               "vkCmdBindPipeline",
                                               "vkCmdBindDescriptorSets",
                                               "vkCmdPushConstants",
                                               "vkCmdDispatch",
                                               "vkCmdCopyBuffer",
                                               "vkCmdUpdateBuffer",
                                               "vkCmdPipelineBarrier",
                                               "vkCmdResetQueryPool",
                                               "vkCmdWriteTimestamp"},
                                              [&](const char* name) { return instance.vkGetDeviceProcAddr(device, name); });
    if (missing)
        return Status(Code::driver_error, std::string("the Vulkan driver lacks ") + missing);
    return {};
}

Status failure(VkResult result, const char* call)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return Status::from_literal(Code::out_of_memory, "the host is out of memory");
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return Status::from_literal(Code::out_of_memory, "the device is out of memory");
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
        return Status::from_literal(Code::out_of_memory, "a pool of the device is out of memory");
    case VK_ERROR_TOO_MANY_OBJECTS:
        return Status::from_literal(Code::out_of_memory, "the device holds as many memory allocations as its driver allows");
    case VK_ERROR_DEVICE_LOST:
        return Status::from_literal(Code::device_lost, "the device is lost");
    default:
        break;
    }
    return Status(Code::driver_error, std::string(call) + " failed with " + name_of(result));
}

}  // namespace vkonnx::gpu
