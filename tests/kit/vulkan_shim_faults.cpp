// This file knows which errors Vulkan lets each call return, and makes the wanted call fail.
#include <algorithm>

#include "kit/vulkan_shim_hooks.h"

namespace vkonnx::kit {
namespace hooks {
namespace {

constexpr VkResult no_host_memory = VK_ERROR_OUT_OF_HOST_MEMORY;
constexpr VkResult no_device_memory = VK_ERROR_OUT_OF_DEVICE_MEMORY;
constexpr VkResult lost = VK_ERROR_DEVICE_LOST;

constexpr VkResult host_only[] = {no_host_memory};
constexpr VkResult memory[] = {no_host_memory, no_device_memory};
constexpr VkResult memory_or_lost[] = {no_host_memory, no_device_memory, lost};
constexpr VkResult of_waits[] = {no_host_memory, no_device_memory, lost, VK_TIMEOUT};
constexpr VkResult of_enumeration[] = {no_host_memory, no_device_memory, VK_ERROR_INITIALIZATION_FAILED};
constexpr VkResult of_extensions[] = {no_host_memory, no_device_memory, VK_ERROR_LAYER_NOT_PRESENT};
constexpr VkResult of_instances[] = {no_host_memory,
                                     no_device_memory,
                                     VK_ERROR_INITIALIZATION_FAILED,
                                     VK_ERROR_LAYER_NOT_PRESENT,
                                     VK_ERROR_EXTENSION_NOT_PRESENT,
                                     VK_ERROR_INCOMPATIBLE_DRIVER};
constexpr VkResult of_devices[] = {no_host_memory,
                                   no_device_memory,
                                   VK_ERROR_INITIALIZATION_FAILED,
                                   VK_ERROR_EXTENSION_NOT_PRESENT,
                                   VK_ERROR_FEATURE_NOT_PRESENT,
                                   VK_ERROR_TOO_MANY_OBJECTS,
                                   lost};
constexpr VkResult of_memory[] = {no_host_memory, no_device_memory, VK_ERROR_TOO_MANY_OBJECTS};
constexpr VkResult of_maps[] = {no_host_memory, no_device_memory, VK_ERROR_MEMORY_MAP_FAILED};
constexpr VkResult of_sets[] = {no_host_memory, no_device_memory, VK_ERROR_FRAGMENTED_POOL, VK_ERROR_OUT_OF_POOL_MEMORY};

// A row has the errors of a call from "Return Codes" in the specification, core 1.1, and VK_TIMEOUT for a wait.
// vkSetDebugUtilsObjectNameEXT is from its extension.
struct Row {
    Id call;
    std::span<const VkResult> errors;
};
const Row rows[] = {
    {id_vkEnumerateInstanceVersion, host_only},
    {id_vkEnumerateInstanceExtensionProperties, of_extensions},
    {id_vkEnumerateInstanceLayerProperties, memory},
    {id_vkCreateInstance, of_instances},
    {id_vkCreateDebugUtilsMessengerEXT, host_only},
    {id_vkSetDebugUtilsObjectNameEXT, memory},
    {id_vkEnumeratePhysicalDevices, of_enumeration},
    {id_vkEnumerateDeviceExtensionProperties, of_extensions},
    {id_vkCreateDevice, of_devices},
    {id_vkCreateBuffer, memory},
    {id_vkBindBufferMemory, memory},
    {id_vkAllocateMemory, of_memory},
    {id_vkMapMemory, of_maps},
    {id_vkFlushMappedMemoryRanges, memory},
    {id_vkInvalidateMappedMemoryRanges, memory},
    {id_vkCreateShaderModule, memory},
    {id_vkCreateDescriptorSetLayout, memory},
    {id_vkCreatePipelineLayout, memory},
    {id_vkCreateComputePipelines, memory},
    {id_vkCreatePipelineCache, memory},
    {id_vkGetPipelineCacheData, memory},
    {id_vkCreateDescriptorPool, memory},
    {id_vkAllocateDescriptorSets, of_sets},
    {id_vkCreateBufferView, memory},
    {id_vkCreateCommandPool, memory},
    {id_vkResetCommandPool, memory},
    {id_vkAllocateCommandBuffers, memory},
    {id_vkBeginCommandBuffer, memory},
    {id_vkEndCommandBuffer, memory},
    {id_vkCreateFence, memory},
    {id_vkResetFences, memory},
    {id_vkCreateQueryPool, memory},
    {id_vkGetQueryPoolResults, memory_or_lost},
    {id_vkQueueSubmit, memory_or_lost},
    {id_vkWaitForFences, of_waits},
    {id_vkGetFenceStatus, memory_or_lost},
    {id_vkQueueWaitIdle, memory_or_lost},
    {id_vkDeviceWaitIdle, memory_or_lost},
};

std::span<const VkResult> errors_of(Id call)
{
    const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.call == call; });
    return row == std::end(rows) ? std::span<const VkResult>() : row->errors;
}

}  // namespace

namespace {

Id kind_of(Id call)
{
    return call == id_vkGetFenceStatus || call == id_vkQueueWaitIdle || call == id_vkDeviceWaitIdle ? id_vkWaitForFences : call;
}

}  // namespace

thread_local int below = 0;

VkResult fault_of(Id call)
{
    const std::span<const VkResult> errors = errors_of(call);
    if (!shim->injecting || errors.empty())
        return VK_SUCCESS;
    const std::lock_guard lock(shim->mutex);
    const size_t number = shim->fallible.size();
    shim->fallible.push_back({names[call], errors});
    const Fault& fault = shim->fault;
    if (number == fault.call)
        shim->fault_kind = kind_of(call);
    const bool later =
        number > fault.call && (fault.reach == Reach::all || (fault.reach == Reach::kind && kind_of(call) == shim->fault_kind));
    if (number != fault.call && !later)
        return VK_SUCCESS;
    const auto wanted = VkResult(fault.error);
    const bool legal = std::find(errors.begin(), errors.end(), wanted) != errors.end();
    if (!legal && (wanted == lost || wanted == VK_TIMEOUT))  // a call that can't report these goes on
        return VK_SUCCESS;
    ++shim->injected;
    return legal ? wanted : errors.front();
}

}  // namespace hooks

using hooks::shim;

void VulkanShim::inject(const Fault& fault)
{
    const std::lock_guard lock(shim->mutex);
    shim->fault = fault;
    shim->fallible.clear();
    shim->injected = 0;
    shim->injecting = true;
}

void VulkanShim::end_injection()
{
    shim->injecting = false;
}

std::vector<FallibleCall> VulkanShim::fallible_calls() const
{
    const std::lock_guard lock(shim->mutex);
    std::vector<FallibleCall> calls;
    for (const auto& [name, errors] : shim->fallible)
        calls.push_back({name, {errors.begin(), errors.end()}});
    return calls;
}

size_t VulkanShim::injected() const
{
    return shim->injected;
}

bool VulkanShim::in_flight() const
{
    const std::lock_guard lock(shim->mutex);
    return !shim->flight.batches.empty();
}

bool VulkanShim::below()
{
    return hooks::below != 0;
}

}  // namespace vkonnx::kit
