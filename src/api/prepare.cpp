#include "api/explain.h"
#include "api/state.h"

namespace vkonnx {
namespace {

template <class Attributes>
Result<Op> prepared(const Device& device, const char* name, const Attributes& attributes, std::span<const TensorDesc> inputs,
                    const PrepareOptions& options)
{
    return guarded([&]() -> Result<Op> {
        if (Status status = api::check_handles("Device::prepare", {api::handle(device)}); !status)
            return status;
        if (Status status = check_span("Device::prepare", "inputs", inputs); !status)
            return status;
        gpu::Device& gpu = *device.state->gpu;
        Result<api::Planned> planned = api::plan_of(attributes, inputs, gpu.capabilities(), options);
        if (!planned)
            return planned.status();
        auto state = std::make_shared<api::OpState>();
        state->device = device.state;
        state->label = name;
        state->inputs.assign(inputs.begin(), inputs.end());
        state->explanation = std::move(planned->explanation);
        state->host_result = std::move(planned->host_result);
        state->reads_inputs = !std::is_same_v<Attributes, Shape>;
        auto program = gpu::Program::create(gpu, std::move(planned->plan), state->label + " " + state->explanation.kernel);
        if (!program)
            return program.status();
        state->program = std::move(*program);
        Op op;
        op.state = std::move(state);
        return op;
    });
}

}  // namespace

Result<Op> Device::prepare(const ConvTranspose& attributes, std::span<const TensorDesc> inputs,
                           const PrepareOptions& options) const
{
    return prepared(*this, "ConvTranspose", attributes, inputs, options);
}

Result<Op> Device::prepare(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs,
                           const PrepareOptions& options) const
{
    return prepared(*this, "ConvTranspose", attributes, inputs, options);
}

Result<Op> Device::prepare(const AveragePool& attributes, std::span<const TensorDesc> inputs, const PrepareOptions& options) const
{
    return prepared(*this, "AveragePool", attributes, inputs, options);
}

Result<Op> Device::prepare(const Shape& attributes, std::span<const TensorDesc> inputs, const PrepareOptions& options) const
{
    return prepared(*this, "Shape", attributes, inputs, options);
}

std::span<const TensorDesc> Op::inputs() const noexcept
{
    return state ? std::span(state->inputs) : std::span<const TensorDesc>();
}

std::span<const TensorDesc> Op::outputs() const noexcept
{
    return explanation().outputs;
}

const Explanation& Op::explanation() const noexcept
{
    static const Explanation none;
    return state ? state->explanation : none;
}

std::span<const int64_t> Op::host_result() const noexcept
{
    return state ? std::span(state->host_result) : std::span<const int64_t>();
}

}  // namespace vkonnx
