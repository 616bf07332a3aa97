// SPDX-License-Identifier: Apache-2.0
// This file moves bytes between the host and device buffers, in pieces through a staging buffer where the host can't see them.
#pragma once

#include <functional>

#include "gpu/commands.h"
#include "gpu/memory.h"

namespace vkonnx::gpu {

// Takes one piece of what is read. The pieces come in the order of their bytes.
using TakePiece = std::function<void(std::span<const std::byte>)>;

// These return an error, which begins with the function's name, where a wrapped buffer's usage forbids copies to or from it.
Status check_upload(const char* function, const Buffer& to);
Status check_download(const char* function, const Buffer& from);

// These copy to or from the begin of a buffer, by the host itself where it can, and wait. The buffer must hold the bytes.
Status upload(const std::shared_ptr<Buffer>& to, std::span<const std::byte> bytes);
Status download(const std::shared_ptr<Buffer>& from, uint64_t bytes, const TakePiece& take);
Status download(const std::shared_ptr<Buffer>& from, std::span<std::byte> bytes);

class Transfer {
public:
    explicit Transfer(Device& device) : device_(device) {}

    // Any thread may call these. One copy is made at a time.
    Status upload(std::shared_ptr<const Buffer> to, std::span<const std::byte> bytes);
    Status download(std::shared_ptr<const Buffer> from, uint64_t bytes, const TakePiece& take);

private:
    template <class Move>
    Status in_pieces(std::shared_ptr<const Buffer> with, uint64_t bytes, Move move);
    Status prepare(std::shared_ptr<const Buffer> with, uint64_t bytes);
    Status copy(const Buffer& from, uint64_t from_offset, const Buffer& to, uint64_t to_offset, uint64_t bytes);

    Device& device_;
    std::mutex mutex_;
    std::shared_ptr<Buffer> staging_;
    std::shared_ptr<const Buffer> with_;  // the buffer being copied; kept while a copy whose wait failed may still run
    std::unique_ptr<Commands> commands_;  // destroyed first: it waits for what still runs
};

}  // namespace vkonnx::gpu
