// SPDX-License-Identifier: Apache-2.0
#include "api/operands.h"
#include "api/planned.h"
#include "api/state.h"

namespace vkonnx {
namespace {

// The inputs, a name each, with the buffers of those that are constant.
Result<std::vector<api::NamedBuffer>> constants_of(const gpu::Device& device, const std::string& label,
                                                   std::span<const TensorDesc> inputs, std::span<const ConstantInput> constants)
{
    std::vector<api::NamedBuffer> buffers(inputs.size());
    for (size_t i = 0; i < constants.size(); ++i) {
        const size_t input = constants[i].input;
        const std::string place = label + ": PrepareOptions::constants[" + std::to_string(i) + "].tensor";
        if (Status status = api::check_tensor(place, device, constants[i].tensor, inputs[input]); !status)
            return status;
        buffers[input] = {place, api::state_of(constants[i].tensor)->buffer};
    }
    return buffers;
}

// Null where the plan has no setup steps.
Result<std::shared_ptr<gpu::Buffer>> packed(api::DeviceState& device, const plan::Plan& plan,
                                            std::vector<api::NamedBuffer> inputs, const std::string& label)
{
    if (plan.setup.empty())
        return std::shared_ptr<gpu::Buffer>();
    const plan::Setup setup = plan::setup_of(plan);
    std::vector<api::NamedBuffer> read;
    std::vector<std::shared_ptr<gpu::Buffer>> buffers;
    for (const uint8_t input : setup.inputs) {
        if (!inputs[input].buffer)
            return Status(Code::driver_error,
                          label + ": a plan packs input " + std::to_string(input) + ", which is not constant");
        read.push_back(inputs[input]);
        buffers.push_back(inputs[input].buffer);
    }
    if (Status status = api::check_views(setup.plan, read, *device.gpu); !status)
        return status;
    return device.packing.get(setup.plan, std::move(buffers), label);
}

// As `explain` plans it, or with the kernel that was the fastest.
Result<api::Planned> planned_for(const Device& device, const Operator& op, std::span<const TensorDesc> inputs,
                                 const PrepareOptions& options)
{
    if (!options.tune || !options.kernel.empty())
        return api::plan_of(op, inputs, device.capabilities(), options);
    Result<api::Tuned> tuned = api::tuned(device, op, inputs, options);
    if (!tuned)
        return tuned.status();
    PrepareOptions forced = options;
    forced.kernel = tuned->kernel;
    Result<api::Planned> planned = api::plan_of(op, inputs, device.capabilities(), forced);
    if (planned && !tuned->why.empty())
        planned->explanation.why = std::move(tuned->why);
    return planned;
}

}  // namespace

Result<Op> Device::prepare(const Operator& op, std::span<const TensorDesc> inputs, const PrepareOptions& options) const
{
    return guarded([&]() -> Result<Op> {
        if (Status status = api::check_handles("Device::prepare", {api::handle(*this)}); !status)
            return status;
        if (Status status = check_span("Device::prepare", "inputs", inputs); !status)
            return status;
        gpu::Device& gpu = *state_->gpu;
        Result<api::Planned> planned = planned_for(*this, op, inputs, options);
        if (!planned)
            return planned.status();
        auto made = std::make_shared<api::OpState>();
        made->device = state_;
        made->label = name(op);
        Result<std::vector<api::NamedBuffer>> constants = constants_of(gpu, made->label, inputs, options.constants);
        if (!constants)
            return constants.status();
        made->explanation = std::move(planned->explanation);
        made->reads_inputs = planned->reads_inputs;
        std::vector<bool> named = plan::named_tensors(planned->plan);
        named.resize(std::max(named.size(), inputs.size()));
        for (size_t i = 0; i < inputs.size(); ++i) {
            const bool constant = (*constants)[i].buffer != nullptr;
            const bool bound = !constant && inputs[i].dtype != DType::undefined;
            if (bound)
                made->inputs.push_back(inputs[i]);
            if (made->reads_inputs)
                made->plan_inputs.push_back({bound, constant && named[i] ? (*constants)[i].buffer : nullptr});
        }
        const std::string label = made->label + " " + made->explanation.kernel;
        Result<std::shared_ptr<gpu::Buffer>> memory = packed(*state_, planned->plan, std::move(*constants), label);
        if (!memory)
            return memory.status();
        auto program = gpu::Program::create(gpu, std::move(planned->plan), label, std::move(*memory));
        if (!program)
            return program.status();
        made->program = std::move(*program);
        return api::Access::handle<Op>(std::move(made));
    });
}

std::span<const TensorDesc> Op::inputs() const noexcept
{
    return state_ ? std::span(state_->inputs) : std::span<const TensorDesc>();
}

std::span<const TensorDesc> Op::outputs() const noexcept
{
    return explanation().outputs;
}

const Explanation& Op::explanation() const noexcept
{
    static const Explanation none;
    return state_ ? state_->explanation : none;
}

std::span<const int64_t> Op::host_result() const noexcept
{
    return explanation().host_result;
}

}  // namespace vkonnx
