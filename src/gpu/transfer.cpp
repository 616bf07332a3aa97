// SPDX-License-Identifier: Apache-2.0
#include "gpu/transfer.h"
#include "return_if_error.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vkonnx::gpu {
namespace {

// The staging buffer grows by doubling, and stays, so that it is soon large enough for what an application copies.
constexpr uint64_t smallest_staging = uint64_t(64) << 10;
constexpr uint64_t largest_staging = uint64_t(16) << 20;

Status refuse_usage(const char* function, const char* usage)
{
    return Status(Code::invalid_argument,
                  std::string(function) + ": the wrapped buffer was declared without " + usage + " (BufferSlice::usage)");
}

}  // namespace

Status check_upload(const char* function, const Buffer& to)
{
    return to.usage() & VK_BUFFER_USAGE_TRANSFER_DST_BIT ? Status() : refuse_usage(function, "VK_BUFFER_USAGE_TRANSFER_DST_BIT");
}

Status check_download(const char* function, const Buffer& from)
{
    return from.usage() & VK_BUFFER_USAGE_TRANSFER_SRC_BIT ? Status()
                                                           : refuse_usage(function, "VK_BUFFER_USAGE_TRANSFER_SRC_BIT");
}

Status upload(const std::shared_ptr<Buffer>& to, std::span<const std::byte> bytes)
{
    Device& device = to->device();
    if (Status status = device.alive(); !status || bytes.empty())
        return status;
    VKONNX_RETURN_IF_ERROR(check_upload("upload", *to));
    if (!to->mapped())
        return device.transfer().upload(to, bytes);
    std::memcpy(to->mapped(), bytes.data(), bytes.size());
    return to->flush(bytes.size());
}

Status download(const std::shared_ptr<Buffer>& from, uint64_t bytes, const TakePiece& take)
{
    Device& device = from->device();
    if (Status status = device.alive(); !status || bytes == 0)
        return status;
    VKONNX_RETURN_IF_ERROR(check_download("download", *from));
    if (!from->read_directly())
        return device.transfer().download(from, bytes, take);
    VKONNX_RETURN_IF_ERROR(from->invalidate(bytes));
    take({from->mapped(), size_t(bytes)});
    return {};
}

Status download(const std::shared_ptr<Buffer>& from, std::span<std::byte> bytes)
{
    std::byte* to = bytes.data();
    return download(from, bytes.size(), [&](std::span<const std::byte> piece) {
        std::memcpy(to, piece.data(), piece.size());
        to += piece.size();
    });
}

Status Transfer::prepare(std::shared_ptr<const Buffer> with, uint64_t bytes)
{
    if (commands_)  // an earlier copy, whose wait failed
        VKONNX_RETURN_IF_ERROR(commands_->wait());
    with_ = std::move(with);
    if (!commands_) {
        Result<std::unique_ptr<Commands>> made = Commands::create(device_);
        VKONNX_RETURN_IF_ERROR(made.status());
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
    VKONNX_RETURN_IF_ERROR(commands_->begin());
    const VkBufferCopy region = {from.slice().offset + from_offset, to.slice().offset + to_offset, bytes};
    device_.vk().vkCmdCopyBuffer(commands_->handle(), from.slice().buffer, to.slice().buffer, 1, &region);
    VKONNX_RETURN_IF_ERROR(commands_->end());
    return commands_->submit_and_wait();
}

// Calls `move` for each piece with its offset and its bytes.
template <class Move>
Status Transfer::in_pieces(std::shared_ptr<const Buffer> with, uint64_t bytes, Move move)
{
    std::lock_guard lock(mutex_);
    VKONNX_RETURN_IF_ERROR(prepare(std::move(with), bytes));
    Status status;
    for (uint64_t done = 0; status && done < bytes; done += staging_->size())
        status = move(done, std::min<uint64_t>(staging_->size(), bytes - done));
    if (!commands_->in_flight())
        with_.reset();
    return status;
}

Status Transfer::upload(std::shared_ptr<const Buffer> to, std::span<const std::byte> bytes)
{
    return in_pieces(std::move(to), bytes.size(), [&](uint64_t offset, uint64_t size) {
        std::memcpy(staging_->mapped(), bytes.data() + offset, size);
        VKONNX_RETURN_IF_ERROR(staging_->flush(size));
        return copy(*staging_, 0, *with_, offset, size);
    });
}

Status Transfer::download(std::shared_ptr<const Buffer> from, uint64_t bytes, const TakePiece& take)
{
    return in_pieces(std::move(from), bytes, [&](uint64_t offset, uint64_t size) {
        VKONNX_RETURN_IF_ERROR(copy(*with_, offset, *staging_, 0, size));
        VKONNX_RETURN_IF_ERROR(staging_->invalidate(size));
        take({staging_->mapped(), size_t(size)});
        return Status();
    });
}

}  // namespace vkonnx::gpu
