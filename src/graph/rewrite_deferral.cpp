// SPDX-License-Identifier: Apache-2.0
// This file finds the nodes of a graph that can't be rewritten before others have run.
#include <algorithm>
#include <numeric>

#include "graph/rewriter.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// Returns the node of the model's own graph that a node is, or lies within.
size_t outermost(const Graph& graph, size_t node)
{
    while (graph.nodes[node].branch != no_branch)
        node = graph.branches[size_t(graph.nodes[node].branch)].node;
    return node;
}

}  // namespace

// Tells of each value whether it belongs to a subgraph. Nothing outside of that can be told its elements.
std::vector<bool> Rewriter::inner_values() const
{
    std::vector<bool> inner(graph_.values.size());
    const auto mark = [&](const std::vector<int32_t>& values) {
        for (const int32_t value : values)
            if (value != no_value)
                inner[size_t(value)] = true;
    };
    for (const Node& node : graph_.nodes)
        if (node.branch != no_branch)
            mark(node.outputs);
    for (const Branch& branch : graph_.branches) {
        mark(branch.inputs);
        mark(branch.initializers);
    }
    return inner;
}

bool Rewriter::reads_any(size_t node, const std::vector<bool>& values) const
{
    bool reads = false;
    for_each_read(graph_, graph_.nodes[node], [&](int32_t value) { reads |= values[size_t(value)]; });
    return reads;
}

// Takes back what nodes from this one on have added before one of them was refused.
void Rewriter::take_back(size_t first_node, size_t calls)
{
    made_.fates.resize(first_node);
    made_.calls.resize(calls);
    std::iota(stand_ins_.begin(), stand_ins_.end(), 0);
    in_body_ = false;
}

// A node waits together with all nodes of its subgraphs, and so does every node that reads what one makes that waits.
Result<Deferral> Rewriter::find_deferral(std::span<const onnx::NamedDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(begin(inputs));
    const std::vector<bool> inner = inner_values();
    std::vector<bool> waits(graph_.values.size());  // for what is not there yet
    Deferral found = {.nodes = std::vector<bool>(graph_.nodes.size())};
    for (size_t first = 0, end = 0; first < graph_.nodes.size(); first = end) {
        end = outermost(graph_, first) + 1;  // the nodes of its subgraphs come before it
        bool defers = false;
        for (size_t i = first; i < end; ++i)
            defers |= reads_any(i, waits);
        const size_t calls = made_.calls.size();
        unknown_.clear();
        if (const Status status = defers ? Status() : add_nodes(first, end); !status) {
            std::erase_if(unknown_, [&](int32_t value) { return size_t(value) >= inner.size() || inner[size_t(value)]; });
            if (unknown_.empty())
                return status;
            if (found.status)
                found.status = status;
            // An operator that looks for elements is not planned for them.
            const bool looks_for_elements = end == first + 1 && graph::looks_for_elements(*graph_.nodes[first].operation);
            for (const int32_t value : unknown_)
                if (!looks_for_elements && std::find(found.values.begin(), found.values.end(), value) == found.values.end())
                    found.values.push_back(value);
            take_back(first, calls);
            defers = true;
        }
        made_.fates.resize(end);
        for (size_t i = first; defers && i < end; ++i) {
            found.nodes[i] = true;
            for (const int32_t output : graph_.nodes[i].outputs)
                if (output != no_value)
                    waits[size_t(output)] = true;
        }
    }
    return found;
}

}  // namespace vkonnx::graph
