// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <deque>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "tensor.h"

namespace vkonnx::onnx {

namespace {

constexpr std::string_view onnx_domain = "ai.onnx";
constexpr std::string_view onednn_domain = "onednn.graph";

struct Supported {
    std::string_view domain;
    std::string_view op_type;
    OpKind kind;
};

constexpr std::array<Supported, 10> supported_operators = {{{onnx_domain, "AveragePool", OpKind::average_pool},
                                                            {onnx_domain, "Constant", OpKind::constant},
                                                            {onnx_domain, "ConvTranspose", OpKind::conv_transpose},
                                                            {onnx_domain, "Flatten", OpKind::flatten},
                                                            {onnx_domain, "Identity", OpKind::identity},
                                                            {onnx_domain, "Reshape", OpKind::reshape},
                                                            {onnx_domain, "Shape", OpKind::shape},
                                                            {onnx_domain, "Squeeze", OpKind::squeeze},
                                                            {onnx_domain, "Unsqueeze", OpKind::unsqueeze},
                                                            {onednn_domain, "ConvTranspose", OpKind::onednn_conv_transpose}}};

OpKind kind_of(const NodeProto& node)
{
    for (const Supported& supported : supported_operators)
        if (supported.domain == domain_name(node.domain) && supported.op_type == node.op_type)
            return supported.kind;
    return OpKind::none;
}

// "AveragePool, ..., Unsqueeze of domain 'ai.onnx'"
std::string supported_in(std::string_view domain)
{
    std::string list;
    for (const Supported& supported : supported_operators)
        if (supported.domain == domain)
            list += (list.empty() ? "" : ", ") + std::string(supported.op_type);
    return list + " of domain " + quote(domain);
}

Status invalid(std::string sentence)
{
    return Status(Code::invalid_argument, std::move(sentence));
}

// The opset imports, each domain once.
class Imports {
public:
    Status add(const OperatorSetId& id)
    {
        auto [known, is_new] = versions_.try_emplace(domain_name(id.domain), id.version);
        if (!is_new && known->second != id.version)
            return invalid("the model imports domain " + quote(domain_name(id.domain)) + " twice, in version " +
                           std::to_string(known->second) + " and in version " + std::to_string(id.version));
        return {};
    }

    Result<int64_t> version_for(const NodeProto& node) const
    {
        auto known = versions_.find(domain_name(node.domain));
        std::string domain = quote(domain_name(node.domain));
        if (known == versions_.end())
            return invalid(prefix(node) + visible(node.op_type) + " is of domain " + domain +
                           ", for which the model has no opset import");
        if (known->second < 1)
            return invalid(prefix(node) + visible(node.op_type) + " is of domain " + domain +
                           ", which the model imports in version " + std::to_string(known->second) + "; versions begin at 1");
        return known->second;
    }

private:
    std::unordered_map<std::string_view, int64_t> versions_;
};

class GraphBuilder {
public:
    explicit GraphBuilder(const ModelProto& model) : model_(model), proto_(model.graph) {}

    Result<Graph> build()
    {
        for (auto step : {&GraphBuilder::add_imports, &GraphBuilder::add_initializers, &GraphBuilder::add_inputs,
                          &GraphBuilder::name_node_outputs, &GraphBuilder::add_nodes, &GraphBuilder::add_outputs})
            if (Status status = (this->*step)(); !status)
                return status;
        return std::move(graph_);
    }

private:
    Status add_imports();
    Status add_initializers();
    Status add_inputs();
    Status name_node_outputs();
    Status add_nodes();
    Status add_outputs();
    Status tie_inputs(Node& node);
    Status wrong_order(const NodeProto& node, std::string_view input) const;
    bool has_cycle() const;

    int32_t add_value(Value value)
    {
        graph_.values.push_back(value);
        return int32_t(graph_.values.size() - 1);
    }

    const ModelProto& model_;
    const GraphProto& proto_;
    Imports imports_;
    Graph graph_;
    std::unordered_map<std::string_view, int32_t> values_;       // that exist where the builder has come to
    std::unordered_map<std::string_view, size_t> node_outputs_;  // all of them: the node that makes it
};

Status GraphBuilder::add_imports()
{
    for (const OperatorSetId& id : model_.opset_imports)
        if (Status status = imports_.add(id); !status)
            return status;
    return {};
}

Status GraphBuilder::add_initializers()
{
    if (proto_.has_sparse_initializer)
        return Status(Code::unsupported, "the model has a sparse initializer, which is not supported");
    for (size_t i = 0; i < proto_.initializers.size(); ++i) {
        const TensorProto& tensor = proto_.initializers[i];
        if (Result<TensorDesc> desc = check(tensor); !desc)
            return Status(desc.code(), "initializer " + std::to_string(i) + ": " + std::string(desc.message()));
        int32_t index = add_value({.name = tensor.name, .initializer = int32_t(i)});
        if (!values_.try_emplace(tensor.name, index).second)
            return invalid("two initializers have the name " + quote(tensor.name));
    }
    return {};
}

Status GraphBuilder::add_inputs()
{
    for (size_t i = 0; i < proto_.inputs.size(); ++i) {
        std::string_view name = proto_.inputs[i].name;
        auto known = values_.find(name);
        if (known == values_.end()) {
            int32_t index = add_value({.name = name, .input = int32_t(i)});
            values_.emplace(name, index);
            graph_.inputs.push_back(index);
            continue;
        }
        Value& value = graph_.values[size_t(known->second)];
        if (value.input >= 0)
            return invalid("two graph inputs have the name " + quote(name));
        value.input = int32_t(i);  // files before IR version 4 list their initializers here too
    }
    return {};
}

Status GraphBuilder::name_node_outputs()
{
    for (size_t i = 0; i < proto_.nodes.size(); ++i) {
        for (std::string_view output : proto_.nodes[i].outputs) {
            if (output.empty())
                continue;
            if (values_.contains(output))
                return invalid(prefix(proto_.nodes[i]) + "its output " + quote(output) +
                               " has the name of a graph input or initializer");
            if (!node_outputs_.try_emplace(output, i).second)
                return invalid(prefix(proto_.nodes[i]) + "its output " + quote(output) + " is made twice");
        }
    }
    return {};
}

Status GraphBuilder::add_nodes()
{
    graph_.nodes.reserve(proto_.nodes.size());
    for (const NodeProto& proto : proto_.nodes) {
        Node node{.proto = &proto, .kind = kind_of(proto)};
        Result<int64_t> version = imports_.version_for(proto);
        if (!version)
            return version.status();
        node.opset = *version;
        if (Status status = tie_inputs(node); !status)
            return status;
        for (std::string_view output : proto.outputs) {
            int32_t index = output.empty() ? no_value : add_value({.name = output});
            node.outputs.push_back(index);
            if (index != no_value)
                values_.emplace(output, index);
        }
        graph_.nodes.push_back(std::move(node));
    }
    return {};
}

Status GraphBuilder::tie_inputs(Node& node)
{
    for (std::string_view input : node.proto->inputs) {
        auto known = values_.find(input);
        if (input.empty())
            node.inputs.push_back(no_value);
        else if (known != values_.end())
            node.inputs.push_back(known->second);
        else
            return wrong_order(*node.proto, input);
    }
    while (!node.inputs.empty() && node.inputs.back() == no_value)
        node.inputs.pop_back();
    return {};
}

Status GraphBuilder::wrong_order(const NodeProto& node, std::string_view input) const
{
    auto maker = node_outputs_.find(input);
    if (maker == node_outputs_.end())
        return invalid(prefix(node) + "its input " + quote(input) +
                       " is neither a graph input nor an initializer nor a node's output");
    const NodeProto& other = proto_.nodes[maker->second];
    if (&other == &node)
        return invalid(prefix(node) + "its input " + quote(input) + " is its own output");
    if (has_cycle())
        return invalid(prefix(node) + "its input " + quote(input) + ", made by " + label(other) +
                       ", is part of a cycle or depends on one");
    return invalid(prefix(node) + "its input " + quote(input) + " is made only later, by " + label(other) +
                   "; nodes must stand in an order that can run");
}

// Takes away nodes whose inputs are all there until none is left, or only those that wait for each other.
bool GraphBuilder::has_cycle() const
{
    std::vector<size_t> waiting(proto_.nodes.size());
    std::vector<std::vector<size_t>> readers(proto_.nodes.size());
    std::deque<size_t> ready;
    for (size_t i = 0; i < proto_.nodes.size(); ++i) {
        for (std::string_view input : proto_.nodes[i].inputs) {
            if (auto maker = node_outputs_.find(input); maker != node_outputs_.end()) {
                readers[maker->second].push_back(i);
                ++waiting[i];
            }
        }
        if (waiting[i] == 0)
            ready.push_back(i);
    }
    size_t taken = 0;
    for (; !ready.empty(); ++taken) {
        size_t node = ready.front();
        ready.pop_front();
        for (size_t reader : readers[node])
            if (--waiting[reader] == 0)
                ready.push_back(reader);
    }
    return taken < proto_.nodes.size();
}

Status GraphBuilder::add_outputs()
{
    std::unordered_set<std::string_view> named;
    for (const ValueInfoProto& output : proto_.outputs) {
        std::string_view name = output.name;
        auto known = values_.find(name);
        if (known == values_.end())
            return invalid("the graph output " + quote(name) +
                           " is neither a graph input nor an initializer nor a node's output");
        if (!named.insert(name).second)
            return invalid("two graph outputs have the name " + quote(name));
        graph_.outputs.push_back(known->second);
    }
    return {};
}

// Operators that the model itself defines: domain, name, overload.
using FunctionKey = std::tuple<std::string_view, std::string_view, std::string_view>;

std::string what_else(const NodeProto& node, bool is_function)
{
    if (is_function)
        return " (a function defined in the model)";
    for (const AttributeProto& attribute : node.attributes)
        if (attribute.type == AttributeType::graph || attribute.type == AttributeType::graphs)
            return " (with a subgraph in attribute " + quote(attribute.name) + ")";
    return "";
}

}  // namespace

Result<Graph> build_graph(const ModelProto& model)
{
    return GraphBuilder(model).build();
}

Status check_supported(const ModelProto& model, const Graph& graph)
{
    std::set<FunctionKey> functions;
    for (const FunctionProto& function : model.functions)
        functions.emplace(domain_name(function.domain), function.name, function.overload);
    for (const Node& node : graph.nodes) {
        const NodeProto& proto = *node.proto;
        bool is_function = functions.contains({domain_name(proto.domain), proto.op_type, proto.overload});
        if (node.kind != OpKind::none && !is_function)
            continue;
        return Status(Code::unsupported, prefix(proto) + "operator " + quote(proto.op_type) + " of domain " +
                                             quote(domain_name(proto.domain)) + ", opset " + std::to_string(node.opset) +
                                             what_else(proto, is_function) + " is not supported; supported are " +
                                             supported_in(onnx_domain) + ", and " + supported_in(onednn_domain));
    }
    return {};
}

Status refuse_forgotten(const Node& node)
{
    return Status(Code::unsupported, visible(node.proto->op_type) + " is in the table of operators, but nothing executes it");
}

static std::string_view name_of(const NodeProto& node)
{
    if (!node.name.empty())
        return node.name;
    for (std::string_view output : node.outputs)
        if (!output.empty())
            return output;
    return {};
}

std::string display_name(const NodeProto& node)
{
    std::string_view name = name_of(node);
    return name.empty() ? "#" + std::to_string(node.index) : std::string(name);
}

std::string label(const NodeProto& node)
{
    std::string_view name = name_of(node);
    return "node " + (name.empty() ? display_name(node) + " (" + visible(node.op_type) + ")" : quote(name));
}

std::string prefix(const NodeProto& node)
{
    return label(node) + ": ";
}

std::string_view domain_name(std::string_view domain)
{
    return domain.empty() ? onnx_domain : domain;
}

}  // namespace vkonnx::onnx
