// SPDX-License-Identifier: Apache-2.0
// This file has a VkInstance, the devices it lists, and the choice among them.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "gpu/cache_format.h"
#include "gpu/features.h"
#include "gpu/float_controls.h"
#include "gpu/functions.h"

#include <vkonnx/vulkan.hpp>

namespace vkonnx::gpu {

// A PhysicalDevice holds what the public list says of it, and what opening and recording need besides.
struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    DeviceInfo info = {};
    uint32_t version = VK_API_VERSION_1_1;  // of Vulkan, as far as both instance and device support it
    uint32_t queue_family = 0;
    uint32_t timestamp_bits = 0;  // 0: the queue has no timestamps
    double seconds_per_tick = 0;
    uint64_t max_allocation_bytes = 0;  // the most that one VkDeviceMemory may have
    uint64_t non_coherent_atom = 1;
    bool portability_subset = false;  // whether VK_KHR_portability_subset must be enabled
    bool tells_executables = false;   // by VK_KHR_pipeline_executable_properties
    bool tells_feedback = false;      // by VK_EXT_pipeline_creation_feedback
    CacheIdentity cache_identity = {};
    bool leaves_products_apart = false;  // its compiler does not fuse a * b + c by itself where float_controls are declared
    FloatControls float_controls = {};   // what VK_KHR_shader_float_controls offers, where it can be enabled
    VkPhysicalDeviceMemoryProperties memory = {};

    // Returns the extensions that are enabled for what they offer beyond Vulkan's version.
    std::vector<const char*> optional_extensions() const;
};

class Instance {
public:
    static Result<std::shared_ptr<Instance>> create(const DeviceOptions& options);
    // Makes an Instance of the application's own, which still belongs to the application.
    static Result<std::shared_ptr<Instance>> adopt(PFN_vkGetInstanceProcAddr get, VkInstance handle, uint32_t version,
                                                   std::span<const char* const> extensions, const DeviceOptions& options);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return handle_; }
    const InstanceFunctions& vk() const { return vk_; }
    const VkAllocationCallbacks* allocator() const { return allocator_ ? &*allocator_ : nullptr; }
    // Tells whether VK_EXT_debug_utils is enabled.
    bool debug_utils() const { return debug_utils_; }
    void log(LogLevel level, std::string_view text) const
    {
        if (log_)
            log_(level, text);
    }

    Result<std::vector<PhysicalDevice>> devices() const;
    // Describes a device. Without a queue family it takes the one that suits best. Where the host or the device is out of memory
    // it is an error, so that a device that could not tell all is never taken for one that has less.
    Result<PhysicalDevice> describe(VkPhysicalDevice handle, uint32_t index, std::optional<uint32_t> queue_family = {}) const;
    // Returns the queue families that have a compute queue.
    std::vector<uint32_t> queue_families(VkPhysicalDevice handle) const;

    // Keeps the instance for ever, because work of one of its devices may run for ever. `self` is this instance.
    void stay(std::shared_ptr<Instance> self) noexcept { forever_ = std::move(self); }

private:
    Instance() = default;

    std::optional<VkAllocationCallbacks> allocator_ = {};
    VkInstance handle_ = VK_NULL_HANDLE;
    uint32_t version_ = VK_API_VERSION_1_1;  // VkApplicationInfo::apiVersion
    bool owned_ = true;
    InstanceFunctions vk_ = {};
    bool debug_utils_ = false;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    std::function<void(LogLevel, std::string_view)> log_ = {};
    std::shared_ptr<Instance> forever_ = {};
};

// Returns the place in the list of the device that DeviceOptions::select means.
Result<size_t> select_device(std::span<const DeviceInfo> devices, std::string_view select);

}  // namespace vkonnx::gpu
