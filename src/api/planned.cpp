// SPDX-License-Identifier: Apache-2.0
#include "api/planned.h"

#include <algorithm>

#include "guard.h"
#include "kernels.h"
#include "ops/geometry.h"
#include "plan/operators/operators.h"
#include "return_if_error.h"

namespace vkonnx {
namespace api {
namespace {

struct Request {
    const Capabilities& capabilities;
    const PrepareOptions& options;
};

std::vector<KernelInfo> infos_of(const std::vector<plan::KernelChoice>& choices)
{
    std::vector<KernelInfo> infos;
    for (const plan::KernelChoice& choice : choices)
        infos.push_back({std::string(choice.name), choice.unfit, choice.seconds, choice.keeps_order, choice.only_by_name,
                         choice.last_resort});
    return infos;
}

template <class Geometry>
Result<std::vector<KernelInfo>> kernels_for(const Result<Geometry>& geometry, const Request& request)
{
    VKONNX_RETURN_IF_ERROR(geometry.status());
    const auto choices = plan::kernels_for(*geometry, request.capabilities, request.options);
    return choices ? Result(infos_of(*choices)) : choices.status();
}

// Fills in the outputs and the equation, and what only some geometries have.
template <class Geometry>
void fill_from_geometry(const Geometry& geometry, Explanation& explanation)
{
    explanation.outputs = ops::outputs_of(geometry);
    explanation.equation = geometry.equation;
    if constexpr (requires { geometry.axes.front().begin; })
        for (const ops::Axis& axis : geometry.axes) {
            explanation.pads_begin.push_back(axis.begin);
            explanation.pads_end.push_back(axis.end);
        }
    if constexpr (requires { geometry.result; })
        explanation.host_result = geometry.result;
}

void fill_from_plan(const plan::Plan& plan, Explanation& explanation)
{
    // The main step is the one with the longest estimate, or the first of several that are equal.
    const auto shorter = [](const plan::Step& a, const plan::Step& b) { return a.seconds < b.seconds; };
    const auto main = std::max_element(plan.steps.begin(), plan.steps.end(), shorter);
    if (main != plan.steps.end())
        explanation.specialization = plan::describe_specialization(plan::pipeline_of(plan, *main));
    explanation.kernel = plan.kernel.empty() ? "host" : plan.kernel;
    explanation.pipelines = pipelines_of(plan);
    explanation.grids.reserve(plan.steps.size());
    for (const plan::Step& step : plan.steps)
        explanation.grids.push_back(step.groups);
    explanation.seconds = plan::seconds_of(plan);
    explanation.scratch_bytes = plan.scratch_bytes;
    explanation.packed_bytes = plan.packed_bytes;
    explanation.in_place.assign(plan.in_place.begin(), plan.in_place.end());
    explanation.why = plan.why;
}

template <class Geometry>
Result<Planned> planned(const Result<Geometry>& geometry, const Request& request)
{
    VKONNX_RETURN_IF_ERROR(geometry.status());
    Result<plan::Plan> plan = plan::plan_for(*geometry, request.capabilities, request.options);
    VKONNX_RETURN_IF_ERROR(plan.status());
    Explanation explanation;
    fill_from_geometry(*geometry, explanation);
    if (request.options.prologue)
        explanation.equation += "\nprologue: " + ops::equation_of(*request.options.prologue);
    if (request.options.epilogue)
        explanation.equation += "\nepilogue: " + plan->epilogue;
    fill_from_plan(*plan, explanation);
    return Planned{std::move(*plan), std::move(explanation), !std::is_same_v<Geometry, ops::ShapeGeometry>};
}

Status check_built_in(const Operator& op)
{
    if (!is_left_out(name(op)))
        return {};
    return Status(Code::unsupported, std::string(name(op)) +
                                         " is left out of this build of vkonnx, whose VKONNX_OPERATORS is \"" +
                                         std::string(built_in_operators()) + "\"");
}

Status check_constants(const Operator& op, size_t inputs, std::span<const ConstantInput> constants)
{
    std::vector<bool> given(inputs);
    for (size_t i = 0; i < constants.size(); ++i) {
        const size_t input = constants[i].input;
        const std::string field =
            std::string(name(op)) + ": PrepareOptions::constants[" + std::to_string(i) + "].input = " + std::to_string(input);
        if (input >= inputs)
            return Status(Code::invalid_argument, field + " must be less than the number of inputs, " + std::to_string(inputs));
        if (given[input])
            return Status(Code::invalid_argument, field + " is given twice");
        given[input] = true;
    }
    return {};
}

}  // namespace

Result<Planned> plan_of(const Operator& op, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                        const PrepareOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_built_in(op));
    VKONNX_RETURN_IF_ERROR(check_constants(op, inputs.size(), options.constants));
    const auto own = ops::own_inputs(op, options.prologue, inputs);
    VKONNX_RETURN_IF_ERROR(own.status());
    const Request request = {capabilities, options};
    return std::visit([&](const auto& one) { return planned(ops::resolve(one, *own), request); }, op);
}

Result<std::vector<KernelInfo>> kernels_of(const Operator& op, std::span<const TensorDesc> inputs,
                                           const Capabilities& capabilities, const PrepareOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_built_in(op));
    VKONNX_RETURN_IF_ERROR(check_constants(op, inputs.size(), options.constants));
    const auto own = ops::own_inputs(op, options.prologue, inputs);
    VKONNX_RETURN_IF_ERROR(own.status());
    const Request request = {capabilities, options};
    return std::visit([&](const auto& one) { return kernels_for(ops::resolve(one, *own), request); }, op);
}

}  // namespace api

Result<std::vector<KernelInfo>> kernels(const Operator& op, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                                        const PrepareOptions& options)
{
    return guarded([&]() -> Result<std::vector<KernelInfo>> {
        VKONNX_RETURN_IF_ERROR(check_span("kernels", "inputs", inputs));
        return api::kernels_of(op, inputs, capabilities, options);
    });
}

Result<Explanation> explain(const Operator& op, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                            const PrepareOptions& options)
{
    return guarded([&]() -> Result<Explanation> {
        VKONNX_RETURN_IF_ERROR(check_span("explain", "inputs", inputs));
        Result<api::Planned> planned = api::plan_of(op, inputs, capabilities, options);
        return planned ? Result(std::move(planned->explanation)) : planned.status();
    });
}

}  // namespace vkonnx
