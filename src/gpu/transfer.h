// Copies between host and device memory that the host can't see, in pieces through one staging buffer.
#pragma once

#include "gpu/commands.h"
#include "gpu/memory.h"

namespace vkonnx::gpu {

class Transfer {
public:
    explicit Transfer(Device& device) : device_(device) {}

    // Any thread; one copy at a time.
    Status upload(Buffer& to, std::span<const std::byte> bytes);
    Status download(const Buffer& from, std::span<std::byte> bytes);

private:
    Status prepare(uint64_t bytes);
    Status copy(const Buffer& from, uint64_t from_offset, const Buffer& to, uint64_t to_offset, uint64_t bytes);

    Device& device_;
    std::mutex mutex_;
    std::unique_ptr<Commands> commands_;
    std::shared_ptr<Buffer> staging_;
};

}  // namespace vkonnx::gpu
