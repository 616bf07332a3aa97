#include "gpu/transfer.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vkonnx::gpu {
namespace {

// The staging buffer grows by doubling, so that it is soon large enough for what an application copies, and stays.
constexpr uint64_t smallest_staging = uint64_t(64) << 10;
constexpr uint64_t largest_staging = uint64_t(16) << 20;

}  // namespace

Status Transfer::prepare(uint64_t bytes)
{
    if (!commands_) {
        Result<std::unique_ptr<Commands>> made = Commands::create(device_);
        if (!made)
            return made.status();
        commands_ = std::move(*made);
    }
    uint64_t wanted = std::bit_ceil(std::clamp(bytes, smallest_staging, largest_staging));
    if (staging_ && staging_->size() >= wanted)
        return {};
    staging_.reset();
    for (;; wanted /= 2) {
        Result<std::shared_ptr<Buffer>> made = Buffer::create(device_, wanted, BufferUse::staging, "the staging buffer");
        if (made) {
            staging_ = std::move(*made);
            return {};
        }
        if (made.code() != Code::out_of_memory || wanted == smallest_staging)
            return made.status();
    }
}

Status Transfer::copy(const Buffer& from, uint64_t from_offset, const Buffer& to, uint64_t to_offset, uint64_t bytes)
{
    if (Status status = commands_->begin(); !status)
        return status;
    const VkBufferCopy region = {from.slice().offset + from_offset, to.slice().offset + to_offset, bytes};
    device_.vk().vkCmdCopyBuffer(commands_->handle(), from.slice().buffer, to.slice().buffer, 1, &region);
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
