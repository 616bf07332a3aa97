// This header declares what the shim is told of each call when it watches what is in flight: before the call what would touch
// work whose end the caller has not seen, after it what the caller has seen, submitted or put into a command buffer.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

#include "kit/vulkan_shim_names.h"

namespace vkonnx::kit::hooks {

enum Id : size_t {
#define X(name) id_##name,
    VKONNX_SHIM_CHANGED(X) VKONNX_SHIM_COUNTED(X)
#undef X
        id_count
};

struct Flight {
    struct Batch {
        std::vector<uint64_t> commands;
        uint64_t fence = 0;
    };
    std::vector<Batch> batches;                       // in the order of their submits; the caller has not seen their end
    std::map<uint64_t, std::set<uint64_t>> uses;      // of a command buffer: buffers, pipelines, descriptor sets, query pools
    std::map<uint64_t, std::set<uint64_t>> contents;  // of a descriptor set: buffers, and views with their buffers
    std::map<uint64_t, uint64_t> viewed;              // a view's buffer
    std::map<uint64_t, uint64_t> pools;               // the pool of a command buffer or descriptor set
    std::set<VkDevice> devices;
};

template <Id id>
using Call = std::integral_constant<Id, id>;

template <Id id, class... A>
void before(Call<id>, A...)
{
}

template <Id id, class... A>
void after(Call<id>, VkResult, A...)
{
}

void before(Call<id_vkDestroyInstance>, VkInstance, const VkAllocationCallbacks*);
void before(Call<id_vkDestroyDevice>, VkDevice, const VkAllocationCallbacks*);
void before(Call<id_vkDestroyBuffer>, VkDevice, VkBuffer, const VkAllocationCallbacks*);
void before(Call<id_vkDestroyBufferView>, VkDevice, VkBufferView, const VkAllocationCallbacks*);
void before(Call<id_vkFreeMemory>, VkDevice, VkDeviceMemory, const VkAllocationCallbacks*);
void before(Call<id_vkDestroyPipeline>, VkDevice, VkPipeline, const VkAllocationCallbacks*);
void before(Call<id_vkDestroyQueryPool>, VkDevice, VkQueryPool, const VkAllocationCallbacks*);
void before(Call<id_vkDestroyFence>, VkDevice, VkFence, const VkAllocationCallbacks*);
void before(Call<id_vkDestroyDescriptorPool>, VkDevice, VkDescriptorPool, const VkAllocationCallbacks*);
void before(Call<id_vkDestroyCommandPool>, VkDevice, VkCommandPool, const VkAllocationCallbacks*);
void before(Call<id_vkResetCommandPool>, VkDevice, VkCommandPool, VkCommandPoolResetFlags);
void before(Call<id_vkBeginCommandBuffer>, VkCommandBuffer, const VkCommandBufferBeginInfo*);
void before(Call<id_vkUpdateDescriptorSets>, VkDevice, uint32_t, const VkWriteDescriptorSet*, uint32_t,
            const VkCopyDescriptorSet*);
void before(Call<id_vkFlushMappedMemoryRanges>, VkDevice, uint32_t, const VkMappedMemoryRange*);
void before(Call<id_vkResetFences>, VkDevice, uint32_t, const VkFence*);
void before(Call<id_vkQueueSubmit>, VkQueue, uint32_t, const VkSubmitInfo*, VkFence);

void before(Call<id_vkCmdBindPipeline>, VkCommandBuffer, VkPipelineBindPoint, VkPipeline);
void before(Call<id_vkCmdBindDescriptorSets>, VkCommandBuffer, VkPipelineBindPoint, VkPipelineLayout, uint32_t, uint32_t,
            const VkDescriptorSet*, uint32_t, const uint32_t*);
void before(Call<id_vkCmdCopyBuffer>, VkCommandBuffer, VkBuffer, VkBuffer, uint32_t, const VkBufferCopy*);
void before(Call<id_vkCmdUpdateBuffer>, VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, const void*);
void before(Call<id_vkCmdResetQueryPool>, VkCommandBuffer, VkQueryPool, uint32_t, uint32_t);
void before(Call<id_vkCmdWriteTimestamp>, VkCommandBuffer, VkPipelineStageFlagBits, VkQueryPool, uint32_t);

void after(Call<id_vkCreateDevice>, VkResult, VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
           VkDevice*);
void after(Call<id_vkCreateBufferView>, VkResult, VkDevice, const VkBufferViewCreateInfo*, const VkAllocationCallbacks*,
           VkBufferView*);
void after(Call<id_vkAllocateCommandBuffers>, VkResult, VkDevice, const VkCommandBufferAllocateInfo*, VkCommandBuffer*);
void after(Call<id_vkAllocateDescriptorSets>, VkResult, VkDevice, const VkDescriptorSetAllocateInfo*, VkDescriptorSet*);
void after(Call<id_vkQueueSubmit>, VkResult, VkQueue, uint32_t, const VkSubmitInfo*, VkFence);
void after(Call<id_vkWaitForFences>, VkResult, VkDevice, uint32_t, const VkFence*, VkBool32, uint64_t);
void after(Call<id_vkGetFenceStatus>, VkResult, VkDevice, VkFence);
void after(Call<id_vkQueueWaitIdle>, VkResult, VkQueue);
void after(Call<id_vkDeviceWaitIdle>, VkResult, VkDevice);

// Waits for the real device and forgets what was in flight, because a device that was said to be lost runs nothing.
void lose_devices();

}  // namespace vkonnx::kit::hooks
