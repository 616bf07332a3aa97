// SPDX-License-Identifier: Apache-2.0
#include "gpu/staging.h"
#include "return_if_error.h"

#include <algorithm>
#include <cstring>

namespace vkonnx::gpu {
namespace {

// This is enough that a submit and its wait are short beside the copying, and little beside the memory of a model's values.
constexpr uint64_t most_bytes = uint64_t(16) << 20;

}  // namespace

Status Staging::make_room(uint64_t bytes)
{
    const std::lock_guard lock(mutex_);
    return make_room_locked(bytes);
}

Status Staging::make_room_locked(uint64_t bytes)
{
    return bytes_ == 0 || bytes <= most_bytes - std::min(bytes_, most_bytes) ? Status() : finish_all();
}

Result<std::shared_ptr<Buffer>> Staging::memory(uint64_t bytes, const std::string& name)
{
    const std::lock_guard lock(mutex_);
    VKONNX_RETURN_IF_ERROR(make_room_locked(bytes));
    Result<std::shared_ptr<Buffer>> made = Buffer::create(device_, bytes, BufferUse::upload, name);
    if (made)
        bytes_ += (*made)->size();
    return made;
}

Status Staging::upload(const std::shared_ptr<Buffer>& to, std::span<const std::byte> bytes)
{
    std::shared_ptr<Buffer> from = to;
    if (!to->mapped()) {
        Result<std::shared_ptr<Buffer>> made = memory(bytes.size(), "staging");
        VKONNX_RETURN_IF_ERROR(made.status());
        from = std::move(*made);
    }
    std::memcpy(from->mapped(), bytes.data(), bytes.size());
    VKONNX_RETURN_IF_ERROR(from->flush(bytes.size()));
    if (from != to)
        copy(std::move(from), to, bytes.size());
    return {};
}

Upload Staging::uploader()
{
    return [this](const std::shared_ptr<Buffer>& to, std::span<const std::byte> bytes) { return upload(to, bytes); };
}

void Staging::copy(std::shared_ptr<const Buffer> from, std::shared_ptr<const Buffer> to, uint64_t bytes)
{
    const std::lock_guard lock(mutex_);
    copies_.push_back({std::move(from), std::move(to), bytes});
}

Status Staging::run(std::shared_ptr<const Program> program, std::vector<std::shared_ptr<Buffer>> tensors)
{
    Result<std::unique_ptr<Binding>> binding = Binding::create(std::move(program), std::move(tensors));
    VKONNX_RETURN_IF_ERROR(binding.status());
    const std::lock_guard lock(mutex_);
    bindings_.push_back(std::move(*binding));
    return {};
}

Staging::Ticket Staging::ticket()
{
    const std::lock_guard lock(mutex_);
    Ticket made;
    if (!is_empty()) {
        made.staging_ = weak_from_this();
        made.load_ = load_;
    }
    return made;
}

Status Staging::Ticket::finish() const
{
    if (!load_ || load_->done)
        return {};
    const std::shared_ptr<Staging> staging = staging_.lock();
    return staging ? staging->finish(*load_) : Status::from_literal(Code::driver_error, "what was to be uploaded was given up");
}

Status Staging::finish(const Load& load)
{
    const std::lock_guard lock(mutex_);
    return load.done ? Status() : finish_all();
}

Status Staging::finish()
{
    const std::lock_guard lock(mutex_);
    return finish_all();
}

Status Staging::finish_all()
{
    if (is_empty())
        return {};
    auto next = std::make_shared<Load>();
    const Result<std::unique_ptr<Execution>> execution = Execution::create(device_);
    VKONNX_RETURN_IF_ERROR(execution.status());
    std::vector<Piece> pieces(copies_.begin(), copies_.end());
    for (const std::unique_ptr<Binding>& binding : bindings_)
        pieces.push_back(binding.get());
    VKONNX_RETURN_IF_ERROR((*execution)->record(pieces, false));
    VKONNX_RETURN_IF_ERROR((*execution)->run());
    load_->done = true;
    load_ = std::move(next);
    copies_.clear();
    bindings_.clear();
    bytes_ = 0;
    return {};
}

}  // namespace vkonnx::gpu
