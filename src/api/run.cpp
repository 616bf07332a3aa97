// bind and run: from tensors to results.
#include "api/state.h"

namespace vkonnx {
namespace {

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
    if (!tensor.state)
        return Status(Code::invalid_argument,
                      place(op, kind, index) + " is an empty handle, but " + to_string(expected) + " is expected");
    if (tensor.state->device->gpu != op.device->gpu)
        return Status(Code::invalid_argument, place(op, kind, index) + " belongs to another device");
    const TensorDesc& desc = tensor.state->desc;
    const Result<int64_t> wanted = element_count(expected);
    const Result<int64_t> present = element_count(desc);
    if (!wanted || !present || desc.dtype != expected.dtype || *wanted != *present)
        return Status(Code::invalid_argument,
                      place(op, kind, index) + " is " + to_string(desc) + ", but " + to_string(expected) + " is expected");
    const uint64_t most = op.device->gpu->capabilities().max_storage_buffer_range;
    if (tensor.state->bytes > most)
        return Status(Code::unsupported, place(op, kind, index) + " has " + std::to_string(tensor.state->bytes) +
                                             " bytes, but the device binds at most " + std::to_string(most) +
                                             " (max_storage_buffer_range)");
    return {};
}

// An output must share memory with nothing; zero elements can't collide.
Status check_aliasing(const api::OpState& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs)
{
    for (size_t o = 0; o < outputs.size(); ++o) {
        if (outputs[o].state->bytes == 0)
            continue;
        for (size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].state->buffer == outputs[o].state->buffer)
                return Status(Code::invalid_argument, place(op, "output", o) + " shares memory with " +
                                                          place(op, "input", i).substr(op.label.size() + 2));
        for (size_t other = 0; other < o; ++other)
            if (outputs[other].state->buffer == outputs[o].state->buffer)
                return Status(Code::invalid_argument,
                              place(op, "output", o) + " shares memory with output[" + std::to_string(other) + "]");
    }
    return {};
}

// Inputs, then outputs. Inputs that are never read need no more than a description.
Result<Operands> operands_of(const api::OpState& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs)
{
    if (Status status = check_counts(op, inputs.size(), outputs.size()); !status)
        return status;
    Operands operands;
    for (size_t i = 0; op.reads_inputs && i < inputs.size(); ++i) {
        if (Status status = check_tensor(op, "input", i, inputs[i], op.inputs[i]); !status)
            return status;
        operands.push_back(inputs[i].state->buffer);
    }
    for (size_t o = 0; o < outputs.size(); ++o) {
        if (Status status = check_tensor(op, "output", o, outputs[o], op.explanation.outputs[o]); !status)
            return status;
        operands.push_back(outputs[o].state->buffer);
    }
    if (Status status = check_aliasing(op, op.reads_inputs ? inputs : std::span<const Tensor>(), outputs); !status)
        return status;
    return operands;
}

Result<std::shared_ptr<api::BindingState>> bound(const Device& device, const Op& op, std::span<const Tensor> inputs,
                                                 std::span<const Tensor> outputs)
{
    if (!op.state || op.state->device->gpu != device.state->gpu)
        return Status(Code::invalid_argument, "bind: the Op was not prepared by this device");
    Result<Operands> operands = operands_of(*op.state, inputs, outputs);
    if (!operands)
        return operands.status();
    const size_t first_output = operands->size() - outputs.size();
    auto binding = gpu::Binding::create(op.state->program, std::move(*operands), first_output);
    if (!binding)
        return binding.status();
    auto state = std::make_shared<api::BindingState>();
    state->op = op.state;
    state->binding = std::move(*binding);
    return state;
}

Status run_binding(api::BindingState& state)
{
    if (!state.execution) {
        auto execution = gpu::Execution::create(*state.op->device->gpu);
        if (!execution)
            return execution.status();
        const gpu::Binding* bindings[] = {state.binding.get()};
        if (Status status = (*execution)->record(bindings, false); !status)
            return status;
        state.execution = std::move(*execution);
    }
    return state.execution->run();
}

Status record(api::RecordingState& state)
{
    std::vector<const gpu::Binding*> bindings;
    for (const auto& binding : state.bindings)
        bindings.push_back(binding->binding.get());
    if (!state.execution) {
        auto execution = gpu::Execution::create(*state.device->gpu);
        if (!execution)
            return execution.status();
        state.execution = std::move(*execution);
    }
    if (Status status = state.execution->record(bindings, true); !status)
        return status;
    state.seconds.assign(bindings.size(), 0);
    state.recorded = true;
    return {};
}

}  // namespace

Result<Binding> Device::bind(const Op& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) const
{
    return api::guarded([&]() -> Result<Binding> {
        Result<std::shared_ptr<api::BindingState>> state_of_binding = bound(*this, op, inputs, outputs);
        if (!state_of_binding)
            return state_of_binding.status();
        Binding binding;
        binding.state = std::move(*state_of_binding);
        return binding;
    });
}

Status Device::run(const Binding& binding) const
{
    return api::guarded([&]() -> Status {
        if (!binding.state || binding.state->op->device->gpu != state->gpu)
            return Status(Code::invalid_argument, "run: the Binding was not made by this device");
        return run_binding(*binding.state);
    });
}

Status Device::run(const Op& op, std::initializer_list<Tensor> inputs, std::initializer_list<Tensor> outputs) const
{
    return api::guarded([&]() -> Status {
        auto binding = bound(*this, op, {inputs.begin(), inputs.size()}, {outputs.begin(), outputs.size()});
        return binding ? run_binding(**binding) : binding.status();
    });
}

Result<Recording> Device::recording() const
{
    return api::guarded([&]() -> Result<Recording> {
        Recording recording;
        recording.state = std::make_shared<api::RecordingState>();
        recording.state->device = state;
        return recording;
    });
}

Status Recording::add(const Binding& binding)
{
    return api::guarded([&]() -> Status {
        if (!binding.state || binding.state->op->device->gpu != state->device->gpu)
            return Status(Code::invalid_argument, "Recording::add: the Binding was not made by this recording's device");
        state->bindings.push_back(binding.state);
        state->recorded = false;
        return {};
    });
}

Status Recording::run()
{
    return api::guarded([&]() -> Status {
        state->timed = false;
        if (!state->recorded)
            if (Status status = record(*state); !status)
                return status;
        if (Status status = state->execution->run(); !status)
            return status;
        if (state->execution->timed())
            state->timed = state->execution->read_seconds(state->seconds).ok();
        return {};
    });
}

std::span<const double> Recording::seconds() const
{
    return state->timed ? std::span<const double>(state->seconds) : std::span<const double>();
}

}  // namespace vkonnx
