// bind, run and submit: from tensors to results.
#include <vkonnx/vulkan.hpp>

#include "api/state.h"

namespace vkonnx {
namespace {

using api::state_of;
using Operands = std::vector<std::shared_ptr<gpu::Buffer>>;

std::string place(const api::OpState& op, const char* kind, size_t index)
{
    return op.label + ": " + kind + "[" + std::to_string(index) + "]";
}

Status check_counts(const api::OpState& op, size_t inputs, size_t outputs)
{
    const bool none_needed = !op.reads_inputs && inputs == 0;
    if (inputs != op.inputs.size() && !none_needed)
        return Status(Code::invalid_argument, op.label + ": " + std::to_string(inputs) +
                                                  " inputs bound, but it was prepared for " + std::to_string(op.inputs.size()));
    if (outputs != op.explanation.outputs.size())
        return Status(Code::invalid_argument, op.label + ": " + std::to_string(outputs) + " outputs bound, but it gives " +
                                                  std::to_string(op.explanation.outputs.size()));
    return {};
}

Status check_tensor(const api::OpState& op, const char* kind, size_t index, const Tensor& tensor, const TensorDesc& expected)
{
    if (!state_of(tensor))
        return Status(Code::invalid_argument,
                      place(op, kind, index) + " is an empty handle, but " + to_string(expected) + " is expected");
    if (state_of(tensor)->device->gpu != op.device->gpu)
        return Status(Code::invalid_argument, place(op, kind, index) + " belongs to another device");
    const TensorDesc& desc = state_of(tensor)->desc;
    const Result<int64_t> wanted = element_count(expected);
    const Result<int64_t> present = element_count(desc);
    const bool other_layout = desc.layout != Layout::ncx && desc.layout != expected.layout;  // the default may be no statement
    if (!wanted || !present || desc.dtype != expected.dtype || *wanted != *present || other_layout)
        return Status(Code::invalid_argument,
                      place(op, kind, index) + " is " + to_string(desc) + ", but " + to_string(expected) + " is expected");
    return {};
}

// Zero elements can't collide.
bool share_memory(const api::TensorState& a, const api::TensorState& b)
{
    return a.bytes != 0 && b.bytes != 0 && a.buffer->slice().overlaps(b.buffer->slice());
}

// An output must share memory with nothing.
Status check_aliasing(const api::OpState& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs)
{
    for (size_t o = 0; o < outputs.size(); ++o) {
        for (size_t i = 0; i < inputs.size(); ++i)
            if (share_memory(*state_of(inputs[i]), *state_of(outputs[o])))
                return Status(Code::invalid_argument, place(op, "output", o) + " shares memory with " +
                                                          place(op, "input", i).substr(op.label.size() + 2));
        for (size_t other = 0; other < o; ++other)
            if (share_memory(*state_of(outputs[other]), *state_of(outputs[o])))
                return Status(Code::invalid_argument,
                              place(op, "output", o) + " shares memory with output[" + std::to_string(other) + "]");
    }
    return {};
}

// Memory that the plan needs besides the tensors: large enough, and apart from them.
Status check_scratch(const api::OpState& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                     const Tensor& scratch)
{
    if (state_of(scratch)->device->gpu != op.device->gpu)
        return Status(Code::invalid_argument, op.label + ": scratch belongs to another device");
    const uint64_t needed = op.program->plan().scratch_bytes;
    if (needed == 0)
        return {};
    if (state_of(scratch)->bytes < needed)
        return Status(Code::invalid_argument, op.label + ": scratch " + to_string(state_of(scratch)->desc) + " has " +
                                                  std::to_string(state_of(scratch)->bytes) + " bytes, but " +
                                                  std::to_string(needed) + " are needed (Explanation::scratch_bytes)");
    for (const auto& [kind, tensors] : {std::pair("input", inputs), std::pair("output", outputs)})
        for (size_t i = 0; i < tensors.size(); ++i)
            if (share_memory(*state_of(tensors[i]), *state_of(scratch)))
                return Status(Code::invalid_argument,
                              op.label + ": scratch shares memory with " + kind + "[" + std::to_string(i) + "]");
    return {};
}

// Inputs, then outputs; no inputs that are never read.
Result<Operands> operands_of(const api::OpState& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs)
{
    if (Status status = check_span(op.label.c_str(), "inputs", inputs); !status)
        return status;
    if (Status status = check_span(op.label.c_str(), "outputs", outputs); !status)
        return status;
    if (Status status = check_counts(op, inputs.size(), outputs.size()); !status)
        return status;
    Operands operands;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (Status status = check_tensor(op, "input", i, inputs[i], op.inputs[i]); !status)
            return status;
        if (op.reads_inputs)
            operands.push_back(state_of(inputs[i])->buffer);
    }
    for (size_t o = 0; o < outputs.size(); ++o) {
        if (Status status = check_tensor(op, "output", o, outputs[o], op.explanation.outputs[o]); !status)
            return status;
        if (!op.program->plan().constant.empty() && !(state_of(outputs[o])->buffer->usage() & VK_BUFFER_USAGE_TRANSFER_DST_BIT))
            return Status(Code::invalid_argument, place(op, "output", o) + " is wrapped without VK_BUFFER_USAGE_TRANSFER_DST_BIT "
                                                                           "(BufferSlice::usage), which it is written by");
        operands.push_back(state_of(outputs[o])->buffer);
    }
    if (Status status = check_aliasing(op, op.reads_inputs ? inputs : std::span<const Tensor>(), outputs); !status)
        return status;
    return operands;
}

Result<std::shared_ptr<api::BindingState>> bound(const char* function, const Device& device, const Op& op,
                                                 std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                                 const Tensor& scratch = {})
{
    if (Status status = api::check_handles(function, {api::handle(device), api::handle(op)}); !status)
        return status;
    Result<Operands> operands = operands_of(*state_of(op), inputs, outputs);
    if (!operands)
        return operands.status();
    if (state_of(scratch))
        if (Status status = check_scratch(*state_of(op), inputs, outputs, scratch); !status)
            return status;
    auto binding = gpu::Binding::create(state_of(op)->program, std::move(*operands),
                                        state_of(scratch) ? state_of(scratch)->buffer : nullptr);
    if (!binding)
        return binding.status();
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
    if (!made)
        return made.status();
    execution = std::move(*made);
    return {};
}

// Makes it ready to be submitted. Once measured, it stays so.
Status record(api::BindingState& state, bool timed)
{
    if (Status status = make(state.work.execution, *state.op->device->gpu); !status)
        return status;
    if (state.work.execution->recorded() && (state.work.execution->timed() || !timed))
        return {};
    const gpu::Binding* bindings[] = {state.binding.get()};
    return state.work.execution->record(bindings, timed);
}

Status record(api::RecordingState& state)
{
    if (Status status = make(state.work.execution, *state.device->gpu); !status)
        return status;
    if (state.work.execution->recorded() && !state.changed)
        return {};
    std::vector<const gpu::Binding*> bindings;
    for (const auto& binding : state.bindings)
        bindings.push_back(binding->binding.get());
    if (Status status = state.work.execution->record(bindings, true); !status)
        return status;
    state.changed = false;
    return {};
}

Status run_binding(api::BindingState& state)
{
    if (Status status = record(state, false); !status)
        return status;
    return state.work.execution->run();
}

template <class State>
Result<Job> submitted(const std::shared_ptr<State>& state, const vulkan::SubmitOptions* options)
{
    if (Status status = state->work.execution->submit(options); !status)
        return status;
    return api::Access::job(std::shared_ptr<api::JobState>(state, &state->work));
}

Result<Job> submit_binding(const char* function, const Device& device, const Binding& binding,
                           const vulkan::SubmitOptions* options)
{
    if (Status status = api::check_handles(function, {api::handle(device), api::handle(binding)}); !status)
        return status;
    if (Status status = record(*state_of(binding), true); !status)
        return status;
    return submitted(state_of(binding), options);
}

Result<Job> submit_recording(const char* function, const Recording& recording, const vulkan::SubmitOptions* options)
{
    if (Status status = api::check_handles(function, {api::handle(recording)}); !status)
        return status;
    if (Status status = record(*state_of(recording)); !status)
        return status;
    return submitted(state_of(recording), options);
}

Status check_semaphores(const vulkan::SubmitOptions& options)
{
    for (const auto& [name, points] : {std::pair("wait", options.wait), std::pair("signal", options.signal)}) {
        if (Status status = check_span("SubmitOptions", name, points); !status)
            return status;
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
        if (!made)
            return made.status();
        return api::Access::handle<Binding>(std::move(*made));
    });
}

Status Device::run(const Binding& binding) const
{
    return guarded([&]() -> Status {
        if (Status status = api::check_handles("Device::run", {api::handle(*this), api::handle(binding)}); !status)
            return status;
        return run_binding(*state_of(binding));
    });
}

Result<Job> Device::submit(const Binding& binding) const
{
    return guarded([&]() -> Result<Job> { return submit_binding("Device::submit", *this, binding, nullptr); });
}

Status Device::run(const Op& op, std::initializer_list<Tensor> inputs, std::initializer_list<Tensor> outputs) const
{
    return guarded([&]() -> Status {
        auto binding = bound("Device::run", *this, op, {inputs.begin(), inputs.size()}, {outputs.begin(), outputs.size()});
        return binding ? run_binding(**binding) : binding.status();
    });
}

Result<Recording> Device::recording() const
{
    return guarded([&]() -> Result<Recording> {
        if (Status status = api::check_handles("Device::recording", {api::handle(*this)}); !status)
            return status;
        auto made = std::make_shared<api::RecordingState>();
        made->device = state_;
        return api::Access::handle<Recording>(std::move(made));
    });
}

Status Recording::add(const Binding& binding)
{
    return guarded([&]() -> Status {
        if (Status status = api::check_handles("Recording::add", {api::handle(*this), api::handle(binding)}); !status)
            return status;
        state_->bindings.push_back(state_of(binding));
        state_->changed = true;
        return {};
    });
}

Status Recording::run()
{
    return guarded([&]() -> Status {
        if (Status status = api::check_handles("Recording::run", {api::handle(*this)}); !status)
            return status;
        if (Status status = record(*state_); !status)
            return status;
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
        if (Status status = check_semaphores(options); !status)
            return status;
        return submit_binding("vulkan::submit", device, binding, &options);
    });
}

Result<Job> vulkan::submit(const Recording& recording, const SubmitOptions& options)
{
    return guarded([&]() -> Result<Job> {
        if (Status status = check_semaphores(options); !status)
            return status;
        return submit_recording("vulkan::submit", recording, &options);
    });
}

}  // namespace vkonnx
