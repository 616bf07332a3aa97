// SPDX-License-Identifier: Apache-2.0
// This file puts a schedule on a device: it compiles operators, uploads constants, makes arenas and ties operators to tensors.
#pragma once

#include "graph/schedule.h"
#include "graph/weights.h"

namespace vkonnx::graph {

struct Prepared {
    std::vector<Op> ops = {};  // in the order of the calls
    std::vector<Tensor> arenas = {};
    std::vector<Tensor> homes = {};    // in the order of the blocks: their parts of the arenas; empty handles for others
    std::vector<Tensor> scratch = {};  // in the order of the calls: parts of arenas, empty where one needs none
};

// Returns out_of_memory where a schedule needs more than what is left of DeviceOptions::max_memory.
Status check_memory(const Device& device, const onnx::GraphReport& totals);

// Prepares the calls on the device. What is known becomes their constants, which come from the store.
Result<std::vector<Op>> prepare_calls(const Device& device, const Graph& graph, const Rewritten& rewritten,
                                      const onnx::SessionOptions& options, ConstantStore& constants);

// Gives memory to a schedule of these operators.
Result<Prepared> prepare(const Device& device, const Schedule& schedule, std::vector<Op> ops);

// Adds the calls in their order, with the caller's tensors where values are inputs and outputs of the graph.
Status bind_calls(const Device& device, const Graph& graph, const Schedule& schedule, const Prepared& prepared,
                  std::span<const Tensor> inputs, std::span<const Tensor> outputs, Recording& recording);

// Adds copies, behind the calls, to those outputs that no call writes.
Status bind_copies(const Device& device, const Graph& graph, const Schedule& schedule, std::span<const Tensor> inputs,
                   std::span<const Tensor> outputs, Recording& recording);

}  // namespace vkonnx::graph
