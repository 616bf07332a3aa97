#include "gpu/transfer.h"

#include <algorithm>
#include <cstring>

namespace vkonnx::gpu {
namespace {

constexpr uint64_t largest_piece = uint64_t(16) << 20;

}  // namespace

Status Transfer::prepare(uint64_t bytes)
{
    if (!commands_) {
        Result<std::unique_ptr<Commands>> made = Commands::create(device_);
        if (!made)
            return made.status();
        commands_ = std::move(*made);
    }
    const uint64_t piece = std::min(bytes, largest_piece);
    if (!staging_ || staging_->size() < piece) {
        Result<std::shared_ptr<Buffer>> made = Buffer::create(device_, piece, BufferUse::staging, "staging");
        if (!made)
            return made.status();
        staging_ = std::move(*made);
    }
    return {};
}

Status Transfer::copy(const Buffer& from, uint64_t from_offset, const Buffer& to, uint64_t to_offset, uint64_t bytes)
{
    if (Status status = commands_->begin(); !status)
        return status;
    const VkBufferCopy region = {from_offset, to_offset, bytes};
    device_.vk().vkCmdCopyBuffer(commands_->handle(), from.handle(), to.handle(), 1, &region);
    if (Status status = commands_->end(); !status)
        return status;
    return commands_->submit_and_wait();
}

Status Transfer::upload(Buffer& to, std::span<const std::byte> bytes)
{
    std::lock_guard lock(mutex_);
    if (Status status = prepare(bytes.size()); !status)
        return status;
    for (uint64_t done = 0; done < bytes.size();) {
        const uint64_t piece = std::min<uint64_t>(staging_->size(), bytes.size() - done);
        std::memcpy(staging_->mapped(), bytes.data() + done, piece);
        if (Status status = staging_->flush(piece); !status)
            return status;
        if (Status status = copy(*staging_, 0, to, done, piece); !status)
            return status;
        done += piece;
    }
    return {};
}

Status Transfer::download(const Buffer& from, std::span<std::byte> bytes)
{
    std::lock_guard lock(mutex_);
    if (Status status = prepare(bytes.size()); !status)
        return status;
    for (uint64_t done = 0; done < bytes.size();) {
        const uint64_t piece = std::min<uint64_t>(staging_->size(), bytes.size() - done);
        if (Status status = copy(from, done, *staging_, 0, piece); !status)
            return status;
        if (Status status = staging_->invalidate(piece); !status)
            return status;
        std::memcpy(bytes.data() + done, staging_->mapped(), piece);
        done += piece;
    }
    return {};
}

}  // namespace vkonnx::gpu
