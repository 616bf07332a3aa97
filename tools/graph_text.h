// This header prints a graph as tables: its nodes before and after rewriting, and its values in memory.
#pragma once

#include <vkonnx/onnx.hpp>

namespace vkonnx::tools {

// Prints the nodes as the file has them, then those that are left to run.
void print_graph(const onnx::GraphReport& graph);

// Prints what each value costs on the device, and the peak of those that share memory, with what it would be if they didn't.
void print_memory(const onnx::GraphReport& graph);

// Prints the most that a device has held, staging and all, beside the most that values which live at once take, inputs and
// outputs among them.
void print_peak(const onnx::GraphReport& graph, const MemoryUse& memory);

}  // namespace vkonnx::tools
