// SPDX-License-Identifier: Apache-2.0
// A schedule on a device: operators compiled, constants uploaded, the arena made; and its operators tied to tensors.
#pragma once

#include "graph/schedule.h"

namespace vkonnx::graph {

struct Prepared {
    std::vector<Op> ops = {};        // as the calls
    std::vector<Tensor> homes = {};  // as the blocks: their parts of the arenas; empty handles for others
    Tensor scratch = {};             // one for all operators, which run one after another; empty where none needs any
};

// Refused before anything is allocated where arena, constants and scratch memory would exceed what is left of
// DeviceOptions::max_memory. The schedule's report then tells of what was prepared: PrepareOptions::tune chooses only here.
Result<Prepared> prepare(const Device& device, const Graph& graph, Schedule& schedule, const onnx::SessionOptions& options);

// The calls in their order, with the caller's tensors where values are inputs and outputs of the graph.
Result<Recording> bind_calls(const Device& device, const Graph& graph, const Schedule& schedule, const Prepared& prepared,
                             std::span<const Tensor> inputs, std::span<const Tensor> outputs);

// Behind the calls: copies to those outputs that no call writes.
Status bind_copies(const Device& device, const Graph& graph, const Schedule& schedule, std::span<const Tensor> inputs,
                   std::span<const Tensor> outputs, Recording& recording);

}  // namespace vkonnx::graph
