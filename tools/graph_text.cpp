// This file prints a graph as tables: its nodes before and after rewriting, and its values in memory.
#include "graph_text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include "cli.h"

namespace vkonnx::tools {
namespace {

std::string list_text(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + (name.empty() ? "-" : name);
    return text.empty() ? "-" : text;
}

// A group is a node that runs, with the nodes that are fused into it. They stand before its kernel or behind it, as in the graph.
struct Group {
    std::string kernel = {};
    std::vector<std::string> inputs = {};  // those that no node of the group writes
    std::vector<std::string> outputs = {};
};

Group group_of(const onnx::GraphReport& graph, size_t running)
{
    Group group;
    std::set<std::string> written;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const onnx::NodeReport& node = graph.nodes[i];
        if (i != running && node.fused_into != running)
            continue;
        group.kernel += (group.kernel.empty() ? "" : " + ") + (i == running ? node.explanation.kernel : node.op_type);
        std::copy_if(node.inputs.begin(), node.inputs.end(), std::back_inserter(group.inputs),
                     [&](const std::string& input) { return !written.contains(input); });
        written.insert(node.outputs.begin(), node.outputs.end());
        group.outputs = node.outputs;
    }
    return group;
}

}  // namespace

void print_graph(const onnx::GraphReport& graph)
{
    Table read, rewritten;
    read.add({"node", "operator", "inputs", "outputs"});
    rewritten.add({"node", "kernel", "inputs", "outputs"});
    size_t running = 0;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const onnx::NodeReport& node = graph.nodes[i];
        read.add({node.name, node.op_type, list_text(node.inputs), list_text(node.outputs)});
        if (!node.runs())
            continue;
        const Group group = group_of(graph, i);
        rewritten.add({node.name, group.kernel, list_text(group.inputs), list_text(group.outputs)});
        ++running;
    }
    std::printf("graph as read: %zu nodes\n%s", graph.nodes.size(), read.text("  ").c_str());
    std::printf("graph as rewritten: %zu nodes\n%s", running, rewritten.text("  ").c_str());
}

void print_memory(const onnx::GraphReport& graph)
{
    Table table;
    table.add({"value", "type", "place", "bytes", "at", "written by", "read last by"});
    for (const onnx::ValueReport& value : graph.values) {
        if (value.place == onnx::ValuePlace::none)
            continue;
        const bool in_arena = value.place == onnx::ValuePlace::arena;
        const bool is_made = in_arena || value.place == onnx::ValuePlace::output;
        table.add(
            {value.name, to_string(value.desc), std::string(name(value.place)), std::to_string(value.bytes),
             in_arena ? (graph.arenas.size() > 1 ? std::to_string(value.arena) + ":" : "") + std::to_string(value.offset) : "-",
             is_made ? graph.nodes[value.first].name : "-", graph.nodes[value.last].name});
    }
    std::printf("device memory:\n%s", table.text("  ", {3, 4}).c_str());
    std::printf("  arena %llu bytes at its peak, %llu if no values shared memory; constants %llu, packed %llu, scratch %llu\n",
                static_cast<unsigned long long>(graph.arena_bytes), static_cast<unsigned long long>(graph.unshared_bytes),
                static_cast<unsigned long long>(graph.constant_bytes), static_cast<unsigned long long>(graph.packed_bytes),
                static_cast<unsigned long long>(graph.scratch_bytes));
}

void print_peak(const onnx::GraphReport& graph, const MemoryUse& memory)
{
    std::vector<uint64_t> live(graph.nodes.size());
    for (const onnx::ValueReport& value : graph.values)
        if (value.place != onnx::ValuePlace::none && value.place != onnx::ValuePlace::constant)
            for (size_t node = value.first; node <= value.last; ++node)
                live[node] += value.bytes;
    std::printf("  the device held %llu bytes at most, staging %llu; values that live at once have %llu at most\n",
                static_cast<unsigned long long>(memory.peak_used), static_cast<unsigned long long>(memory.peak_staging),
                static_cast<unsigned long long>(live.empty() ? 0 : *std::max_element(live.begin(), live.end())));
}

}  // namespace vkonnx::tools
