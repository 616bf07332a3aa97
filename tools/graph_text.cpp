// A graph as tables: its nodes before and after rewriting, and its values in memory.
#include "graph_text.h"

#include <algorithm>
#include <cstdio>

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
        const auto fused =
            std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& other) { return other.fused_into == i; });
        const bool is_alone = fused == graph.nodes.end();
        rewritten.add({node.name, node.explanation.kernel + (is_alone ? "" : " + " + fused->op_type), list_text(node.inputs),
                       list_text(is_alone ? node.outputs : fused->outputs)});
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
    std::printf("  the device held %llu bytes at most; values that live at once have %llu at most\n",
                static_cast<unsigned long long>(memory.peak_used),
                static_cast<unsigned long long>(live.empty() ? 0 : *std::max_element(live.begin(), live.end())));
}

}  // namespace vkonnx::tools
