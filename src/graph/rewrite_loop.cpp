// SPDX-License-Identifier: Apache-2.0
// This file replaces a Loop or a Scan by the nodes of its body, as often as it runs. How often that is must be known while
// preparing.
#include <algorithm>
#include <limits>

#include "graph/rewriter.h"
#include "graph/value_info.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// This bounds the nodes that all bodies together become: a file may have many in a body, and ask for many iterations.
constexpr size_t most_body_nodes = 1'000'000;

// One Concat joins at most so many elements.
constexpr size_t most_joined = 128;

template <class Number>
HostTensor scalar(DType dtype, Number value)
{
    HostTensor made = {.desc = {.dtype = dtype}};
    const std::span<const std::byte> bytes = std::as_bytes(std::span(&value, 1));
    made.data.assign(bytes.begin(), bytes.end());
    return made;
}

// Returns entry i of an attribute that has an entry for each of `count` values, or 0 where it is left out.
Result<int64_t> entry_of(const OptionalList& list, std::string_view name, size_t count, size_t i)
{
    if (!list)
        return int64_t(0);
    if (list->size() != count)
        return invalid_argument("Scan: " + std::string(name) + " has " + std::to_string(list->size()) + " entries, expected " +
                                std::to_string(count));
    return (*list)[i];
}

Result<bool> is_reverse(const OptionalList& list, std::string_view name, size_t count, size_t i)
{
    const Result<int64_t> entry = entry_of(list, name, count, i);
    VKONNX_RETURN_IF_ERROR(entry.status());
    if (*entry != 0 && *entry != 1)
        return invalid_argument("Scan: " + std::string(name) + "[" + std::to_string(i) + "] = " + std::to_string(*entry) +
                                " must be 0 or 1");
    return *entry == 1;
}

// Returns an axis of a tensor of this rank. A negative one counts from behind the last.
Result<size_t> axis_of(const OptionalList& list, std::string_view name, size_t count, size_t i, size_t rank)
{
    const Result<int64_t> entry = entry_of(list, name, count, i);
    VKONNX_RETURN_IF_ERROR(entry.status());
    const auto most = int64_t(rank);
    if (*entry < -most || *entry >= most)
        return invalid_argument("Scan: " + std::string(name) + "[" + std::to_string(i) + "] = " + std::to_string(*entry) +
                                " must be in [" + std::to_string(-most) + ", " + std::to_string(most - 1) + "] for rank " +
                                std::to_string(rank));
    return size_t(*entry < 0 ? *entry + most : *entry);
}

}  // namespace

// Checks what a body takes and gives: `filled` inputs, and at least `passed` outputs, behind which are those that are joined.
Status Rewriter::check_body(const Node& node, const Branch& body, size_t filled, size_t passed) const
{
    const std::string label = std::string(node.op_type) + ": body: ";
    if (!body.refused)
        return Status(body.refused.code(), label + std::string(body.refused.message()));
    if (body.inputs.size() != filled)
        return invalid_argument(label + "it has " + std::to_string(body.inputs.size()) + " inputs, expected " +
                                std::to_string(filled) + ", as the node fills");
    if (body.outputs.size() < passed)
        return invalid_argument(label + "it has " + std::to_string(body.outputs.size()) + " outputs, expected at least " +
                                std::to_string(passed));
    return {};
}

// Begins the replacement of a Loop or a Scan by calls. Those of one within a body count for the outermost.
bool Rewriter::begin_calls()
{
    if (in_body_)
        return false;
    body_calls_ = 0;
    return in_body_ = true;
}

// Gives each value that the body makes, or that its node fills, a new one to stand for it.
void Rewriter::begin_iteration(const Branch& body)
{
    for (const int32_t input : body.inputs)
        stand_ins_[size_t(input)] = add_value();
    for (size_t i = body.first_node; i < body.end_node; ++i)
        for (const int32_t output : graph_.nodes[i].outputs)
            if (output != no_value)
                stand_ins_[size_t(output)] = add_value();
}

// Fills an input of a body with what is known. `how` tells what that is.
Status Rewriter::fill(int32_t input, const Node& node, HostTensor value, const std::string& how)
{
    Memo::Key key = key_of({}, how);
    const Memo::Contents* known = memo_.find(key);
    if (!known)
        known = &memo_.keep(std::move(key), {content_of(std::move(value))});
    return place_known(node, std::span(&input, 1), *known);
}

// Tells whether a branch is another one, or within it.
bool Rewriter::is_within(int32_t branch, int32_t other) const
{
    while (branch != no_branch && branch != other)
        branch = graph_.branches[size_t(branch)].within;
    return branch == other;
}

// Adds the nodes of a body whose inputs are filled.
Status Rewriter::run_body(const Node& node, int32_t index, int64_t iteration)
{
    const Branch& body = graph_.branches[size_t(index)];
    if (++iterations_ > options_.max_loop_iterations)
        return Status(Code::unsupported, std::string(node.op_type) +
                                             ": with it more than SessionOptions::max_loop_iterations = " +
                                             std::to_string(options_.max_loop_iterations) + " bodies run");
    body_nodes_ += body.end_node - body.first_node;
    if (body_nodes_ > most_body_nodes)
        return Status(Code::unsupported, std::string(node.op_type) + ": with it the nodes of all iterations are more than " +
                                             std::to_string(most_body_nodes) + ", which is the limit of this library");
    for (auto i = size_t(index) + 1; i < taken_.size() && is_within(int32_t(i), index); ++i)  // they follow one another
        taken_[i].reset();
    taken_[size_t(index)] = true;
    if (iteration == 0)
        place_initializers(body.initializers);
    const size_t outer = node_;
    const size_t fates = made_.fates.size();
    Status status;
    for (node_ = body.first_node; status && node_ < body.end_node; ++node_) {
        const Node& inner = graph_.nodes[node_];
        const Result<bool> runs = enter(inner.branch);
        status = runs.status();
        if (runs && *runs)
            if (const Status added = add(inner); !added)
                status = in_branch(inner.branch, in_node(inner, added));
        made_.fates.resize(fates);  // a node of a body has the fate that its node in the graph has
    }
    node_ = outer;
    taken_[size_t(index)] = false;
    if (status)
        status = check_branch_outputs(body);
    return status ? status
                  : Status(status.code(), std::string(node.op_type) + ": body, iteration " + std::to_string(iteration) + ": " +
                                              std::string(status.message()));
}

// Joins what the iterations gave along a new axis.
Status Rewriter::join(const Node& node, const ValueInfo& info, std::vector<PlacedValue> elements, size_t axis, int32_t to)
{
    const std::string label = std::string(node.op_type) + ": output " + quote(name_of(to)) + ": ";
    const std::string how = "joined " + std::to_string(to);
    if (elements.empty()) {
        if (!is_complete(info))
            return Status(Code::unsupported, label + "the body never runs, and declares only " + to_string(info) + " for it");
        HostTensor nothing = {.desc = {.dtype = info.dtype, .dims = info.dims}};
        nothing.desc.dims.insert(nothing.desc.dims.begin() + ptrdiff_t(axis), 0);
        return fill(to, node, std::move(nothing), how);
    }
    std::vector<int32_t> values;
    for (PlacedValue& element : elements) {
        element.desc.dims.insert(element.desc.dims.begin() + ptrdiff_t(axis), 1);
        values.push_back(add_value(std::move(element)));
    }
    while (values.size() > 1) {
        std::vector<int32_t> joined;
        for (size_t first = 0; first < values.size(); first += most_joined) {
            const std::span<const int32_t> some = std::span(values).subspan(first, std::min(most_joined, values.size() - first));
            joined.push_back(add_value());
            Memo::Key key = key_of(some, how);
            const Result<Fate::Kind> kind = compute({.op = Concat{.axis = int64_t(axis)},
                                                     .inputs = std::vector(some.begin(), some.end()),
                                                     .outputs = {joined.back()}},
                                                    node, std::move(key));
            if (!kind)
                return Status(kind.code(), label + std::string(kind.message()));
        }
        values = std::move(joined);
    }
    const PlacedValue whole = at(values.front());
    VKONNX_RETURN_IF_ERROR(check_rank(node, whole.desc.dims));
    at(to) = whole;
    return {};
}

Status Rewriter::add_loop(const Node& node, const Loop& op)
{
    const Branch& body = graph_.branches[size_t(op.body)];
    const size_t states = std::max<size_t>(node.inputs.size(), 2) - 2;
    VKONNX_RETURN_IF_ERROR(check_body(node, body, 2 + states, 1 + states));
    if (node.outputs.size() > body.outputs.size() - 1)
        return invalid_argument("Loop: it has " + std::to_string(node.outputs.size()) + " outputs, but its body gives " +
                                std::to_string(body.outputs.size() - 1));
    const auto is_given = [&](size_t i) { return i < node.inputs.size() && node.inputs[i] != no_value; };
    const Result<int64_t> most =
        is_given(0) ? known_number(node.inputs[0], "Loop: M") : Result(std::numeric_limits<int64_t>::max());
    VKONNX_RETURN_IF_ERROR(most.status());
    Result<bool> goes_on = is_given(1) ? known_bool(node.inputs[1], "Loop: cond") : Result(true);
    VKONNX_RETURN_IF_ERROR(goes_on.status());
    std::vector<PlacedValue> passed;
    for (size_t i = 0; i < states; ++i)
        passed.push_back(at(node.inputs[2 + i]));

    const bool outermost = begin_calls();
    std::vector<std::vector<PlacedValue>> elements(body.outputs.size() - 1 - states);
    for (int64_t i = 0; *goes_on && i < *most; ++i) {
        begin_iteration(body);
        VKONNX_RETURN_IF_ERROR(fill(body.inputs[0], node, scalar(DType::int64, i), "iteration " + std::to_string(i)));
        VKONNX_RETURN_IF_ERROR(fill(body.inputs[1], node, scalar(DType::boolean, uint8_t(1)), "condition"));
        for (size_t k = 0; k < states; ++k)
            at(body.inputs[2 + k]) = passed[k];
        VKONNX_RETURN_IF_ERROR(run_body(node, op.body, i));
        goes_on = known_bool(body.outputs[0], "Loop: the condition of its body");
        VKONNX_RETURN_IF_ERROR(goes_on.status());
        for (size_t k = 0; k < states; ++k)
            passed[k] = at(body.outputs[1 + k]);
        for (size_t k = 0; k < elements.size(); ++k)
            elements[k].push_back(at(body.outputs[1 + states + k]));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const int32_t output = node.outputs[i];
        if (output == no_value)
            continue;
        if (i < states)
            at(output) = passed[i];
        else
            VKONNX_RETURN_IF_ERROR(join(node, body.output_infos[1 + i], std::move(elements[i - states]), 0, output));
    }
    end_calls(outermost);
    return {};
}

// Returns what an iteration sees of an input that is scanned along an axis: the elements at one index of it.
Result<PlacedValue> Rewriter::element_of(const Node& node, int32_t scanned, size_t axis, int64_t index)
{
    const int32_t made = add_value();
    Memo::Key key = key_of(std::span(&scanned, 1), "element " + std::to_string(axis) + " " + std::to_string(index));
    const Result<Fate::Kind> kind = compute(
        {.op = Slice{.starts = {index}, .ends = {index + 1}, .axes = {int64_t(axis)}}, .inputs = {scanned}, .outputs = {made}},
        node, std::move(key));
    VKONNX_RETURN_IF_ERROR(kind.status());
    PlacedValue element = at(made);
    element.desc.dims.erase(element.desc.dims.begin() + ptrdiff_t(axis));
    return element;
}

Status Rewriter::add_scan(const Node& node, const Scan& op)
{
    const Branch& body = graph_.branches[size_t(op.body)];
    const int64_t scanned = op.num_scan_inputs.value_or(0);
    if (scanned < 1 || uint64_t(scanned) > node.inputs.size())
        return invalid_argument("Scan: num_scan_inputs = " + std::to_string(scanned) + " must be from 1 to " +
                                std::to_string(node.inputs.size()) + ", the number of inputs");
    const auto inputs = size_t(scanned);
    const size_t states = node.inputs.size() - inputs;
    VKONNX_RETURN_IF_ERROR(check_body(node, body, states + inputs, states));
    if (node.outputs.size() > body.outputs.size())
        return invalid_argument("Scan: it has " + std::to_string(node.outputs.size()) + " outputs, but its body gives " +
                                std::to_string(body.outputs.size()));
    const size_t outputs = body.outputs.size() - states;

    std::vector<size_t> axes;
    std::vector<bool> reverse;
    std::optional<int64_t> length;
    for (size_t i = 0; i < inputs; ++i) {
        const TensorDesc& desc = at(node.inputs[states + i]).desc;
        const Result<size_t> axis = axis_of(op.scan_input_axes, "scan_input_axes", inputs, i, desc.dims.size());
        VKONNX_RETURN_IF_ERROR(axis.status());
        const Result<bool> backward = is_reverse(op.scan_input_directions, "scan_input_directions", inputs, i);
        VKONNX_RETURN_IF_ERROR(backward.status());
        axes.push_back(*axis);
        reverse.push_back(*backward);
        const int64_t extent = desc.dims[*axis];
        if (length.value_or(extent) != extent)
            return invalid_argument("Scan: scanned input " + quote(name_of(node.inputs[states + i])) + " has " +
                                    std::to_string(extent) + " elements along its axis, but the first has " +
                                    std::to_string(*length));
        length = extent;
    }
    std::vector<PlacedValue> passed;
    for (size_t i = 0; i < states; ++i)
        passed.push_back(at(node.inputs[i]));

    const bool outermost = begin_calls();
    std::vector<std::vector<PlacedValue>> elements(outputs);
    for (int64_t i = 0; i < *length; ++i) {
        begin_iteration(body);
        for (size_t k = 0; k < states; ++k)
            at(body.inputs[k]) = passed[k];
        for (size_t k = 0; k < inputs; ++k) {
            Result<PlacedValue> element = element_of(node, node.inputs[states + k], axes[k], reverse[k] ? *length - 1 - i : i);
            VKONNX_RETURN_IF_ERROR(element.status());
            at(body.inputs[states + k]) = std::move(*element);
        }
        VKONNX_RETURN_IF_ERROR(run_body(node, op.body, i));
        for (size_t k = 0; k < states; ++k)
            passed[k] = at(body.outputs[k]);
        for (size_t k = 0; k < outputs; ++k)
            elements[k].push_back(at(body.outputs[states + k]));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const int32_t output = node.outputs[i];
        if (output == no_value)
            continue;
        if (i < states) {
            at(output) = passed[i];
            continue;
        }
        std::vector<PlacedValue>& all = elements[i - states];
        const Result<bool> backward = is_reverse(op.scan_output_directions, "scan_output_directions", outputs, i - states);
        VKONNX_RETURN_IF_ERROR(backward.status());
        if (*backward)
            std::ranges::reverse(all);
        const ValueInfo& info = body.output_infos[i];
        const size_t rank = 1 + (all.empty() ? info.dims.size() : all.front().desc.dims.size());
        const Result<size_t> axis = axis_of(op.scan_output_axes, "scan_output_axes", outputs, i - states, rank);
        VKONNX_RETURN_IF_ERROR(axis.status());
        VKONNX_RETURN_IF_ERROR(join(node, info, std::move(all), *axis, output));
    }
    end_calls(outermost);
    return {};
}

// Ends the replacement, and says what became of the node.
void Rewriter::end_calls(bool outermost)
{
    in_body_ = !outermost;
    made_.fates.push_back({.kind = body_calls_ > 0 ? Fate::Kind::call : Fate::Kind::view,
                           .why = "the nodes of its body take its place, as often as it runs"});
}

}  // namespace vkonnx::graph
