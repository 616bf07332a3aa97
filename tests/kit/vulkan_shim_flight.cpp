// This file tracks what is in flight, as far as the caller can know: from vkQueueSubmit until a wait or a question about its
// fence, or about one that was submitted later, succeeded.
#include <algorithm>

#include "kit/vulkan_shim_hooks.h"

namespace vkonnx::kit::hooks {
namespace {

Flight& flight()
{
    return shim->flight;
}

bool uses(const Flight::Batch& batch, uint64_t handle)
{
    if (batch.fence == handle)
        return true;
    return std::any_of(batch.commands.begin(), batch.commands.end(), [&](uint64_t commands) {
        if (commands == handle || flight().pools[commands] == handle)
            return true;
        for (const uint64_t used : flight().uses[commands]) {
            if (used == handle || flight().pools[used] == handle)
                return true;
            const auto buffer = shim->buffers.find(used);
            if (buffer != shim->buffers.end() && buffer->second.bound && buffer->second.memory == handle)
                return true;
        }
        return false;
    });
}

// Notes a violation where the handle belongs to what may still be at work.
void check(uint64_t handle, const char* call)
{
    if (handle != 0 &&
        std::any_of(flight().batches.begin(), flight().batches.end(), [&](const auto& batch) { return uses(batch, handle); }))
        shim->violations.push_back(std::string(call) + " of what may still be in use");
}

template <class Handle>
void check_one(Handle handle, const char* call)
{
    const std::lock_guard lock(shim->mutex);
    check(key(handle), call);
}

void check_nothing_runs(const char* call)
{
    if (!flight().batches.empty())
        shim->violations.push_back(std::string(call) + " while work may still be in flight");
}

template <class... Handles>
void note_use(VkCommandBuffer commands, Handles... handles)
{
    const std::lock_guard lock(shim->mutex);
    (flight().uses[key(commands)].insert(key(handles)), ...);
}

void see(uint64_t fence)
{
    auto& batches = flight().batches;
    const auto last = std::find_if(batches.rbegin(), batches.rend(), [&](const auto& batch) { return batch.fence == fence; });
    batches.erase(batches.begin(), last.base());
}

void see_all(VkResult result)
{
    const std::lock_guard lock(shim->mutex);
    if (result == VK_SUCCESS)
        flight().batches.clear();
}

}  // namespace

void before(Call<id_vkDestroyInstance>, VkInstance, const VkAllocationCallbacks*)
{
    const std::lock_guard lock(shim->mutex);
    check_nothing_runs("vkDestroyInstance");
}

void before(Call<id_vkDestroyDevice>, VkDevice device, const VkAllocationCallbacks*)
{
    const std::lock_guard lock(shim->mutex);
    check_nothing_runs("vkDestroyDevice");
    flight().devices.erase(device);
}

void before(Call<id_vkDestroyBuffer>, VkDevice, VkBuffer buffer, const VkAllocationCallbacks*)
{
    check_one(buffer, "vkDestroyBuffer");
}

void before(Call<id_vkDestroyBufferView>, VkDevice, VkBufferView view, const VkAllocationCallbacks*)
{
    check_one(view, "vkDestroyBufferView");
}

void before(Call<id_vkFreeMemory>, VkDevice, VkDeviceMemory memory, const VkAllocationCallbacks*)
{
    check_one(memory, "vkFreeMemory");
}

void before(Call<id_vkDestroyPipeline>, VkDevice, VkPipeline pipeline, const VkAllocationCallbacks*)
{
    check_one(pipeline, "vkDestroyPipeline");
}

void before(Call<id_vkDestroyQueryPool>, VkDevice, VkQueryPool pool, const VkAllocationCallbacks*)
{
    check_one(pool, "vkDestroyQueryPool");
}

void before(Call<id_vkDestroyFence>, VkDevice, VkFence fence, const VkAllocationCallbacks*)
{
    check_one(fence, "vkDestroyFence");
}

void before(Call<id_vkDestroyDescriptorPool>, VkDevice, VkDescriptorPool pool, const VkAllocationCallbacks*)
{
    check_one(pool, "vkDestroyDescriptorPool");
}

void before(Call<id_vkDestroyCommandPool>, VkDevice, VkCommandPool pool, const VkAllocationCallbacks*)
{
    check_one(pool, "vkDestroyCommandPool");
}

void before(Call<id_vkResetCommandPool>, VkDevice, VkCommandPool pool, VkCommandPoolResetFlags)
{
    check_one(pool, "vkResetCommandPool");
}

void before(Call<id_vkBeginCommandBuffer>, VkCommandBuffer commands, const VkCommandBufferBeginInfo*)
{
    const std::lock_guard lock(shim->mutex);
    check(key(commands), "vkBeginCommandBuffer");
    flight().uses[key(commands)].clear();
}

void before(Call<id_vkUpdateDescriptorSets>, VkDevice, uint32_t count, const VkWriteDescriptorSet* writes, uint32_t,
            const VkCopyDescriptorSet*)
{
    const std::lock_guard lock(shim->mutex);
    for (uint32_t i = 0; i < count; ++i) {
        check(key(writes[i].dstSet), "vkUpdateDescriptorSets");
        std::set<uint64_t>& contents = flight().contents[key(writes[i].dstSet)];
        const bool texels = writes[i].descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        for (uint32_t k = 0; texels && k < writes[i].descriptorCount; ++k) {
            const uint64_t view = key(writes[i].pTexelBufferView[k]);
            contents.insert({view, flight().viewed[view]});
        }
        for (uint32_t k = 0; !texels && writes[i].pBufferInfo && k < writes[i].descriptorCount; ++k)
            contents.insert(key(writes[i].pBufferInfo[k].buffer));
    }
}

// This is, above all, for staging buffers in memory that is not coherent.
void before(Call<id_vkFlushMappedMemoryRanges>, VkDevice, uint32_t count, const VkMappedMemoryRange* ranges)
{
    const std::lock_guard lock(shim->mutex);
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t begin = ranges[i].offset + shim->shift();
        for (const auto& [handle, buffer] : shim->buffers)
            if (buffer.bound && buffer.memory == key(ranges[i].memory) && buffer.offset < begin + ranges[i].size &&
                begin < buffer.offset + buffer.size)
                check(handle, "vkFlushMappedMemoryRanges");
    }
}

void before(Call<id_vkResetFences>, VkDevice, uint32_t count, const VkFence* fences)
{
    for (uint32_t i = 0; i < count; ++i)
        check_one(fences[i], "vkResetFences");
}

void before(Call<id_vkQueueSubmit>, VkQueue, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    check_one(fence, "vkQueueSubmit");
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < submits[i].commandBufferCount; ++k)
            check_one(submits[i].pCommandBuffers[k], "vkQueueSubmit");
}

void before(Call<id_vkCmdBindPipeline>, VkCommandBuffer commands, VkPipelineBindPoint, VkPipeline pipeline)
{
    note_use(commands, pipeline);
}

void before(Call<id_vkCmdBindDescriptorSets>, VkCommandBuffer commands, VkPipelineBindPoint, VkPipelineLayout, uint32_t,
            uint32_t count, const VkDescriptorSet* sets, uint32_t, const uint32_t*)
{
    const std::lock_guard lock(shim->mutex);
    std::set<uint64_t>& used = flight().uses[key(commands)];
    for (uint32_t i = 0; i < count; ++i) {
        used.insert(key(sets[i]));
        const std::set<uint64_t>& buffers = flight().contents[key(sets[i])];
        used.insert(buffers.begin(), buffers.end());
    }
}

void before(Call<id_vkCmdCopyBuffer>, VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t, const VkBufferCopy*)
{
    note_use(commands, from, to);
}

void before(Call<id_vkCmdUpdateBuffer>, VkCommandBuffer commands, VkBuffer to, VkDeviceSize, VkDeviceSize, const void*)
{
    note_use(commands, to);
}

void before(Call<id_vkCmdResetQueryPool>, VkCommandBuffer commands, VkQueryPool pool, uint32_t, uint32_t)
{
    note_use(commands, pool);
}

void before(Call<id_vkCmdWriteTimestamp>, VkCommandBuffer commands, VkPipelineStageFlagBits, VkQueryPool pool, uint32_t)
{
    note_use(commands, pool);
}

void after(Call<id_vkCreateDevice>, VkResult result, VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
           VkDevice* device)
{
    const std::lock_guard lock(shim->mutex);
    if (result == VK_SUCCESS)
        flight().devices.insert(*device);
}

void after(Call<id_vkCreateBufferView>, VkResult result, VkDevice, const VkBufferViewCreateInfo* info,
           const VkAllocationCallbacks*, VkBufferView* view)
{
    const std::lock_guard lock(shim->mutex);
    if (result == VK_SUCCESS)
        flight().viewed[key(*view)] = key(info->buffer);
}

void after(Call<id_vkAllocateCommandBuffers>, VkResult result, VkDevice, const VkCommandBufferAllocateInfo* info,
           VkCommandBuffer* commands)
{
    const std::lock_guard lock(shim->mutex);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; ++i)
        flight().pools[key(commands[i])] = key(info->commandPool);
}

void after(Call<id_vkAllocateDescriptorSets>, VkResult result, VkDevice, const VkDescriptorSetAllocateInfo* info,
           VkDescriptorSet* sets)
{
    const std::lock_guard lock(shim->mutex);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->descriptorSetCount; ++i) {
        flight().pools[key(sets[i])] = key(info->descriptorPool);
        flight().contents[key(sets[i])].clear();
    }
}

void after(Call<id_vkQueueSubmit>, VkResult result, VkQueue, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    const std::lock_guard lock(shim->mutex);
    if (result != VK_SUCCESS)
        return;
    Flight::Batch& batch = flight().batches.emplace_back();
    batch.fence = key(fence);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < submits[i].commandBufferCount; ++k)
            batch.commands.push_back(key(submits[i].pCommandBuffers[k]));
}

void after(Call<id_vkWaitForFences>, VkResult result, VkDevice, uint32_t count, const VkFence* fences, VkBool32, uint64_t)
{
    const std::lock_guard lock(shim->mutex);
    for (uint32_t i = 0; result == VK_SUCCESS && i < count; ++i)
        see(key(fences[i]));
}

void after(Call<id_vkGetFenceStatus>, VkResult result, VkDevice, VkFence fence)
{
    const std::lock_guard lock(shim->mutex);
    if (result == VK_SUCCESS)
        see(key(fence));
}

void after(Call<id_vkQueueWaitIdle>, VkResult result, VkQueue)
{
    see_all(result);
}

void after(Call<id_vkDeviceWaitIdle>, VkResult result, VkDevice)
{
    see_all(result);
}

void lose_devices()
{
    for (const VkDevice device : flight().devices)
        BELOW(vkDeviceWaitIdle)(device);
    see_all(VK_SUCCESS);
}

}  // namespace vkonnx::kit::hooks
