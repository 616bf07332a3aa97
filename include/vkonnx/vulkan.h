// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: inside a Vulkan program that is written in C: on its device, with its buffers, in its command buffers. Library
// target vkonnx::c.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
// Contracts are those of vulkan.hpp at the declaration of the same name, rules those of vkonnx.h. This header needs Vulkan's
// headers (vulkan/vulkan_core.h), but no loader to link with.

#ifndef VKONNX_VULKAN_H
#define VKONNX_VULKAN_H

#include <vkonnx/vkonnx.h>

#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------------------- requirements

// This struct is given out to be read, or to be changed before vkonnx_vulkan_add_features: features off, counts lower.
typedef struct vkonnx_vulkan_requirements {
    size_t struct_size;
    uint32_t api_version;
    VkQueueFlags queue_flags;
    const uint32_t* queue_families;
    size_t queue_family_count;
    const char* const* extensions;
    size_t extension_count;
    VkPhysicalDeviceFeatures features;
    VkPhysicalDeviceFeatures optional_features;
    const char* const* optional_extensions;
    size_t optional_extension_count;
    const char* const* optional_extended_features;
    size_t optional_extended_feature_count;
    const char* const* optional_instance_extensions;
    size_t optional_instance_extension_count;
    VkBufferUsageFlags buffer_usage;
    VkBufferUsageFlags written_buffer_usage;
    VkBufferUsageFlags downloaded_buffer_usage;
    VkBufferUsageFlags texel_buffer_usage;
    VkDeviceSize offset_alignment;
    VkDeviceSize texel_offset_alignment;
} vkonnx_vulkan_requirements;

// Tells what the library asks of this physical device. If get_instance_proc_addr is NULL, it tells what the library asks of any
// device, and the other arguments are not read. An api_version of 0 means Vulkan 1.1.
VKONNX_C_API vkonnx_status* vkonnx_vulkan_get_requirements(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                                           VkPhysicalDevice physical_device, uint32_t api_version,
                                                           vkonnx_vulkan_requirements** result);
VKONNX_C_API void vkonnx_vulkan_requirements_destroy(vkonnx_vulkan_requirements* requirements);

// Does what Requirements::add_to does.
VKONNX_C_API vkonnx_status* vkonnx_vulkan_add_features(const vkonnx_vulkan_requirements* requirements,
                                                       VkPhysicalDeviceFeatures2* enabled);

// ------------------------------------------------------------------------------------------------------------ adopt

typedef struct vkonnx_vulkan_device {
    size_t struct_size;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    uint32_t api_version;  // 0: Vulkan 1.1
    const char* const* instance_extensions;
    size_t instance_extension_count;
    const char* const* device_extensions;
    size_t device_extension_count;
    VkPhysicalDeviceFeatures features;
    const void* features_chain;
    void (*lock_queue)(void* queue_user);
    void (*unlock_queue)(void* queue_user);
    void* queue_user;
} vkonnx_vulkan_device;

VKONNX_C_API vkonnx_status* vkonnx_vulkan_adopt(const vkonnx_vulkan_device* adopted, const vkonnx_device_options* options,
                                                vkonnx_device** result);

// ------------------------------------------------------------------------------------------------------------- wrap

typedef struct vkonnx_vulkan_buffer {
    size_t struct_size;
    VkBuffer buffer;
    VkDeviceSize offset;
    VkDeviceSize size;
    VkBufferUsageFlags usage;  // 0: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
} vkonnx_vulkan_buffer;

VKONNX_C_API vkonnx_status* vkonnx_vulkan_wrap(const vkonnx_device* device, const vkonnx_vulkan_buffer* slice,
                                               const vkonnx_tensor_desc* desc, vkonnx_tensor** result);

// ----------------------------------------------------------------------------------------------------------- record

// These are entry_stages, entry_accesses, exit_stages and exit_accesses.
#define VKONNX_VULKAN_ENTRY_STAGES (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT)
#define VKONNX_VULKAN_ENTRY_ACCESSES (VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT)
#define VKONNX_VULKAN_EXIT_STAGES (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT)
#define VKONNX_VULKAN_EXIT_ACCESSES (VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT)

typedef uint32_t vkonnx_vulkan_record_flags;
enum { VKONNX_VULKAN_BARRIER_BEFORE = 1, VKONNX_VULKAN_BARRIER_AFTER = 2 };

// Records a binding. Several bindings, with the barriers between them, are those of a recording.
VKONNX_C_API vkonnx_status* vkonnx_vulkan_record_binding(VkCommandBuffer commands, const vkonnx_binding* binding,
                                                         vkonnx_vulkan_record_flags flags);
VKONNX_C_API vkonnx_status* vkonnx_vulkan_record_recording(VkCommandBuffer commands, const vkonnx_recording* recording,
                                                           vkonnx_vulkan_record_flags flags);

// ----------------------------------------------------------------------------------------------------------- submit

typedef struct vkonnx_vulkan_semaphore {
    size_t struct_size;
    VkSemaphore semaphore;
    uint64_t value;
} vkonnx_vulkan_semaphore;

typedef struct vkonnx_vulkan_submit_options {
    size_t struct_size;
    const vkonnx_vulkan_semaphore* const* wait;
    size_t wait_count;
    const vkonnx_vulkan_semaphore* const* signal;
    size_t signal_count;
    VkFence fence;
} vkonnx_vulkan_submit_options;

VKONNX_C_API vkonnx_status* vkonnx_vulkan_submit_binding(const vkonnx_device* device, const vkonnx_binding* binding,
                                                         const vkonnx_vulkan_submit_options* options, vkonnx_job** result);
VKONNX_C_API vkonnx_status* vkonnx_vulkan_submit_recording(const vkonnx_recording* recording,
                                                           const vkonnx_vulkan_submit_options* options, vkonnx_job** result);

#ifdef __cplusplus
}
#endif

#endif
