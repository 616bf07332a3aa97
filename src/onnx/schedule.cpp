// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"

#include <cstring>
#include <unordered_map>

#include "attributes.h"
#include "tensor.h"
#include "value_info.h"
#include "views.h"

namespace vkonnx::onnx {

namespace {

Status invalid(std::string sentence)
{
    return Status(Code::invalid_argument, std::move(sentence));
}

// A status without room for more words stays as it is.
Status in_node(const Node& node, const Status& status)
{
    if (status.code() == Code::out_of_memory)
        return status;
    return Status(status.code(), prefix(*node.proto) + std::string(status.message()));
}

struct Arity {
    size_t least = 1;
    size_t most = 1;
};

Result<Arity> arity(const Node& node)
{
    switch (node.kind) {
    case OpKind::constant:
        return Arity{0, 0};
    case OpKind::conv_transpose:
    case OpKind::onednn_conv_transpose:
        return Arity{2, 3};
    case OpKind::reshape:
    case OpKind::unsqueeze:
        return has_values_input(node) ? Arity{2, 2} : Arity{1, 1};
    case OpKind::squeeze:
        return has_values_input(node) ? Arity{1, 2} : Arity{1, 1};
    case OpKind::average_pool:
    case OpKind::flatten:
    case OpKind::identity:
    case OpKind::shape:
        return Arity{1, 1};
    case OpKind::none:
        break;
    }
    return refuse_forgotten(node);
}

// From here on a node's inputs are all values: `Graph` has cut trailing "" off.
Status check_arity(const Node& node)
{
    const Result<Arity> expected = arity(node);
    if (!expected)
        return expected.status();
    std::string op(node.proto->op_type);
    if (node.inputs.size() < expected->least || node.inputs.size() > expected->most)
        return invalid(op + ": it has " + std::to_string(node.inputs.size()) + " inputs, expected " +
                       std::to_string(expected->least) +
                       (expected->most > expected->least ? " to " + std::to_string(expected->most) : "") + " at opset " +
                       std::to_string(node.opset));
    for (size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] == no_value)
            return invalid(op + ": input " + std::to_string(i) + " is required");
    if (node.outputs.size() != 1 || node.outputs[0] == no_value)
        return invalid(op + ": it has " + std::to_string(node.outputs.size()) + " outputs, expected one with a name");
    return {};
}

class Scheduler {
public:
    Scheduler(const ModelState& model, const Capabilities& capabilities, const SessionOptions& options, const PrepareOp& prepare)
        : model_(model), capabilities_(capabilities), options_(options), prepare_(prepare)
    {
    }

    Result<Schedule> run(std::span<const NamedDesc> inputs)
    {
        schedule_.values.resize(model_.graph.values.size());
        if (Status status = place_inputs(inputs); !status)
            return status;
        if (Status status = place_initializers(); !status)
            return status;
        for (const Node& node : model_.graph.nodes)
            if (Status status = add(node); !status)
                return in_node(node, status);
        if (Status status = check_outputs(); !status)
            return status;
        return std::move(schedule_);
    }

private:
    Status place_inputs(std::span<const NamedDesc> inputs);
    Status place_initializers();
    Status check_outputs() const;
    Status add(const Node& node);
    Status add_operator(const Node& node, Operator op);
    Status add_shape(const Node& node);
    Status add_constant(const Node& node);
    Status add_view(const Node& node);
    Result<std::vector<int64_t>> known_values(int32_t value, const std::string& what) const;

    PlacedValue& at(int32_t value) { return schedule_.values[size_t(value)]; }
    const PlacedValue& at(int32_t value) const { return schedule_.values[size_t(value)]; }
    Block& block(int32_t index) { return schedule_.blocks[size_t(index)]; }

    int32_t place(int32_t value, Block block)
    {
        auto index = int32_t(schedule_.blocks.size());
        block.desc.layout = Layout::ncx;  // see PlacedValue
        at(value) = {.block = index, .desc = block.desc};
        schedule_.blocks.push_back(std::move(block));
        return index;
    }

    void report(const Node& node, Explanation explanation)
    {
        schedule_.reports.push_back({.name = display_name(*node.proto),
                                     .op_type = std::string(node.proto->op_type),
                                     .domain = std::string(domain_name(node.proto->domain)),
                                     .opset = node.opset,
                                     .explanation = std::move(explanation)});
    }

    const ModelState& model_;
    const Capabilities& capabilities_;
    const SessionOptions& options_;
    const PrepareOp& prepare_;
    Schedule schedule_;
};

Status Scheduler::place_inputs(std::span<const NamedDesc> inputs)
{
    std::unordered_map<std::string_view, const TensorDesc*> given;
    for (const NamedDesc& input : inputs)
        if (!given.try_emplace(input.name, &input.desc).second)
            return invalid("input " + quote(input.name) + " is described twice");
    for (size_t i = 0; i < model_.inputs.size(); ++i) {
        const ValueInfo& info = model_.inputs[i];
        std::string label = "input " + quote(info.name) + ": ";
        auto found = given.find(info.name);
        if (found == given.end() && !is_complete(info))
            return invalid(label + "it needs a description, since the model declares only " + to_string(info));
        TensorDesc desc = found != given.end() ? *found->second : TensorDesc{.dtype = info.dtype, .dims = info.dims};
        if (desc.dims.size() > max_rank)
            return invalid(label + "rank " + std::to_string(desc.dims.size()) + " is above " + std::to_string(max_rank));
        if (std::string wrong = contradiction(info, desc); !wrong.empty())
            return invalid(label + wrong);
        if (name(desc.dtype) == name(DType::undefined))
            return invalid(label + "its type is undefined");
        if (Result<int64_t> count = element_count(desc); !count)
            return Status(count.code(), label + std::string(count.message()));
        place(model_.graph.inputs[i], {.desc = std::move(desc), .input = int32_t(i)});
        given.erase(info.name);
    }
    for (const NamedDesc& input : inputs)
        if (given.contains(input.name))
            return invalid("the model has no input " + quote(input.name) + " that a caller fills");
    return {};
}

Status Scheduler::place_initializers()
{
    for (size_t i = 0; i < model_.graph.values.size(); ++i) {
        const Value& value = model_.graph.values[i];
        if (value.initializer < 0)
            continue;
        const TensorProto& tensor = model_.proto.graph.initializers[size_t(value.initializer)];
        Result<TensorDesc> desc = check(tensor);
        if (!desc)
            return desc.status();
        // shares no ownership: the session keeps the whole model
        place(int32_t(i), {.desc = *desc, .stored = {std::shared_ptr<void>(), &tensor}});
    }
    return {};
}

Status Scheduler::check_outputs() const
{
    for (size_t i = 0; i < model_.outputs.size(); ++i) {
        const ValueInfo& info = model_.outputs[i];
        const TensorDesc& desc = at(model_.graph.outputs[i]).desc;
        // declared extents are often left over from another export and bind nothing
        if (info.dtype != DType::undefined && info.dtype != desc.dtype)
            return invalid("output " + quote(info.name) + " is " + to_string(desc) + ", but the model declares " +
                           to_string(info));
    }
    return {};
}

Status Scheduler::add(const Node& node)
{
    if (Status status = check_arity(node); !status)
        return status;
    switch (node.kind) {
    case OpKind::conv_transpose:
        return add_operator(node, ConvTranspose{});
    case OpKind::onednn_conv_transpose:
        return add_operator(node, onednn::ConvTranspose{});
    case OpKind::average_pool:
        return add_operator(node, AveragePool{});
    case OpKind::shape:
        return add_shape(node);
    case OpKind::constant:
        return add_constant(node);
    case OpKind::flatten:
    case OpKind::identity:
    case OpKind::reshape:
    case OpKind::squeeze:
    case OpKind::unsqueeze:
        return add_view(node);
    case OpKind::none:
        break;
    }
    return refuse_forgotten(node);
}

Status Scheduler::add_operator(const Node& node, Operator op)
{
    if (Status status = read_attributes(node, options_.rules, op); !status)
        return status;
    ScheduledOp scheduled{.node = schedule_.reports.size()};
    std::vector<TensorDesc> descs;
    std::vector<KnownInput> known;
    for (int32_t input : node.inputs) {
        const int32_t index = at(input).block;
        if (block(index).stored || block(index).made)
            known.push_back({.input = descs.size(), .index = index, .block = block(index)});
        else
            scheduled.inputs.push_back(index);
        descs.push_back(at(input).desc);
    }
    Result<Explanation> explanation = prepare_(op, descs, known);
    if (!explanation)
        return explanation.status();
    for (int32_t input : scheduled.inputs)
        block(input).on_device = true;
    scheduled.output = place(node.outputs[0], {.desc = explanation->outputs.front(), .on_device = true});
    schedule_.ops.push_back(std::move(scheduled));
    report(node, std::move(*explanation));
    return {};
}

// Known while preparing, so that other nodes can take their dimensions from it.
Status Scheduler::add_shape(const Node& node)
{
    Operator op = Shape{};
    if (Status status = read_attributes(node, options_.rules, op); !status)
        return status;
    const TensorDesc& data = at(node.inputs[0]).desc;
    Result<Explanation> explanation = explain(op, std::span(&data, 1), capabilities_, {});
    if (!explanation)
        return explanation.status();
    auto host = std::make_shared<HostTensor>();
    host->desc = explanation->outputs.front();
    const std::span<const std::byte> bytes = std::as_bytes(std::span(explanation->host_result));
    host->data.assign(bytes.begin(), bytes.end());
    place(node.outputs[0], {.desc = host->desc, .made = host});
    report(node, std::move(*explanation));
    return {};
}

Status Scheduler::add_constant(const Node& node)
{
    Result<ConstantContent> content = read_constant(node);
    if (!content)
        return content.status();
    place(node.outputs[0], {.desc = content->desc, .stored = content->stored, .made = content->made});
    report(node, {.outputs = {content->desc},
                  .equation = "Constant-" + std::to_string(view_version(node)),
                  .kernel = "view",
                  .why = "its content is in the file"});
    return {};
}

Status Scheduler::add_view(const Node& node)
{
    std::optional<std::vector<int64_t>> values;
    if (has_values_input(node) && node.inputs.size() > 1) {
        Result<std::vector<int64_t>> known = known_values(
            node.inputs[1], std::string(node.proto->op_type) + (node.kind == OpKind::reshape ? ": shape" : ": axes"));
        if (!known)
            return known.status();
        values = std::move(*known);
    }
    const PlacedValue& data = at(node.inputs[0]);
    Result<std::vector<int64_t>> dims = view_dims(node, data.desc, values);
    if (!dims)
        return dims.status();
    at(node.outputs[0]) = {.block = data.block, .desc = {.dtype = data.desc.dtype, .dims = std::move(*dims)}};
    report(node, {.outputs = {at(node.outputs[0]).desc},
                  .equation = std::string(node.proto->op_type) + "-" + std::to_string(view_version(node)),
                  .kernel = "view",
                  .why = "it only renames memory"});
    return {};
}

// An int64 list that decides dimensions, so that it must be known while preparing.
Result<std::vector<int64_t>> Scheduler::known_values(int32_t value, const std::string& what) const
{
    const PlacedValue& placed = at(value);
    const Block& block = schedule_.blocks[size_t(placed.block)];
    std::string label = what + " (" + quote(model_.graph.values[size_t(value)].name) + ")";
    if (placed.desc.dtype != DType::int64 || placed.desc.dims.size() > 1)
        return invalid(label + " is " + vkonnx::to_string(placed.desc) + ", expected int64 with one dimension");
    if (!block.stored && !block.made)
        return Status(Code::unsupported, label + " is known only when running; supported are an initializer, a Constant and the "
                                                 "result of a Shape");
    Result<HostTensor> tensor = content(block);
    if (!tensor)
        return tensor.status();
    std::vector<int64_t> values(tensor->data.size() / sizeof(int64_t));
    if (!values.empty())
        std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
    return values;
}

}  // namespace

Result<Schedule> make_schedule(const ModelState& model, std::span<const NamedDesc> inputs, const Capabilities& capabilities,
                               const SessionOptions& options, const PrepareOp& prepare)
{
    if (!options.prepare.constants.empty())
        return invalid("SessionOptions::prepare.constants has " + std::to_string(options.prepare.constants.size()) +
                       " entries, expected none: what the file holds is constant by itself");
    if (Status status = check_supported(model.proto, model.graph); !status)
        return status;
    return Scheduler(model, capabilities, options, prepare).run(inputs);
}

Result<HostTensor> content(const Block& block)
{
    return block.stored ? read(*block.stored) : Result<HostTensor>(*block.made);
}

}  // namespace vkonnx::onnx
