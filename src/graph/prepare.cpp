// SPDX-License-Identifier: Apache-2.0
#include "graph/prepare.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "guard.h"

namespace vkonnx::graph {
namespace {

using onnx::ValuePlace;

Status check_memory(const Device& device, const onnx::GraphReport& report)
{
    const MemoryUse memory = device.memory();
    const uint64_t constants = report.constant_bytes + report.packed_bytes;
    const uint64_t values = report.arena_bytes + report.scratch_bytes;
    if (memory.limit == 0 || constants + values <= memory.limit - std::min(memory.limit, memory.used))
        return {};
    return Status(Code::out_of_memory, "the model needs " + std::to_string(values) +
                                           " bytes for values between its operators and " + std::to_string(constants) +
                                           " bytes for constants, but " + std::to_string(memory.used) +
                                           " of DeviceOptions::max_memory = " + std::to_string(memory.limit) + " are in use");
}

// From a file, in pieces: the host never holds all of the largest weights.
Status upload_parts(const Tensor& tensor, const Content& content)
{
    const Result<uint64_t> bytes = byte_size(content.desc);
    if (!bytes)
        return bytes.status();
    constexpr uint64_t most = uint64_t(16) << 20;
    std::vector<std::byte> piece(std::min(*bytes, most));
    for (uint64_t done = 0; done < *bytes; done += most) {
        piece.resize(std::min(*bytes - done, most));
        if (Status status = content.read_part(done, piece); !status)
            return status;
        Result<Tensor> part = tensor.part(done, {.dtype = DType::uint8, .dims = {int64_t(piece.size())}});
        Status status = part ? part->upload(std::span<const std::byte>(piece)) : part.status();
        if (!status)
            return status;
    }
    return {};
}

// What is known, uploaded without a copy where its encoding allows.
Result<Tensor> uploaded(const Device& device, const Content& content)
{
    Result<Tensor> tensor = device.tensor(content.desc);
    if (!tensor)
        return tensor;
    Status status;
    if (!content.bytes.empty()) {
        status = tensor->upload(content.bytes);
    } else if (content.read_part) {
        status = upload_parts(*tensor, content);
    } else {
        const Result<HostTensor> host = content.read();
        status = host ? tensor->upload(std::span<const std::byte>(host->data)) : host.status();
    }
    return status ? tensor : Result<Tensor>(status);
}

// Prepares a schedule's calls with all that is known as their constants: each uploaded once, and gone with this unless an Op
// reads it as it is.
class Preparer {
public:
    Preparer(const Device& device, const Graph& graph, const Schedule& schedule, const onnx::SessionOptions& options)
        : device_(device), graph_(graph), schedule_(schedule), options_(options)
    {
    }

    Result<std::vector<Op>> run()
    {
        const std::vector<Call>& calls = schedule_.graph.calls;
        for (const Call& call : calls)
            if (Status status = upload_constants(call); !status)
                return in_node(graph_.nodes[call.node], status);
        ops_.resize(calls.size());
        failures_.resize(calls.size());
        std::vector<std::thread> helpers;
        const size_t threads = std::min<size_t>(options_.prepare_threads, calls.size());
        try {
            while (helpers.size() + 1 < threads)
                helpers.emplace_back([this] { work(); });
        } catch (const std::exception&) {
            // fewer do as well
        }
        work();
        for (std::thread& helper : helpers)
            helper.join();
        for (size_t i = 0; i < calls.size(); ++i)
            if (!failures_[i])
                return in_node(graph_.nodes[calls[i].node], failures_[i]);
        return std::move(ops_);
    }

private:
    Status upload_constants(const Call& call)
    {
        for (const size_t input : constants_of(schedule_.graph, call)) {
            const int32_t block = schedule_.graph.values[size_t(call.inputs[input])].block;
            if (constants_.contains(block))
                continue;
            const Result<Tensor> tensor = uploaded(device_, *schedule_.graph.blocks[size_t(block)].content);
            if (!tensor)
                return tensor.status();
            constants_.emplace(block, *tensor);
        }
        return {};
    }

    // Calls that no other thread has begun, one after the other; the first failure of all in the graph's order is told.
    void work() noexcept
    {
        while (!failed_) {
            const size_t i = next_++;
            if (i >= ops_.size())
                return;
            failures_[i] = guarded([&] { return prepare(i); });
            if (!failures_[i])
                failed_ = true;
        }
    }

    Status prepare(size_t index)
    {
        const Call& call = schedule_.graph.calls[index];
        PrepareOptions options = options_.prepare;
        options.epilogue = call.epilogue;
        for (const size_t input : constants_of(schedule_.graph, call))
            options.constants.push_back(
                {.input = input, .tensor = constants_.at(schedule_.graph.values[size_t(call.inputs[input])].block)});
        const Result<Op> op = device_.prepare(call.op, descs_of(schedule_.graph, call), options);
        if (op)
            ops_[index] = *op;
        return op.status();
    }

    const Device& device_;
    const Graph& graph_;
    const Schedule& schedule_;
    const onnx::SessionOptions& options_;
    std::map<int32_t, Tensor> constants_;  // by block
    std::vector<Op> ops_;
    std::vector<Status> failures_;
    std::atomic<size_t> next_ = 0;
    std::atomic<bool> failed_ = false;
};

// What runs where PrepareOptions::tune chose otherwise than the schedule's estimates.
void tell_ops(std::span<const Op> ops, Schedule& schedule)
{
    for (size_t i = 0; i < ops.size(); ++i) {
        const Explanation& explanation = ops[i].explanation();
        schedule.report.nodes[schedule.graph.calls[i].node].explanation = explanation;
        schedule.report.scratch_bytes = std::max(schedule.report.scratch_bytes, explanation.scratch_bytes);
    }
}

Status make_arenas(const Device& device, const Schedule& schedule, Prepared& prepared)
{
    std::vector<Tensor> arenas;
    for (const uint64_t bytes : schedule.report.arenas) {
        const Result<Tensor> arena = device.tensor({.dtype = DType::uint8, .dims = {int64_t(bytes)}});
        if (!arena)
            return arena.status();
        arenas.push_back(*arena);
    }
    prepared.homes.resize(schedule.homes.size());
    for (size_t i = 0; i < schedule.homes.size(); ++i) {
        const Home& home = schedule.homes[i];
        if (home.place != ValuePlace::arena)
            continue;
        const Result<Tensor> part = arenas[home.spot.arena].part(home.spot.offset, schedule.graph.blocks[i].desc);
        if (!part)
            return part.status();
        prepared.homes[i] = *part;
    }
    if (schedule.report.scratch_bytes == 0)
        return {};
    const Result<Tensor> scratch = device.tensor({.dtype = DType::uint8, .dims = {int64_t(schedule.report.scratch_bytes)}});
    if (scratch)
        prepared.scratch = *scratch;
    return scratch.status();
}

// Copies `from` to a tensor with as many elements of the same type.
Status add_copy(const Device& device, const Tensor& from, const Tensor& to, Recording& recording)
{
    const Result<Op> op = device.prepare(Elementwise{.kind = ElementwiseKind::identity}, {from.desc()});
    if (!op)
        return op.status();
    const Result<Binding> binding = device.bind(*op, {&from, 1}, {&to, 1});
    return binding ? recording.add(*binding) : binding.status();
}

}  // namespace

Result<Prepared> prepare(const Device& device, const Graph& graph, Schedule& schedule, const onnx::SessionOptions& options)
{
    if (Status status = check_memory(device, schedule.report); !status)
        return status;
    Prepared prepared;
    Result<std::vector<Op>> ops = Preparer(device, graph, schedule, options).run();
    if (!ops)
        return ops.status();
    prepared.ops = std::move(*ops);
    tell_ops(prepared.ops, schedule);
    if (Status status = make_arenas(device, schedule, prepared); !status)
        return status;
    return prepared;
}

Result<Recording> bind_calls(const Device& device, const Graph& graph, const Schedule& schedule, const Prepared& prepared,
                             std::span<const Tensor> inputs, std::span<const Tensor> outputs)
{
    const auto tensor_of = [&](int32_t value) -> const Tensor& {
        const auto block = size_t(schedule.graph.values[size_t(value)].block);
        const Home& home = schedule.homes[block];
        if (home.place == ValuePlace::input)
            return inputs[home.index];
        return home.place == ValuePlace::output ? outputs[home.index] : prepared.homes[block];
    };
    Result<Recording> recording = device.recording();
    if (!recording)
        return recording;
    for (size_t i = 0; i < schedule.graph.calls.size(); ++i) {
        const Call& call = schedule.graph.calls[i];
        const std::vector<size_t> constants = constants_of(schedule.graph, call);
        std::vector<Tensor> read, written;
        for (size_t k = 0; k < call.inputs.size(); ++k)
            if (call.inputs[k] != no_value && std::find(constants.begin(), constants.end(), k) == constants.end())
                read.push_back(tensor_of(call.inputs[k]));
        for (const int32_t output : call.outputs)
            written.push_back(tensor_of(output));
        const Result<Binding> binding = device.bind(prepared.ops[i], read, written, prepared.scratch);
        if (!binding)
            return in_node(graph.nodes[call.node], binding.status());
        if (Status status = recording->add(*binding); !status)
            return status;
    }
    return recording;
}

Status bind_copies(const Device& device, const Graph& graph, const Schedule& schedule, std::span<const Tensor> inputs,
                   std::span<const Tensor> outputs, Recording& recording)
{
    for (size_t i = 0; i < outputs.size(); ++i) {
        const auto index = size_t(schedule.graph.values[size_t(graph.outputs[i])].block);
        const Home& home = schedule.homes[index];
        const Block& block = schedule.graph.blocks[index];
        if (home.place == ValuePlace::output && home.index == i)
            continue;
        Result<Tensor> from = block.content      ? uploaded(device, *block.content)
                              : block.input >= 0 ? Result<Tensor>(inputs[size_t(block.input)])
                                                 : Result<Tensor>(outputs[home.index]);
        if (!from)
            return from.status();
        if (Status status = add_copy(device, *from, outputs[i], recording); !status)
            return Status(status.code(),
                          "Session::bind: output " + quote(graph.output_infos[i].name) + ": " + std::string(status.message()));
    }
    return {};
}

}  // namespace vkonnx::graph
