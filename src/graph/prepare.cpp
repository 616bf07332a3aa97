// SPDX-License-Identifier: Apache-2.0
#include "graph/prepare.h"

#include <algorithm>
#include <atomic>
#include <compare>
#include <map>
#include <thread>

#include "guard.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

using onnx::ValuePlace;

// This class prepares calls in several threads.
class Preparer {
public:
    Preparer(const Device& device, const Graph& graph, const Rewritten& rewritten, const onnx::SessionOptions& options,
             ConstantStore& store)
        : device_(device), graph_(graph), rewritten_(rewritten), options_(options), store_(store)
    {
    }

    Result<std::vector<Op>> run()
    {
        Result<Staging> staging = Staging::create(device_);
        VKONNX_RETURN_IF_ERROR(staging.status());
        staging_ = *staging;
        const std::vector<Call>& calls = rewritten_.calls;
        for (const Call& call : calls)
            if (Status status = find_constants(call); !status)
                return in_node(graph_.nodes[call.node], status);
        ops_.resize(calls.size());
        failures_.resize(calls.size());
        order_calls();
        std::vector<std::thread> helpers;
        const size_t threads = std::min<size_t>(options_.prepare_threads, calls.size());
        try {
            while (helpers.size() + 1 < threads)
                helpers.emplace_back([this] { work(); });
        } catch (const std::exception&) {
            // Fewer threads do as well.
        }
        work();
        for (std::thread& helper : helpers)
            helper.join();
        for (size_t i = 0; i < calls.size(); ++i)
            if (!failures_[i])
                return in_node(graph_.nodes[calls[i].node], failures_[i]);
        VKONNX_RETURN_IF_ERROR(staging_.finish());
        return std::move(ops_);
    }

private:
    Status find_constants(const Call& call)
    {
        for (const size_t input : constants_of(rewritten_, call)) {
            const int32_t block = rewritten_.values[size_t(call.inputs[input])].block;
            Result<Weights> weights = store_.get(rewritten_.blocks[size_t(block)].content);
            VKONNX_RETURN_IF_ERROR(weights.status());
            constants_.emplace(block, std::move(*weights));
        }
        return {};
    }

    // Orders the calls, those with most constants first: while few others hold theirs, there is room for them once as they are
    // and once packed. Calls with a constant beyond a binding come last, because no kernel packs it and it would take that room.
    void order_calls()
    {
        struct Place {
            bool is_read_as_it_lies;
            uint64_t fewer_bytes;
            size_t call;

            auto operator<=>(const Place&) const = default;
        };
        const uint64_t most = device_.capabilities().max_storage_buffer_range;
        std::vector<Place> places;
        for (size_t i = 0; i < rewritten_.calls.size(); ++i) {
            const Call& call = rewritten_.calls[i];
            Place place = {false, UINT64_MAX, i};
            for (const size_t input : constants_of(rewritten_, call))
                if (const Result<uint64_t> size = byte_size(rewritten_.values[size_t(call.inputs[input])].desc)) {
                    place.is_read_as_it_lies |= *size > most;
                    place.fewer_bytes -= *size;
                }
            places.push_back(place);
        }
        std::sort(places.begin(), places.end());
        for (const Place& place : places)
            order_.push_back(place.call);
    }

    // Prepares calls that no other thread has begun, one after the other. Only the first failure in the graph's order is
    // reported, so calls behind a failed one are skipped.
    void work() noexcept
    {
        for (size_t next = next_++; next < order_.size(); next = next_++) {
            const size_t i = order_[next];
            if (i > failed_)
                continue;
            failures_[i] = guarded([&] { return prepare(i); });
            if (failures_[i].code() == Code::out_of_memory && staging_.finish())  // the staging held memory
                failures_[i] = guarded([&] { return prepare(i); });
            if (failures_[i])
                continue;
            for (size_t first = failed_; i < first && !failed_.compare_exchange_weak(first, i);) {
            }
        }
    }

    Status prepare(size_t index)
    {
        const Call& call = rewritten_.calls[index];
        PrepareOptions options = options_of(call, options_.prepare);
        options.staging = staging_;
        for (const size_t input : constants_of(rewritten_, call))
            options.constants.push_back(
                {.input = input, .weights = constants_.at(rewritten_.values[size_t(call.inputs[input])].block)});
        const Result<Op> op = device_.prepare(call.op, descs_of(rewritten_, call), options);
        if (op)
            ops_[index] = *op;
        return op.status();
    }

    const Device& device_;
    const Graph& graph_;
    const Rewritten& rewritten_;
    const onnx::SessionOptions& options_;
    ConstantStore& store_;
    std::map<int32_t, Weights> constants_;  // by block
    Staging staging_;
    std::vector<Op> ops_;
    std::vector<Status> failures_;
    std::vector<size_t> order_;
    std::atomic<size_t> next_ = 0;  // index in `order_`
    std::atomic<size_t> failed_ = SIZE_MAX;
};

Status make_arenas(const Device& device, const Schedule& schedule, Prepared& prepared)
{
    std::vector<Tensor>& arenas = prepared.arenas;
    for (const uint64_t bytes : schedule.totals.arenas) {
        const Result<Tensor> arena = device.tensor({.dtype = DType::uint8, .dims = {int64_t(bytes)}});
        VKONNX_RETURN_IF_ERROR(arena.status());
        arenas.push_back(*arena);
    }
    prepared.homes.resize(schedule.homes.size());
    for (size_t i = 0; i < schedule.homes.size(); ++i) {
        const Home& home = schedule.homes[i];
        if (home.place != ValuePlace::arena)
            continue;
        const Result<Tensor> part = arenas[home.spot.arena].part(home.spot.offset, schedule.graph.blocks[i].desc);
        VKONNX_RETURN_IF_ERROR(part.status());
        prepared.homes[i] = *part;
    }
    prepared.scratch.resize(schedule.scratch.size());
    for (size_t i = 0; i < schedule.scratch.size(); ++i) {
        const uint64_t bytes = prepared.ops[i].explanation().scratch_bytes;
        if (bytes == 0)
            continue;
        const Spot& spot = schedule.scratch[i];
        const Result<Tensor> part = arenas[spot.arena].part(spot.offset, {.dtype = DType::uint8, .dims = {int64_t(bytes)}});
        VKONNX_RETURN_IF_ERROR(part.status());
        prepared.scratch[i] = *part;
    }
    return {};
}

// Copies `from` to a tensor with as many elements of the same type.
Status add_copy(const Device& device, const Tensor& from, const Tensor& to, Recording& recording)
{
    const Result<Op> op = device.prepare(Elementwise{.kind = ElementwiseKind::identity}, {from.desc()});
    VKONNX_RETURN_IF_ERROR(op.status());
    const Result<Binding> binding = device.bind(*op, {&from, 1}, {&to, 1});
    return binding ? recording.add(*binding) : binding.status();
}

}  // namespace

Status check_memory(const Device& device, const onnx::GraphReport& totals)
{
    const MemoryUse memory = device.memory();
    const uint64_t constants = totals.constant_bytes + totals.packed_bytes;
    const uint64_t values = totals.arena_bytes;
    if (memory.limit == 0 || constants + values <= memory.limit - std::min(memory.limit, memory.used))
        return {};
    return Status(Code::out_of_memory, "the model needs " + std::to_string(values) +
                                           " bytes for values between its operators and " + std::to_string(constants) +
                                           " bytes for constants, but " + std::to_string(memory.used) +
                                           " of DeviceOptions::max_memory = " + std::to_string(memory.limit) + " are in use");
}

Result<std::vector<Op>> prepare_calls(const Device& device, const Graph& graph, const Rewritten& rewritten,
                                      const onnx::SessionOptions& options, ConstantStore& constants)
{
    return Preparer(device, graph, rewritten, options, constants).run();
}

Result<Prepared> prepare(const Device& device, const Schedule& schedule, std::vector<Op> ops)
{
    Prepared prepared = {.ops = std::move(ops)};
    Status status = make_arenas(device, schedule, prepared);
    return status ? Result(std::move(prepared)) : status;
}

Status bind_calls(const Device& device, const Graph& graph, const Schedule& schedule, const Prepared& prepared,
                  std::span<const Tensor> inputs, std::span<const Tensor> outputs, Recording& recording)
{
    const auto tensor_of = [&](int32_t value) -> Result<Tensor> {
        const PlacedValue& placed = schedule.graph.values[size_t(value)];
        const auto block = size_t(placed.block);
        const Home& home = schedule.homes[block];
        const Tensor& tensor = home.place == ValuePlace::input    ? inputs[home.index]
                               : home.place == ValuePlace::output ? outputs[home.index]
                                                                  : prepared.homes[block];
        return tensor.desc().dtype == placed.desc.dtype ? tensor : tensor.part(0, placed.desc);  // see BitCast
    };
    for (size_t i = 0; i < schedule.graph.calls.size(); ++i) {
        const Call& call = schedule.graph.calls[i];
        const std::vector<size_t> constants = constants_of(schedule.graph, call);
        std::vector<Tensor> read, written;
        const auto add = [&](int32_t value, std::vector<Tensor>& to) {
            const Result<Tensor> tensor = tensor_of(value);
            if (tensor)
                to.push_back(*tensor);
            return tensor.status();
        };
        for (size_t k = 0; k < call.inputs.size(); ++k)
            if (call.inputs[k] != no_value && std::find(constants.begin(), constants.end(), k) == constants.end())
                VKONNX_RETURN_IF_ERROR(add(call.inputs[k], read));
        for (const int32_t output : call.outputs)
            VKONNX_RETURN_IF_ERROR(add(output, written));
        const Result<Binding> binding = device.bind(prepared.ops[i], read, written, prepared.scratch[i]);
        if (!binding)
            return in_node(graph.nodes[call.node], binding.status());
        VKONNX_RETURN_IF_ERROR(recording.add(*binding));
    }
    return {};
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
        Result<Tensor> from = block.content      ? device.tensor(block.content->desc)
                              : block.input >= 0 ? Result<Tensor>(inputs[size_t(block.input)])
                                                 : Result<Tensor>(outputs[home.index]);
        VKONNX_RETURN_IF_ERROR(from.status());
        if (block.content)
            VKONNX_RETURN_IF_ERROR(fill(device, *block.content, *from));
        if (Status status = add_copy(device, *from, outputs[i], recording); !status)
            return Status(status.code(),
                          "Session::bind: output " + quote(graph.output_infos[i].name) + ": " + std::string(status.message()));
    }
    return {};
}

}  // namespace vkonnx::graph
