// SPDX-License-Identifier: Apache-2.0
#include "graph/stages.h"

#include <algorithm>

#include "graph/host.h"
#include "graph/report.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

void mark(const std::vector<int32_t>& values, std::vector<bool>& marks)
{
    for (const int32_t value : values)
        if (value != no_value)
            marks[size_t(value)] = true;
}

bool is_marked(const std::vector<int32_t>& values, const std::vector<bool>& marks)
{
    return std::any_of(values.begin(), values.end(), [&](int32_t value) { return value != no_value && marks[size_t(value)]; });
}

bool has(const std::vector<int32_t>& values, int32_t value)
{
    return std::find(values.begin(), values.end(), value) != values.end();
}

// Tells of each node whether nothing but constants decides what it makes.
std::vector<bool> constant_nodes(const Graph& graph, const Deferral& deferral)
{
    std::vector<bool> constants(graph.values.size()), nodes(graph.nodes.size());
    mark(graph.initializers, constants);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        bool is_constant =
            node.branch == no_branch && !deferral.nodes[i] && node.operation && subgraphs_of(*node.operation).empty();
        for (const int32_t input : node.inputs)
            is_constant = is_constant && (input == no_value || constants[size_t(input)]);
        // What a node that waits needs was not computed on the host, for whatever reason, and must be an input then.
        for (const int32_t output : node.outputs)
            is_constant = is_constant && !has(deferral.values, output);
        nodes[i] = is_constant;
        if (is_constant)
            mark(node.outputs, constants);
    }
    return nodes;
}

// Returns the graph with a part of the nodes. A node is kept with all nodes of its subgraphs.
Graph part_of(const Graph& whole, const std::vector<bool>& kept, std::vector<int32_t> inputs, std::vector<int32_t> outputs)
{
    Graph part = {.values = whole.values,
                  .branches = whole.branches,
                  .initializers = whole.initializers,
                  .inputs = std::move(inputs),
                  .outputs = std::move(outputs)};
    std::vector<size_t> places;
    for (size_t i = 0; i < whole.nodes.size(); ++i) {
        places.push_back(part.nodes.size());
        if (kept[i])
            part.nodes.push_back(whole.nodes[i]);
    }
    places.push_back(part.nodes.size());
    for (Branch& branch : part.branches) {
        branch.node = places[branch.node];
        branch.first_node = places[branch.first_node];
        branch.end_node = places[branch.end_node];
    }
    const auto info_of = [&](int32_t value, const std::vector<int32_t>& values, const std::vector<ValueInfo>& infos) {
        const auto found = std::find(values.begin(), values.end(), value);
        return found != values.end() ? infos[size_t(found - values.begin())]
                                     : ValueInfo{.name = std::string(whole.values[size_t(value)].name)};
    };
    for (const int32_t input : part.inputs)
        part.input_infos.push_back(info_of(input, whole.inputs, whole.input_infos));
    for (const int32_t output : part.outputs)
        part.output_infos.push_back(info_of(output, whole.outputs, whole.output_infos));
    return part;
}

std::shared_ptr<const onnx::ModelState> model_of(const std::shared_ptr<const onnx::ModelState>& whole, Graph graph)
{
    return std::make_shared<const onnx::ModelState>(onnx::ModelState{.file = whole, .graph = std::move(graph)});
}

// Tells whether elements of the graph's own inputs are needed.
bool needs_inputs(const Graph& graph, const Deferral& deferral)
{
    return std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](int32_t input) { return has(deferral.values, input); });
}

// Tells why a node is in no plan before a run. `waits` are the values that are not there yet.
std::string why_later(const Graph& graph, const Node& node, const Deferral& deferral, const std::vector<bool>& waits)
{
    std::string needed;
    bool reads_what_waits = false;
    const bool is_host = node.branch == no_branch && std::holds_alternative<HostOperator>(*node.operation);
    for_each_read(graph, node, [&](int32_t value) {
        reads_what_waits |= waits[size_t(value)];
        if (needed.empty() && has(deferral.values, value))
            needed = graph.values[size_t(value)].name;
    });
    if (is_host && !reads_what_waits)
        return "the host computes it between two stages of a run";
    return needed.empty() || reads_what_waits ? "it reads what is planned when a run has come so far"
                                              : "it is planned when a run has computed the elements of " + quote(needed);
}

// Tells whether another way of planning may help.
bool is_refusal(const Status& status)
{
    return status.code() == Code::unsupported || status.code() == Code::invalid_argument;
}

// Explains a graph that is planned as a whole.
Result<onnx::GraphReport> explain_whole(const Graph& graph, std::span<const onnx::NamedDesc> inputs,
                                        const Capabilities& capabilities, const onnx::SessionOptions& options)
{
    Memo memo;
    Result<Rewritten> rewritten = rewrite(graph, inputs, options, capabilities, memo);
    VKONNX_RETURN_IF_ERROR(rewritten.status());
    const Result<std::vector<Explanation>> explained = explain_calls(graph, *rewritten, capabilities, options.prepare);
    VKONNX_RETURN_IF_ERROR(explained.status());
    const std::vector<const Explanation*> explanations = pointers_to(*explained);
    const Result<Schedule> schedule = make_schedule(graph, std::move(*rewritten), explanations, capabilities);
    return schedule ? Result(report_of(graph, *schedule, explanations)) : schedule.status();
}

}  // namespace

std::vector<onnx::NamedDesc> described(const Graph& graph, std::span<const onnx::HostView> inputs,
                                       const std::vector<bool>& by_value)
{
    std::vector<onnx::NamedDesc> named;
    for (size_t i = 0; i < inputs.size(); ++i) {
        named.push_back({.name = graph.input_infos[i].name, .desc = inputs[i].desc});
        if (by_value[i])
            named.back().value = copied(inputs[i]);
    }
    return named;
}

Parts divided(const Graph& graph, const Deferral& deferral)
{
    const size_t count = graph.values.size();
    std::vector<bool> waits(count), host_made(count), first_made(count), rest_made(count);
    std::vector<bool> first(graph.nodes.size()), rest(graph.nodes.size());
    const std::vector<bool> constant = constant_nodes(graph, deferral);
    Parts parts;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (!deferral.nodes[i]) {
            first[i] = true;
            rest[i] = constant[i];
            mark(node.outputs, first_made);
            if (rest[i])
                mark(node.outputs, rest_made);
            continue;
        }
        const bool is_host = node.branch == no_branch && node.refused && std::holds_alternative<HostOperator>(*node.operation) &&
                             !is_marked(node.inputs, waits) && !is_marked(node.inputs, host_made);
        if (is_host) {
            parts.host.push_back(&node);
            mark(node.outputs, host_made);
        } else {
            rest[i] = true;
            mark(node.outputs, waits);
            mark(node.outputs, rest_made);
        }
    }
    // A value of a part is one of its inputs where it reads the value, and something before it has made or been given it.
    std::vector<bool> given(count), host_reads(count), rest_reads(count);
    mark(graph.inputs, given);
    for (const Node* node : parts.host)
        mark(node->inputs, host_reads);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
        if (rest[i])
            for_each_read(graph, graph.nodes[i], [&](int32_t value) { rest_reads[size_t(value)] = true; });
    std::vector<int32_t> first_outputs, rest_inputs, rest_outputs;
    for (size_t v = 0; v < count; ++v) {
        const auto value = int32_t(v);
        const bool is_output = has(graph.outputs, value);
        const bool is_read = host_reads[v] || (rest_reads[v] && !rest_made[v]);
        if (!waits[v] && !host_made[v] && !given[v] && (is_output || (first_made[v] && is_read)))
            first_outputs.push_back(value);
        if (rest_reads[v] && !rest_made[v] && (given[v] || first_made[v] || host_made[v]))
            rest_inputs.push_back(value);
        if (is_output && waits[v])
            rest_outputs.push_back(value);
    }
    parts.first = part_of(graph, first, graph.inputs, std::move(first_outputs));
    for (size_t i = 0; i < graph.nodes.size(); ++i)
        if (first[i])
            parts.first_nodes.push_back(i);
    parts.rest = part_of(graph, rest, std::move(rest_inputs), std::move(rest_outputs));
    return parts;
}

Stage::Stage(Device device, std::shared_ptr<const onnx::ModelState> model, onnx::SessionOptions options)
    : model_(std::move(model)), options_(options), plans_(std::move(device), model_, std::move(options)),
      by_value_(model_->graph.inputs.size())
{
}

std::vector<onnx::HostView> Stage::inputs_in(const Environment& environment) const
{
    std::vector<onnx::HostView> inputs;
    for (const int32_t input : model_->graph.inputs)
        inputs.push_back(*environment[input]);
    return inputs;
}

// Makes the stages of a graph that can't be planned as a whole.
Status Stage::divide(const Deferral& deferral)
{
    Parts parts = divided(model_->graph, deferral);
    if (parts.host.empty() && parts.rest.nodes.size() == model_->graph.nodes.size())
        return deferral.status;  // nothing would come before the rest
    split_.emplace();
    const auto stage_of = [&](Graph graph) {
        return graph.outputs.empty() ? nullptr
                                     : std::make_unique<Stage>(plans_.device(), model_of(model_, std::move(graph)), options_);
    };
    split_->first = stage_of(std::move(parts.first));
    split_->host = std::move(parts.host);
    split_->rest = stage_of(std::move(parts.rest));
    return {};
}

// Marks the inputs whose elements the nodes that wait need: plans are then made for these elements. Returns false where there is
// none that is not marked yet.
bool Stage::ask_for_elements(const Deferral& deferral)
{
    bool asks = false;
    for (size_t i = 0; i < by_value_.size(); ++i)
        if (!by_value_[i] && has(deferral.values, model_->graph.inputs[i]))
            asks = by_value_[i] = true;
    return asks;
}

// Returns the plan for these inputs, or null where the graph has been divided. The environment, if any, has more to tell of them.
Result<std::shared_ptr<Plan>> Stage::plan_or_divide(std::vector<onnx::NamedDesc> inputs, const Environment* environment)
{
    while (!split_) {
        Result<std::shared_ptr<Plan>> plan = plans_.get(inputs);
        if (plan || !is_refusal(plan.status()))
            return plan;
        const Result<Deferral> deferral = plans_.find_deferral(inputs);
        if (!deferral || deferral->status)
            return deferral.code() == Code::out_of_memory ? deferral.status() : plan.status();
        if (needs_inputs(model_->graph, *deferral) && !environment)
            return plan.status();
        if (environment && ask_for_elements(*deferral))
            inputs = described(model_->graph, inputs_in(*environment), by_value_);
        else
            VKONNX_RETURN_IF_ERROR(divide(*deferral));
    }
    return std::shared_ptr<Plan>();
}

Result<std::shared_ptr<Plan>> Stage::plan(std::span<const onnx::NamedDesc> inputs)
{
    const std::lock_guard lock(mutex_);
    Result<std::shared_ptr<Plan>> plan = plan_or_divide({inputs.begin(), inputs.end()}, nullptr);
    if (plan && !*plan && split_->first)
        VKONNX_RETURN_IF_ERROR(split_->first->plan(inputs).status());
    return plan;
}

Status Stage::run_plan(Plan& plan, Environment& environment)
{
    const Graph& graph = model_->graph;
    const std::vector<onnx::HostView> inputs = inputs_in(environment);
    VKONNX_RETURN_IF_ERROR(graph::run_plan(plans_, plan, inputs));
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
        Result<HostTensor> output = output_of(plan, graph, i, inputs);
        VKONNX_RETURN_IF_ERROR(output.status());
        environment.keep(graph.outputs[i], std::move(*output));
    }
    return {};
}

Status Stage::run_host(const Node& node, Environment& environment) const
{
    std::vector<HostTensor> inputs;
    for (const int32_t input : node.inputs) {
        if (input == no_value || environment[input]) {
            inputs.push_back(input == no_value ? HostTensor{.desc = {.dtype = DType::undefined}} : copied(*environment[input]));
            continue;
        }
        Result<HostTensor> content = model_->graph.values[size_t(input)].content->read();
        VKONNX_RETURN_IF_ERROR(content.status());
        inputs.push_back(std::move(*content));
    }
    Result<std::vector<HostTensor>> made =
        computed(std::get<HostOperator>(*node.operation), node.op_type, inputs, node.content.get(), options_.max_folded_bytes);
    if (!made)
        return in_node(node, made.status());
    for (size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] != no_value)
            environment.keep(node.outputs[i], std::move((*made)[i]));
    return {};
}

Status Stage::run(Environment& environment)
{
    const std::lock_guard lock(mutex_);
    const Result<std::shared_ptr<Plan>> plan =
        plan_or_divide(described(model_->graph, inputs_in(environment), by_value_), &environment);
    VKONNX_RETURN_IF_ERROR(plan.status());
    if (*plan)
        return run_plan(**plan, environment);
    if (split_->first)
        VKONNX_RETURN_IF_ERROR(split_->first->run(environment));
    for (const Node* node : split_->host)
        VKONNX_RETURN_IF_ERROR(run_host(*node, environment));
    return split_->rest ? split_->rest->run(environment) : Status();
}

Result<onnx::GraphReport> Stage::explain(std::span<const onnx::NamedDesc> inputs) const
{
    return explain_stages(model_->graph, inputs, plans_.device().capabilities(), options_);
}

Result<onnx::GraphReport> explain_stages(const Graph& graph, std::span<const onnx::NamedDesc> inputs,
                                         const Capabilities& capabilities, const onnx::SessionOptions& options)
{
    Result<onnx::GraphReport> whole = explain_whole(graph, inputs, capabilities, options);
    if (whole || !is_refusal(whole.status()))
        return whole;
    Memo memo;
    const Result<Deferral> deferral = find_deferral(graph, inputs, options, capabilities, memo);
    if (!deferral || deferral->status || needs_inputs(graph, *deferral))
        return deferral.code() == Code::out_of_memory ? deferral.status() : whole.status();
    const Parts parts = divided(graph, *deferral);
    const Result<onnx::GraphReport> first = explain_whole(parts.first, inputs, capabilities, options);
    VKONNX_RETURN_IF_ERROR(first.status());

    onnx::GraphReport report = *first;
    report.nodes.clear();
    std::vector<size_t> places(graph.nodes.size(), SIZE_MAX);  // of the nodes of the whole graph in the first stage
    for (size_t i = 0; i < parts.first_nodes.size(); ++i)
        places[parts.first_nodes[i]] = i;
    std::vector<bool> waits(graph.values.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        if (places[i] == SIZE_MAX) {
            report.nodes.push_back(report_of(graph, graph.nodes[i]));
            report.nodes.back().explanation = {.kernel = "later", .why = why_later(graph, graph.nodes[i], *deferral, waits)};
            if (graph.nodes[i].branch == no_branch)
                mark(graph.nodes[i].outputs, waits);
            continue;
        }
        onnx::NodeReport node = first->nodes[places[i]];
        if (node.fused_into)
            node.fused_into = parts.first_nodes[*node.fused_into];
        report.nodes.push_back(std::move(node));
    }
    for (onnx::ValueReport& value : report.values)
        if (value.place != onnx::ValuePlace::none) {
            value.first = parts.first_nodes[value.first];
            value.last = parts.first_nodes[value.last];
        }
    return report;
}

}  // namespace vkonnx::graph
