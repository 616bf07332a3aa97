// SPDX-License-Identifier: Apache-2.0
// This file implements bind, run and submit: the way from tensors to results.
#include <vkonnx/vulkan.hpp>

#include "api/operands.h"
#include "api/state.h"
#include "return_if_error.h"

namespace vkonnx {
namespace {

using api::state_of;
Result<std::shared_ptr<api::BindingState>> bound(const char* function, const Device& device, const Op& op,
                                                 std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                                 const Tensor& scratch = {})
{
    VKONNX_RETURN_IF_ERROR(api::check_handles(function, {api::handle(device), api::handle(op)}));
    Result<std::vector<std::shared_ptr<gpu::Buffer>>> tensors = api::tensors_of(*state_of(op), inputs, outputs, scratch);
    VKONNX_RETURN_IF_ERROR(tensors.status());
    VKONNX_RETURN_IF_ERROR(state_of(op)->staged.finish());
    auto binding =
        gpu::Binding::create(state_of(op)->program, std::move(*tensors), state_of(scratch) ? state_of(scratch)->buffer : nullptr);
    VKONNX_RETURN_IF_ERROR(binding.status());
    auto state = std::make_shared<api::BindingState>();
    state->op = state_of(op);
    state->binding = std::move(*binding);
    return state;
}

Status make(std::unique_ptr<gpu::Execution>& execution, gpu::Device& device)
{
    if (execution)
        return {};
    auto made = gpu::Execution::create(device);
    VKONNX_RETURN_IF_ERROR(made.status());
    execution = std::move(*made);
    return {};
}

// Makes the binding ready to be submitted. Once it is measured, it stays so.
Status record(api::BindingState& state, bool timed)
{
    VKONNX_RETURN_IF_ERROR(make(state.work.execution, *state.op->device->gpu));
    if (state.work.execution->recorded() && (state.work.execution->timed() || !timed))
        return {};
    const gpu::Piece pieces[] = {state.binding.get()};
    return state.work.execution->record(pieces, timed);
}

// Makes sure that nothing is in flight, and that the commands are those of what was added.
Status record(api::RecordingState& state)
{
    VKONNX_RETURN_IF_ERROR(make(state.work.execution, *state.device->gpu));
    VKONNX_RETURN_IF_ERROR(state.work.execution->settle());
    if (state.work.execution->recorded() && !state.changed)
        return {};
    state.changed = true;
    std::vector<const gpu::Binding*> bindings;
    for (const auto& binding : state.bindings)
        bindings.push_back(binding->binding.get());
    VKONNX_RETURN_IF_ERROR(state.copies.lay_out(bindings));
    VKONNX_RETURN_IF_ERROR(state.work.execution->record(state.copies.among(bindings), true));
    state.changed = false;
    return {};
}

// Makes the recording ready to be submitted.
Status record_and_flush(api::RecordingState& state)
{
    VKONNX_RETURN_IF_ERROR(record(state));
    return state.copies.flush();
}

using Direction = gpu::HostCopies::Direction;

Result<size_t> add_copy(api::RecordingState& state, Direction direction, const api::TensorState& tensor)
{
    const size_t number = state.copies.add(direction, tensor.buffer, tensor.bytes, state.bindings.size());
    state.changed = true;
    return number;
}

Status check_number(const char* function, const api::RecordingState& state, Direction direction, size_t number)
{
    if (state.copies.has(direction, number))
        return {};
    return Status(Code::invalid_argument, std::string(function) + ": no " +
                                              (direction == Direction::upload ? "upload" : "download") + " has the number " +
                                              std::to_string(number));
}

Status run_binding(api::BindingState& state)
{
    VKONNX_RETURN_IF_ERROR(record(state, false));
    return state.work.execution->run();
}

template <class State>
Result<Job> submitted(const std::shared_ptr<State>& state, const vulkan::SubmitOptions* options)
{
    VKONNX_RETURN_IF_ERROR(state->work.execution->submit(options));
    return api::Access::job(std::shared_ptr<api::JobState>(state, &state->work));
}

Result<Job> submit_binding(const char* function, const Device& device, const Binding& binding,
                           const vulkan::SubmitOptions* options)
{
    VKONNX_RETURN_IF_ERROR(api::check_handles(function, {api::handle(device), api::handle(binding)}));
    VKONNX_RETURN_IF_ERROR(record(*state_of(binding), true));
    return submitted(state_of(binding), options);
}

Result<Job> submit_recording(const char* function, const Recording& recording, const vulkan::SubmitOptions* options)
{
    VKONNX_RETURN_IF_ERROR(api::check_handles(function, {api::handle(recording)}));
    VKONNX_RETURN_IF_ERROR(record_and_flush(*state_of(recording)));
    return submitted(state_of(recording), options);
}

Status check_semaphores(const vulkan::SubmitOptions& options)
{
    for (const auto& [name, points] : {std::pair("wait", options.wait), std::pair("signal", options.signal)}) {
        VKONNX_RETURN_IF_ERROR(check_span("SubmitOptions", name, points));
        for (size_t i = 0; i < points.size(); ++i)
            if (!points[i].semaphore)
                return Status(Code::invalid_argument,
                              std::string("SubmitOptions::") + name + "[" + std::to_string(i) + "].semaphore is null");
    }
    return {};
}

}  // namespace

Result<Binding> Device::bind(const Op& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                             const Tensor& scratch) const
{
    return guarded([&]() -> Result<Binding> {
        Result<std::shared_ptr<api::BindingState>> made = bound("Device::bind", *this, op, inputs, outputs, scratch);
        VKONNX_RETURN_IF_ERROR(made.status());
        return api::Access::handle<Binding>(std::move(*made));
    });
}

Status Device::run(const Binding& binding) const
{
    return guarded([&]() -> Status {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Device::run", {api::handle(*this), api::handle(binding)}));
        return run_binding(*state_of(binding));
    });
}

Result<Job> Device::submit(const Binding& binding) const
{
    return guarded([&]() -> Result<Job> { return submit_binding("Device::submit", *this, binding, nullptr); });
}

Status Device::run(const Op& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) const
{
    return guarded([&]() -> Status {
        auto binding = bound("Device::run", *this, op, inputs, outputs);
        return binding ? run_binding(**binding) : binding.status();
    });
}

Result<Recording> Device::recording() const
{
    return guarded([&]() -> Result<Recording> {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Device::recording", {api::handle(*this)}));
        return api::Access::handle<Recording>(std::make_shared<api::RecordingState>(state_));
    });
}

Status Recording::add(const Binding& binding)
{
    return guarded([&]() -> Status {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Recording::add", {api::handle(*this), api::handle(binding)}));
        state_->bindings.push_back(state_of(binding));
        state_->changed = true;
        return {};
    });
}

Result<size_t> Recording::add_upload(const Tensor& to)
{
    return guarded([&]() -> Result<size_t> {
        constexpr const char* function = "Recording::add_upload";
        VKONNX_RETURN_IF_ERROR(api::check_handles(function, {api::handle(*this), api::handle(to)}));
        VKONNX_RETURN_IF_ERROR(gpu::check_upload(function, *state_of(to)->buffer));
        return add_copy(*state_, Direction::upload, *state_of(to));
    });
}

Result<size_t> Recording::add_download(const Tensor& from)
{
    return guarded([&]() -> Result<size_t> {
        constexpr const char* function = "Recording::add_download";
        VKONNX_RETURN_IF_ERROR(api::check_handles(function, {api::handle(*this), api::handle(from)}));
        VKONNX_RETURN_IF_ERROR(gpu::check_download(function, *state_of(from)->buffer));
        return add_copy(*state_, Direction::download, *state_of(from));
    });
}

Result<std::span<std::byte>> Recording::upload_bytes(size_t number)
{
    return guarded([&]() -> Result<std::span<std::byte>> {
        constexpr const char* function = "Recording::upload_bytes";
        VKONNX_RETURN_IF_ERROR(api::check_handles(function, {api::handle(*this)}));
        VKONNX_RETURN_IF_ERROR(check_number(function, *state_, Direction::upload, number));
        VKONNX_RETURN_IF_ERROR(record(*state_));
        return state_->copies.bytes(number);
    });
}

Result<std::span<const std::byte>> Recording::download_bytes(size_t number)
{
    return guarded([&]() -> Result<std::span<const std::byte>> {
        constexpr const char* function = "Recording::download_bytes";
        VKONNX_RETURN_IF_ERROR(api::check_handles(function, {api::handle(*this)}));
        VKONNX_RETURN_IF_ERROR(check_number(function, *state_, Direction::download, number));
        if (state_->changed || !state_->work.execution->submitted())
            return Status(Code::invalid_argument,
                          std::string(function) + ": the Recording has not run to its end since something was added");
        VKONNX_RETURN_IF_ERROR(state_->work.execution->settle());
        VKONNX_RETURN_IF_ERROR(state_->copies.invalidate(number));
        return std::span<const std::byte>(state_->copies.bytes(number));
    });
}

Status Recording::run()
{
    return guarded([&]() -> Status {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Recording::run", {api::handle(*this)}));
        VKONNX_RETURN_IF_ERROR(record_and_flush(*state_));
        return state_->work.execution->run();
    });
}

Result<Job> Recording::submit()
{
    return guarded([&]() -> Result<Job> { return submit_recording("Recording::submit", *this, nullptr); });
}

std::span<const double> Recording::seconds() const noexcept
{
    return state_ && state_->work.execution ? state_->work.execution->seconds() : std::span<const double>();
}

Result<Job> vulkan::submit(const Device& device, const Binding& binding, const SubmitOptions& options)
{
    return guarded([&]() -> Result<Job> {
        VKONNX_RETURN_IF_ERROR(check_semaphores(options));
        return submit_binding("vulkan::submit", device, binding, &options);
    });
}

Result<Job> vulkan::submit(const Recording& recording, const SubmitOptions& options)
{
    return guarded([&]() -> Result<Job> {
        VKONNX_RETURN_IF_ERROR(check_semaphores(options));
        return submit_recording("vulkan::submit", recording, &options);
    });
}

}  // namespace vkonnx
