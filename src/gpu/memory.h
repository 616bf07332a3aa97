// SPDX-License-Identifier: Apache-2.0
// This file has device buffers, and chooses which memory they live in.
#pragma once

#include "gpu/pool.h"

namespace vkonnx::gpu {

enum class BufferUse : uint8_t {
    storage,  // for tensors: a kernel's operand, by any view
    uniform,
    staging,  // host-visible, for copies
    upload,   // host-visible, read once by kernels or copies
};

// A Slice is a part of a VkBuffer, as a kernel binds it.
struct Slice {
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t offset = 0;
    uint64_t size = 0;

    bool overlaps(const Slice& other) const
    {
        return buffer == other.buffer && offset < other.offset + other.size && other.offset < offset + size;
    }
};

class Buffer {
public:
    // Makes a buffer of `bytes`, rounded up to a multiple of 4, and of at least 4. The contents are undefined.
    static Result<std::shared_ptr<Buffer>> create(Device& device, uint64_t bytes, BufferUse use, const std::string& name);
    // Wraps the application's buffer, which still belongs to the application.
    static std::shared_ptr<Buffer> wrap(Device& device, const Slice& slice, VkBufferUsageFlags usage);
    // Returns a part of another buffer, from `offset` on. It keeps the whole one alive. Both numbers are multiples of 4.
    static std::shared_ptr<Buffer> part(std::shared_ptr<Buffer> whole, uint64_t offset, uint64_t bytes);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    Device& device() const { return device_; }
    const Slice& slice() const { return slice_; }
    uint64_t size() const { return slice_.size; }
    VkBufferUsageFlags usage() const { return usage_; }

    // Returns the host's view of the whole buffer, or null. Buffers for staging and upload always have one. What is written there
    // must be flushed, and what is read there must be invalidated first.
    std::byte* mapped() const { return piece_.mapped; }
    // Tells whether the host's own reads are as fast as a copy by the device.
    bool read_directly() const { return mapped() && read_directly_; }
    Status flush(uint64_t bytes);
    Status invalidate(uint64_t bytes) const;

private:
    explicit Buffer(Device& device) : device_(device) {}
    Status allocate(BufferUse use, const std::string& name);
    VkMappedMemoryRange range(uint64_t bytes) const;
    bool coherent() const { return piece_.flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT; }

    Device& device_;
    Slice slice_ = {};
    VkBufferUsageFlags usage_ = 0;
    bool owned_ = true;
    std::shared_ptr<Buffer> whole_;  // the buffer that this one is a part of, if it is one
    Pool::Piece piece_;
    bool read_directly_ = false;
};

// Returns the memory types that suit a use, best first, out of those allowed. It is pure, so a test can ask about any GPU.
std::vector<uint32_t> memory_types(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed, BufferUse use);

}  // namespace vkonnx::gpu
