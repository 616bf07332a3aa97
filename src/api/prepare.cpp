#include "api/planned.h"
#include "api/state.h"

namespace vkonnx {

Result<Op> Device::prepare(const Operator& op, std::span<const TensorDesc> inputs, const PrepareOptions& options) const
{
    return guarded([&]() -> Result<Op> {
        if (Status status = api::check_handles("Device::prepare", {api::handle(*this)}); !status)
            return status;
        if (Status status = check_span("Device::prepare", "inputs", inputs); !status)
            return status;
        gpu::Device& gpu = *state_->gpu;
        Result<api::Planned> planned = api::plan_of(op, inputs, gpu.capabilities(), options);
        if (!planned)
            return planned.status();
        auto made = std::make_shared<api::OpState>();
        made->device = state_;
        made->label = name(op);
        made->inputs.assign(inputs.begin(), inputs.end());
        made->explanation = std::move(planned->explanation);
        made->reads_inputs = planned->reads_inputs;
        auto program = gpu::Program::create(gpu, std::move(planned->plan), made->label + " " + made->explanation.kernel);
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
