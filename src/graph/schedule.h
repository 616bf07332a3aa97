// SPDX-License-Identifier: Apache-2.0
// A rewritten graph as it will run: each operator planned, each value with its place in memory.
#pragma once

#include "graph/lifetimes.h"
#include "graph/rewrite.h"

namespace vkonnx::graph {

// Where a block lies.
struct Home {
    onnx::ValuePlace place = onnx::ValuePlace::none;
    size_t index = 0;  // of inputs and outputs: which
    Spot spot = {};    // in the arenas
};

struct Schedule {
    Rewritten graph = {};                 // its reports have gone into `report`
    std::vector<Home> homes = {};         // as its blocks
    std::vector<Spot> scratch = {};       // as its calls, in the arenas: of no account where a call needs none
    std::vector<TensorDesc> inputs = {};  // as Graph::inputs and Graph::outputs
    std::vector<TensorDesc> outputs = {};
    onnx::GraphReport report = {};
};

// What an operator is prepared with: its inputs' descriptions, and which of them are known (as constants without a tensor).
std::vector<TensorDesc> descs_of(const Rewritten& graph, const Call& call);
std::vector<size_t> constants_of(const Rewritten& graph, const Call& call);

// How each call would run, in their order.
Result<std::vector<Explanation>> explain_calls(const Graph& graph, const Rewritten& rewritten, const Capabilities& capabilities,
                                               const PrepareOptions& options);

// Of calls that run as these explanations say.
Result<Schedule> make_schedule(const Graph& graph, Rewritten rewritten, std::vector<Explanation> explanations,
                               const Capabilities& capabilities);

}  // namespace vkonnx::graph
