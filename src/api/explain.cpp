#include "api/explain.h"

#include "api/state.h"
#include "ops/geometry.h"
#include "plan/average_pool/average_pool.h"
#include "plan/conv_transpose/conv_transpose.h"
#include "plan/shape.h"

namespace vkonnx {
namespace api {
namespace {

Planned planned(plan::Plan plan, TensorDesc output, std::span<const ops::Axis> axes, std::string equation)
{
    Explanation told;
    told.outputs = {std::move(output)};
    for (const ops::Axis& axis : axes) {
        told.pads_begin.push_back(axis.begin);
        told.pads_end.push_back(axis.end);
    }
    told.equation = std::move(equation);
    told.kernel = "host";
    if (!plan.steps.empty()) {
        const plan::PipelineKey& pipeline = plan::pipeline_of(plan, plan.steps.front());
        told.kernel = kernel_name(pipeline.kernel);
        told.specialization = plan::describe_specialization(pipeline);
    }
    told.grids.reserve(plan.steps.size());
    for (const plan::Step& step : plan.steps)
        told.grids.push_back(step.groups);
    told.scratch_bytes = plan.scratch_bytes;
    told.why = plan.why;
    return {std::move(plan), std::move(told), {}};
}

template <class Attributes>
Result<Explanation> explained(const Attributes& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                              const PrepareOptions& options)
{
    return guarded([&]() -> Result<Explanation> {
        if (Status status = check_span("explain", "inputs", inputs); !status)
            return status;
        Result<Planned> result = plan_of(attributes, inputs, capabilities, options);
        if (!result)
            return result.status();
        return std::move(result->explanation);
    });
}

template <class Attributes>
Result<Planned> plan_of_any_conv_transpose(const Attributes& attributes, std::span<const TensorDesc> inputs,
                                           const Capabilities& capabilities, const PrepareOptions& options)
{
    const Result<ops::ConvTransposeGeometry> geometry = ops::resolve(attributes, inputs);
    if (!geometry)
        return geometry.status();
    Result<plan::Plan> plan = plan::plan_conv_transpose(*geometry, capabilities, options);
    if (!plan)
        return plan.status();
    return planned(std::move(*plan), ops::output_of(*geometry), geometry->axes, geometry->equation);
}

}  // namespace

Result<Planned> plan_of(const ConvTranspose& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                        const PrepareOptions& options)
{
    return plan_of_any_conv_transpose(attributes, inputs, capabilities, options);
}

Result<Planned> plan_of(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs,
                        const Capabilities& capabilities, const PrepareOptions& options)
{
    return plan_of_any_conv_transpose(attributes, inputs, capabilities, options);
}

Result<Planned> plan_of(const AveragePool& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                        const PrepareOptions& options)
{
    const Result<ops::AveragePoolGeometry> geometry = ops::resolve(attributes, inputs);
    if (!geometry)
        return geometry.status();
    Result<plan::Plan> plan = plan::plan_average_pool(*geometry, capabilities, options);
    if (!plan)
        return plan.status();
    return planned(std::move(*plan), ops::output_of(*geometry), geometry->axes, geometry->equation);
}

Result<Planned> plan_of(const Shape& attributes, std::span<const TensorDesc> inputs, const Capabilities&,
                        const PrepareOptions& options)
{
    const Result<ops::ShapeGeometry> geometry = ops::resolve(attributes, inputs);
    if (!geometry)
        return geometry.status();
    if (!options.kernel.empty())
        return Status(Code::invalid_argument,
                      "Shape: kernel '" + options.kernel + "' does not fit; it runs on the host, without a kernel");
    Result<plan::Plan> plan = plan::plan_shape(*geometry);
    if (!plan)
        return plan.status();
    Planned result = planned(std::move(*plan), ops::output_of(*geometry), {}, geometry->equation);
    result.host_result = geometry->result;
    return result;
}

}  // namespace api

Result<Explanation> explain(const ConvTranspose& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                            const PrepareOptions& options)
{
    return api::explained(attributes, inputs, capabilities, options);
}

Result<Explanation> explain(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs,
                            const Capabilities& capabilities, const PrepareOptions& options)
{
    return api::explained(attributes, inputs, capabilities, options);
}

Result<Explanation> explain(const AveragePool& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                            const PrepareOptions& options)
{
    return api::explained(attributes, inputs, capabilities, options);
}

Result<Explanation> explain(const Shape& attributes, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                            const PrepareOptions& options)
{
    return api::explained(attributes, inputs, capabilities, options);
}

}  // namespace vkonnx
