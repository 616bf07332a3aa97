// SPDX-License-Identifier: Apache-2.0
// This file manages device memory: blocks taken from Vulkan, mapped once where the host can see them, and shared by many buffers.
//
// The first block of a memory type is small and each further one twice as large, up to a limit, so that little is wasted and few
// allocations are made. A large buffer has a block of its own. Empty blocks go back to Vulkan, except for one of each type.
#pragma once

#include <array>

#include "gpu/device.h"
#include "gpu/offset_allocator.h"

namespace vkonnx::gpu {

class Pool {
    struct Block;

public:
    // A Piece is a buffer's share of a block. Where the memory is mapped but not coherent, no other piece touches its atoms.
    struct Piece {
        VkDeviceMemory memory = VK_NULL_HANDLE;
        uint64_t offset = 0;
        uint64_t size = 0;
        std::byte* mapped = nullptr;  // null where the host can't see it
        VkMemoryPropertyFlags flags = 0;
        Block* block = nullptr;
        bool staging = false;
    };

    // The pool takes at most `max_bytes` from Vulkan, or any number of bytes if that is 0.
    Pool(Device& device, uint64_t max_bytes);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Any thread may call these functions. Memory comes from the first of `types` that has room; `staging` tells where it is
    // counted, and `name` is for the message.
    Result<Piece> allocate(const VkMemoryRequirements& needs, std::span<const uint32_t> types, bool staging,
                           const std::string& name);
    void free(const Piece& piece) noexcept;
    MemoryUse use() const;

private:
    struct Failure {
        VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        const char* call = "vkAllocateMemory";
        bool over_limit = false;
    };

    // The caller of each of these must hold the lock.
    std::optional<Piece> take(uint32_t type, uint64_t size, uint64_t alignment, Failure& failure);
    Block* grow(uint32_t type, uint64_t size, Failure& failure);
    Block* add_block(uint32_t type, uint64_t size, bool shared, Failure& failure);
    uint64_t shared_block_size(uint32_t type, uint64_t size) const;
    void drop_block(const Block* block) noexcept;
    void drop_empty_blocks() noexcept;

    Device& device_;
    const uint64_t max_bytes_;
    mutable std::mutex mutex_;
    std::array<std::vector<std::unique_ptr<Block>>, VK_MAX_MEMORY_TYPES> blocks_;
    MemoryUse use_;
};

}  // namespace vkonnx::gpu
