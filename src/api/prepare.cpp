// SPDX-License-Identifier: Apache-2.0
#include "api/operands.h"
#include "api/planned.h"
#include "api/state.h"
#include "return_if_error.h"

namespace vkonnx {
namespace {

// A Constant is a constant input. It is empty for an input that is bound at run time.
struct Constant {
    std::string place = {};                    // how messages name it
    std::shared_ptr<gpu::Buffer> buffer = {};  // the tensor's buffer, where a tensor was given
    std::shared_ptr<api::WeightsState> weights = {};

    // Returns what identifies the elements, so that packed forms can be shared. It is null for an input bound at run time.
    std::shared_ptr<const void> origin() const { return weights ? std::shared_ptr<const void>(weights) : buffer; }
    Result<std::shared_ptr<gpu::Buffer>> memory(gpu::Staging& staging) const
    {
        return weights ? weights->memory(staging) : buffer;
    }
    Result<std::shared_ptr<gpu::Buffer>> staged(gpu::Staging& staging) const
    {
        return weights ? weights->staged(staging) : buffer;
    }
};

Result<Constant> constant_of(const gpu::Device& device, const ConstantInput& given, const std::string& place,
                             const TensorDesc& expected)
{
    if (!given.weights) {
        VKONNX_RETURN_IF_ERROR(api::check_tensor(place + ".tensor", device, given.tensor, expected));
        return Constant{.place = place + ".tensor", .buffer = api::state_of(given.tensor)->buffer};
    }
    if (given.tensor)
        return Status(Code::invalid_argument, place + " has both a tensor and weights, expected one of them");
    const std::shared_ptr<api::WeightsState>& state = api::state_of(given.weights);
    VKONNX_RETURN_IF_ERROR(api::check_described(place + ".weights", device, *state->device->gpu, state->desc, expected));
    return Constant{.place = place + ".weights", .weights = state};
}

// Returns a Constant for each input.
Result<std::vector<Constant>> constants_of(const gpu::Device& device, const std::string& label,
                                           std::span<const TensorDesc> inputs, std::span<const ConstantInput> given)
{
    std::vector<Constant> constants(inputs.size());
    for (size_t i = 0; i < given.size(); ++i) {
        const size_t input = given[i].input;
        const std::string place = label + ": PrepareOptions::constants[" + std::to_string(i) + "]";
        Result<Constant> constant = constant_of(device, given[i], place, inputs[input]);
        VKONNX_RETURN_IF_ERROR(constant.status());
        constants[input] = std::move(*constant);
    }
    return constants;
}

// Returns the packed memory, or null where the plan has no setup steps.
Result<std::shared_ptr<gpu::Buffer>> packed(api::DeviceState& device, const plan::Plan& plan, std::span<const Constant> inputs,
                                            const std::string& label, gpu::Staging& staging)
{
    if (plan.setup.empty())
        return std::shared_ptr<gpu::Buffer>();
    const plan::Setup setup = plan::setup_of(plan);
    std::vector<std::shared_ptr<const void>> origins;
    for (const uint8_t input : setup.inputs) {
        origins.push_back(inputs[input].origin());
        if (!origins.back())
            return Status(Code::driver_error,
                          label + ": a plan packs input " + std::to_string(input) + ", which is not constant");
    }
    const auto read = [&]() -> Result<gpu::Packing::Buffers> {
        std::vector<api::NamedBuffer> named;
        gpu::Packing::Buffers buffers;
        for (const uint8_t input : setup.inputs) {
            Result<std::shared_ptr<gpu::Buffer>> memory = inputs[input].staged(staging);
            VKONNX_RETURN_IF_ERROR(memory.status());
            named.push_back({inputs[input].place, *memory});
            buffers.push_back(std::move(*memory));
        }
        VKONNX_RETURN_IF_ERROR(api::check_views(setup.plan, named, *device.gpu));
        return buffers;
    };
    return device.packing.get(setup.plan, origins, read, label, staging);
}

// Plans the operator as `explain` does, or with the kernel that tuning found to be the fastest.
Result<api::Planned> planned_for(const Device& device, const Operator& op, std::span<const TensorDesc> inputs,
                                 const PrepareOptions& options)
{
    if (!options.tune || !options.kernel.empty())
        return api::plan_of(op, inputs, device.capabilities(), options);
    Result<api::Tuned> tuned = api::tuned(device, op, inputs, options);
    VKONNX_RETURN_IF_ERROR(tuned.status());
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
        VKONNX_RETURN_IF_ERROR(api::check_handles("Device::prepare", {api::handle(*this)}));
        VKONNX_RETURN_IF_ERROR(check_span("Device::prepare", "inputs", inputs));
        if (options.staging)
            VKONNX_RETURN_IF_ERROR(api::check_handles("Device::prepare", {api::handle(*this), api::handle(options.staging)}));
        gpu::Device& gpu = *state_->gpu;
        Result<api::Planned> planned = planned_for(*this, op, inputs, options);
        VKONNX_RETURN_IF_ERROR(planned.status());
        auto made = std::make_shared<api::OpState>();
        made->device = state_;
        made->label = name(op);
        const Result<std::vector<Constant>> constants = constants_of(gpu, made->label, inputs, options.constants);
        VKONNX_RETURN_IF_ERROR(constants.status());
        made->explanation = std::move(planned->explanation);
        made->reads_inputs = planned->reads_inputs;
        std::vector<bool> named = plan::named_tensors(planned->plan);
        named.resize(std::max(named.size(), inputs.size()));
        const std::string label = made->label + " " + made->explanation.kernel;
        made->staging = options.staging ? api::state_of(options.staging)->staging : std::make_shared<gpu::Staging>(gpu);
        Result<std::shared_ptr<gpu::Buffer>> memory = packed(*state_, planned->plan, *constants, label, *made->staging);
        VKONNX_RETURN_IF_ERROR(memory.status());
        for (size_t i = 0; i < inputs.size(); ++i) {
            const bool constant = (*constants)[i].origin() != nullptr;
            const bool bound = !constant && inputs[i].dtype != DType::undefined;
            if (bound)
                made->inputs.push_back(inputs[i]);
            if (!made->reads_inputs)
                continue;
            made->plan_inputs.push_back({bound, nullptr});
            if (!constant || !named[i])
                continue;
            Result<std::shared_ptr<gpu::Buffer>> read = (*constants)[i].memory(*made->staging);
            VKONNX_RETURN_IF_ERROR(read.status());
            made->plan_inputs.back().buffer = std::move(*read);
        }
        auto program = gpu::Program::create(gpu, std::move(planned->plan), label, std::move(*memory), made->staging->uploader());
        VKONNX_RETURN_IF_ERROR(program.status());
        made->program = std::move(*program);
        made->staged = made->staging->ticket();
        if (!options.staging)
            VKONNX_RETURN_IF_ERROR(made->staged.finish());
        return api::Access::handle<Op>(std::move(made));
    });
}

// The caller of these two must hold the lock.
std::shared_ptr<gpu::Buffer> api::WeightsState::held(const gpu::Staging& staging) const
{
    std::shared_ptr<gpu::Buffer> buffer = made_.lock();
    return buffer && (filled_.is_of(staging) || filled_.finish()) ? buffer : nullptr;
}

Status api::WeightsState::fill_mapped(std::shared_ptr<gpu::Buffer> buffer) const
{
    auto tensor = Access::handle<Tensor>(std::make_shared<TensorState>(TensorState{device, desc, bytes, std::move(buffer)}));
    return fill(tensor);
}

Result<std::shared_ptr<gpu::Buffer>> api::WeightsState::memory(gpu::Staging& staging)
{
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<gpu::Buffer> buffer = held(staging))
        return buffer;
    VKONNX_RETURN_IF_ERROR(staging.make_room(bytes));
    Result<std::shared_ptr<gpu::Buffer>> own = gpu::Buffer::create(*device->gpu, bytes, gpu::BufferUse::storage, to_string(desc));
    if (!own)
        return own;
    Result<std::shared_ptr<gpu::Buffer>> filled = (*own)->mapped() ? own : staging.memory(bytes, to_string(desc));
    if (!filled)
        return filled;
    VKONNX_RETURN_IF_ERROR(fill_mapped(*filled));
    filled_ = {};
    if (*filled != *own && bytes != 0) {
        staging.copy(*filled, *own, bytes);
        filled_ = staging.ticket();
    }
    made_ = *own;
    return own;
}

Result<std::shared_ptr<gpu::Buffer>> api::WeightsState::staged(gpu::Staging& staging)
{
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<gpu::Buffer> buffer = held(staging))
        return buffer;
    Result<std::shared_ptr<gpu::Buffer>> memory = staging.memory(bytes, to_string(desc));
    Status status = memory ? fill_mapped(*memory) : memory.status();
    return status ? memory : Result<std::shared_ptr<gpu::Buffer>>(status);
}

Result<Weights> Weights::create(const Device& device, const TensorDesc& desc, std::function<Status(Tensor&)> fill)
{
    return guarded([&]() -> Result<Weights> {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Weights::create", {api::handle(device)}));
        const Result<uint64_t> bytes = byte_size(desc);
        if (!bytes)
            return Status(bytes.code(), "Weights::create: " + std::string(bytes.message()));
        if (!fill)
            return Status(Code::invalid_argument, "Weights::create: `fill` is an empty function");
        auto state = std::make_shared<api::WeightsState>();
        state->device = api::state_of(device);
        state->desc = desc;
        state->bytes = *bytes;
        state->fill = std::move(fill);
        return api::Access::handle<Weights>(std::move(state));
    });
}

Result<Staging> Staging::create(const Device& device)
{
    return guarded([&]() -> Result<Staging> {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Staging::create", {api::handle(device)}));
        const std::shared_ptr<api::DeviceState>& state = api::state_of(device);
        return api::Access::handle<Staging>(
            std::make_shared<api::StagingState>(api::StagingState{state, std::make_shared<gpu::Staging>(*state->gpu)}));
    });
}

Status Staging::finish() const
{
    return guarded([&] { return state_ ? state_->staging->finish() : refuse_empty("Staging::finish", "the Staging"); });
}

const TensorDesc& Weights::desc() const noexcept
{
    static const TensorDesc none{.dtype = DType::undefined};
    return state_ ? state_->desc : none;
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
