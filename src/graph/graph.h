// SPDX-License-Identifier: Apache-2.0
// This file holds a model's graph with its edges tied: every name is one value, but in branches, which have names of their own,
// and every node comes after what it reads. The code that reads a file makes it; nothing here knows the file's format.
#pragma once

#include <vkonnx/onnx.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/operators.h"
#include "graph/quote.h"

namespace vkonnx::graph {

using onnx::HostTensor;
using onnx::ValueInfo;

// Tensors of a higher rank are refused.
inline constexpr size_t max_rank = 64;

inline constexpr int32_t no_value = -1;   // an optional input or output given as "" or left off
inline constexpr int32_t no_branch = -1;  // the model's own graph

struct Computation;

// A content is elements that are known before anything runs, or that the device computes once.
struct Content {
    TensorDesc desc = {};
    std::span<const std::byte> bytes = {};          // the elements, where they lie as a device wants them; else `read` gives them
    std::function<Result<HostTensor>()> read = {};  // gives the elements, in memory that it allocates
    // Reads some of their bytes, those from an offset on. It is set where they lie in a file, or where most of them are zeros.
    std::function<Status(uint64_t offset, std::span<std::byte> to)> read_part = {};
    // How the device computes the elements. Where it is set, they are one of its outputs, and nothing on the host has them.
    std::shared_ptr<const Computation> computed = {};
    size_t computed_output = 0;

    bool is_on_host() const { return !computed; }
};

// A computation is an operator whose inputs are all constants.
struct Computation {
    Operator op = {};
    std::vector<std::shared_ptr<const Content>> inputs = {};  // null for one that is left out
    std::vector<TensorDesc> descs = {};                       // of the inputs, as the operator sees them
    PrepareOptions options = {};
    size_t calls = 1;  // how many operators run for it: this one, and those that compute its inputs
};

std::shared_ptr<const Content> content_of(HostTensor made);

// This ends the sentence about a value that must be known while preparing and is not.
inline constexpr std::string_view known_only_when_running = " is known only when running; supported are an initializer, a "
                                                            "Constant, an input with NamedDesc::value, the result of a Shape, "
                                                            "and what is computed from these";

// Returns the elements of an int32 or int64 tensor.
std::vector<int64_t> integers_of(const HostTensor& tensor);

// A value is something with a name. A graph input, a content or a node fills it.
struct Value {
    std::string_view name = {};
    int32_t input = -1;                           // place among the file's graph inputs
    std::shared_ptr<const Content> content = {};  // an initializer; it may be listed as a graph input, too, and then fills it
};

struct Node {
    std::string_view name = {};  // its own, or its first output's; empty where it has neither
    std::string_view op_type = {};
    std::string_view domain = {};        // "ai.onnx" for the default domain, too, which has two names
    size_t index = 0;                    // in its graph, the model's own or a branch
    int32_t branch = no_branch;          // the one that it is in, in Graph::branches
    int64_t opset = 0;                   // the version of its domain that the model imports
    const OperatorInfo* info = nullptr;  // null for an operator that this library does not have
    std::shared_ptr<const Operation> operation = {};
    std::shared_ptr<const Content> content = {};  // of a Constant; ConstantOfShape's value, where it is given
    Status refused = {};                          // what is wrong with it, without its name; then there may be no operation
    std::vector<int32_t> inputs = {};             // indices in Graph::values, or no_value
    std::vector<int32_t> outputs = {};
};

// A branch is a subgraph of a node: then_branch or else_branch of an If, or the body of a Loop or a Scan.
struct Branch {
    std::string_view name = {};              // of the attribute that it is
    size_t node = 0;                         // whose subgraph it is, in Graph::nodes
    size_t first_node = 0;                   // its own nodes and those of the subgraphs within it begin here
    size_t end_node = 0;                     // and end before this one
    bool when = false;                       // of an If: the condition for which it is taken
    int32_t within = no_branch;              // the branch that the node is in
    std::vector<int32_t> inputs = {};        // values; a body alone has some
    std::vector<int32_t> initializers = {};  // values
    std::vector<int32_t> outputs = {};       // values, also of the graphs around it
    std::vector<ValueInfo> output_infos = {};
    Status refused = {};  // why it can't run, without the names of the node and the branch
};

struct Graph {
    std::vector<Value> values = {};
    std::vector<Node> nodes = {};  // in the file's order; those in the subgraphs of a node come before it
    std::vector<Branch> branches = {};
    std::vector<int32_t> initializers = {};  // values, without those of branches
    std::vector<int32_t> inputs = {};        // values that no initializer fills, in the file's order
    std::vector<int32_t> outputs = {};
    std::vector<ValueInfo> input_infos = {};  // in the order of `inputs`
    std::vector<ValueInfo> output_infos = {};
    // The first node with an operator that this library does not have. In a branch such a node only refuses itself.
    Status unsupported = {};
};

// Calls the function for each value that the node reads: its inputs, and what its subgraphs give. What nodes in these read is not
// among them.
template <class Function>
void for_each_read(const Graph& graph, const Node& node, Function read)
{
    const auto read_all = [&](const std::vector<int32_t>& values) {
        for (const int32_t value : values)
            if (value != no_value)
                read(value);
    };
    read_all(node.inputs);
    if (node.refused && node.operation)  // what is refused may lack a subgraph
        for (const int32_t branch : subgraphs_of(*node.operation))
            read_all(graph.branches[size_t(branch)].outputs);
}

// Returns the node's own name, or its first output's where it has none, or "#3" by its place in the file where it has neither.
std::string display_name(const Node& node);

// Returns "node 'up'", or "node #3 (AveragePool)" without a name.
std::string label(const Node& node);

// Returns the status with "node 'up': " in front. An out_of_memory status stays as it is, because words need memory, too.
Status in_node(const Node& node, const Status& status);

}  // namespace vkonnx::graph

namespace vkonnx::onnx {

// This struct holds what is behind a Model. The graph points into the file.
struct ModelState {
    std::shared_ptr<const void> file = {};
    graph::Graph graph = {};
    std::vector<MetadataEntry> metadata = {};
};

// Access is Model's only friend.
struct Access {
    static const std::shared_ptr<const ModelState>& state(const Model& model) { return model.state_; }
    static Model model(std::shared_ptr<const ModelState> state)
    {
        Model made;
        made.state_ = std::move(state);
        return made;
    }
};

}  // namespace vkonnx::onnx
