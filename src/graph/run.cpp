// SPDX-License-Identifier: Apache-2.0
#include "graph/run.h"

#include <algorithm>
#include <cstring>

#include "return_if_error.h"

namespace vkonnx::graph {

const Block& block_of(const Schedule& schedule, int32_t value)
{
    return schedule.graph.blocks[size_t(schedule.graph.values[size_t(value)].block)];
}

const Home& home_of(const Schedule& schedule, int32_t value)
{
    return schedule.homes[size_t(schedule.graph.values[size_t(value)].block)];
}

HostTensor copied(const onnx::HostView& view)
{
    return {
        .desc = view.desc, .data = {view.data.begin(), view.data.end()}, .strings = {view.strings.begin(), view.strings.end()}};
}

namespace {

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
Status make_tensors(const Device& device, const Graph& graph, Plan& plan, uint64_t room)
{
    const Schedule& schedule = plan.schedule;
    std::vector<Tensor> inputs(graph.inputs.size());
    std::vector<Tensor> outputs(graph.outputs.size());
    const auto make = [&](const Home& home, const TensorDesc& desc, Tensor& place) {
        const bool in_arena = home.room && !(plan.bound && home.place == onnx::ValuePlace::input);
        const Result<Tensor> tensor =
            in_arena ? plan.prepared.arenas[home.room->arena].part(home.room->offset, desc) : device.tensor(desc);
        if (tensor)
            place = *tensor;
        return tensor.status();
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Home& home = home_of(schedule, graph.inputs[i]);
        if (home.place == onnx::ValuePlace::input)
            VKONNX_RETURN_IF_ERROR(make(home, schedule.inputs[i], inputs[i]));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
        const Home& home = home_of(schedule, graph.outputs[i]);
        if (home.place == onnx::ValuePlace::output && home.index == i)
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

Status upload(Plan& plan, size_t input, std::span<const std::byte> bytes)
{
    if (!plan.uploads[input])
        return plan.inputs[input].upload(bytes);
    const Result<std::span<std::byte>> to = plan.recording->upload_bytes(*plan.uploads[input]);
    if (to)
        copy(bytes, *to);
    return to.status();
}

Result<std::vector<std::byte>> download(Plan& plan, size_t output)
{
    if (!plan.downloads[output])
        return plan.outputs[output].download();
    const Result<std::span<const std::byte>> from = plan.recording->download_bytes(*plan.downloads[output]);
    VKONNX_RETURN_IF_ERROR(from.status());
    return std::vector<std::byte>(from->begin(), from->end());
}

Status download_into(Plan& plan, size_t output, std::span<std::byte> to)
{
    if (!plan.downloads[output])
        return plan.outputs[output].download(to);
    const Result<std::span<const std::byte>> from = plan.recording->download_bytes(*plan.downloads[output]);
    if (from)
        copy(*from, to);
    return from.status();
}

Status run_calls(const Device& device, const Graph& graph, Plan& plan, std::span<const onnx::HostView> inputs)
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

}  // namespace

Result<HostTensor> output_of(Plan& plan, const Graph& graph, size_t index, std::span<const onnx::HostView> inputs)
{
    const int32_t output = graph.outputs[index];
    const Block& block = block_of(plan.schedule, output);
    Result<HostTensor> result = HostTensor{};
    if (block.input >= 0) {
        const onnx::HostView& input = inputs[size_t(block.input)];
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

Result<std::span<std::byte>> memory_for(const Graph& graph, size_t index, const TensorDesc& desc,
                                        const onnx::OutputMemory& memory)
{
    const std::string place = "output " + quote(graph.output_infos[index].name);
    const Result<uint64_t> size = byte_size(desc);
    if (!size)
        return Status(size.code(), place + ": " + std::string(size.message()));
    Result<std::span<std::byte>> to = memory(index, desc);
    if (!to)
        return to;
    if (to->size() != *size)
        return Status(Code::invalid_argument, place + ": its memory has " + std::to_string(to->size()) + " bytes, " +
                                                  to_string(desc) + " needs " + std::to_string(*size));
    if (!to->data() && *size > 0)
        return Status(Code::invalid_argument, place + ": its memory is null, but counts " + std::to_string(*size) + " bytes");
    return to;
}

Status write_output(Plan& plan, const Graph& graph, size_t index, std::span<const onnx::HostView> inputs,
                    const onnx::OutputMemory& memory)
{
    const Result<std::span<std::byte>> to = memory_for(graph, index, plan.schedule.outputs[index], memory);
    VKONNX_RETURN_IF_ERROR(to.status());
    const int32_t output = graph.outputs[index];
    const Block& block = block_of(plan.schedule, output);
    if (block.input < 0 && !block.content)
        return download_into(plan, home_of(plan.schedule, output).index, *to);
    const Result<HostTensor> known = output_of(plan, graph, index, inputs);
    if (known)
        copy(known->data, *to);
    return known.status();
}

Status run_plan(Plans& plans, Plan& plan, std::span<const onnx::HostView> inputs)
{
    Status status = run_calls(plans.device(), plans.graph(), plan, inputs);
    if (status.code() == Code::out_of_memory && plans.keep_only(plan))
        status = run_calls(plans.device(), plans.graph(), plan, inputs);
    return status;
}

}  // namespace vkonnx::graph
