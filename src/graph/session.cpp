// SPDX-License-Identifier: Apache-2.0
// This file implements Session, which ties schedules to a device, and explain, which only tells them.
#include <vkonnx/onnx.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "graph/stages.h"
#include "guard.h"
#include "return_if_error.h"

namespace vkonnx::onnx {

using graph::block_of;
using graph::home_of;
using graph::quote;

struct SessionState {
    std::shared_ptr<graph::Stage> stage = {};
    std::shared_ptr<graph::Plan> plan = {};  // the plan for the session's own inputs, or null where they need stages
    // These are set where the session has no plan of its own to tell them.
    std::vector<TensorDesc> inputs = {};
    std::vector<TensorDesc> outputs = {};
    GraphReport report = {};
};

namespace {

Status check_count(const char* what, size_t given, size_t expected)
{
    if (given == expected)
        return {};
    return Status(Code::invalid_argument,
                  "the model has " + std::to_string(expected) + " " + what + "s, " + std::to_string(given) + " are given");
}

// Checks that an input has the elements that its description counts.
Status check_input(const ValueInfo& info, const HostView& given)
{
    auto refuse = [&](const std::string& what) {
        return Status(Code::invalid_argument, "input " + quote(info.name) + ": " + what);
    };
    const Result<int64_t> count = element_count(given.desc);
    if (!count)
        return refuse(std::string(count.message()));
    if (given.desc.dtype == DType::string) {
        if (given.strings.size() != uint64_t(*count))
            return refuse("it has " + std::to_string(given.strings.size()) + " strings, " + to_string(given.desc) + " needs " +
                          std::to_string(*count));
        return {};
    }
    const Result<uint64_t> size = byte_size(given.desc);
    if (!size)
        return refuse(std::string(size.message()));
    if (given.data.size() != *size)
        return refuse("it has " + std::to_string(given.data.size()) + " bytes, " + to_string(given.desc) + " needs " +
                      std::to_string(*size));
    if (!given.data.data() && *size > 0)
        return refuse("its data is null, but counts " + std::to_string(*size) + " bytes");
    return {};
}

Status check_inputs(const graph::Graph& graph, std::span<const HostView> inputs)
{
    VKONNX_RETURN_IF_ERROR(check_count("input", inputs.size(), graph.input_infos.size()));
    for (size_t i = 0; i < inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_input(graph.input_infos[i], inputs[i]));
    return {};
}

Result<bool> takes(const graph::Plan& plan, const graph::Graph& graph, std::span<const HostView> inputs)
{
    for (size_t i = 0; i < inputs.size(); ++i) {
        const bool is_known = block_of(plan.schedule, graph.inputs[i]).content != nullptr;
        const Result<bool> taken = graph::takes(plan.schedule, graph, i, inputs[i].desc, is_known ? &inputs[i] : nullptr);
        if (!taken || !*taken)
            return taken;
    }
    return true;
}

// Checks a caller's tensor against the session's description. As in Device::bind, the count of elements decides, not dimensions.
Status check_tensor(const std::string& place, const Tensor& given, const TensorDesc& expected)
{
    if (!given)
        return Status(Code::invalid_argument, "Session::bind: " + place + " is an empty handle");
    const Result<int64_t> present = element_count(given.desc());
    const Result<int64_t> wanted = element_count(expected);
    if (given.desc().dtype == expected.dtype && present && wanted && *present == *wanted)
        return {};
    return Status(Code::invalid_argument, "Session::bind: " + place + " is " + to_string(given.desc()) +
                                              ", but the session was prepared for " + to_string(expected));
}

Status check_tensors(const graph::Schedule& schedule, const graph::Graph& graph, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs)
{
    VKONNX_RETURN_IF_ERROR(check_count("input", inputs.size(), graph.inputs.size()));
    VKONNX_RETURN_IF_ERROR(check_count("output", outputs.size(), graph.outputs.size()));
    std::vector<bool> copied(inputs.size());
    for (const int32_t output : graph.outputs)
        if (const int32_t input = block_of(schedule, output).input; input >= 0)
            copied[size_t(input)] = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i] && !copied[i] && home_of(schedule, graph.inputs[i]).place == ValuePlace::none)
            continue;
        VKONNX_RETURN_IF_ERROR(check_tensor("input " + quote(graph.input_infos[i].name), inputs[i], schedule.inputs[i]));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
        const std::string place = "output " + quote(graph.output_infos[i].name);
        VKONNX_RETURN_IF_ERROR(check_tensor(place, outputs[i], schedule.outputs[i]));
        for (size_t k = 0; k < inputs.size(); ++k)
            if (outputs[i].shares_memory(inputs[k]))
                return Status(Code::invalid_argument,
                              "Session::bind: " + place + " shares memory with input " + quote(graph.input_infos[k].name));
        for (size_t k = 0; k < i; ++k)
            if (outputs[i].shares_memory(outputs[k]))
                return Status(Code::invalid_argument,
                              "Session::bind: " + place + " shares memory with output " + quote(graph.output_infos[k].name));
    }
    return {};
}

// Returns the session's own plan where it takes these inputs, or else one for their sizes. It is null where stages must run.
Result<std::shared_ptr<graph::Plan>> plan_for(const SessionState& state, std::span<const HostView> inputs)
{
    const graph::Graph& graph = state.stage->plans().graph();
    const Result<bool> own = state.plan ? takes(*state.plan, graph, inputs) : Result(false);
    VKONNX_RETURN_IF_ERROR(own.status());
    if (*own)
        return state.plan;
    std::vector<bool> by_value;
    for (const ValueInfo& info : graph.input_infos)
        by_value.push_back(info.decides_dimensions);
    return state.stage->plan(graph::described(graph, inputs, by_value));
}

// Computes the outputs. `from_plan` takes them where one plan has them all, `from_stages` where stages ran.
template <class FromPlan, class FromStages>
Status compute(const SessionState& state, std::span<const HostView> inputs, FromPlan from_plan, FromStages from_stages)
{
    graph::Plans& plans = state.stage->plans();
    const graph::Graph& graph = plans.graph();
    VKONNX_RETURN_IF_ERROR(check_inputs(graph, inputs));
    const Result<std::shared_ptr<graph::Plan>> plan = plan_for(state, inputs);
    VKONNX_RETURN_IF_ERROR(plan.status());
    if (*plan) {
        VKONNX_RETURN_IF_ERROR(graph::run_plan(plans, **plan, inputs));
        return from_plan(**plan);
    }
    graph::Environment environment(graph.values.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        environment.look_at(graph.inputs[i], inputs[i]);
    VKONNX_RETURN_IF_ERROR(state.stage->run(environment));
    return from_stages(environment);
}

Result<std::vector<HostTensor>> run_on(const SessionState& state, std::span<const HostView> inputs)
{
    const graph::Graph& graph = state.stage->plans().graph();
    std::vector<HostTensor> outputs;
    const auto from_plan = [&](graph::Plan& plan) -> Status {
        for (size_t i = 0; i < graph.outputs.size(); ++i) {
            Result<HostTensor> tensor = graph::output_of(plan, graph, i, inputs);
            VKONNX_RETURN_IF_ERROR(tensor.status());
            outputs.push_back(std::move(*tensor));
        }
        return {};
    };
    const auto from_stages = [&](const graph::Environment& environment) -> Status {
        for (const int32_t output : graph.outputs)
            outputs.push_back(graph::copied(*environment[output]));
        return {};
    };
    const Status status = compute(state, inputs, from_plan, from_stages);
    return status ? Result(std::move(outputs)) : status;
}

Status run_into_memory(const SessionState& state, std::span<const HostView> inputs, const OutputMemory& memory)
{
    const graph::Graph& graph = state.stage->plans().graph();
    const auto from_plan = [&](graph::Plan& plan) -> Status {
        for (size_t i = 0; i < graph.outputs.size(); ++i)
            VKONNX_RETURN_IF_ERROR(graph::write_output(plan, graph, i, inputs, memory));
        return {};
    };
    const auto from_stages = [&](const graph::Environment& environment) -> Status {
        for (size_t i = 0; i < graph.outputs.size(); ++i) {
            const HostView& output = *environment[graph.outputs[i]];
            const Result<std::span<std::byte>> to = graph::memory_for(graph, i, output.desc, memory);
            VKONNX_RETURN_IF_ERROR(to.status());
            std::copy(output.data.begin(), output.data.end(), to->begin());
        }
        return {};
    };
    return compute(state, inputs, from_plan, from_stages);
}

// Returns what is known of the outputs of a model that runs in stages: what the file declares.
std::vector<TensorDesc> declared(const std::vector<ValueInfo>& infos)
{
    std::vector<TensorDesc> descs;
    for (const ValueInfo& info : infos)
        descs.push_back({.dtype = info.dtype, .dims = info.dims});
    return descs;
}

// Returns a session for these inputs. Where they need stages, the first one is prepared.
Result<std::shared_ptr<SessionState>> prepared(std::shared_ptr<graph::Stage> stage, std::span<const NamedDesc> inputs)
{
    Result<std::shared_ptr<graph::Plan>> plan = stage->plan(inputs);
    VKONNX_RETURN_IF_ERROR(plan.status());
    stage->plans().device().save_cache();
    SessionState state = {.stage = std::move(stage), .plan = std::move(*plan)};
    if (!state.plan) {
        const graph::Graph& graph = state.stage->plans().graph();
        Result<GraphReport> report = state.stage->explain(inputs);
        VKONNX_RETURN_IF_ERROR(report.status());
        state.report = std::move(*report);
        state.inputs = declared(graph.input_infos);
        for (size_t i = 0; i < state.inputs.size(); ++i)
            for (const NamedDesc& input : inputs)
                if (input.name == graph.input_infos[i].name)
                    state.inputs[i] = input.desc;
        state.outputs = declared(graph.output_infos);
    }
    return std::make_shared<SessionState>(std::move(state));
}

}  // namespace

std::string_view name(ValuePlace place) noexcept
{
    constexpr std::string_view names[] = {"none", "input", "output", "constant", "arena"};
    return size_t(place) < std::size(names) ? names[size_t(place)] : std::string_view();
}

Result<GraphReport> explain(const Model& model, std::span<const NamedDesc> inputs, const Capabilities& capabilities,
                            const SessionOptions& options)
{
    return guarded([&]() -> Result<GraphReport> {
        if (!model)
            return refuse_empty("onnx::explain", "the Model");
        VKONNX_RETURN_IF_ERROR(check_span("onnx::explain", "inputs", inputs));
        return graph::explain_stages(Access::state(model)->graph, inputs, capabilities, options);
    });
}

Result<Session> Session::prepare(const Device& device, const Model& model, std::span<const NamedDesc> inputs,
                                 const SessionOptions& options)
{
    return guarded([&]() -> Result<Session> {
        if (!device)
            return refuse_empty("Session::prepare", "the Device");
        if (!model)
            return refuse_empty("Session::prepare", "the Model");
        VKONNX_RETURN_IF_ERROR(check_span("Session::prepare", "inputs", inputs));
        Result<std::shared_ptr<SessionState>> state =
            prepared(std::make_shared<graph::Stage>(device, Access::state(model), options), inputs);
        VKONNX_RETURN_IF_ERROR(state.status());
        Session session;
        session.state_ = std::move(*state);
        return session;
    });
}

Result<Session> Session::for_inputs(std::span<const NamedDesc> inputs) const
{
    return guarded([&]() -> Result<Session> {
        if (!state_)
            return refuse_empty("Session::for_inputs", "the Session");
        VKONNX_RETURN_IF_ERROR(check_span("Session::for_inputs", "inputs", inputs));
        Result<std::shared_ptr<SessionState>> state = prepared(state_->stage, inputs);
        VKONNX_RETURN_IF_ERROR(state.status());
        Session session;
        session.state_ = std::move(*state);
        return session;
    });
}

Result<std::vector<HostTensor>> Session::run(std::span<const HostTensor> inputs)
{
    return guarded([&]() -> Result<std::vector<HostTensor>> {
        if (!state_)
            return refuse_empty("Session::run", "the Session");
        VKONNX_RETURN_IF_ERROR(check_span("Session::run", "inputs", inputs));
        std::vector<HostView> views;
        for (const HostTensor& input : inputs)
            views.push_back({.desc = input.desc, .data = input.data, .strings = input.strings});
        return run_on(*state_, views);
    });
}

Result<std::vector<HostTensor>> Session::run_views(std::span<const HostView> inputs)
{
    return guarded([&]() -> Result<std::vector<HostTensor>> {
        if (!state_)
            return refuse_empty("Session::run_views", "the Session");
        VKONNX_RETURN_IF_ERROR(check_span("Session::run_views", "inputs", inputs));
        return run_on(*state_, inputs);
    });
}

Status Session::run_into(std::span<const HostView> inputs, const OutputMemory& memory)
{
    return guarded([&]() -> Status {
        if (!state_)
            return refuse_empty("Session::run_into", "the Session");
        VKONNX_RETURN_IF_ERROR(check_span("Session::run_into", "inputs", inputs));
        if (!memory)
            return Status(Code::invalid_argument, "Session::run_into: memory is an empty function");
        return run_into_memory(*state_, inputs, memory);
    });
}

Result<Recording> Session::bind(std::span<const Tensor> inputs, std::span<const Tensor> outputs) const
{
    return guarded([&]() -> Result<Recording> {
        if (!state_)
            return refuse_empty("Session::bind", "the Session");
        VKONNX_RETURN_IF_ERROR(check_span("Session::bind", "inputs", inputs));
        VKONNX_RETURN_IF_ERROR(check_span("Session::bind", "outputs", outputs));
        if (!state_->plan)
            return Status(Code::unsupported, "Session::bind: only a run decides the sizes of values in this model; supported "
                                             "are Session::run, run_views and run_into");
        const Device& device = state_->stage->plans().device();
        const graph::Graph& graph = state_->stage->plans().graph();
        const graph::Schedule& schedule = state_->plan->schedule;
        VKONNX_RETURN_IF_ERROR(check_tensors(schedule, graph, inputs, outputs));
        Result<Recording> recording = device.recording();
        if (!recording)
            return recording;
        VKONNX_RETURN_IF_ERROR(bind_calls(device, graph, schedule, state_->plan->prepared, inputs, outputs, *recording));
        if (!state_->plan->bound)
            state_->plan->recording.reset();  // the next run makes tensors anew
        state_->plan->bound = true;
        VKONNX_RETURN_IF_ERROR(bind_copies(device, graph, schedule, inputs, outputs, *recording));
        return recording;
    });
}

bool Session::runs_in_stages() const noexcept
{
    return state_ && !state_->plan;
}

std::span<const TensorDesc> Session::inputs() const noexcept
{
    if (!state_)
        return {};
    return state_->plan ? std::span<const TensorDesc>(state_->plan->schedule.inputs)
                        : std::span<const TensorDesc>(state_->inputs);
}

std::span<const TensorDesc> Session::outputs() const noexcept
{
    if (!state_)
        return {};
    return state_->plan ? std::span<const TensorDesc>(state_->plan->schedule.outputs)
                        : std::span<const TensorDesc>(state_->outputs);
}

const GraphReport& Session::report() const noexcept
{
    static const GraphReport none;
    const auto made = [&] {
        return state_->plan ? &state_->plan->report(state_->stage->plans().graph()) : &std::as_const(state_->report);
    };
    return state_ ? *guarded_or(&none, made) : none;
}

std::span<const NodeReport> Session::nodes() const noexcept
{
    return report().nodes;
}

}  // namespace vkonnx::onnx
