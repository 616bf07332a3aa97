// SPDX-License-Identifier: Apache-2.0
// Vulkan's entry points, in tables per instance and per device, all filled from one vkGetInstanceProcAddr. Nothing is global:
// two devices, two loaders and a test that wraps every call live side by side.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <vulkan/vulkan_core.h>

#include "gpu/cooperative_matrix.h"

namespace vkonnx::gpu {

// Callable without an instance.
struct Loader {
    PFN_vkGetInstanceProcAddr get = nullptr;
    PFN_vkCreateInstance create_instance = nullptr;
    PFN_vkEnumerateInstanceVersion instance_version = nullptr;  // null on Vulkan 1.0
    PFN_vkEnumerateInstanceExtensionProperties instance_extensions = nullptr;
    PFN_vkEnumerateInstanceLayerProperties instance_layers = nullptr;
};

#define VKONNX_INSTANCE_FUNCTIONS(X)                                                                                             \
    X(vkDestroyInstance)                                                                                                         \
    X(vkEnumeratePhysicalDevices)                                                                                                \
    X(vkGetPhysicalDeviceProperties)                                                                                             \
    X(vkGetPhysicalDeviceProperties2)                                                                                            \
    X(vkGetPhysicalDeviceFeatures2)                                                                                              \
    X(vkGetPhysicalDeviceQueueFamilyProperties)                                                                                  \
    X(vkGetPhysicalDeviceMemoryProperties)                                                                                       \
    X(vkEnumerateDeviceExtensionProperties)                                                                                      \
    X(vkCreateDevice)                                                                                                            \
    X(vkGetDeviceProcAddr)

// Present with VK_EXT_debug_utils only, else null.
#define VKONNX_DEBUG_FUNCTIONS(X)                                                                                                \
    X(vkCreateDebugUtilsMessengerEXT)                                                                                            \
    X(vkDestroyDebugUtilsMessengerEXT)                                                                                           \
    X(vkSetDebugUtilsObjectNameEXT)                                                                                              \
    X(vkCmdBeginDebugUtilsLabelEXT)                                                                                              \
    X(vkCmdEndDebugUtilsLabelEXT)

// Present where a device has VK_KHR_cooperative_matrix, else perhaps null.
#define VKONNX_MATRIX_FUNCTIONS(X) X(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)

struct InstanceFunctions {
#define X(name) PFN_##name name = nullptr;
    VKONNX_INSTANCE_FUNCTIONS(X)
    VKONNX_DEBUG_FUNCTIONS(X)
    VKONNX_MATRIX_FUNCTIONS(X)
#undef X
};

#define VKONNX_DEVICE_FUNCTIONS(X)                                                                                               \
    X(vkDestroyDevice)                                                                                                           \
    X(vkGetDeviceQueue)                                                                                                          \
    X(vkQueueSubmit)                                                                                                             \
    X(vkQueueWaitIdle)                                                                                                           \
    X(vkAllocateMemory)                                                                                                          \
    X(vkFreeMemory)                                                                                                              \
    X(vkMapMemory)                                                                                                               \
    X(vkFlushMappedMemoryRanges)                                                                                                 \
    X(vkInvalidateMappedMemoryRanges)                                                                                            \
    X(vkCreateBuffer)                                                                                                            \
    X(vkDestroyBuffer)                                                                                                           \
    X(vkCreateBufferView)                                                                                                        \
    X(vkDestroyBufferView)                                                                                                       \
    X(vkGetBufferMemoryRequirements)                                                                                             \
    X(vkBindBufferMemory)                                                                                                        \
    X(vkCreateFence)                                                                                                             \
    X(vkDestroyFence)                                                                                                            \
    X(vkResetFences)                                                                                                             \
    X(vkGetFenceStatus)                                                                                                          \
    X(vkWaitForFences)                                                                                                           \
    X(vkCreateQueryPool)                                                                                                         \
    X(vkDestroyQueryPool)                                                                                                        \
    X(vkGetQueryPoolResults)                                                                                                     \
    X(vkCreateShaderModule)                                                                                                      \
    X(vkDestroyShaderModule)                                                                                                     \
    X(vkCreatePipelineLayout)                                                                                                    \
    X(vkDestroyPipelineLayout)                                                                                                   \
    X(vkCreateComputePipelines)                                                                                                  \
    X(vkDestroyPipeline)                                                                                                         \
    X(vkCreateDescriptorSetLayout)                                                                                               \
    X(vkDestroyDescriptorSetLayout)                                                                                              \
    X(vkCreateDescriptorPool)                                                                                                    \
    X(vkDestroyDescriptorPool)                                                                                                   \
    X(vkAllocateDescriptorSets)                                                                                                  \
    X(vkUpdateDescriptorSets)                                                                                                    \
    X(vkCreateCommandPool)                                                                                                       \
    X(vkDestroyCommandPool)                                                                                                      \
    X(vkResetCommandPool)                                                                                                        \
    X(vkAllocateCommandBuffers)                                                                                                  \
    X(vkBeginCommandBuffer)                                                                                                      \
    X(vkEndCommandBuffer)                                                                                                        \
    X(vkCmdBindPipeline)                                                                                                         \
    X(vkCmdBindDescriptorSets)                                                                                                   \
    X(vkCmdPushConstants)                                                                                                        \
    X(vkCmdDispatch)                                                                                                             \
    X(vkCmdCopyBuffer)                                                                                                           \
    X(vkCmdUpdateBuffer)                                                                                                         \
    X(vkCmdPipelineBarrier)                                                                                                      \
    X(vkCmdResetQueryPool)                                                                                                       \
    X(vkCmdWriteTimestamp)

// Present with VK_KHR_pipeline_executable_properties only, else null.
#define VKONNX_EXECUTABLE_FUNCTIONS(X)                                                                                           \
    X(vkGetPipelineExecutablePropertiesKHR)                                                                                      \
    X(vkGetPipelineExecutableStatisticsKHR)                                                                                      \
    X(vkGetPipelineExecutableInternalRepresentationsKHR)

struct DeviceFunctions {
#define X(name) PFN_##name name = nullptr;
    VKONNX_DEVICE_FUNCTIONS(X)
    VKONNX_EXECUTABLE_FUNCTIONS(X)
#undef X
};

// From the application's vkGetInstanceProcAddr or, when that is null, from the system's loader.
Result<Loader> find_loader(void (*get_instance_proc_addr)());

// Also with an error, which names a function that is missing, all others are there: what was made can be destroyed again.
Status load(const Loader& loader, VkInstance instance, InstanceFunctions& functions);
Status load(const InstanceFunctions& instance, VkDevice device, DeviceFunctions& functions);

// A failed call as a Status: out of memory and a lost device with sentences that are literals, others with the call's name.
Status failure(VkResult result, const char* call);

// A Vulkan structure with its type, all else zero.
template <class T>
T structure(VkStructureType type)
{
    T result = {};
    result.sType = type;
    return result;
}

// The two calls of Vulkan's enumerations as one.
template <class T, class Call>
VkResult enumerate(std::vector<T>& items, Call call)
{
    VkResult result;
    do {
        uint32_t count = 0;
        result = call(&count, nullptr);
        if (result != VK_SUCCESS)
            return result;
        items.resize(count);
        result = call(&count, items.data());
        items.resize(count);
    } while (result == VK_INCOMPLETE);
    return result;
}

}  // namespace vkonnx::gpu
