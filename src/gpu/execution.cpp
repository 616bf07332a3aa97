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

Status Execution::record(std::span<const Binding* const> bindings, bool timed, std::span<const Copy> copies)
{
    VKONNX_RETURN_IF_ERROR(settle());
    recorded_ = false;
    have_seconds_ = false;
    timestamps_.reset();
    if (timed) {
        Result<std::unique_ptr<Timestamps>> made = Timestamps::create(device_, uint32_t(bindings.size()));
        VKONNX_RETURN_IF_ERROR(made.status());
        timestamps_ = std::move(*made);
    }
    timed_ = timed;
    seconds_.assign(timestamps_ ? bindings.size() : 0, 0);
    VKONNX_RETURN_IF_ERROR(commands_->begin());
    record_copies(copies);
    if (timestamps_)
        timestamps_->begin(*commands_);
    double most = std::numeric_limits<double>::infinity();
    for (const Binding* binding : bindings)
        most = std::min(most, binding->max_submit_seconds());
    Hazards hazards;
    double planned = 0;
    for (const Binding* binding : bindings) {
        VKONNX_RETURN_IF_ERROR(record_binding(*binding, hazards, most, planned));
        if (timestamps_)
            timestamps_->piece_done(*commands_);
    }
    VKONNX_RETURN_IF_ERROR(commands_->end());
    recorded_ = true;
    return {};
}

void Execution::record_copies(std::span<const Copy> copies)
{
    for (const Copy& copy : copies) {
        const Slice& from = copy.from->slice();
        const Slice& to = copy.to->slice();
        const VkBufferCopy region = {from.offset, to.offset, copy.bytes};
        device_.vk().vkCmdCopyBuffer(commands_->handle(), from.buffer, to.buffer, 1, &region);
    }
    if (!copies.empty())
        barrier_between(device_, commands_->handle());
}

// `planned` are the seconds of the present command buffer, at most `most`; a step that takes longer is alone in its own.
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

// So that nothing is in flight. What a Job stands for is refused; what a failed run or submit left behind is waited for, since
// nobody else can.
Status Execution::settle()
{
    VKONNX_RETURN_IF_ERROR(device_.alive());
    if (!claimed_)
        return commands_->wait();
    if (done())
        return {};
    return Status::from_literal(Code::invalid_argument,
                                "a Binding or Recording is in flight once at a time: wait for its Job before the next submit");
}

Status Execution::start(const vulkan::SubmitOptions* options)
{
    VKONNX_RETURN_IF_ERROR(settle());
    claimed_ = false;
    have_seconds_ = false;
    ++number_;
    return commands_->submit(options);
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
    return device_.alive();  // which reading them may have found lost
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
    have_seconds_ = timestamps_ && device_.alive() && timestamps_->read(seconds_);
}

std::span<const double> Execution::seconds() const
{
    return have_seconds_ ? std::span<const double>(seconds_) : std::span<const double>();
}

}  // namespace vkonnx::gpu
