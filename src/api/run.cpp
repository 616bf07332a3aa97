// SPDX-License-Identifier: Apache-2.0
// bind, run and submit: from tensors to results.
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

// Makes it ready to be submitted. Once measured, it stays so.
Status record(api::BindingState& state, bool timed)
{
    VKONNX_RETURN_IF_ERROR(make(state.work.execution, *state.op->device->gpu));
    if (state.work.execution->recorded() && (state.work.execution->timed() || !timed))
        return {};
    const gpu::Binding* bindings[] = {state.binding.get()};
    return state.work.execution->record(bindings, timed);
}

Status record(api::RecordingState& state)
{
    VKONNX_RETURN_IF_ERROR(make(state.work.execution, *state.device->gpu));
    if (state.work.execution->recorded() && !state.changed)
        return {};
    std::vector<const gpu::Binding*> bindings;
    for (const auto& binding : state.bindings)
        bindings.push_back(binding->binding.get());
    VKONNX_RETURN_IF_ERROR(state.work.execution->record(bindings, true));
    state.changed = false;
    return {};
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
    VKONNX_RETURN_IF_ERROR(record(*state_of(recording)));
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
        auto made = std::make_shared<api::RecordingState>();
        made->device = state_;
        return api::Access::handle<Recording>(std::move(made));
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

Status Recording::run()
{
    return guarded([&]() -> Status {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Recording::run", {api::handle(*this)}));
        VKONNX_RETURN_IF_ERROR(record(*state_));
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
