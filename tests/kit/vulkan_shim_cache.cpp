// This file plays a driver that keeps what it compiled in a VkPipelineCache, as ShimOptions::caching wants it.
#include <algorithm>
#include <cstring>

#include "kit/vulkan_shim_hooks.h"

namespace vkonnx::kit {
namespace hooks {
namespace {

// This stands for the compiled module. It lies behind the header that Vulkan prescribes.
using Compiled = uint64_t;

std::vector<std::byte> data_of(VkDevice device, Compiled compiled)
{
    VkPhysicalDeviceProperties properties;
    BELOW(vkGetPhysicalDeviceProperties)(shim->physical_of[device], &properties);
    const uint32_t header[] = {32, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, properties.vendorID, properties.deviceID};
    std::vector<std::byte> data(sizeof header + VK_UUID_SIZE + sizeof compiled);
    std::memcpy(data.data(), header, sizeof header);
    std::memcpy(data.data() + sizeof header, properties.pipelineCacheUUID, VK_UUID_SIZE);
    std::memcpy(data.data() + sizeof header + VK_UUID_SIZE, &compiled, sizeof compiled);
    return data;
}

const VkPipelineCreationFeedbackCreateInfo* feedback_of(const VkComputePipelineCreateInfo& info)
{
    for (const auto* next = static_cast<const VkBaseInStructure*>(info.pNext); next; next = next->pNext)
        if (next->sType == VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO)
            return reinterpret_cast<const VkPipelineCreationFeedbackCreateInfo*>(next);
    return nullptr;
}

}  // namespace

VkResult VKAPI_CALL changed_vkCreatePipelineCache(VkDevice device, const VkPipelineCacheCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator, VkPipelineCache* cache)
{
    const auto next = NEXT(vkCreatePipelineCache);
    if (shim->options.caching == Caching::own) {
        const VkResult result = next(device, info, allocator, cache);
        shim->live += result == VK_SUCCESS;
        return result;
    }
    if (shim->options.caching == Caching::refuses_data && info->initialDataSize > 0)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkPipelineCacheCreateInfo empty = *info;
    empty.initialDataSize = 0;
    empty.pInitialData = nullptr;
    const VkResult result = next(device, &empty, allocator, cache);
    if (result != VK_SUCCESS)
        return result;
    ++shim->live;
    const auto* begin = static_cast<const std::byte*>(info->pInitialData);
    std::lock_guard lock(shim->mutex);
    shim->caches[key(*cache)].assign(begin, begin + info->initialDataSize);
    return VK_SUCCESS;
}

VkResult VKAPI_CALL changed_vkGetPipelineCacheData(VkDevice device, VkPipelineCache cache, size_t* size, void* data)
{
    const auto next = NEXT(vkGetPipelineCacheData);
    if (shim->options.caching == Caching::own)
        return next(device, cache, size, data);
    std::lock_guard lock(shim->mutex);
    const std::vector<std::byte>& own = shim->caches[key(cache)];
    const size_t explained = shim->options.caching == Caching::gives_nothing ? 0 : own.size();
    const size_t copied = data ? std::min(*size, explained) : 0;
    if (copied > 0)
        std::memcpy(data, own.data(), copied);
    *size = data ? copied : explained;
    return data && (copied < explained || shim->options.caching == Caching::says_incomplete) ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult VKAPI_CALL changed_vkCreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                     const VkComputePipelineCreateInfo* infos,
                                                     const VkAllocationCallbacks* allocator, VkPipeline* pipelines)
{
    const auto next = NEXT(vkCreateComputePipelines);
    if (shim->options.before_pipeline)
        shim->options.before_pipeline();
    std::vector<std::byte> data;
    bool is_hit = false;
    if (cache && shim->options.caching != Caching::own) {
        std::lock_guard lock(shim->mutex);
        data = data_of(device, shim->hashes[key(infos->stage.module)]);
        const std::vector<std::byte>& given = shim->caches[key(cache)];
        if (shim->options.caching == Caching::fails_with_data && !given.empty())
            return VK_ERROR_INITIALIZATION_FAILED;
        is_hit = given == data;
        shim->cache_hits += is_hit;
    }
    const VkResult result = next(device, cache, count, infos, allocator, pipelines);
    shim->live += result == VK_SUCCESS ? count : 0;
    if (result != VK_SUCCESS || data.empty())
        return result;
    if (const auto* feedback = feedback_of(*infos))
        feedback->pPipelineCreationFeedback->flags =
            VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
            (is_hit ? VkPipelineCreationFeedbackFlags(VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) : 0);
    std::lock_guard lock(shim->mutex);
    shim->caches[key(cache)] = std::move(data);
    return result;
}

}  // namespace hooks

uint32_t VulkanShim::cache_hits() const
{
    return hooks::shim->cache_hits;
}

}  // namespace vkonnx::kit
