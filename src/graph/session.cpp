// SPDX-License-Identifier: Apache-2.0
// This file implements Session, which ties schedules to a device, and explain, which only tells them.
#include <vkonnx/onnx.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

#include "graph/plans.h"
#include "graph/report.h"
#include "guard.h"
#include "return_if_error.h"

namespace vkonnx::onnx {

using graph::quote;

struct SessionState {
    std::shared_ptr<graph::Plans> plans;
    std::shared_ptr<graph::Plan> plan;  // the plan for the session's own inputs
};

namespace {

const graph::Block& block_of(const graph::Schedule& schedule, int32_t value)
{
    return schedule.graph.blocks[size_t(schedule.graph.values[size_t(value)].block)];
}

const graph::Home& home_of(const graph::Schedule& schedule, int32_t value)
{
    return schedule.homes[size_t(schedule.graph.values[size_t(value)].block)];
}

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

// Returns the session's own plan where it takes these inputs, or else one for their sizes.
Result<std::shared_ptr<graph::Plan>> plan_for(const SessionState& state, std::span<const HostView> inputs)
{
    const graph::Graph& graph = state.plans->graph();
    const Result<bool> own = takes(*state.plan, graph, inputs);
    VKONNX_RETURN_IF_ERROR(own.status());
    if (*own)
        return state.plan;
    std::vector<NamedDesc> named;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const HostView& input = inputs[i];
        named.push_back({.name = graph.input_infos[i].name, .desc = input.desc});
        if (graph.input_infos[i].decides_dimensions)
            named.back().value = HostTensor{.desc = input.desc,
                                            .data = {input.data.begin(), input.data.end()},
                                            .strings = {input.strings.begin(), input.strings.end()}};
    }
    return state.plans->get(named);
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

// The copies in a recording take at most so much host memory. Where more is copied, a submit and its wait cost little beside
// that.
constexpr uint64_t most_staging = uint64_t(16) << 20;

// Adds copies between the host and these tensors, as long as there is room for their bytes.
template <class Add>
Result<std::vector<std::optional<size_t>>> add_copies(std::span<const Tensor> tensors, uint64_t& room, Add add)
{
    std::vector<std::optional<size_t>> numbers(tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
        const Result<uint64_t> bytes = tensors[i] ? byte_size(tensors[i].desc()) : Result<uint64_t>(UINT64_MAX);
        if (!bytes || *bytes > room)
            continue;
        const Result<size_t> number = add(tensors[i]);
        VKONNX_RETURN_IF_ERROR(number.status());
        numbers[i] = *number;
        room -= *bytes;
    }
    return numbers;
}

// Makes the tensors for inputs that operators read and outputs that they write. These lie in the arenas where there is room,
// except inputs that a job may be writing over. Copies to and from them are a part of the recording, up to `room` bytes.
Status make_tensors(const Device& device, const graph::Graph& graph, graph::Plan& plan, uint64_t room)
{
    const graph::Schedule& schedule = plan.schedule;
    std::vector<Tensor> inputs(graph.inputs.size());
    std::vector<Tensor> outputs(graph.outputs.size());
    const auto make = [&](const graph::Home& home, const TensorDesc& desc, Tensor& place) {
        const bool in_arena = home.room && !(plan.bound && home.place == ValuePlace::input);
        const Result<Tensor> tensor =
            in_arena ? plan.prepared.arenas[home.room->arena].part(home.room->offset, desc) : device.tensor(desc);
        if (tensor)
            place = *tensor;
        return tensor.status();
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
        const graph::Home& home = home_of(schedule, graph.inputs[i]);
        if (home.place == ValuePlace::input)
            VKONNX_RETURN_IF_ERROR(make(home, schedule.inputs[i], inputs[i]));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
        const graph::Home& home = home_of(schedule, graph.outputs[i]);
        if (home.place == ValuePlace::output && home.index == i)
            VKONNX_RETURN_IF_ERROR(make(home, schedule.outputs[i], outputs[i]));
    }
    Result<Recording> recording = device.recording();
    VKONNX_RETURN_IF_ERROR(recording.status());
    auto uploads = add_copies(inputs, room, [&](const Tensor& tensor) { return recording->add_upload(tensor); });
    VKONNX_RETURN_IF_ERROR(uploads.status());
    VKONNX_RETURN_IF_ERROR(bind_calls(device, graph, schedule, plan.prepared, inputs, outputs, *recording));
    auto downloads = add_copies(outputs, room, [&](const Tensor& tensor) { return recording->add_download(tensor); });
    VKONNX_RETURN_IF_ERROR(downloads.status());
    if (const auto first = std::find_if(uploads->begin(), uploads->end(), [](const auto& number) { return number.has_value(); });
        first != uploads->end())
        VKONNX_RETURN_IF_ERROR(recording->upload_bytes(**first).status());  // so that memory for the copies is there
    plan.inputs = std::move(inputs);
    plan.outputs = std::move(outputs);
    plan.uploads = std::move(*uploads);
    plan.downloads = std::move(*downloads);
    plan.recording = *recording;
    return {};
}

void copy(std::span<const std::byte> from, std::span<std::byte> to)
{
    if (!from.empty())
        std::memcpy(to.data(), from.data(), from.size());
}

Status upload(graph::Plan& plan, size_t input, std::span<const std::byte> bytes)
{
    if (!plan.uploads[input])
        return plan.inputs[input].upload(bytes);
    const Result<std::span<std::byte>> to = plan.recording->upload_bytes(*plan.uploads[input]);
    if (to)
        copy(bytes, *to);
    return to.status();
}

Result<std::vector<std::byte>> download(graph::Plan& plan, size_t output)
{
    if (!plan.downloads[output])
        return plan.outputs[output].download();
    const Result<std::span<const std::byte>> from = plan.recording->download_bytes(*plan.downloads[output]);
    VKONNX_RETURN_IF_ERROR(from.status());
    return std::vector<std::byte>(from->begin(), from->end());
}

Status download_into(graph::Plan& plan, size_t output, std::span<std::byte> to)
{
    if (!plan.downloads[output])
        return plan.outputs[output].download(to);
    const Result<std::span<const std::byte>> from = plan.recording->download_bytes(*plan.downloads[output]);
    if (from)
        copy(*from, to);
    return from.status();
}

Result<HostTensor> output_of(graph::Plan& plan, const graph::Graph& graph, size_t index, std::span<const HostView> inputs)
{
    const int32_t output = graph.outputs[index];
    const graph::Block& block = block_of(plan.schedule, output);
    Result<HostTensor> result = HostTensor{};
    if (block.input >= 0) {
        const HostView& input = inputs[size_t(block.input)];
        result->data.assign(input.data.begin(), input.data.end());
        result->strings.assign(input.strings.begin(), input.strings.end());
    } else if (block.content) {
        result = block.content->read();
    } else {
        Result<std::vector<std::byte>> bytes = download(plan, home_of(plan.schedule, output).index);
        VKONNX_RETURN_IF_ERROR(bytes.status());
        result->data = std::move(*bytes);
    }
    if (result)
        result->desc = plan.schedule.outputs[index];
    return result;
}

Status write_output(graph::Plan& plan, const graph::Graph& graph, size_t index, std::span<const HostView> inputs,
                    const OutputMemory& memory)
{
    const TensorDesc& desc = plan.schedule.outputs[index];
    const std::string place = "output " + quote(graph.output_infos[index].name);
    const Result<uint64_t> size = byte_size(desc);
    if (!size)
        return Status(size.code(), place + ": " + std::string(size.message()));
    const Result<std::span<std::byte>> to = memory(index, desc);
    VKONNX_RETURN_IF_ERROR(to.status());
    if (to->size() != *size)
        return Status(Code::invalid_argument, place + ": its memory has " + std::to_string(to->size()) + " bytes, " +
                                                  to_string(desc) + " needs " + std::to_string(*size));
    if (!to->data() && *size > 0)
        return Status(Code::invalid_argument, place + ": its memory is null, but counts " + std::to_string(*size) + " bytes");
    const int32_t output = graph.outputs[index];
    const graph::Block& block = block_of(plan.schedule, output);
    if (block.input < 0 && !block.content)
        return download_into(plan, home_of(plan.schedule, output).index, *to);
    const Result<HostTensor> known = output_of(plan, graph, index, inputs);
    if (known)
        copy(known->data, *to);
    return known.status();
}

Status run_calls(const Device& device, const graph::Graph& graph, graph::Plan& plan, std::span<const HostView> inputs)
{
    if (plan.schedule.graph.calls.empty())
        return {};
    if (!plan.recording) {
        Status made = make_tensors(device, graph, plan, most_staging);
        if (made.code() == Code::out_of_memory)
            // Tensors that are copied by themselves go through one small staging buffer that the whole device shares.
            made = make_tensors(device, graph, plan, 0);
        if (!made)
            return made;
    }
    for (size_t i = 0; i < inputs.size(); ++i)
        if (plan.inputs[i])
            VKONNX_RETURN_IF_ERROR(upload(plan, i, inputs[i].data));
    VKONNX_RETURN_IF_ERROR(plan.recording->run());
    plan.keep_seconds(plan.recording->seconds());
    return {};
}

// Computes the outputs, and returns the plan that has them.
Result<std::shared_ptr<graph::Plan>> compute(const SessionState& state, std::span<const HostView> inputs)
{
    const graph::Graph& graph = state.plans->graph();
    VKONNX_RETURN_IF_ERROR(check_inputs(graph, inputs));
    Result<std::shared_ptr<graph::Plan>> plan = plan_for(state, inputs);
    VKONNX_RETURN_IF_ERROR(plan.status());
    Status status = run_calls(state.plans->device(), graph, **plan, inputs);
    if (status.code() == Code::out_of_memory && state.plans->keep_only(**plan))
        status = run_calls(state.plans->device(), graph, **plan, inputs);
    VKONNX_RETURN_IF_ERROR(std::move(status));
    return plan;
}

Result<std::vector<HostTensor>> run_on(const SessionState& state, std::span<const HostView> inputs)
{
    const graph::Graph& graph = state.plans->graph();
    const Result<std::shared_ptr<graph::Plan>> plan = compute(state, inputs);
    VKONNX_RETURN_IF_ERROR(plan.status());
    std::vector<HostTensor> outputs;
    for (size_t i = 0; i < (*plan)->schedule.outputs.size(); ++i) {
        Result<HostTensor> tensor = output_of(**plan, graph, i, inputs);
        VKONNX_RETURN_IF_ERROR(tensor.status());
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
        VKONNX_RETURN_IF_ERROR(check_span("onnx::explain", "inputs", inputs));
        const graph::Graph& graph = Access::state(model)->graph;
        graph::Memo memo;
        Result<graph::Rewritten> rewritten = graph::rewrite(graph, inputs, options, capabilities, memo);
        VKONNX_RETURN_IF_ERROR(rewritten.status());
        const Result<std::vector<Explanation>> explained = graph::explain_calls(graph, *rewritten, capabilities, options.prepare);
        VKONNX_RETURN_IF_ERROR(explained.status());
        const std::vector<const Explanation*> explanations = graph::pointers_to(*explained);
        const Result<graph::Schedule> schedule = graph::make_schedule(graph, std::move(*rewritten), explanations, capabilities);
        return schedule ? Result(graph::report_of(graph, *schedule, explanations)) : schedule.status();
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
        const auto plans = std::make_shared<graph::Plans>(device, Access::state(model), options);
        Result<std::shared_ptr<graph::Plan>> plan = plans->get(inputs);
        VKONNX_RETURN_IF_ERROR(plan.status());
        device.save_cache();
        Session session;
        session.state_ = std::make_shared<SessionState>(SessionState{plans, std::move(*plan)});
        return session;
    });
}

Result<Session> Session::for_inputs(std::span<const NamedDesc> inputs) const
{
    return guarded([&]() -> Result<Session> {
        if (!state_)
            return refuse_empty("Session::for_inputs", "the Session");
        VKONNX_RETURN_IF_ERROR(check_span("Session::for_inputs", "inputs", inputs));
        Result<std::shared_ptr<graph::Plan>> plan = state_->plans->get(inputs);
        VKONNX_RETURN_IF_ERROR(plan.status());
        state_->plans->device().save_cache();
        Session session;
        session.state_ = std::make_shared<SessionState>(SessionState{state_->plans, std::move(*plan)});
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
        const Result<std::shared_ptr<graph::Plan>> plan = compute(*state_, inputs);
        VKONNX_RETURN_IF_ERROR(plan.status());
        for (size_t i = 0; i < (*plan)->schedule.outputs.size(); ++i)
            VKONNX_RETURN_IF_ERROR(write_output(**plan, state_->plans->graph(), i, inputs, memory));
        return {};
    });
}

Result<Recording> Session::bind(std::span<const Tensor> inputs, std::span<const Tensor> outputs) const
{
    return guarded([&]() -> Result<Recording> {
        if (!state_)
            return refuse_empty("Session::bind", "the Session");
        VKONNX_RETURN_IF_ERROR(check_span("Session::bind", "inputs", inputs));
        VKONNX_RETURN_IF_ERROR(check_span("Session::bind", "outputs", outputs));
        const Device& device = state_->plans->device();
        const graph::Graph& graph = state_->plans->graph();
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

std::span<const TensorDesc> Session::inputs() const noexcept
{
    return state_ ? std::span<const TensorDesc>(state_->plan->schedule.inputs) : std::span<const TensorDesc>();
}

std::span<const TensorDesc> Session::outputs() const noexcept
{
    return state_ ? std::span<const TensorDesc>(state_->plan->schedule.outputs) : std::span<const TensorDesc>();
}

const GraphReport& Session::report() const noexcept
{
    static const GraphReport none;
    const auto made = [&] { return &state_->plan->report(state_->plans->graph()); };
    return state_ ? *guarded_or(&none, made) : none;
}

std::span<const NodeReport> Session::nodes() const noexcept
{
    return report().nodes;
}

}  // namespace vkonnx::onnx
