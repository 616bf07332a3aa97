// SPDX-License-Identifier: Apache-2.0
#include "graph/rewriter.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "graph/budget.h"
#include "graph/composer.h"
#include "graph/constant_calls.h"
#include "graph/fold.h"
#include "graph/value_info.h"
#include "graph/views.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

Status check_options(const Graph& graph, const onnx::SessionOptions& options)
{
    if (!options.prepare.constants.empty())
        return Status(Code::invalid_argument, "SessionOptions::prepare.constants has " +
                                                  std::to_string(options.prepare.constants.size()) +
                                                  " entries, expected none: what the file holds is constant by itself");
    if (options.prepare.epilogue)
        return Status(Code::invalid_argument,
                      "SessionOptions::prepare.epilogue = " + std::string(name(options.prepare.epilogue->kind)) +
                          ", expected none: what follows in the graph is fused by itself");
    if (options.prepare.prologue)
        return Status(Code::invalid_argument,
                      "SessionOptions::prepare.prologue = " + std::string(name(options.prepare.prologue->kind)) +
                          ", expected none: what is in front in the graph is fused by itself");
    uint32_t fusions = 0;
    for (const Spelling<onnx::Fusion>& fusion : onnx::fusion_words)
        fusions |= uint32_t(fusion.value);
    if ((options.without_fusions & ~fusions) != 0)
        return Status(Code::invalid_argument, "SessionOptions::without_fusions = " + std::to_string(options.without_fusions) +
                                                  " must be bits of Fusion, of which all together are " +
                                                  std::to_string(fusions));
    if (options.prepare_threads < 1)
        return Status(Code::invalid_argument, "SessionOptions::prepare_threads = 0 must be at least 1");
    if (options.max_plans < 1)
        return Status(Code::invalid_argument, "SessionOptions::max_plans = 0 must be at least 1");
    return graph.unsupported;
}

// Checks the value of a known input against its description.
Status check_value(const HostTensor& value, const TensorDesc& desc)
{
    if (value.desc.dtype != desc.dtype || value.desc.dims != desc.dims)
        return invalid_argument("its value is " + vkonnx::to_string(value.desc) + ", but it is described as " +
                                vkonnx::to_string(desc));
    if (desc.dtype == DType::string) {
        if (const Result<int64_t> count = element_count(desc); value.strings.size() != uint64_t(*count))
            return invalid_argument("its value has " + std::to_string(value.strings.size()) + " strings, " +
                                    vkonnx::to_string(desc) + " needs " + std::to_string(*count));
        return {};
    }
    const Result<uint64_t> size = byte_size(desc);
    VKONNX_RETURN_IF_ERROR(size.status());
    if (value.data.size() != *size)
        return invalid_argument("its value has " + std::to_string(value.data.size()) + " bytes, " + vkonnx::to_string(desc) +
                                " needs " + std::to_string(*size));
    return {};
}

}  // namespace

Status Rewriter::check_rank(const Node& node, const std::vector<int64_t>& output) const
{
    if (output.size() <= max_rank)
        return {};
    return invalid_argument(std::string(node.op_type) + ": its output has rank " + std::to_string(output.size()) + ", at most " +
                            std::to_string(max_rank) + " is supported");
}

Result<Rewritten> Rewriter::run(std::span<const onnx::NamedDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(begin(inputs));
    VKONNX_RETURN_IF_ERROR(add_nodes(0, graph_.nodes.size()));
    VKONNX_RETURN_IF_ERROR(check_outputs());
    // Here every call is known, with its shapes and constants, and nothing is prepared yet.
    remove_unread();
    if ((without_fusions_ & uint32_t(onnx::Fusion::constants)) == 0)
        take_constant_calls(graph_, made_, options_.prepare, capabilities_, memo_);
    VKONNX_RETURN_IF_ERROR(fuse(graph_, made_, without_fusions_, memo_, capabilities_, options_.prepare));
    memo_.sweep();
    set_scratch_budgets(made_);
    return std::move(made_);
}

Status Rewriter::begin(std::span<const onnx::NamedDesc> inputs)
{
    made_.values.resize(graph_.values.size());
    made_.fates.reserve(graph_.nodes.size());
    made_.blocks.reserve(graph_.values.size());
    taken_.resize(graph_.branches.size());
    stand_ins_.resize(graph_.values.size());
    std::iota(stand_ins_.begin(), stand_ins_.end(), 0);
    VKONNX_RETURN_IF_ERROR(place_inputs(inputs));
    place_initializers(graph_.initializers);
    return {};
}

// Adds the nodes from `first` to before `end`.
Status Rewriter::add_nodes(size_t first, size_t end)
{
    for (node_ = first; node_ < end; ++node_) {
        const Node& node = graph_.nodes[node_];
        const Result<bool> runs = enter(node.branch);
        VKONNX_RETURN_IF_ERROR(runs.status());
        if (!*runs)
            made_.fates.push_back({.kind = Fate::Kind::untaken, .into = graph_.branches[size_t(node.branch)].node});
        else if (Status status = add(node); !status)
            return in_branch(node.branch, in_node(node, status));
    }
    return {};
}

Status Rewriter::place_inputs(std::span<const onnx::NamedDesc> inputs)
{
    std::unordered_map<std::string_view, const onnx::NamedDesc*> given;
    for (const onnx::NamedDesc& input : inputs)
        if (!given.try_emplace(input.name, &input).second)
            return invalid_argument("input " + quote(input.name) + " is described twice");
    for (size_t i = 0; i < graph_.input_infos.size(); ++i) {
        const ValueInfo& info = graph_.input_infos[i];
        const std::string label = "input " + quote(info.name) + ": ";
        const auto found = given.find(info.name);
        if (found == given.end() && !is_complete(info))
            return invalid_argument(label + "it needs a description, since the model declares only " + to_string(info));
        TensorDesc desc = found != given.end() ? found->second->desc : TensorDesc{.dtype = info.dtype, .dims = info.dims};
        if (desc.dims.size() > max_rank)
            return invalid_argument(label + "rank " + std::to_string(desc.dims.size()) + " is above " + std::to_string(max_rank));
        if (const std::string wrong = contradiction(info, desc); !wrong.empty())
            return invalid_argument(label + wrong);
        if (name(desc.dtype) == name(DType::undefined))
            return invalid_argument(label + "its type is undefined");
        if (const Result<int64_t> count = element_count(desc); !count)
            return Status(count.code(), label + std::string(count.message()));
        if (found != given.end() && found->second->value) {
            const HostTensor& value = *found->second->value;
            if (Status status = check_value(value, desc); !status)
                return Status(status.code(), label + std::string(status.message()));
            place(graph_.inputs[i], {.desc = desc, .content = content_of(value)});
        } else {
            place(graph_.inputs[i], {.desc = std::move(desc), .input = int32_t(i)});
        }
        given.erase(info.name);
    }
    for (const onnx::NamedDesc& input : inputs)
        if (given.contains(input.name))
            return invalid_argument("the model has no input " + quote(input.name) + " that a caller fills");
    return {};
}

void Rewriter::place_initializers(std::span<const int32_t> values)
{
    for (const int32_t value : values) {
        const std::shared_ptr<const Content>& content = graph_.values[size_t(value)].content;
        place(value, {.desc = content->desc, .content = content});
    }
}

Status Rewriter::check_outputs() const
{
    for (size_t i = 0; i < graph_.output_infos.size(); ++i) {
        const ValueInfo& info = graph_.output_infos[i];
        const TensorDesc& desc = at(graph_.outputs[i]).desc;
        // Declared extents are often left over from another export and bind nothing.
        if (info.dtype != DType::undefined && info.dtype != desc.dtype)
            return invalid_argument("output " + quote(info.name) + " is " + vkonnx::to_string(desc) +
                                    ", but the model declares " + to_string(info));
    }
    return {};
}

Status Rewriter::add(const Node& node)
{
    if (!node.refused && !node.info)  // the list is long, and nodes are many
        return Status(node.refused.code(), std::string(node.refused.message()) + "; supported are " + supported_operators());
    if (!node.refused)
        return node.refused;
    if (std::holds_alternative<Constant>(*node.operation))
        return add_constant(node);
    if (const auto* host = std::get_if<HostOperator>(node.operation.get()))
        return add_host(node, *host);
    if (const View* view = std::get_if<View>(node.operation.get()))
        return add_view(node, *view);
    if (const If* branches = std::get_if<If>(node.operation.get()))
        return add_if(node, *branches);
    if (const Loop* loop = std::get_if<Loop>(node.operation.get()))
        return add_loop(node, *loop);
    if (const Scan* scan = std::get_if<Scan>(node.operation.get()))
        return add_scan(node, *scan);
    if (const Composite* composite = std::get_if<Composite>(node.operation.get()))
        return add_composite(node, *composite);
    Operator op = std::get<Operator>(*node.operation);
    if (Rules* rules = rules_of(op))
        *rules = options_.rules;
    return node.info->kind == Kind::host ? add_shape(node, op) : add_operator(node, std::move(op));
}

// Moves the inputs that are lists, or a number as the axis of CumSum, into the operator's members, and returns the others.
Result<std::vector<int32_t>> Rewriter::take_lists(const Node& node, Operator& op) const
{
    std::vector<int32_t> inputs = node.inputs;
    const std::vector<const Schema::Input*> known = node.info->inputs_at(node.opset);
    for (size_t i = std::min(known.size(), inputs.size()); i-- > 0;) {
        const std::string_view list = known[i]->member;
        if (list.empty())
            continue;
        const int32_t value = inputs[i];
        inputs.erase(inputs.begin() + ptrdiff_t(i));
        if (value == no_value)
            continue;
        const std::string what = std::string(node.op_type) + ": " + std::string(list);
        Status status;
        const auto take = [&](auto values, auto& member) {
            status = values.status();
            if (values)
                member = std::move(*values);
        };
        fields(op, [&](std::string_view name, auto& member, auto...) {
            if constexpr (std::same_as<decltype(member), std::vector<int64_t>&>)
                if (name == list)
                    take(known_values(value, what, true), member);
            if constexpr (std::same_as<decltype(member), std::optional<int64_t>&>)
                if (name == list)
                    take(known_number(value, what), member);
            if constexpr (std::same_as<decltype(member), std::vector<float>&>)
                if (name == list)
                    take(known_floats(value, what), member);
        });
        if (!status)
            return status;
    }
    while (!inputs.empty() && inputs.back() == no_value)
        inputs.pop_back();
    return inputs;
}

Status Rewriter::add_operator(const Node& node, Operator op)
{
    Result<std::vector<int32_t>> inputs = take_lists(node, op);
    VKONNX_RETURN_IF_ERROR(inputs.status());
    if (int64_t* outputs = outputs_of(op))
        *outputs = int64_t(node.outputs.size());
    const Result<Fate::Kind> fate =
        compute({.op = std::move(op), .inputs = std::move(*inputs), .outputs = node.outputs}, node, key_of(node.inputs, {}));
    VKONNX_RETURN_IF_ERROR(fate.status());
    made_.fates.push_back({.kind = *fate});
    return {};
}

// Adds a call of the node, or computes it on the host where its inputs are known. The key is that of what the host makes.
Result<Fate::Kind> Rewriter::compute(Call call, const Node& node, Memo::Key key)
{
    std::vector<TensorDesc> descs;
    std::vector<KnownInput> known;
    bool all_known = true;
    for (const int32_t input : call.inputs) {
        descs.push_back(input == no_value ? TensorDesc{.dtype = DType::undefined} : at(input).desc);
        known.push_back({descs.back(), input == no_value ? nullptr : content(input)});
        all_known &= input == no_value || known.back().content;
    }
    const Result<std::vector<TensorDesc>> outputs = infer(call.op, descs);
    VKONNX_RETURN_IF_ERROR(outputs.status());
    for (const TensorDesc& output : *outputs)
        VKONNX_RETURN_IF_ERROR(check_rank(node, output.dims));
    if (all_known) {
        const Memo::Contents* before = memo_.find(key);
        if (!before) {
            Result<std::optional<std::vector<HostTensor>>> made =
                folded(call.op, known, *outputs, options_.max_folded_bytes - folded_bytes_);
            VKONNX_RETURN_IF_ERROR(made.status());
            Memo::Contents contents;
            for (size_t i = 0; *made && i < (*made)->size(); ++i)
                contents.push_back(content_of(std::move((**made)[i])));
            if (*made)
                before = &memo_.keep(std::move(key), std::move(contents));
        }
        if (before) {
            Status status = place_known(node, call.outputs, *before);
            return status ? Result(Fate::Kind::host) : status;
        }
    }
    // A Cast to its input's type changes nothing, but of booleans, which may be any word and become 0 or 1.
    const DType dtype = outputs->front().dtype;
    if (std::holds_alternative<Cast>(call.op) && dtype == descs.front().dtype && dtype != DType::boolean) {
        at(call.outputs.front()) = at(call.inputs.front());
        return Fate::Kind::view;
    }
    call.node = made_.fates.size();
    if (in_body_)
        call.part = body_calls_++;
    for (int32_t& input : call.inputs)
        input = stands_for(input);
    for (int32_t& output : call.outputs)
        output = stands_for(output);
    call.outputs.resize(outputs->size(), no_value);
    for (size_t i = 0; i < outputs->size(); ++i) {
        if (call.outputs[i] == no_value)
            call.outputs[i] = add_value();
        place(call.outputs[i], {.desc = (*outputs)[i]});
    }
    made_.calls.push_back(std::move(call));
    return Fate::Kind::call;
}

// Adds the calls that compute a composite.
Status Rewriter::add_composite(const Node& node, const Composite& op)
{
    std::string how = "part ";
    std::vector<Composer::Input> inputs;
    for (const int32_t input : node.inputs)
        if (input == no_value) {
            inputs.push_back({.is_given = false});
        } else {
            inputs.push_back({.desc = at(input).desc, .content = content(input), .name = name_of(input)});
            how += bytes_of(at(input).desc);
        }
    std::vector<bool> wanted;
    for (const int32_t output : node.outputs)
        wanted.push_back(output != no_value);
    Composer composer(node.op_type, node.info->version_at(node.opset), std::move(inputs), std::move(wanted),
                      options_.max_folded_bytes - folded_bytes_, capabilities_);
    std::visit([&](const auto& one) { one.compose(composer); }, op);
    if (composer.unknown())
        unknown_.push_back(node.inputs[*composer.unknown()]);
    VKONNX_RETURN_IF_ERROR(composer.status());

    std::vector<int32_t> values = node.inputs;
    values.resize(composer.values(), no_value);
    for (const Composer::Constant& constant : composer.constants()) {
        Memo::Key key = key_of(node.inputs, "constant " + std::to_string(constant.value));
        const Memo::Contents* known = memo_.find(key);
        if (!known)
            known = &memo_.keep(std::move(key), {content_of(constant.tensor)});
        values[constant.value] = add_value();
        VKONNX_RETURN_IF_ERROR(place_known(node, std::span(&values[constant.value], 1), *known));
    }
    const auto view = [&](const Operand& operand) {
        PlacedValue value = at(values[operand.value]);
        value.desc.dtype = operand.desc.dtype;
        value.desc.dims = operand.desc.dims;
        return value;
    };
    Fate fate = {.kind = composer.calls().empty() ? Fate::Kind::view : Fate::Kind::host};
    for (const Composer::Call& one : composer.calls()) {
        Call call = {.op = one.op, .part = one.outputs.front()};
        for (const Operand& input : one.inputs)
            call.inputs.push_back(input.value == Composer::nothing ? no_value : add_value(view(input)));
        for (const size_t output : one.outputs)
            call.outputs.push_back(values[output] = add_value());
        Memo::Key key = key_of(call.inputs, how + std::to_string(call.part));
        const Result<Fate::Kind> kind = compute(std::move(call), node, std::move(key));
        if (!kind)
            return Status(kind.code(), std::string(node.op_type) + ": " + std::string(kind.message()));
        if (*kind == Fate::Kind::call)
            fate.kind = Fate::Kind::call;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] == no_value)
            continue;
        const std::optional<Operand>& output = composer.outputs()[i];
        if (!output)
            return Status(Code::unsupported, std::string(node.op_type) + ": output " + std::to_string(i) + " is not supported");
        VKONNX_RETURN_IF_ERROR(check_rank(node, output->desc.dims));
        at(node.outputs[i]) = view(*output);
    }
    made_.fates.push_back(fate);
    return {};
}

// Folds a Shape: it is known from dimensions alone, and other nodes can take theirs from it.
Status Rewriter::add_shape(const Node& node, const Operator& op)
{
    const TensorDesc& data = at(node.inputs[0]).desc;
    const Result<Explanation> explanation = vkonnx::explain(op, std::span(&data, 1), Capabilities(), {});
    VKONNX_RETURN_IF_ERROR(explanation.status());
    HostTensor made = {.desc = explanation->outputs.front()};
    const std::span<const std::byte> bytes = std::as_bytes(std::span(explanation->host_result));
    made.data.assign(bytes.begin(), bytes.end());
    return fold(node, {std::move(made)});
}

Status Rewriter::add_host(const Node& node, const HostOperator& op)
{
    std::vector<HostTensor> inputs;
    for (const int32_t input : node.inputs) {
        if (std::holds_alternative<Size>(op)) {  // looks at dimensions only
            inputs.push_back({.desc = at(input).desc});
            continue;
        }
        if (input == no_value) {
            inputs.push_back({.desc = {.dtype = DType::undefined}});
            continue;
        }
        Result<HostTensor> tensor = known(input, std::string(node.op_type) + ": input " + quote(name_of(input)));
        VKONNX_RETURN_IF_ERROR(tensor.status());
        inputs.push_back(std::move(*tensor));
    }
    Result<std::vector<HostTensor>> made =
        computed(op, node.op_type, inputs, node.content.get(), options_.max_folded_bytes - folded_bytes_);
    return made ? fold(node, std::move(*made)) : made.status();
}

// Returns the key by which the memo knows what the node makes of known inputs, those that became members among them.
Memo::Key Rewriter::key_of(std::span<const int32_t> inputs, std::string how) const
{
    Memo::Key key = {.how = "node " + std::to_string(node_) + std::move(how)};
    for (const int32_t input : inputs) {
        key.from.push_back(input == no_value ? nullptr : content(input));
        key.how += input == no_value ? std::string() : bytes_of(at(input).desc);
    }
    return key;
}

Status Rewriter::fold(const Node& node, std::vector<HostTensor> made)
{
    Memo::Contents contents;
    for (HostTensor& tensor : made)
        contents.push_back(content_of(std::move(tensor)));
    VKONNX_RETURN_IF_ERROR(place_known(node, node.outputs, contents));
    made_.fates.push_back({.kind = Fate::Kind::host});
    return {};
}

// Places outputs of the node that are known before anything runs.
Status Rewriter::place_known(const Node& node, std::span<const int32_t> outputs, const Memo::Contents& made)
{
    for (size_t i = 0; i < made.size(); ++i) {
        folded_bytes_ += made[i]->bytes.size();
        if (folded_bytes_ > options_.max_folded_bytes)
            return Status(Code::unsupported,
                          std::string(node.op_type) + ": what is computed before anything runs has " +
                              std::to_string(folded_bytes_) +
                              " bytes, above SessionOptions::max_folded_bytes = " + std::to_string(options_.max_folded_bytes));
        if (i < outputs.size() && outputs[i] != no_value)
            place(outputs[i], {.desc = made[i]->desc, .content = made[i]});
    }
    return {};
}

Status Rewriter::add_constant(const Node& node)
{
    place(node.outputs[0], {.desc = node.content->desc, .content = node.content});
    made_.fates.push_back({.kind = Fate::Kind::view});
    return {};
}

Status Rewriter::add_view(const Node& node, const View& view)
{
    const std::string op(node.op_type);
    OptionalList values;
    if (node.info->is_list(1, node.opset) && node.inputs.size() > 1) {
        const bool is_shape = std::holds_alternative<Reshape>(view);
        Result<std::vector<int64_t>> known = known_values(node.inputs[1], op + (is_shape ? ": shape" : ": axes"));
        VKONNX_RETURN_IF_ERROR(known.status());
        values = std::move(*known);
    }
    const int64_t version = node.info->version_at(node.opset);
    const PlacedValue data = at(node.inputs[0]);
    Result<std::vector<int64_t>> dims = view_dims(view, op, version, data.desc.dims, values);
    VKONNX_RETURN_IF_ERROR(dims.status());
    at(node.outputs[0]) = {.block = data.block, .desc = {.dtype = data.desc.dtype, .dims = std::move(*dims)}};
    made_.fates.push_back({.kind = Fate::Kind::view});
    if (!std::holds_alternative<Dropout>(view))
        return {};
    VKONNX_RETURN_IF_ERROR(check_training(node));
    return add_mask(node, data.desc);
}

// Refuses training. From version 12 on an input asks for it, unless that is a known `false`.
Status Rewriter::check_training(const Node& node) const
{
    if (node.inputs.size() < 3)
        return {};
    const Result<bool> training = known_bool(node.inputs[2], "Dropout: training_mode");
    VKONNX_RETURN_IF_ERROR(training.status());
    if (*training)
        return Status(Code::unsupported, "Dropout: training_mode (" + quote(name_of(node.inputs[2])) +
                                             ") is true, which asks for training; supported is false");
    return {};
}

// Adds the mask. In inference nothing is dropped: from version 12 on the mask says so by ones, while before ONNX Runtime gives
// zeros. Mostly nobody reads it, so its elements are made only for those who do.
Status Rewriter::add_mask(const Node& node, const TensorDesc& data)
{
    if (node.outputs.size() < 2 || node.outputs[1] == no_value)
        return {};
    const int64_t version = node.info->version_at(node.opset);
    TensorDesc desc = {.dtype = version < 10 ? data.dtype : DType::boolean, .dims = data.dims};
    const Result<uint64_t> bytes = byte_size(desc);
    VKONNX_RETURN_IF_ERROR(bytes.status());
    const auto make = [desc, bytes = *bytes, fill = std::byte(version >= 12), most = options_.max_folded_bytes] {
        if (bytes > most)
            return Result<HostTensor>(
                Status(Code::unsupported, "Dropout: its mask has " + std::to_string(bytes) +
                                              " bytes, above SessionOptions::max_folded_bytes = " + std::to_string(most)));
        return Result<HostTensor>(HostTensor{.desc = desc, .data = std::vector<std::byte>(size_t(bytes), fill)});
    };
    place(node.outputs[1], {.desc = desc, .content = std::make_shared<const Content>(Content{.desc = desc, .read = make})});
    return {};
}

// Removes calls that no output of the graph depends on.
void Rewriter::remove_unread()
{
    std::vector<bool> read(made_.blocks.size());
    for (const int32_t output : graph_.outputs)
        read[size_t(at(output).block)] = true;
    std::vector<Call> kept;
    for (size_t i = made_.calls.size(); i-- > 0;) {
        Call& call = made_.calls[i];
        bool needed = false;
        for (const int32_t output : call.outputs)
            needed |= output != no_value && read[size_t(at(output).block)];
        if (!needed) {
            made_.fates[call.node].kind = Fate::Kind::unread;
            continue;
        }
        for (const int32_t input : call.inputs)
            if (input != no_value)
                read[size_t(at(input).block)] = true;
        kept.push_back(std::move(call));
    }
    made_.calls.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

std::vector<Use> uses_of(const Rewritten& rewritten)
{
    std::vector<Use> uses(rewritten.blocks.size());
    for (size_t i = 0; i < rewritten.calls.size(); ++i)
        for (const auto* list : {&rewritten.calls[i].inputs, &rewritten.calls[i].outputs})
            for (const int32_t value : *list)
                if (value != no_value) {
                    Use& use = uses[size_t(rewritten.values[size_t(value)].block)];
                    use.first = std::min(use.first, i);
                    use.last = i;
                }
    return uses;
}

Result<Rewritten> rewrite(const Graph& graph, std::span<const onnx::NamedDesc> inputs, const onnx::SessionOptions& options,
                          const Capabilities& capabilities, Memo& memo)
{
    VKONNX_RETURN_IF_ERROR(check_options(graph, options));
    return Rewriter(graph, options, capabilities, memo).run(inputs);
}

Result<Deferral> find_deferral(const Graph& graph, std::span<const onnx::NamedDesc> inputs, const onnx::SessionOptions& options,
                               const Capabilities& capabilities, Memo& memo)
{
    VKONNX_RETURN_IF_ERROR(check_options(graph, options));
    return Rewriter(graph, options, capabilities, memo).find_deferral(inputs);
}

}  // namespace vkonnx::graph
