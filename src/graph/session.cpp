// SPDX-License-Identifier: Apache-2.0
// Session and explain: a schedule, tied to a device or only told.
#include <vkonnx/onnx.hpp>

#include <algorithm>
#include <optional>

#include "graph/prepare.h"
#include "graph/schedule.h"
#include "guard.h"

namespace vkonnx::onnx {

using graph::quote;

struct SessionState {
    std::shared_ptr<const ModelState> model;  // the schedule looks into it
    Device device;
    graph::Schedule schedule;
    graph::Prepared prepared;
    // What `run` binds: made by the first.
    std::vector<Tensor> inputs;  // empty handles where no operator reads the input
    std::vector<Tensor> outputs;
    std::optional<Recording> recording;
};

namespace {

const graph::Block& block_of(const SessionState& state, int32_t value)
{
    return state.schedule.graph.blocks[size_t(state.schedule.graph.values[size_t(value)].block)];
}

const graph::Home& home_of(const SessionState& state, int32_t value)
{
    return state.schedule.homes[size_t(state.schedule.graph.values[size_t(value)].block)];
}

Status check_count(const char* what, size_t given, size_t expected)
{
    if (given == expected)
        return {};
    return Status(Code::invalid_argument,
                  "the model has " + std::to_string(expected) + " " + what + "s, " + std::to_string(given) + " are given");
}

Status check_input(const ValueInfo& info, const TensorDesc& expected, const HostView& given)
{
    auto refuse = [&](const std::string& what) {
        return Status(Code::invalid_argument, "input " + quote(info.name) + ": " + what);
    };
    // the layout says nothing here: each node knows how it reads the dimensions
    if (given.desc.dtype != expected.dtype || given.desc.dims != expected.dims)
        return refuse("it is " + to_string(given.desc) + ", but the session was prepared for " + to_string(expected));
    Result<int64_t> count = element_count(expected);
    if (!count)
        return count.status();
    if (expected.dtype == DType::string) {
        if (given.strings.size() != uint64_t(*count))
            return refuse("it has " + std::to_string(given.strings.size()) + " strings, " + to_string(expected) + " needs " +
                          std::to_string(*count));
        return {};
    }
    Result<uint64_t> size = byte_size(expected);
    if (!size)
        return size.status();
    if (given.data.size() != *size)
        return refuse("it has " + std::to_string(given.data.size()) + " bytes, " + to_string(expected) + " needs " +
                      std::to_string(*size));
    if (!given.data.data() && *size > 0)
        return refuse("its data is null, but counts " + std::to_string(*size) + " bytes");
    return {};
}

// One that was known while preparing must be as it was.
Status check_known(const ValueInfo& info, const graph::Block& block, const HostView& given)
{
    if (!block.content)
        return {};
    const Result<HostTensor> known = block.content->read();
    if (!known || (std::equal(known->data.begin(), known->data.end(), given.data.begin(), given.data.end()) &&
                   std::equal(known->strings.begin(), known->strings.end(), given.strings.begin(), given.strings.end())))
        return known.status();
    return Status(Code::invalid_argument,
                  "input " + quote(info.name) +
                      ": its elements are not those for which the session was prepared (NamedDesc::value)");
}

Status check_inputs(const SessionState& state, std::span<const HostView> inputs)
{
    const std::vector<ValueInfo>& infos = state.model->graph.input_infos;
    if (Status status = check_count("input", inputs.size(), infos.size()); !status)
        return status;
    for (size_t i = 0; i < infos.size(); ++i) {
        if (Status status = check_input(infos[i], state.schedule.inputs[i], inputs[i]); !status)
            return status;
        if (Status status = check_known(infos[i], block_of(state, state.model->graph.inputs[i]), inputs[i]); !status)
            return status;
    }
    return {};
}

// A caller's tensor against the description that the session has; as Device::bind sees it, the count of elements decides.
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

Status check_tensors(const SessionState& state, std::span<const Tensor> inputs, std::span<const Tensor> outputs)
{
    const graph::Graph& graph = state.model->graph;
    if (Status status = check_count("input", inputs.size(), graph.inputs.size()); !status)
        return status;
    if (Status status = check_count("output", outputs.size(), graph.outputs.size()); !status)
        return status;
    std::vector<bool> copied(inputs.size());
    for (const int32_t output : graph.outputs)
        if (const int32_t input = block_of(state, output).input; input >= 0)
            copied[size_t(input)] = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i] && !copied[i] && home_of(state, graph.inputs[i]).place == ValuePlace::none)
            continue;
        if (Status status = check_tensor("input " + quote(graph.input_infos[i].name), inputs[i], state.schedule.inputs[i]);
            !status)
            return status;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
        const std::string place = "output " + quote(graph.output_infos[i].name);
        if (Status status = check_tensor(place, outputs[i], state.schedule.outputs[i]); !status)
            return status;
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

// The inputs that operators read, and the outputs that they write.
Status make_tensors(SessionState& state)
{
    const graph::Graph& graph = state.model->graph;
    std::vector<Tensor> inputs(graph.inputs.size());
    std::vector<Tensor> outputs(graph.outputs.size());
    const auto make = [&](const TensorDesc& desc, Tensor& place) {
        Result<Tensor> tensor = state.device.tensor(desc);
        if (tensor)
            place = *tensor;
        return tensor.status();
    };
    for (size_t i = 0; i < inputs.size(); ++i)
        if (home_of(state, graph.inputs[i]).place == ValuePlace::input)
            if (Status status = make(state.schedule.inputs[i], inputs[i]); !status)
                return status;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const graph::Home& home = home_of(state, graph.outputs[i]);
        if (home.place == ValuePlace::output && home.index == i)
            if (Status status = make(state.schedule.outputs[i], outputs[i]); !status)
                return status;
    }
    Result<Recording> recording = bind_calls(state.device, graph, state.schedule, state.prepared, inputs, outputs);
    if (!recording)
        return recording.status();
    state.inputs = std::move(inputs);
    state.outputs = std::move(outputs);
    state.recording = *recording;
    return {};
}

Result<HostTensor> output_of(const SessionState& state, size_t index, std::span<const HostView> inputs)
{
    const int32_t output = state.model->graph.outputs[index];
    const graph::Block& block = block_of(state, output);
    Result<HostTensor> result = HostTensor{};
    if (block.input >= 0) {
        const HostView& input = inputs[size_t(block.input)];
        result->data.assign(input.data.begin(), input.data.end());
        result->strings.assign(input.strings.begin(), input.strings.end());
    } else if (block.content) {
        result = block.content->read();
    } else {
        const Tensor& tensor = state.outputs[home_of(state, output).index];
        const Result<uint64_t> size = byte_size(tensor.desc());
        if (!size)
            return size.status();
        result->data.resize(*size);
        if (Status copied = tensor.download(std::span<std::byte>(result->data)); !copied)
            return copied;
    }
    if (result)
        result->desc = state.schedule.outputs[index];
    return result;
}

Status run_calls(SessionState& state, std::span<const HostView> inputs)
{
    if (state.schedule.graph.calls.empty())
        return {};
    if (!state.recording)
        if (Status status = make_tensors(state); !status)
            return status;
    for (size_t i = 0; i < inputs.size(); ++i)
        if (state.inputs[i])
            if (Status status = state.inputs[i].upload(inputs[i].data); !status)
                return status;
    if (Status status = state.recording->run(); !status)
        return status;
    const std::span<const double> seconds = state.recording->seconds();
    for (size_t i = 0; i < state.schedule.graph.calls.size(); ++i)
        state.schedule.report.nodes[state.schedule.graph.calls[i].node].seconds = i < seconds.size() ? seconds[i] : 0;
    return {};
}

Result<std::vector<HostTensor>> run_on(SessionState& state, std::span<const HostView> inputs)
{
    if (Status status = check_inputs(state, inputs); !status)
        return status;
    if (Status status = run_calls(state, inputs); !status)
        return status;
    std::vector<HostTensor> outputs;
    for (size_t i = 0; i < state.schedule.outputs.size(); ++i) {
        Result<HostTensor> tensor = output_of(state, i, inputs);
        if (!tensor)
            return tensor.status();
        outputs.push_back(std::move(*tensor));
    }
    return outputs;
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
        if (Status status = check_span("onnx::explain", "inputs", inputs); !status)
            return status;
        Result<graph::Schedule> schedule = graph::make_schedule(Access::state(model)->graph, inputs, capabilities, options);
        return schedule ? Result(std::move(schedule->report)) : schedule.status();
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
        if (Status status = check_span("Session::prepare", "inputs", inputs); !status)
            return status;
        auto state = std::make_shared<SessionState>();
        state->model = Access::state(model);
        state->device = device;
        Result<graph::Schedule> schedule = graph::make_schedule(state->model->graph, inputs, device.capabilities(), options);
        if (!schedule)
            return schedule.status();
        state->schedule = std::move(*schedule);
        Result<graph::Prepared> prepared = graph::prepare(device, state->model->graph, state->schedule, options);
        if (!prepared)
            return prepared.status();
        state->prepared = std::move(*prepared);
        Session session;
        session.state_ = std::move(state);
        return session;
    });
}

Result<std::vector<HostTensor>> Session::run(std::span<const HostTensor> inputs)
{
    return guarded([&]() -> Result<std::vector<HostTensor>> {
        if (!state_)
            return refuse_empty("Session::run", "the Session");
        if (Status status = check_span("Session::run", "inputs", inputs); !status)
            return status;
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
        if (Status status = check_span("Session::run_views", "inputs", inputs); !status)
            return status;
        return run_on(*state_, inputs);
    });
}

Result<Recording> Session::bind(std::span<const Tensor> inputs, std::span<const Tensor> outputs) const
{
    return guarded([&]() -> Result<Recording> {
        if (!state_)
            return refuse_empty("Session::bind", "the Session");
        if (Status status = check_span("Session::bind", "inputs", inputs); !status)
            return status;
        if (Status status = check_span("Session::bind", "outputs", outputs); !status)
            return status;
        if (Status status = check_tensors(*state_, inputs, outputs); !status)
            return status;
        Result<Recording> recording =
            bind_calls(state_->device, state_->model->graph, state_->schedule, state_->prepared, inputs, outputs);
        if (!recording)
            return recording;
        if (Status status = bind_copies(state_->device, state_->model->graph, state_->schedule, inputs, outputs, *recording);
            !status)
            return status;
        return recording;
    });
}

std::span<const TensorDesc> Session::inputs() const noexcept
{
    return state_ ? std::span<const TensorDesc>(state_->schedule.inputs) : std::span<const TensorDesc>();
}

std::span<const TensorDesc> Session::outputs() const noexcept
{
    return state_ ? std::span<const TensorDesc>(state_->schedule.outputs) : std::span<const TensorDesc>();
}

const GraphReport& Session::report() const noexcept
{
    static const GraphReport none;
    return state_ ? state_->schedule.report : none;
}

std::span<const NodeReport> Session::nodes() const noexcept
{
    return report().nodes;
}

}  // namespace vkonnx::onnx
