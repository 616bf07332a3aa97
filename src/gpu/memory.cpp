// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory.h"
#include "return_if_error.h"

#include <algorithm>

namespace vkonnx::gpu {
namespace {

VkBufferUsageFlags usage_of(BufferUse use)
{
    const VkBufferUsageFlags copies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    switch (use) {
    case BufferUse::storage:
    case BufferUse::upload:
        return copies | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    case BufferUse::uniform:
        return copies | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    case BufferUse::staging:
        return copies;
    }
    return copies;
}

// Returns how well a memory type suits the use: greater is better, and a negative score means that it can't be used.
int score(const VkPhysicalDeviceMemoryProperties& memory, uint32_t type, BufferUse use, uint64_t largest_device_heap)
{
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    const bool local = flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const bool visible = flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    const int host =
        ((flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) ? 2 : 0) + ((flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) ? 1 : 0);
    if (use == BufferUse::staging)
        return visible ? host + (local ? 0 : 4) : -1;
    if (use == BufferUse::upload)  // kernels read it, though once, and the host does not: caching does not matter much
        return visible ? (local ? 8 : 0) + host : -1;
    if (local && visible) {
        // The small host-visible window of a discrete GPU is scarce, so it is the last choice among local memory.
        const bool window = memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size < largest_device_heap;
        return host + (window ? 10 : 30);
    }
    return local ? 20 : host;
}

}  // namespace

std::vector<uint32_t> memory_types(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed, BufferUse use)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            largest = std::max(largest, memory.memoryHeaps[i].size);
    // Such memory types are avoided, because they need features that are not enabled.
    const VkMemoryPropertyFlags special = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                          VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
    std::vector<uint32_t> types;
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((allowed >> i & 1) && !(memory.memoryTypes[i].propertyFlags & special) && score(memory, i, use, largest) >= 0)
            types.push_back(i);
    std::stable_sort(types.begin(), types.end(),
                     [&](uint32_t a, uint32_t b) { return score(memory, a, use, largest) > score(memory, b, use, largest); });
    return types;
}

Result<std::shared_ptr<Buffer>> Buffer::create(Device& device, uint64_t bytes, BufferUse use, const std::string& name)
{
    VKONNX_RETURN_IF_ERROR(device.alive());
    const uint64_t most = device.physical().max_allocation_bytes;
    if (bytes > UINT64_MAX - 3 || (most != 0 && bytes > most))
        return Status(Code::unsupported, name + " needs " + std::to_string(bytes) + " bytes, but the device '" +
                                             device.physical().info.name + "' allocates at most " + std::to_string(most) +
                                             " at once");
    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->slice_.size = std::max<uint64_t>(4, (bytes + 3) & ~uint64_t(3));
    auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = buffer->size();
    info.usage = buffer->usage_ = usage_of(use);
    Status status = device.check(device.vk().vkCreateBuffer(device.handle(), &info, device.allocator(), &buffer->slice_.buffer),
                                 "vkCreateBuffer");
    if (!status) {
        buffer->slice_.buffer = VK_NULL_HANDLE;
        return status;
    }
    if (status = buffer->allocate(use, name); !status)
        return status;
    device.set_name(VK_OBJECT_TYPE_BUFFER, buffer->slice_.buffer, name);
    return buffer;
}

Status Buffer::allocate(BufferUse use, const std::string& name)
{
    const VolkDeviceTable& vk = device_.vk();
    VkMemoryRequirements needs = {};
    vk.vkGetBufferMemoryRequirements(device_.handle(), slice_.buffer, &needs);
    Result<Pool::Piece> piece = device_.pool().allocate(needs, memory_types(device_.physical().memory, needs.memoryTypeBits, use),
                                                        use == BufferUse::staging || use == BufferUse::upload, name);
    VKONNX_RETURN_IF_ERROR(piece.status());
    piece_ = *piece;
    // Across a bus, the host's reads of uncached memory are slower than a copy by the device.
    read_directly_ = use == BufferUse::staging || (piece_.flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) ||
                     device_.physical().info.kind != DeviceKind::discrete_gpu;
    return device_.check(vk.vkBindBufferMemory(device_.handle(), slice_.buffer, piece_.memory, piece_.offset),
                         "vkBindBufferMemory");
}

std::shared_ptr<Buffer> Buffer::wrap(Device& device, const Slice& slice, VkBufferUsageFlags usage)
{
    std::shared_ptr<Buffer> buffer(new Buffer(device));
    buffer->slice_ = slice;
    buffer->usage_ = usage;
    buffer->owned_ = false;
    return buffer;
}

std::shared_ptr<Buffer> Buffer::part(std::shared_ptr<Buffer> whole, uint64_t offset, uint64_t bytes)
{
    const Slice& slice = whole->slice();
    std::shared_ptr<Buffer> buffer = wrap(whole->device(), {slice.buffer, slice.offset + offset, bytes}, whole->usage());
    // Where memory is not coherent, an atom that is half another part's can't be flushed: the device may be writing there.
    const uint64_t atom = whole->device().physical().non_coherent_atom;
    if (whole->mapped() && (whole->coherent() || (offset % atom == 0 && bytes % atom == 0))) {
        buffer->piece_ = whole->piece_;
        buffer->piece_.offset += offset;
        buffer->piece_.mapped += offset;
        buffer->read_directly_ = whole->read_directly_;
    }
    buffer->whole_ = std::move(whole);
    return buffer;
}

Buffer::~Buffer()
{
    if (!owned_ || !device_.may_destroy())
        return;
    if (slice_.buffer)
        device_.vk().vkDestroyBuffer(device_.handle(), slice_.buffer, device_.allocator());
    if (piece_.memory)
        device_.pool().free(piece_);
}

VkMappedMemoryRange Buffer::range(uint64_t bytes) const
{
    const uint64_t atom = device_.physical().non_coherent_atom;
    auto range = structure<VkMappedMemoryRange>(VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE);
    range.memory = piece_.memory;
    range.offset = piece_.offset;
    range.size = (bytes + atom - 1) / atom * atom;  // this stays within the piece, which consists of whole atoms
    return range;
}

Status Buffer::flush(uint64_t bytes)
{
    if (coherent())
        return {};
    const VkMappedMemoryRange touched = range(bytes);
    return device_.check(device_.vk().vkFlushMappedMemoryRanges(device_.handle(), 1, &touched), "vkFlushMappedMemoryRanges");
}

Status Buffer::invalidate(uint64_t bytes) const
{
    if (coherent())
        return {};
    const VkMappedMemoryRange touched = range(bytes);
    return device_.check(device_.vk().vkInvalidateMappedMemoryRanges(device_.handle(), 1, &touched),
                         "vkInvalidateMappedMemoryRanges");
}

}  // namespace vkonnx::gpu
