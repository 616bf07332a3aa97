// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include <deque>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "attributes.h"
#include "graph/value_info.h"
#include "return_if_error.h"
#include "tensor.h"

namespace vkonnx::onnx {

namespace {

using graph::Graph;
using graph::no_value;
using graph::Node;
using graph::Value;

std::string_view domain_name(std::string_view domain)
{
    return domain.empty() ? graph::onnx_domain : domain;
}

std::string_view name_of(const NodeProto& node)
{
    if (!node.name.empty())
        return node.name;
    for (std::string_view output : node.outputs)
        if (!output.empty())
            return output;
    return {};
}

std::string label(const NodeProto& node)
{
    return graph::label({.name = name_of(node), .op_type = node.op_type, .index = node.index});
}

std::string prefix(const NodeProto& node)
{
    return label(node) + ": ";
}

Status invalid(std::string sentence)
{
    return Status(Code::invalid_argument, std::move(sentence));
}

// This class holds the opset imports, each domain once.
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

// This key stands for an operator that the model itself defines: domain, name, overload.
using FunctionKey = std::tuple<std::string_view, std::string_view, std::string_view>;

class GraphBuilder {
public:
    GraphBuilder(const ModelProto& model, const ExternalFolder& folder) : model_(model), proto_(model.graph), folder_(folder) {}

    Result<Graph> build()
    {
        for (auto step :
             {&GraphBuilder::add_imports, &GraphBuilder::add_functions, &GraphBuilder::add_initializers,
              &GraphBuilder::add_inputs, &GraphBuilder::name_node_outputs, &GraphBuilder::add_nodes, &GraphBuilder::add_outputs,
              &GraphBuilder::declare_inputs, &GraphBuilder::declare_outputs, &GraphBuilder::mark_inputs})
            VKONNX_RETURN_IF_ERROR((this->*step)());
        return std::move(graph_);
    }

private:
    Status add_imports();
    Status add_functions();
    Status add_initializers();
    Status add_inputs();
    Status name_node_outputs();
    Status add_nodes();
    Status add_outputs();
    Status declare_inputs();
    Status declare_outputs();
    Status mark_inputs();
    Status tie_inputs(Node& node, const NodeProto& proto);
    void read_operation(Node& node, const NodeProto& proto);
    void refuse_unsupported(const Node& node, const NodeProto& proto);
    Status wrong_order(const NodeProto& node, std::string_view input) const;
    bool has_cycle() const;

    int32_t add_value(Value value)
    {
        graph_.values.push_back(std::move(value));
        return int32_t(graph_.values.size() - 1);
    }

    const ModelProto& model_;
    const GraphProto& proto_;
    const ExternalFolder& folder_;
    Imports imports_;
    std::set<FunctionKey> functions_;
    Graph graph_;
    std::unordered_map<std::string_view, int32_t> values_;       // those that exist so far, while nodes are added
    std::unordered_map<std::string_view, size_t> node_outputs_;  // of all nodes: the node that makes each
};

Status GraphBuilder::add_imports()
{
    for (const OperatorSetId& id : model_.opset_imports)
        VKONNX_RETURN_IF_ERROR(imports_.add(id));
    return {};
}

Status GraphBuilder::add_functions()
{
    for (const FunctionProto& function : model_.functions)
        functions_.emplace(domain_name(function.domain), function.name, function.overload);
    return {};
}

Status GraphBuilder::add_initializers()
{
    if (proto_.has_sparse_initializer)
        return Status(Code::unsupported, "the model has a sparse initializer, which is not supported");
    for (size_t i = 0; i < proto_.initializers.size(); ++i) {
        const TensorProto& tensor = proto_.initializers[i];
        const Result<std::shared_ptr<const graph::Content>> content = content_of(tensor, folder_);
        if (!content)
            return Status(content.code(), "initializer " + std::to_string(i) + ": " + std::string(content.message()));
        const int32_t index = add_value({.name = tensor.name, .content = *content});
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
        Node node{.name = name_of(proto), .op_type = proto.op_type, .domain = domain_name(proto.domain), .index = proto.index};
        const Result<int64_t> version = imports_.version_for(proto);
        VKONNX_RETURN_IF_ERROR(version.status());
        node.opset = *version;
        VKONNX_RETURN_IF_ERROR(tie_inputs(node, proto));
        for (std::string_view output : proto.outputs) {
            int32_t index = output.empty() ? no_value : add_value({.name = output});
            node.outputs.push_back(index);
            if (index != no_value)
                values_.emplace(output, index);
        }
        read_operation(node, proto);
        graph_.nodes.push_back(std::move(node));
    }
    return {};
}

Status GraphBuilder::tie_inputs(Node& node, const NodeProto& proto)
{
    for (std::string_view input : proto.inputs) {
        auto known = values_.find(input);
        if (input.empty())
            node.inputs.push_back(no_value);
        else if (known != values_.end())
            node.inputs.push_back(known->second);
        else
            return wrong_order(proto, input);
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

// Tells whether nodes wait for each other: it takes away nodes whose inputs are there until none is left, or only such nodes.
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

// Reads the operator and its attributes. What is wrong with them is said when the node is to be executed.
void GraphBuilder::read_operation(Node& node, const NodeProto& proto)
{
    const bool is_function = functions_.contains({node.domain, proto.op_type, proto.overload});
    node.info = is_function ? nullptr : graph::find_operator(node.domain, proto.op_type);
    if (!node.info) {
        refuse_unsupported(node, proto);
        return;
    }
    std::vector<bool> given, made;
    for (const int32_t input : node.inputs)
        given.push_back(input != no_value);
    for (const int32_t output : node.outputs)
        made.push_back(output != no_value);
    node.refused = graph::check_arity(*node.info, node.opset, given, made);
    if (node.refused)
        node.refused = read_attributes(proto, folder_, node);
}

// Keeps the error for the first node with an unsupported operator.
void GraphBuilder::refuse_unsupported(const Node& node, const NodeProto& proto)
{
    if (!graph_.unsupported)
        return;
    std::string what;
    if (functions_.contains({node.domain, proto.op_type, proto.overload}))
        what = " (a function defined in the model)";
    for (const AttributeProto& attribute : proto.attributes)
        if (what.empty() && (attribute.type == AttributeType::graph || attribute.type == AttributeType::graphs))
            what = " (with a subgraph in attribute " + quote(attribute.name) + ")";
    graph_.unsupported = Status(Code::unsupported, prefix(proto) + "operator " + quote(proto.op_type) + " of domain " +
                                                       quote(node.domain) + ", opset " + std::to_string(node.opset) + what +
                                                       " is not supported; supported are " + graph::supported_operators());
}

Result<graph::ValueInfo> declaration(const char* kind, const ValueInfoProto& proto)
{
    const std::string label = kind + quote(proto.name) + ": ";
    graph::ValueInfo info{
        .name = std::string(proto.name), .dtype = dtype_from(proto.elem_type), .has_shape = proto.has_shape, .dims = proto.dims};
    if (!proto.is_tensor)
        return Status(Code::unsupported, label + "it is no dense tensor; sequences, maps, optionals and sparse tensors are not "
                                                 "supported");
    if (info.dtype == DType::undefined && proto.elem_type != 0)
        return invalid(label + "elem_type " + std::to_string(proto.elem_type) + " is none of ONNX's types");
    if (info.dims.size() > max_rank)
        return invalid(label + "rank " + std::to_string(info.dims.size()) + " is above " + std::to_string(max_rank));
    return info;
}

// Declares the graph inputs. Initializers that are also inputs, as before IR version 4, are checked against the declarations.
Status GraphBuilder::declare_inputs()
{
    std::vector<graph::ValueInfo> infos;
    for (const ValueInfoProto& proto : proto_.inputs) {
        Result<graph::ValueInfo> info = declaration("input ", proto);
        VKONNX_RETURN_IF_ERROR(info.status());
        infos.push_back(std::move(*info));
    }
    for (const Value& value : graph_.values)
        if (value.input >= 0 && value.content)
            if (std::string wrong = graph::contradiction(infos[size_t(value.input)], value.content->desc); !wrong.empty())
                return invalid("initializer " + quote(value.name) + ": " + wrong);
    for (const int32_t input : graph_.inputs)
        graph_.input_infos.push_back(infos[size_t(graph_.values[size_t(input)].input)]);
    return {};
}

Status GraphBuilder::declare_outputs()
{
    for (const ValueInfoProto& proto : proto_.outputs) {
        Result<graph::ValueInfo> info = declaration("output ", proto);
        VKONNX_RETURN_IF_ERROR(info.status());
        graph_.output_infos.push_back(std::move(*info));
    }
    return {};
}

// Marks graph inputs whose elements decide dimensions, by themselves or by what is computed from them.
Status GraphBuilder::mark_inputs()
{
    std::vector<bool> needed(graph_.values.size());
    const auto need = [&](int32_t value) {
        if (value != no_value)
            needed[size_t(value)] = true;
    };
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
        const Node& node = graph_.nodes[n];
        if (!node.info || !node.operation)
            continue;
        const bool only_known = std::holds_alternative<graph::HostOperator>(*node.operation);
        bool made = false;
        for (const int32_t output : node.outputs)
            made |= output != no_value && needed[size_t(output)];
        const bool dims_only = node.op_type == Shape::name || node.op_type == "Size";
        for (size_t i = 0; i < node.inputs.size(); ++i)
            if ((made || only_known || node.info->is_list(i, node.opset)) && !dims_only)
                need(node.inputs[i]);
    }
    for (size_t i = 0; i < graph_.inputs.size(); ++i)
        graph_.input_infos[i].decides_dimensions = needed[size_t(graph_.inputs[i])];
    return {};
}

}  // namespace

Result<Graph> build_graph(const ModelProto& model, const ExternalFolder& folder)
{
    return GraphBuilder(model, folder).build();
}

}  // namespace vkonnx::onnx
