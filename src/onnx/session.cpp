// SPDX-License-Identifier: Apache-2.0
// Session and explain: a schedule, tied to a device or only told.
#include <vkonnx/onnx.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "guard.h"
#include "schedule.h"
#include "tensor.h"

namespace vkonnx::onnx {

struct SessionState {
    std::shared_ptr<const ModelState> model;  // the schedule looks into it
    Schedule schedule;
    std::vector<std::optional<Tensor>> tensors;  // as Schedule::blocks; only those on the device
    std::optional<Recording> recording;          // where there is anything to dispatch
};

namespace {

// What the file holds, uploaded without a copy where its encoding allows.
Result<Tensor> known_tensor(const Device& device, const Block& block)
{
    Result<Tensor> tensor = device.tensor(block.desc);
    if (!tensor)
        return tensor;
    Status uploaded;
    if (block.stored && block.stored->has_raw_data) {
        uploaded = tensor->upload(raw_bytes(*block.stored));
    } else {
        const Result<HostTensor> host = content(block);
        uploaded = host ? tensor->upload(std::span<const std::byte>(host->data)) : host.status();
    }
    return uploaded ? tensor : Result<Tensor>(uploaded);
}

// Prepares operators with all that is known as their constants: each uploaded once, and gone with this unless an Op reads it.
class Preparer {
public:
    Preparer(const Device& device, const PrepareOptions& options) : device_(device), options_(options) {}

    Result<Explanation> operator()(const Operator& op, std::span<const TensorDesc> descs, std::span<const KnownInput> known)
    {
        PrepareOptions options = options_;
        for (const KnownInput& one : known) {
            auto place = tensors_.find(one.index);
            if (place == tensors_.end()) {
                Result<Tensor> tensor = known_tensor(device_, one.block);
                if (!tensor)
                    return tensor.status();
                place = tensors_.emplace(one.index, *tensor).first;
            }
            options.constants.push_back({.input = one.input, .tensor = place->second});
        }
        Result<Op> prepared = device_.prepare(op, descs, options);
        if (!prepared)
            return prepared.status();
        ops_.push_back(*prepared);
        return prepared->explanation();
    }

    const std::vector<Op>& ops() const { return ops_; }

private:
    const Device& device_;
    const PrepareOptions& options_;
    std::map<int32_t, Tensor> tensors_;  // by Schedule::blocks
    std::vector<Op> ops_;
};

Status make_tensors(const Device& device, SessionState& state)
{
    for (const Block& block : state.schedule.blocks) {
        std::optional<Tensor>& place = state.tensors.emplace_back();
        if (!block.on_device)
            continue;
        Result<Tensor> tensor = device.tensor(block.desc);
        if (!tensor)
            return tensor.status();
        place = *tensor;
    }
    return {};
}

// One for all operators, which run one after another; nothing where none needs any.
Result<Tensor> make_scratch(const Device& device, const std::vector<Op>& ops)
{
    uint64_t bytes = 0;
    for (const Op& op : ops)
        bytes = std::max(bytes, op.explanation().scratch_bytes);
    if (bytes == 0)
        return Tensor{};
    return device.tensor({.dtype = DType::uint8, .dims = {int64_t(bytes)}});
}

Status record(const Device& device, SessionState& state, const std::vector<Op>& ops)
{
    if (ops.empty())
        return {};
    Result<Recording> recording = device.recording();
    if (!recording)
        return recording.status();
    Result<Tensor> scratch = make_scratch(device, ops);
    if (!scratch)
        return scratch.status();
    for (size_t i = 0; i < ops.size(); ++i) {
        const ScheduledOp& scheduled = state.schedule.ops[i];
        std::vector<Tensor> inputs;
        for (int32_t input : scheduled.inputs)
            inputs.push_back(*state.tensors[size_t(input)]);
        const Tensor& output = *state.tensors[size_t(scheduled.output)];
        Result<Binding> binding = device.bind(ops[i], inputs, std::span(&output, 1), *scratch);
        if (!binding)
            return binding.status();
        if (Status status = recording->add(*binding); !status)
            return status;
    }
    state.recording = *recording;
    return {};
}

Status check_input(const ValueInfo& info, const TensorDesc& expected, const HostTensor& given)
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
    return {};
}

Status take_inputs(SessionState& state, std::span<const HostTensor> inputs)
{
    const std::vector<ValueInfo>& infos = state.model->inputs;
    if (inputs.size() != infos.size())
        return Status(Code::invalid_argument, "the model has " + std::to_string(infos.size()) + " inputs, " +
                                                  std::to_string(inputs.size()) + " are given");
    for (const Block& block : state.schedule.blocks) {
        auto i = size_t(block.input);
        if (block.input < 0)
            continue;
        if (Status status = check_input(infos[i], block.desc, inputs[i]); !status)
            return status;
    }
    for (size_t i = 0; i < state.tensors.size(); ++i) {
        const Block& block = state.schedule.blocks[i];
        if (block.input < 0 || !block.on_device)
            continue;
        std::span<const std::byte> bytes = inputs[size_t(block.input)].data;
        if (Status status = state.tensors[i]->upload(bytes); !status)
            return status;
    }
    return {};
}

Result<HostTensor> output_of(const SessionState& state, const PlacedValue& value, std::span<const HostTensor> inputs)
{
    const Block& block = state.schedule.blocks[size_t(value.block)];
    Result<HostTensor> result = HostTensor{};
    if (block.input >= 0) {
        result = inputs[size_t(block.input)];
    } else if (block.stored || block.made) {
        result = content(block);
    } else {
        Result<uint64_t> size = byte_size(value.desc);
        if (!size)
            return size.status();
        result->data.resize(*size);
        if (Status copied = state.tensors[size_t(value.block)]->download(std::span<std::byte>(result->data)); !copied)
            return copied;
    }
    if (result)
        result->desc = value.desc;
    return result;
}

}  // namespace

Result<std::vector<NodeReport>> explain(const Model& model, std::span<const NamedDesc> inputs, const Capabilities& capabilities,
                                        const SessionOptions& options)
{
    return guarded([&]() -> Result<std::vector<NodeReport>> {
        if (!model)
            return refuse_empty("onnx::explain", "the Model");
        if (Status status = check_span("onnx::explain", "inputs", inputs); !status)
            return status;
        PrepareOp prepare = [&](const Operator& op, std::span<const TensorDesc> descs, std::span<const KnownInput> known) {
            PrepareOptions with_constants = options.prepare;
            for (const KnownInput& one : known)
                with_constants.constants.push_back({.input = one.input});
            return vkonnx::explain(op, descs, capabilities, with_constants);
        };
        Result<Schedule> schedule = make_schedule(*Access::state(model), inputs, capabilities, options, prepare);
        return schedule ? Result(std::move(schedule->reports)) : schedule.status();
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
        Preparer preparer(device, options.prepare);
        Result<Schedule> schedule =
            make_schedule(*Access::state(model), inputs, device.capabilities(), options, std::ref(preparer));
        if (!schedule)
            return schedule.status();
        state->schedule = std::move(*schedule);
        if (Status status = make_tensors(device, *state); !status)
            return status;
        if (Status status = record(device, *state, preparer.ops()); !status)
            return status;
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
        if (Status status = take_inputs(*state_, inputs); !status)
            return status;
        if (state_->recording) {
            if (Status status = state_->recording->run(); !status)
                return status;
            std::span<const double> seconds = state_->recording->seconds();
            for (size_t i = 0; i < state_->schedule.ops.size(); ++i)
                state_->schedule.reports[state_->schedule.ops[i].node].seconds = i < seconds.size() ? seconds[i] : 0;
        }
        std::vector<HostTensor> outputs;
        for (int32_t output : state_->model->graph.outputs) {
            Result<HostTensor> tensor = output_of(*state_, state_->schedule.values[size_t(output)], inputs);
            if (!tensor)
                return tensor.status();
            outputs.push_back(std::move(*tensor));
        }
        return outputs;
    });
}

std::span<const NodeReport> Session::nodes() const noexcept
{
    return state_ ? std::span(state_->schedule.reports) : std::span<const NodeReport>();
}

}  // namespace vkonnx::onnx
