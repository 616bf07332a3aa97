// SPDX-License-Identifier: Apache-2.0
// This file runs a plan: it uploads inputs, runs the calls and reads outputs back.
#pragma once

#include "graph/plans.h"

namespace vkonnx::graph {

// Returns the tensor that a view looks at, in memory of its own.
HostTensor copied(const onnx::HostView& view);

// These return what a value of the graph became in a schedule: its memory, and where that lies.
const Block& block_of(const Schedule& schedule, int32_t value);
const Home& home_of(const Schedule& schedule, int32_t value);

// Runs the plan's calls with these inputs, which stand in the order of Graph::inputs and are as the plan describes them. Where
// memory is short, all other plans are dropped.
Status run_plan(Plans& plans, Plan& plan, std::span<const onnx::HostView> inputs);

// Returns an output of the last run, by its place in Graph::outputs. `inputs` are those of that run.
Result<HostTensor> output_of(Plan& plan, const Graph& graph, size_t index, std::span<const onnx::HostView> inputs);
// Returns the memory that the caller of Session::run_into gives for an output, which is checked.
Result<std::span<std::byte>> memory_for(const Graph& graph, size_t index, const TensorDesc& desc,
                                        const onnx::OutputMemory& memory);
// Writes an output of the last run where its caller wants it.
Status write_output(Plan& plan, const Graph& graph, size_t index, std::span<const onnx::HostView> inputs,
                    const onnx::OutputMemory& memory);

}  // namespace vkonnx::graph
