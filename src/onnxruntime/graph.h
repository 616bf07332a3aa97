// SPDX-License-Identifier: Apache-2.0
// This file copies what ONNX Runtime tells of a graph, which is valid for the length of one call, into plain structs.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "onnxruntime/runtime.h"

namespace vkonnx::onnxruntime {

// A value is what nodes read and write. ONNX knows it by its name.
struct Value {
    const OrtValueInfo* handle = nullptr;
    DType dtype = DType::undefined;    // undefined where it is no tensor
    std::vector<int64_t> dims = {};    // -1 where ONNX Runtime does not know one before a run
    bool is_constant = false;          // an initializer that no input may replace
    bool is_outer = false;             // of a graph around this one
    bool is_output = false;            // of the graph
    std::vector<size_t> readers = {};  // nodes of the graph, by their places

    // ONNX Runtime's interface of 1.23 tells no dimensions both of a scalar and of a value whose rank is not known: false for
    // both.
    bool has_known_dims() const
    {
        return !dims.empty() && std::all_of(dims.begin(), dims.end(), [](int64_t dim) { return dim >= 0; });
    }
};

struct Node {
    const OrtNode* handle = nullptr;
    std::string name = {};
    std::string op_type = {};
    std::string domain = {};
    std::vector<std::string> inputs = {};    // "" for one that is not given
    std::vector<std::string> outputs = {};   // likewise
    std::vector<std::string> captured = {};  // values of this graph that the node's own graphs read, as those of an If do
};

struct OperatorSet {
    std::string domain = {};
    int64_t version = 0;
};

struct Graph {
    std::vector<Node> nodes = {};  // each behind those whose outputs it reads
    std::map<std::string, Value> values = {};
    std::vector<std::string> inputs = {};
    std::vector<std::string> outputs = {};
    std::vector<OperatorSet> operator_sets = {};
    // The node of an outer graph that this graph belongs to, or null, and its operator.
    const OrtNode* parent = nullptr;
    std::string parent_op_type = {};

    bool is_repeated() const { return parent_op_type == "Loop" || parent_op_type == "Scan"; }
};

Graph read_graph(const Runtime& runtime, const OrtGraph* graph);

// Returns a graph of one node, the parent of the graph. ONNX Runtime does not tell what else is in the outer graph.
Graph read_parent(const Runtime& runtime, const Graph& graph);

// Returns the values' names, "" for those that are not there.
std::vector<std::string> input_names(const Runtime& runtime, const OrtNode* node);
std::vector<std::string> output_names(const Runtime& runtime, const OrtNode* node);

// A part is some nodes of a graph, with the values that they read from outside and those that are read outside.
struct Part {
    std::vector<const Node*> nodes = {};
    std::vector<std::string> inputs = {};  // constants are not among them
    std::vector<std::string> outputs = {};
};

// Returns the part that these nodes are, in the graph's order.
Part part_of(const Graph& graph, const std::vector<size_t>& nodes);

}  // namespace vkonnx::onnxruntime
