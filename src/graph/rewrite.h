// SPDX-License-Identifier: Apache-2.0
// This file rewrites a graph for inputs of given descriptions: it infers shapes, folds what is known, chooses the branch of
// each If or puts both and a Where in its place, puts the nodes of a body in the place of a Loop or a Scan as often as it runs,
// takes out what only renames memory or is read by nothing, and fuses operators. What is left are operators for the device.
#pragma once

#include "graph/memo.h"

namespace vkonnx::graph {

// A block is memory that a value and all its views share. It is filled by exactly one of these: a graph input, what is known
// beforehand, a call.
struct Block {
    TensorDesc desc = {};
    int32_t input = -1;                           // place in Graph::inputs
    std::shared_ptr<const Content> content = {};  // known before anything runs
};

// A placed value's dimensions are only dimensions: TensorDesc::layout is never set. Each node knows how it reads them, so that a
// value may pass from a node of NXC data to one that reads N, C, D1..Dn; whoever wrote the model meant it so.
struct PlacedValue {
    int32_t block = -1;
    TensorDesc desc = {};
};

// A call is an operator that runs on the device.
struct Call {
    size_t node = 0;
    Operator op = {};
    std::vector<int32_t> inputs = {};  // values, or no_value; without lists (Schema::Input::member), which are in `op`
    std::vector<int32_t> outputs = {};
    std::optional<Elementwise> epilogue = {};  // the operator of another node, whose outputs these are then
    std::optional<Prologue> prologue = {};     // the operators of other nodes, whose input is then the first one
    uint64_t scratch_budget = UINT64_MAX;      // PrepareOptions::scratch_budget
    std::vector<PlannedPipeline> built = {};   // PrepareOptions::built
    size_t part = 0;                           // its place among the calls that the node became
};

// A fate is what became of a node.
struct Fate {
    enum class Kind : uint8_t {
        call,     // it runs
        view,     // it only renames memory
        host,     // what it makes is known before anything runs
        once,     // the device computes it while preparing
        unread,   // nothing needs it
        fused,    // another node does its work, too
        untaken,  // it is in a branch that is not taken, or in a body
    };
    Kind kind = Kind::call;
    // `into` is the node that does the work of a fused node, and may be fused itself. Of a node in a subgraph it is the
    // node with the subgraph.
    size_t into = 0;
    // `why` says what a fused node is of the node `into`, such as "it is the epilogue of". Of an If that is a view it says which
    // branch took its place.
    std::string_view why = {};
};

struct Rewritten {
    std::vector<Block> blocks = {};
    std::vector<PlacedValue> values = {};  // in the order of Graph::values, and behind them those without a name
    std::vector<Call> calls = {};          // in the order they run
    std::vector<Fate> fates = {};          // in the order of Graph::nodes
};

// A use is the range of calls during which a block is used: from the first to the last that has it among its inputs or outputs.
struct Use {
    size_t first = SIZE_MAX;  // SIZE_MAX: no call has it
    size_t last = 0;
};

// Returns the use of each block, in the order of the blocks.
std::vector<Use> uses_of(const Rewritten& rewritten);

// A deferral is the part of a graph that can't be rewritten before another part of it has run, because elements that are computed
// on the device decide sizes in it, the branch of an If, or how often a Loop runs.
struct Deferral {
    std::vector<bool> nodes = {};  // in the order of Graph::nodes: true for those that wait
    // The values whose elements the first of these need to be planned, of the graph's inputs and of nodes that don't wait.
    std::vector<int32_t> values = {};
    Status status = {};  // what the first of these is refused with; fine where none waits
};

// Every graph input needs a description, by name; one whose type and dimensions the file gives in full may be left out. Options
// that can't be are refused, and so is a graph with an operator that this library does not have. Of the capabilities only those
// count that a fusion or a composite needs. The memo must belong to this graph, these options and these capabilities.
Result<Rewritten> rewrite(const Graph& graph, std::span<const onnx::NamedDesc> inputs, const onnx::SessionOptions& options,
                          const Capabilities& capabilities, Memo& memo);

// Returns what of the graph must wait, where rewriting it whole is refused. A refusal for another reason is returned.
Result<Deferral> find_deferral(const Graph& graph, std::span<const onnx::NamedDesc> inputs, const onnx::SessionOptions& options,
                               const Capabilities& capabilities, Memo& memo);

}  // namespace vkonnx::graph
