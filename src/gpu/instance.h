// SPDX-License-Identifier: Apache-2.0
// A VkInstance, the devices it lists, and the choice among them.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include "gpu/cache_format.h"
#include "gpu/features.h"
#include "gpu/float_controls.h"
#include "gpu/functions.h"

#include <vkonnx/vulkan.hpp>

namespace vkonnx::gpu {

// A physical device: what the public list says, and what opening and recording need besides.
struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    DeviceInfo info = {};
    uint32_t version = VK_API_VERSION_1_1;  // of Vulkan, as far as instance and device both go
    uint32_t queue_family = 0;
    uint32_t timestamp_bits = 0;  // 0: the queue has no timestamps
    double seconds_per_tick = 0;
    uint64_t max_allocation_bytes = 0;  // of one VkDeviceMemory
    uint64_t non_coherent_atom = 1;
    bool portability_subset = false;  // the extension must be enabled
    bool tells_executables = false;   // by VK_KHR_pipeline_executable_properties
    bool tells_feedback = false;      // by VK_EXT_pipeline_creation_feedback
    CacheIdentity cache_identity = {};
    bool leaves_products_apart = false;  // its compiler does not fuse a * b + c by itself where float_controls are declared
    FloatControls float_controls = {};   // of VK_KHR_shader_float_controls, where it can be enabled
    VkPhysicalDeviceMemoryProperties memory = {};

    // The extensions that are enabled for what they offer beyond Vulkan's version.
    std::vector<const char*> optional_extensions() const;
};

class Instance {
public:
    static Result<std::shared_ptr<Instance>> create(const DeviceOptions& options);
    // The application's own, which stays its own.
    static Result<std::shared_ptr<Instance>> adopt(PFN_vkGetInstanceProcAddr get, VkInstance handle, uint32_t version,
                                                   std::span<const char* const> extensions, const DeviceOptions& options);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return handle_; }
    const InstanceFunctions& vk() const { return vk_; }
    const VkAllocationCallbacks* allocator() const { return allocator_ ? &*allocator_ : nullptr; }
    // VK_EXT_debug_utils is enabled.
    bool debug_utils() const { return debug_utils_; }
    void log(LogLevel level, std::string_view text) const
    {
        if (log_)
            log_(level, text);
    }

    Result<std::vector<PhysicalDevice>> devices() const;
    // Without a queue family: the one that suits best. An error where the host or the device is out of memory: a device that
    // could not tell all is never taken for one that has less.
    Result<PhysicalDevice> describe(VkPhysicalDevice handle, uint32_t index, std::optional<uint32_t> queue_family = {}) const;
    // Returns the queue families that have a compute queue.
    std::vector<uint32_t> queue_families(VkPhysicalDevice handle) const;

    // It is never destroyed: work of one of its devices may run for ever. `self` is this instance.
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

// The device that DeviceOptions::select means, as a place in the list.
Result<size_t> select_device(std::span<const DeviceInfo> devices, std::string_view select);

}  // namespace vkonnx::gpu
