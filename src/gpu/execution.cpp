// SPDX-License-Identifier: Apache-2.0
#include "gpu/execution.h"
#include "return_if_error.h"

#include <algorithm>
#include <limits>

namespace vkonnx::gpu {

Result<std::unique_ptr<Execution>> Execution::create(Device& device)
{
    Result<std::unique_ptr<Commands>> commands = Commands::create(device);
    VKONNX_RETURN_IF_ERROR(commands.status());
    std::unique_ptr<Execution> execution(new Execution(device));
    execution->commands_ = std::move(*commands);
    return execution;
}

Status Execution::record(std::span<const Piece> pieces, bool timed)
{
    VKONNX_RETURN_IF_ERROR(settle());
    recorded_ = false;
    submitted_ = false;
    have_seconds_ = false;
    timestamps_.reset();
    if (timed) {
        Result<std::unique_ptr<Timestamps>> made = Timestamps::create(device_, uint32_t(pieces.size()));
        VKONNX_RETURN_IF_ERROR(made.status());
        timestamps_ = std::move(*made);
    }
    timed_ = timed;
    double most = std::numeric_limits<double>::infinity();
    bindings_.clear();
    for (size_t i = 0; i < pieces.size(); ++i)
        if (const Binding* const* binding = std::get_if<const Binding*>(&pieces[i])) {
            most = std::min(most, (*binding)->max_submit_seconds());
            bindings_.push_back(i);
        }
    piece_seconds_.assign(timestamps_ ? pieces.size() : 0, 0);
    seconds_.assign(timestamps_ ? bindings_.size() : 0, 0);
    VKONNX_RETURN_IF_ERROR(commands_->begin());
    if (timestamps_)
        timestamps_->begin(*commands_);
    Hazards hazards;
    double planned = 0;
    for (const Piece& piece : pieces) {
        if (const Copy* copy = std::get_if<Copy>(&piece))
            record_copy(*copy, hazards);
        else
            VKONNX_RETURN_IF_ERROR(record_binding(*std::get<const Binding*>(piece), hazards, most, planned));
        if (timestamps_)
            timestamps_->piece_done(*commands_);
    }
    VKONNX_RETURN_IF_ERROR(commands_->end());
    recorded_ = true;
    return {};
}

void Execution::record_copy(const Copy& copy, Hazards& hazards)
{
    const Slice& from = copy.from->slice();
    const Slice& to = copy.to->slice();
    const Hazards::Access accesses[] = {{from, false}, {to, true}};
    if (hazards.need_barrier(accesses))
        barrier_between(device_, commands_->handle());
    const VkBufferCopy region = {from.offset, to.offset, copy.bytes};
    device_.vk().vkCmdCopyBuffer(commands_->handle(), from.buffer, to.buffer, 1, &region);
}

// Records the steps. `planned` is the estimate of the present command buffer in seconds. It is at most `most`, but a step that
// takes longer is alone in its own.
Status Execution::record_binding(const Binding& binding, Hazards& hazards, double most, double& planned)
{
    const std::span<const plan::Step> steps = binding.steps();
    for (size_t first = 0, last = 0;; first = last) {
        for (; last < steps.size() && (planned == 0 || planned + steps[last].seconds <= most); ++last)
            planned += steps[last].seconds;
        binding.record(commands_->handle(), hazards, first, last);
        if (last == steps.size())
            return {};
        VKONNX_RETURN_IF_ERROR(commands_->cut());
        hazards.clear();
        planned = 0;
    }
}

Status Execution::settle()
{
    VKONNX_RETURN_IF_ERROR(device_.alive());
    if (!claimed_)
        return commands_->wait();
    if (done())
        return {};
    return Status::from_literal(Code::invalid_argument,
                                "a Binding or Recording is in flight once at a time: wait for its Job first");
}

Status Execution::start(const vulkan::SubmitOptions* options)
{
    VKONNX_RETURN_IF_ERROR(settle());
    claimed_ = false;
    have_seconds_ = false;
    submitted_ = false;
    ++number_;
    Status status = commands_->submit(options);
    submitted_ = status.ok();
    return status;
}

Status Execution::submit(const vulkan::SubmitOptions* options)
{
    Status status = start(options);
    if (status)
        claimed_ = true;
    return status;
}

Status Execution::run()
{
    VKONNX_RETURN_IF_ERROR(start(nullptr));
    VKONNX_RETURN_IF_ERROR(commands_->wait());
    read_seconds();
    return device_.alive();  // reading the seconds may have found the device lost
}

Status Execution::wait_at_most(uint64_t nanoseconds)
{
    if (!commands_->in_flight())
        return device_.alive();
    VKONNX_RETURN_IF_ERROR(commands_->wait_at_most(nanoseconds));
    read_seconds();
    return device_.alive();
}

bool Execution::done()
{
    if (!commands_->in_flight())
        return true;
    if (!commands_->done())
        return false;
    read_seconds();
    return true;
}

void Execution::read_seconds()
{
    have_seconds_ = timestamps_ && device_.alive() && timestamps_->read(piece_seconds_);
    for (size_t i = 0; i < seconds_.size(); ++i)
        seconds_[i] = piece_seconds_[bindings_[i]];
}

}  // namespace vkonnx::gpu
