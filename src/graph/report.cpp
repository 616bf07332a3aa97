// SPDX-License-Identifier: Apache-2.0
#include "graph/report.h"

#include <algorithm>
#include <new>

namespace vkonnx::graph {
namespace {

using onnx::NodeReport;
using onnx::ValueReport;

std::string name_of(const Graph& graph, int32_t value)
{
    return value == no_value ? std::string() : std::string(graph.values[size_t(value)].name);
}

std::vector<TensorDesc> outputs_of(const Node& node, const Rewritten& rewritten)
{
    std::vector<TensorDesc> outputs;
    for (const int32_t output : node.outputs)
        if (output != no_value)
            outputs.push_back(rewritten.values[size_t(output)].desc);
    return outputs;
}

Explanation explain_view(const Node& node, const Fate& fate)
{
    const bool constant = std::holds_alternative<Constant>(*node.operation);
    return {.equation = std::string(node.op_type) + "-" + std::to_string(node.info->version_at(node.opset)),
            .kernel = "view",
            .why = !fate.why.empty() ? std::string(fate.why)
                   : constant        ? "its content is in the file"
                                     : "it only renames memory"};
}

// Explains a node that the host computes. A Shape has more to tell than others.
Explanation explain_host(const Node& node, const Rewritten& rewritten)
{
    const Operator* op = std::get_if<Operator>(node.operation.get());
    if (op && node.info->kind == Kind::host) {
        const TensorDesc& data = rewritten.values[size_t(node.inputs[0])].desc;
        Result<Explanation> shape = vkonnx::explain(*op, std::span(&data, 1), Capabilities(), {});
        if (!shape)  // it was explained before, so that only memory is missing
            throw std::bad_alloc();
        return std::move(*shape);
    }
    return {.kernel = "host", .why = "computed from what is known before anything runs"};
}

// A node that became more calls than this, as a Loop with many iterations, tells of the first ones.
constexpr size_t most_told = 40;

// Tells of a composite or a node with subgraphs what is told of the calls that it became. Those that the host computed are not
// among them.
Explanation explain_parts(const Node& node, std::span<const Explanation* const> calls)
{
    Explanation all;
    all.equation = "ONNX " + std::string(node.op_type) + "-" + std::to_string(node.info->version_at(node.opset));
    const Composite* composite = std::get_if<Composite>(node.operation.get());
    if (const Einsum* einsum = composite ? std::get_if<Einsum>(composite) : nullptr)
        all.equation += ": " + quote(*einsum->equation);
    else if (std::holds_alternative<If>(*node.operation))
        all.why = "its condition is known only when running: both branches run, and this takes the outputs of one";
    double longest = -1;
    const auto tell = [&](const std::string& equation, const std::string& kernel, const std::string& why) {
        all.equation += "\n" + equation;
        all.kernel += (all.kernel.empty() ? "" : " + ") + kernel;
        all.why += (all.why.empty() ? "" : "; ") + why;
    };
    for (size_t i = 0; i < std::min(calls.size(), most_told); ++i)
        tell(calls[i]->equation, calls[i]->kernel, calls[i]->why);
    if (calls.size() > most_told) {
        const std::string more = std::to_string(calls.size() - most_told) + " more";
        tell("and " + more, more, "and of " + more);
    }
    for (const Explanation* call : calls) {
        all.pipelines.insert(all.pipelines.end(), call->pipelines.begin(), call->pipelines.end());
        all.grids.insert(all.grids.end(), call->grids.begin(), call->grids.end());
        all.seconds += call->seconds;
        all.scratch_bytes = std::max(all.scratch_bytes, call->scratch_bytes);
        all.packed_bytes += call->packed_bytes;
        if (call->seconds > longest)
            all.specialization = call->specialization;
        longest = std::max(longest, call->seconds);
    }
    return all;
}

class Reporter {
public:
    Reporter(const Graph& graph, const Schedule& schedule) : graph_(graph), schedule_(schedule) {}

    onnx::GraphReport run(Explanations explanations)
    {
        onnx::GraphReport report = schedule_.totals;
        for (size_t i = 0; i < graph_.nodes.size(); ++i)
            report.nodes.push_back(node(i));
        const std::vector<Call>& calls = schedule_.graph.calls;
        for (size_t i = 0, end = 0; i < calls.size(); i = end) {  // the calls of a node lie side by side
            while (end < calls.size() && calls[end].node == calls[i].node)
                ++end;
            const Node& node = graph_.nodes[calls[i].node];
            Explanation& explanation = report.nodes[calls[i].node].explanation;
            if (std::holds_alternative<Composite>(*node.operation) || !subgraphs_of(*node.operation).empty()) {
                explanation = explain_parts(node, explanations.subspan(i, end - i));
                explanation.outputs = outputs_of(node, schedule_.graph);
            } else {
                explanation = *explanations[i];
            }
        }
        std::vector<int32_t> names(schedule_.graph.blocks.size(), no_value);
        for (size_t i = graph_.values.size(); i-- > 0;)
            if (const int32_t block = schedule_.graph.values[i].block; block >= 0)
                names[size_t(block)] = int32_t(i);
        for (size_t i = 0; i < names.size(); ++i)
            report.values.push_back(value(i, name_of(graph_, names[i])));
        return report;
    }

private:
    NodeReport node(size_t index) const
    {
        const Node& node = graph_.nodes[index];
        NodeReport report = report_of(graph_, node);
        const Fate& fate = schedule_.graph.fates[index];
        switch (fate.kind) {
        case Fate::Kind::call:  // `run` sets its explanation
            return report;
        case Fate::Kind::view:
            report.explanation = explain_view(node, fate);
            break;
        case Fate::Kind::host:
            report.explanation = explain_host(node, schedule_.graph);
            break;
        case Fate::Kind::once:
            report.explanation = {.kernel = "once", .why = "its inputs are constants: the device computes it while preparing"};
            break;
        case Fate::Kind::unread:
            report.explanation = {.kernel = "none", .why = "no output of the graph depends on it"};
            break;
        case Fate::Kind::fused:
            report.explanation = {.kernel = "fused", .why = std::string(fate.why) + " " + label(graph_.nodes[fate.into])};
            report.fused_into = last_into(fate);
            break;
        case Fate::Kind::untaken:  // what it would make is not known
            report.explanation = {.kernel = "none", .why = why_untaken(node.branch)};
            return report;
        }
        report.explanation.outputs = outputs_of(node, schedule_.graph);
        return report;
    }

    // Tells why a node in a subgraph has no part of its own.
    std::string why_untaken(int32_t branch) const
    {
        const Node& nearest = graph_.nodes[graph_.branches[size_t(branch)].node];
        for (; branch != no_branch; branch = graph_.branches[size_t(branch)].within)
            if (const Node& node = graph_.nodes[graph_.branches[size_t(branch)].node];
                !std::holds_alternative<If>(*node.operation))
                return label(node) + " runs it in each iteration, and tells of it";
        return "it is in a branch of " + label(nearest) + " that is not taken";
    }

    // Returns the node that does a fused node's work in the end: the one that took it over may be gone, too.
    size_t last_into(const Fate& fate) const
    {
        const Fate* last = &fate;
        while (schedule_.graph.fates[last->into].kind == Fate::Kind::fused)
            last = &schedule_.graph.fates[last->into];
        return last->into;
    }

    ValueReport value(size_t block, std::string name) const
    {
        const Home& home = schedule_.homes[block];
        ValueReport report = {.name = std::move(name),
                              .desc = schedule_.graph.blocks[block].desc,
                              .place = home.place,
                              .bytes = home.bytes,
                              .arena = home.spot.arena,
                              .offset = home.spot.offset};
        if (home.place != onnx::ValuePlace::none) {
            report.first = schedule_.graph.calls[home.first].node;
            report.last = schedule_.graph.calls[home.last].node;
        }
        return report;
    }

    const Graph& graph_;
    const Schedule& schedule_;
};

}  // namespace

NodeReport report_of(const Graph& graph, const Node& node)
{
    NodeReport report = {.name = display_name(node),
                         .op_type = std::string(node.op_type),
                         .domain = std::string(node.domain),
                         .opset = node.opset};
    for (const int32_t input : node.inputs)
        report.inputs.push_back(name_of(graph, input));
    for (const int32_t output : node.outputs)
        report.outputs.push_back(name_of(graph, output));
    return report;
}

onnx::GraphReport report_of(const Graph& graph, const Schedule& schedule, Explanations explanations)
{
    return Reporter(graph, schedule).run(explanations);
}

}  // namespace vkonnx::graph
