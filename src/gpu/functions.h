// SPDX-License-Identifier: Apache-2.0
// This file has Vulkan's entry points, which volk loads into tables per instance and per device. volk's own variables are written
// and read under one lock while a table is filled, and never afterwards. So two devices, two loaders and a test that wraps every
// call can live side by side.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "gpu/cooperative_matrix.h"
#include "gpu/volk.h"

namespace vkonnx::gpu {

// A Loader holds the functions that are called without an instance.
struct Loader {
    PFN_vkGetInstanceProcAddr get = nullptr;
    PFN_vkCreateInstance create_instance = nullptr;
    PFN_vkEnumerateInstanceVersion instance_version = nullptr;  // null on Vulkan 1.0
    PFN_vkEnumerateInstanceExtensionProperties instance_extensions = nullptr;
    PFN_vkEnumerateInstanceLayerProperties instance_layers = nullptr;
};

// These functions are called with an instance or a physical device. volk has a table only for those of devices.
struct InstanceFunctions {
    PFN_vkDestroyInstance vkDestroyInstance = nullptr;
    PFN_vkEnumeratePhysicalDevices vkEnumeratePhysicalDevices = nullptr;
    PFN_vkGetPhysicalDeviceProperties vkGetPhysicalDeviceProperties = nullptr;
    PFN_vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceProperties2 = nullptr;
    PFN_vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceFeatures2 = nullptr;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties vkGetPhysicalDeviceQueueFamilyProperties = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties vkGetPhysicalDeviceMemoryProperties = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties vkEnumerateDeviceExtensionProperties = nullptr;
    PFN_vkCreateDevice vkCreateDevice = nullptr;
    PFN_vkGetDeviceProcAddr vkGetDeviceProcAddr = nullptr;
    // These five are null without VK_EXT_debug_utils.
    PFN_vkCreateDebugUtilsMessengerEXT vkCreateDebugUtilsMessengerEXT = nullptr;
    PFN_vkDestroyDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT = nullptr;
    PFN_vkSetDebugUtilsObjectNameEXT vkSetDebugUtilsObjectNameEXT = nullptr;
    PFN_vkCmdBeginDebugUtilsLabelEXT vkCmdBeginDebugUtilsLabelEXT = nullptr;
    PFN_vkCmdEndDebugUtilsLabelEXT vkCmdEndDebugUtilsLabelEXT = nullptr;
    // This one is null where the loader does not know VK_KHR_cooperative_matrix.
    PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR = nullptr;
};

// Takes the application's vkGetInstanceProcAddr. If that is null it loads the system's loader, which is never unloaded.
Result<Loader> find_loader(void (*get_instance_proc_addr)());

// Finds the functions. An error names one that is missing. All others are there then, so that what was made can be destroyed.
Status load(const Loader& loader, VkInstance instance, InstanceFunctions& functions);
// Functions of an extension are null where the device does not have it enabled.
Status load(const InstanceFunctions& instance, VkDevice device, VolkDeviceTable& functions);

// Returns a failed call as a Status. For lost devices and want of memory it is a literal; else it has the call's name.
Status failure(VkResult result, const char* call);

// Returns a Vulkan structure with its type set and all else zero.
template <class T>
T structure(VkStructureType type)
{
    T result = {};
    result.sType = type;
    return result;
}

// Makes the two calls of one of Vulkan's enumerations.
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
