// SPDX-License-Identifier: Apache-2.0
// A schedule is a rewritten graph as it will run: each operator is planned, and each value has its place in memory.
#pragma once

#include "graph/lifetimes.h"
#include "graph/rewrite.h"

namespace vkonnx::graph {

// A home tells where a block lies, and during which calls.
struct Home {
    onnx::ValuePlace place = onnx::ValuePlace::none;
    size_t index = 0;  // of an input or output: which one
    Spot spot = {};    // in the arenas
    // This is where an input or an output finds room in the arenas. An input has it from before the first call on, an output
    // until behind the last one. Session::run puts outputs there, and inputs as long as nothing else is bound.
    std::optional<Spot> room = {};
    uint64_t bytes = 0;  // 0 where it lies nowhere
    size_t first = SIZE_MAX;
    size_t last = 0;
};

struct Schedule {
    Rewritten graph = {};
    std::vector<Home> homes = {};         // in the order of its blocks
    std::vector<Spot> scratch = {};       // in the order of its calls, in the arenas: without meaning where a call needs none
    std::vector<TensorDesc> inputs = {};  // in the orders of Graph::inputs and Graph::outputs
    std::vector<TensorDesc> outputs = {};
    onnx::GraphReport totals = {};  // without nodes and values, which `report_of` adds
};

// These tell how each call will run, in the order of the calls.
using Explanations = std::span<const Explanation* const>;
std::vector<const Explanation*> pointers_to(const std::vector<Explanation>& explanations);

// These return what an operator is prepared with: its inputs' descriptions, which of them are known (as constants without a
// tensor), and the session's options with what is the call's own.
std::vector<TensorDesc> descs_of(const Rewritten& graph, const Call& call);
std::vector<size_t> constants_of(const Rewritten& graph, const Call& call);
PrepareOptions options_of(const Call& call, PrepareOptions options);

// Explains how each call would run, in their order.
Result<std::vector<Explanation>> explain_calls(const Graph& graph, const Rewritten& rewritten, const Capabilities& capabilities,
                                               const PrepareOptions& options);

Result<Schedule> make_schedule(const Graph& graph, Rewritten rewritten, Explanations explanations,
                               const Capabilities& capabilities);

}  // namespace vkonnx::graph
