// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/state.h"
#include "gpu/transfer.h"
#include "return_if_error.h"

namespace vkonnx {
namespace {

std::string sized(const TensorDesc& desc, uint64_t bytes)
{
    return to_string(desc) + " with " + std::to_string(bytes) + " bytes";
}

}  // namespace

Result<Tensor> Device::tensor(const TensorDesc& desc) const
{
    return guarded([&]() -> Result<Tensor> {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Device::tensor", {api::handle(*this)}));
        const Result<uint64_t> bytes = byte_size(desc);
        VKONNX_RETURN_IF_ERROR(bytes.status());
        auto buffer = gpu::Buffer::create(*state_->gpu, *bytes, gpu::BufferUse::storage, to_string(desc));
        VKONNX_RETURN_IF_ERROR(buffer.status());
        return api::Access::handle<Tensor>(
            std::make_shared<api::TensorState>(api::TensorState{state_, desc, *bytes, std::move(*buffer)}));
    });
}

const TensorDesc& Tensor::desc() const noexcept
{
    static const TensorDesc none{.dtype = DType::undefined};
    return state_ ? state_->desc : none;
}

Status Tensor::upload(std::span<const std::byte> bytes)
{
    return guarded([&]() -> Status {
        if (!state_)
            return refuse_empty("Tensor::upload", "the Tensor");
        VKONNX_RETURN_IF_ERROR(check_span("Tensor::upload", "bytes", bytes));
        if (bytes.size() != state_->bytes)
            return Status(Code::invalid_argument,
                          "upload: " + std::to_string(bytes.size()) + " bytes given for " + sized(state_->desc, state_->bytes));
        return gpu::upload(state_->buffer, bytes);
    });
}

Status Tensor::download(std::span<std::byte> bytes) const
{
    return guarded([&]() -> Status {
        if (!state_)
            return refuse_empty("Tensor::download", "the Tensor");
        VKONNX_RETURN_IF_ERROR(check_span("Tensor::download", "bytes", bytes));
        if (bytes.size() != state_->bytes)
            return Status(Code::invalid_argument, "download: room for " + std::to_string(bytes.size()) + " bytes given for " +
                                                      sized(state_->desc, state_->bytes));
        return gpu::download(state_->buffer, bytes);
    });
}

Result<std::vector<std::byte>> Tensor::download() const
{
    return guarded([&]() -> Result<std::vector<std::byte>> {
        if (!state_)
            return refuse_empty("Tensor::download", "the Tensor");
        std::vector<std::byte> bytes;
        bytes.reserve(state_->bytes);
        const Status status = gpu::download(state_->buffer, state_->bytes, [&](std::span<const std::byte> piece) {
            bytes.insert(bytes.end(), piece.begin(), piece.end());
        });
        if (!status)
            return status;
        return bytes;
    });
}

Result<Tensor> Tensor::view(std::vector<int64_t> dims) const
{
    return guarded([&]() -> Result<Tensor> {
        if (!state_)
            return refuse_empty("Tensor::view", "the Tensor");
        TensorDesc desc{state_->desc.dtype, std::move(dims), state_->desc.layout};
        const Result<int64_t> wanted = element_count(desc);
        VKONNX_RETURN_IF_ERROR(wanted.status());
        const Result<int64_t> present = element_count(state_->desc);
        if (*wanted != *present)
            return Status(Code::invalid_argument, "view: " + to_string(desc) + " has " + std::to_string(*wanted) +
                                                      " elements, but " + to_string(state_->desc) + " has " +
                                                      std::to_string(*present));
        return api::Access::handle<Tensor>(
            std::make_shared<api::TensorState>(api::TensorState{state_->device, std::move(desc), state_->bytes, state_->buffer}));
    });
}

Result<Tensor> Tensor::part(uint64_t offset, const TensorDesc& desc) const
{
    return guarded([&]() -> Result<Tensor> {
        if (!state_)
            return refuse_empty("Tensor::part", "the Tensor");
        const Result<uint64_t> bytes = byte_size(desc);
        VKONNX_RETURN_IF_ERROR(bytes.status());
        const uint64_t alignment = std::max(4u, state_->device->gpu->physical().info.capabilities.storage_buffer_alignment);
        if (offset % alignment != 0)
            return Status(Code::invalid_argument,
                          "part: offset = " + std::to_string(offset) + " must be a multiple of " + std::to_string(alignment));
        const uint64_t room = std::max<uint64_t>(4, (std::min(*bytes, UINT64_MAX - 3) + 3) & ~uint64_t(3));
        const uint64_t size = state_->buffer->size();
        if (offset > size || room > size - offset)
            return Status(Code::invalid_argument, "part: " + sized(desc, *bytes) + " from byte " + std::to_string(offset) +
                                                      " on do not fit into " + sized(state_->desc, state_->bytes));
        return api::Access::handle<Tensor>(std::make_shared<api::TensorState>(
            api::TensorState{state_->device, desc, *bytes, gpu::Buffer::part(state_->buffer, offset, room)}));
    });
}

bool Tensor::shares_memory(const Tensor& other) const noexcept
{
    if (!state_ || !other.state_ || state_->bytes == 0 || other.state_->bytes == 0)
        return false;
    return state_->buffer->slice().overlaps(other.state_->buffer->slice());
}

}  // namespace vkonnx
