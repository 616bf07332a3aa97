// Device buffers: which memory they live in, and how the host's bytes get there and back.
#pragma once

#include "gpu/device.h"

namespace vkonnx::gpu {

enum class BufferUse : uint8_t {
    storage,  // a tensor: a kernel's operand
    uniform,
    staging,  // host-visible, for copies
};

class Buffer {
public:
    // Its size is `bytes` rounded up to a multiple of 4, at least 4. The contents are undefined.
    static Result<std::shared_ptr<Buffer>> create(Device& device, uint64_t bytes, BufferUse use, const std::string& name);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    Device& device() const { return device_; }
    VkBuffer handle() const { return buffer_; }
    uint64_t size() const { return size_; }

    // Copies from or to the buffer's begin, through a staging buffer where the memory is not the host's, and waits until done.
    // The bytes are at most the size.
    Status write(std::span<const std::byte> bytes);
    Status read(std::span<std::byte> bytes) const;

    // The host's view of the whole buffer, or null. What is written there must be flushed, what is read invalidated first.
    std::byte* mapped() const { return mapped_; }
    Status flush(uint64_t bytes);
    Status invalidate(uint64_t bytes) const;

private:
    explicit Buffer(Device& device) : device_(device) {}
    Status allocate(BufferUse use);
    VkMappedMemoryRange range(uint64_t bytes) const;

    Device& device_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    uint64_t size_ = 0;
    uint64_t allocated_ = 0;
    std::byte* mapped_ = nullptr;
    bool coherent_ = true;
    bool read_directly_ = false;
};

// Memory types that suit a use, best first, out of those that a buffer allows. Pure, so that a test can ask about any GPU.
std::vector<uint32_t> memory_types(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed, BufferUse use);

}  // namespace vkonnx::gpu
