// This file fakes memory for the shim: poison, guard bands, and memory as on a discrete or a mobile GPU.
#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "kit/vulkan_shim_hooks.h"

namespace vkonnx::kit::hooks {
namespace {

// Guards hold a signalling NaN: arithmetic on one that was read gives another value, so that even a result computed from
// guards alone cannot be taken for an untouched one.
std::byte guard_at(const std::byte* place)
{
    constexpr uint8_t word[] = {0xa5, 0xa5, 0xa5, 0x7f};
    return std::byte(word[reinterpret_cast<uintptr_t>(place) % sizeof(word)]);
}

void set_guards(std::byte* from, std::byte* to)
{
    for (; from < to; ++from)
        *from = guard_at(from);
}

// Notes a buffer, not yet bound, that is not aligned or reaches beyond its memory or into another buffer or its guards.
void check_place(const BoundBuffer& buffer, const Memory& memory, uint64_t offset)
{
    if (offset > memory.size || buffer.reserved > memory.size - offset)
        shim->violations.push_back("a buffer reaches beyond its memory");
    if (offset % buffer.alignment != 0)
        shim->violations.push_back("a buffer is not aligned");
    const uint64_t atom = memory.shadow.empty() ? 1 : fake_atom;
    const auto first = [&](uint64_t place) { return place / atom; };
    const auto last = [&](uint64_t place, uint64_t size) { return (place + std::max<uint64_t>(size, 1) - 1) / atom; };
    for (const auto& [handle, other] : shim->buffers) {
        const uint64_t there = other.offset - shim->shift();
        if (other.bound && other.memory == buffer.memory && first(there) <= last(offset, buffer.reserved) &&
            first(offset) <= last(there, other.reserved))
            shim->violations.push_back("two buffers overlap or share an atom of non-coherent memory");
    }
}

// Writes poison and guards of a buffer that was just bound, into the memory and its shadow.
void prepare_contents(const BoundBuffer& buffer, Memory& memory, uint64_t offset)
{
    if (!memory.base)
        return;
    std::byte* const begin = memory.base + buffer.offset;
    std::byte* const first = memory.base + offset;
    std::byte* const last = std::min(first + buffer.reserved, memory.base + memory.size);
    if (shim->options.poison)
        std::fill(begin, begin + buffer.size, std::byte(0xff));
    if (shim->options.guards) {
        set_guards(first, begin);
        set_guards(begin + buffer.size, last);
    }
    // A flush may reach over the buffer's end, up to its atom, so the shadow has the same guards.
    if (!memory.shadow.empty())
        std::copy(first, last, memory.shadow.begin() + std::ptrdiff_t(offset));
}

// Returns the real memory type behind a faked one: visible to the host and coherent.
uint32_t real_type(VkDevice device, uint32_t type, bool& visible)
{
    VkPhysicalDeviceMemoryProperties memory = {};
    BELOW(vkGetPhysicalDeviceMemoryProperties)(shim->physical_of[device], &memory);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (shim->fakes_memory())
        for (type = 0; (memory.memoryTypes[type].propertyFlags & wanted) != wanted;)
            ++type;
    visible = memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    return type;
}

// Copies the ranges between shadow and memory; without shadows there is nothing to do but to move the ranges behind the guard.
template <class Below>
VkResult synchronize(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges, bool flush, Below below)
{
    std::lock_guard lock(shim->mutex);
    for (uint32_t i = 0; i < count; ++i) {
        Memory& entry = shim->memories[key(ranges[i].memory)];
        const uint64_t begin = std::min(ranges[i].offset + shim->shift(), entry.size);
        const uint64_t size = std::min(ranges[i].size, entry.size - begin);
        if (entry.shadow.empty()) {
            VkMappedMemoryRange moved = ranges[i];
            moved.offset = begin;
            moved.size = size == entry.size - begin ? VK_WHOLE_SIZE : size;
            if (const VkResult result = below(device, 1, &moved); result != VK_SUCCESS)
                return result;
            continue;
        }
        const bool to_end = ranges[i].size == VK_WHOLE_SIZE || ranges[i].offset + ranges[i].size == entry.size;
        if (ranges[i].offset % fake_atom != 0 || (!to_end && ranges[i].size % fake_atom != 0))
            shim->violations.push_back("a flushed or invalidated range is not a multiple of nonCoherentAtomSize");
        std::byte* const host = entry.shadow.data() + begin;
        std::byte* const device_side = entry.base + begin;
        std::memcpy(flush ? device_side : host, flush ? host : device_side, size);
    }
    return VK_SUCCESS;
}

// Notes a storage buffer that is bound by more than the device allows, at a place that it doesn't allow, or beyond its end.
void check_descriptor(const VkPhysicalDeviceLimits& limits, const VkDescriptorBufferInfo& info)
{
    const uint64_t size = shim->buffers[key(info.buffer)].size;
    if (info.offset % limits.minStorageBufferOffsetAlignment != 0)
        shim->violations.push_back("a storage buffer is bound at an offset that is not aligned");
    if (info.range > limits.maxStorageBufferRange)
        shim->violations.push_back("a storage buffer is bound by more than maxStorageBufferRange");
    if (info.range == 0 || info.offset > size || info.range > size - info.offset)
        shim->violations.push_back("a storage buffer is bound beyond its end");
}

VkPhysicalDeviceLimits limits_of(VkDevice device)
{
    VkPhysicalDeviceProperties properties = {};
    BELOW(vkGetPhysicalDeviceProperties)(shim->physical_of[device], &properties);
    change(properties);
    return properties.limits;
}

}  // namespace

VkResult VKAPI_CALL changed_vkCreateBufferView(VkDevice device, const VkBufferViewCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkBufferView* view)
{
    const VkResult result = NEXT(vkCreateBufferView)(device, info, allocator, view);
    std::lock_guard lock(shim->mutex);
    const VkPhysicalDeviceLimits limits = limits_of(device);
    const uint64_t size = shim->buffers[key(info->buffer)].size;
    const uint64_t texel = info->format == VK_FORMAT_R32G32B32A32_SFLOAT ? 16 : 4;
    if (info->offset % limits.minTexelBufferOffsetAlignment != 0)
        shim->violations.push_back("a buffer view begins at an offset that is not aligned");
    if (info->range % texel != 0 || info->range / texel > limits.maxTexelBufferElements)
        shim->violations.push_back("a buffer view has more than maxTexelBufferElements texels, or a part of one");
    if (info->range == 0 || info->offset > size || info->range > size - info->offset)
        shim->violations.push_back("a buffer view ends beyond its buffer");
    shim->live += result == VK_SUCCESS;
    return result;
}

VkResult VKAPI_CALL changed_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkBuffer* buffer)
{
    const VkResult result = NEXT(vkCreateBuffer)(device, info, allocator, buffer);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(shim->mutex);
        shim->buffers[key(*buffer)].size = info->size;
        ++shim->live;
    }
    return result;
}

// Notes what was written around a buffer, and mends it, so that each overrun is told once.
void check_guards(const BoundBuffer& buffer)
{
    const auto memory = shim->memories.find(buffer.memory);
    if (!shim->options.guards || !buffer.bound || memory == shim->memories.end() || !memory->second.base)
        return;
    std::byte* const begin = memory->second.base + buffer.offset;
    std::byte* const first = begin - guard_bytes;
    std::byte* const last = std::min(first + buffer.reserved, memory->second.base + memory->second.size);
    for (std::byte* byte = first; byte < last; ++byte) {
        if (byte == begin)
            byte += buffer.size;
        if (byte >= last || *byte == guard_at(byte))
            continue;
        shim->report += "a buffer of " + std::to_string(buffer.size) + " bytes was overrun at byte " +
                        std::to_string(byte - begin) + " (now " + std::to_string(int(*byte)) + ")\n";
        set_guards(first, begin);
        set_guards(begin + buffer.size, last);
        return;
    }
}

void VKAPI_CALL changed_vkDestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* allocator)
{
    if (buffer) {
        std::lock_guard lock(shim->mutex);
        check_guards(shim->buffers[key(buffer)]);
        shim->buffers.erase(key(buffer));
        --shim->live;
    }
    NEXT(vkDestroyBuffer)(device, buffer, allocator);
}

void VKAPI_CALL changed_vkGetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* needs)
{
    NEXT(vkGetBufferMemoryRequirements)(device, buffer, needs);
    std::lock_guard lock(shim->mutex);
    if (shim->options.guards) {
        if (needs->alignment > guard_bytes)
            shim->violations.push_back("the driver aligns buffers to more than the shim's guard bands");
        needs->size += 2 * guard_bytes;
    }
    if (shim->fakes_memory())
        needs->memoryTypeBits = shim->options.incoherent_memory ? 1u : 1u << fake_device_local | 1u << fake_host_visible;
    shim->buffers[key(buffer)].reserved = needs->size;
    shim->buffers[key(buffer)].alignment = needs->alignment;
}

VkResult VKAPI_CALL changed_vkBindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    const VkResult result = NEXT(vkBindBufferMemory)(device, buffer, memory, offset + shim->shift());
    if (result == VK_SUCCESS) {
        std::lock_guard lock(shim->mutex);
        BoundBuffer& bound = shim->buffers[key(buffer)];
        Memory& entry = shim->memories[key(memory)];
        bound.memory = key(memory);
        bound.offset = offset + shim->shift();
        check_place(bound, entry, offset);
        bound.bound = true;
        prepare_contents(bound, entry, offset);
    }
    return result;
}

VkResult VKAPI_CALL changed_vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDeviceMemory* memory)
{
    if (take(shim->failed_allocations)) {
        ++shim->calls[id_vkAllocateMemory];
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    std::lock_guard lock(shim->mutex);
    bool visible = false;
    VkMemoryAllocateInfo changed = *info;
    changed.memoryTypeIndex = real_type(device, info->memoryTypeIndex, visible);
    const VkResult result = NEXT(vkAllocateMemory)(device, &changed, allocator, memory);
    if (result != VK_SUCCESS)
        return result;
    ++shim->live;
    Memory& entry = shim->memories[key(*memory)];
    entry.size = info->allocationSize;
    void* base = nullptr;
    if (visible && BELOW(vkMapMemory)(device, *memory, 0, VK_WHOLE_SIZE, 0, &base) == VK_SUCCESS)
        entry.base = static_cast<std::byte*>(base);
    if (entry.base && (shim->options.poison || shim->options.guards))
        std::memset(base, 0xff, entry.size);
    if (shim->fakes_memory()) {
        entry.mappable = shim->options.incoherent_memory || info->memoryTypeIndex == fake_host_visible;
        if (entry.mappable)
            entry.shadow.assign(entry.size, std::byte(0xff));
    }
    return result;
}

void VKAPI_CALL changed_vkFreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator)
{
    if (memory) {
        std::lock_guard lock(shim->mutex);
        shim->memories.erase(key(memory));
        --shim->live;
    }
    NEXT(vkFreeMemory)(device, memory, allocator);
}

VkResult VKAPI_CALL changed_vkMapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags,
                                        void** pointer)
{
    ++shim->calls[id_vkMapMemory];
    std::lock_guard lock(shim->mutex);
    Memory& entry = shim->memories[key(memory)];
    if (!entry.mappable || !entry.base) {
        shim->violations.push_back("vkMapMemory of memory that is not host-visible");
        return VK_ERROR_MEMORY_MAP_FAILED;
    }
    *pointer = (entry.shadow.empty() ? entry.base : entry.shadow.data()) + shim->shift() + offset;
    return VK_SUCCESS;
}

// Only counts the call: the shim keeps memory mapped for as long as it lives.
void VKAPI_CALL changed_vkUnmapMemory(VkDevice, VkDeviceMemory)
{
    ++shim->calls[id_vkUnmapMemory];
}

VkResult VKAPI_CALL changed_vkFlushMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges)
{
    return synchronize(device, count, ranges, true, NEXT(vkFlushMappedMemoryRanges));
}

VkResult VKAPI_CALL changed_vkInvalidateMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges)
{
    return synchronize(device, count, ranges, false, NEXT(vkInvalidateMappedMemoryRanges));
}

void VKAPI_CALL changed_vkUpdateDescriptorSets(VkDevice device, uint32_t count, const VkWriteDescriptorSet* writes,
                                               uint32_t copies, const VkCopyDescriptorSet* copied)
{
    {
        std::lock_guard lock(shim->mutex);
        const VkPhysicalDeviceLimits limits = limits_of(device);
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t k = 0; writes[i].descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER && k < writes[i].descriptorCount;
                 ++k)
                check_descriptor(limits, writes[i].pBufferInfo[k]);
    }
    std::vector<VkWriteDescriptorSet> shorter(writes, writes + count);
    std::deque<std::vector<VkDescriptorBufferInfo>> infos;
    for (VkWriteDescriptorSet& write : shorter) {
        if (shim->missing_bytes == 0 || write.descriptorType != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
            continue;
        infos.emplace_back(write.pBufferInfo, write.pBufferInfo + write.descriptorCount);
        for (VkDescriptorBufferInfo& info : infos.back())
            info.range -= shim->missing_bytes;
        write.pBufferInfo = infos.back().data();
    }
    NEXT(vkUpdateDescriptorSets)(device, count, shorter.data(), copies, copied);
}

}  // namespace vkonnx::kit::hooks
