// SPDX-License-Identifier: Apache-2.0
// A model's graph with its edges tied: every name is one value, every node comes after what it reads.
#pragma once

#include <vkonnx/onnx.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "parse.h"

namespace vkonnx::onnx {

// What this library can execute: vkonnx::Operator's alternatives, and what only renames memory. `none` is everything else.
enum class OpKind : uint8_t {
    none,
    average_pool,
    constant,
    conv_transpose,
    flatten,
    identity,
    onednn_conv_transpose,
    reshape,
    shape,
    squeeze,
    unsqueeze,
};

inline constexpr int32_t no_value = -1;  // an optional input or output given as "" or left off

// Something with a name: filled by a graph input, an initializer or a node.
struct Value {
    std::string_view name = {};
    int32_t input = -1;        // index in GraphProto::inputs; an initializer may be listed there too and then fills it
    int32_t initializer = -1;  // index in GraphProto::initializers
};

struct Node {
    const NodeProto* proto = nullptr;
    OpKind kind = OpKind::none;
    int64_t opset = 0;                 // the import of its domain
    std::vector<int32_t> inputs = {};  // indices in Graph::values, or no_value
    std::vector<int32_t> outputs = {};
};

struct Graph {
    std::vector<Value> values = {};
    std::vector<Node> nodes = {};      // in the file's order
    std::vector<int32_t> inputs = {};  // values that no initializer fills, in the file's order
    std::vector<int32_t> outputs = {};
};

// Behind Model. `proto` and `graph` look into `bytes`.
struct ModelState {
    std::vector<std::byte> bytes = {};
    ModelProto proto = {};
    Graph graph = {};
    std::vector<ValueInfo> inputs = {};
    std::vector<ValueInfo> outputs = {};
};

// Model's one friend.
struct Access {
    static const std::shared_ptr<const ModelState>& state(const Model& model) { return model.state_; }
    static Model model(std::shared_ptr<const ModelState> state)
    {
        Model made;
        made.state_ = std::move(state);
        return made;
    }
};

Result<Graph> build_graph(const ModelProto& model);

// Unless this library can execute every node: a sentence that names the first one that it cannot.
Status check_supported(const ModelProto& model, const Graph& graph);

// For the end of a switch over kinds: a node that nothing there executes is never taken for another one.
Status refuse_forgotten(const Node& node);

// The node's own name, or its first output's where it has none, or "#3" by its place in the file where it has neither.
std::string display_name(const NodeProto& node);

// "node 'up'", or "node #3 (AveragePool)"
std::string label(const NodeProto& node);

// "node 'up': "
std::string prefix(const NodeProto& node);

// "ai.onnx" for the default domain too, which has two names.
std::string_view domain_name(std::string_view domain);

}  // namespace vkonnx::onnx
