// A graph as tables: its nodes before and after rewriting, and its values in memory.
#pragma once

#include <vkonnx/onnx.hpp>

namespace vkonnx::tools {

// The nodes as the file has them, then those that are left to run.
void print_graph(const onnx::GraphReport& graph);

// What each value costs on the device, and the peak of those that share memory, with what it would be if they didn't.
void print_memory(const onnx::GraphReport& graph);

// What a device has held at most, staging and all, beside the values that live at once at most, inputs and outputs among them.
void print_peak(const onnx::GraphReport& graph, const MemoryUse& memory);

}  // namespace vkonnx::tools
