// SPDX-License-Identifier: Apache-2.0
// What a graph computes for inputs of given descriptions: shapes inferred, what is known folded, what only renames memory or is
// read by nothing taken out, operators fused. What is left are operators for the device.
#pragma once

#include "graph/memo.h"

namespace vkonnx::graph {

// Memory that a value and all its views share. Filled by exactly one of: a graph input, what is known beforehand, a call.
struct Block {
    TensorDesc desc = {};
    int32_t input = -1;                           // place in Graph::inputs
    std::shared_ptr<const Content> content = {};  // known before anything runs
};

// Its dimensions are only dimensions: TensorDesc::layout is never set. How they are read is each node's own matter, so that a
// value may pass from a node of NXC data to one that reads N, C, D1..Dn; whoever wrote the model meant it so.
struct PlacedValue {
    int32_t block = -1;
    TensorDesc desc = {};
};

// An operator that runs on the device.
struct Call {
    size_t node = 0;
    Operator op = {};
    std::vector<int32_t> inputs = {};  // values of the graph, or no_value; without lists (ListInput), which are in `op`
    std::vector<int32_t> outputs = {};
    std::optional<Elementwise> epilogue = {};  // of another node, whose outputs these are then
    std::optional<Prologue> prologue = {};     // of others, whose input the first one is then
    uint64_t scratch_budget = UINT64_MAX;      // PrepareOptions::scratch_budget
    std::vector<PlannedPipeline> built = {};   // PrepareOptions::built
};

// What became of a node.
struct Fate {
    enum class Kind : uint8_t {
        call,    // it runs
        view,    // it only renames memory
        host,    // what it makes is known before anything runs
        unread,  // nothing needs it
        fused,   // another node does it, too
    };
    Kind kind = Kind::call;
    size_t into = 0;            // of a fused one: the node, which may have been fused itself
    std::string_view why = {};  // of a fused one: what it is of that node
};

struct Rewritten {
    std::vector<Block> blocks = {};
    std::vector<PlacedValue> values = {};  // as Graph::values, and behind them outputs without a name
    std::vector<Call> calls = {};          // in the order they run
    std::vector<Fate> fates = {};          // as Graph::nodes
};

// While which calls a block is used: from the first one to the last that have it among their inputs and outputs.
struct Use {
    size_t first = SIZE_MAX;  // none has
    size_t last = 0;
};

// Returns the use of each block, in the order of the blocks.
std::vector<Use> uses_of(const Rewritten& rewritten);

// Every graph input needs a description, by name; one whose dimensions the file gives in full may be left out.
// Options that can't be are refused, and so is a graph with an operator that this library does not have. Of the capabilities only
// those count that a fusion needs. The memo is of this graph, these options and these capabilities.
Result<Rewritten> rewrite(const Graph& graph, std::span<const onnx::NamedDesc> inputs, const onnx::SessionOptions& options,
                          const Capabilities& capabilities, Memo& memo);

}  // namespace vkonnx::graph
