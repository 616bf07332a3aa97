// SPDX-License-Identifier: Apache-2.0
// A schedule on a device: operators compiled, constants uploaded, the arena made; and its operators tied to tensors.
#pragma once

#include "graph/schedule.h"
#include "graph/weights.h"

namespace vkonnx::graph {

struct Prepared {
    std::vector<Op> ops = {};  // as the calls
    std::vector<Tensor> arenas = {};
    std::vector<Tensor> homes = {};    // as the blocks: their parts of the arenas; empty handles for others
    std::vector<Tensor> scratch = {};  // as the calls: parts of arenas, empty where one needs none
};

// Out of memory where what a schedule needs would exceed what is left of DeviceOptions::max_memory.
Status check_memory(const Device& device, const onnx::GraphReport& totals);

// The calls on the device, with what is known as their constants, which come from the store.
Result<std::vector<Op>> prepare_calls(const Device& device, const Graph& graph, const Rewritten& rewritten,
                                      const onnx::SessionOptions& options, ConstantStore& constants);

// A schedule of these operators, with memory.
Result<Prepared> prepare(const Device& device, const Schedule& schedule, std::vector<Op> ops);

// Adds the calls in their order, with the caller's tensors where values are inputs and outputs of the graph.
Status bind_calls(const Device& device, const Graph& graph, const Schedule& schedule, const Prepared& prepared,
                  std::span<const Tensor> inputs, std::span<const Tensor> outputs, Recording& recording);

// Adds copies, behind the calls, to those outputs that no call writes.
Status bind_copies(const Device& device, const Graph& graph, const Schedule& schedule, std::span<const Tensor> inputs,
                   std::span<const Tensor> outputs, Recording& recording);

}  // namespace vkonnx::graph
