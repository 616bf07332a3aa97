// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "attributes.h"
#include "graph/reals.h"
#include "graph/value_info.h"
#include "nodes.h"
#include "return_if_error.h"
#include "sparse.h"
#include "tensor.h"

namespace vkonnx::onnx {

namespace {

using graph::Graph;
using graph::no_value;
using graph::Node;
using graph::Value;

// A scope is a graph of the file, the model's own or a branch, while its nodes are added. They see its names and those that the
// scopes around it have by then.
struct Scope {
    const GraphProto& proto;
    const Scope* around = nullptr;
    int32_t branch = graph::no_branch;
    std::unordered_map<std::string_view, int32_t> values = {};       // those that exist so far
    std::unordered_map<std::string_view, size_t> node_outputs = {};  // of all nodes: the node that makes each
};

// Adds the names of the values that the node needs before it can run: its inputs, and what its subgraphs read of the graphs
// around them.
void add_reads(const NodeProto& node, std::vector<std::string_view>& names)
{
    names.insert(names.end(), node.inputs.begin(), node.inputs.end());
    for (const AttributeProto& attribute : node.attributes) {
        if (!attribute.g)
            continue;
        std::unordered_set<std::string_view> own;
        for (const TensorProto& initializer : attribute.g->initializers)
            own.insert(initializer.name);
        for (const auto& initializer : attribute.g->sparse_initializers)
            own.insert(initializer->values.name);
        for (const ValueInfoProto& input : attribute.g->inputs)
            own.insert(input.name);
        const auto first = ptrdiff_t(names.size());
        for (const NodeProto& inner : attribute.g->nodes) {
            own.insert(inner.outputs.begin(), inner.outputs.end());
            add_reads(inner, names);
        }
        for (const ValueInfoProto& output : attribute.g->outputs)
            names.push_back(output.name);
        names.erase(std::remove_if(names.begin() + first, names.end(), [&](std::string_view name) { return own.contains(name); }),
                    names.end());
    }
}

// Returns the value that has this name in the scope or in those around it, or no_value.
int32_t find_value(const Scope* scope, std::string_view name)
{
    for (; scope; scope = scope->around)
        if (const auto known = scope->values.find(name); known != scope->values.end())
            return known->second;
    return no_value;
}

class GraphBuilder {
public:
    GraphBuilder(const ModelProto& model, const ExternalFolder& folder) : model_(model), folder_(folder) {}

    Result<Graph> build()
    {
        Scope scope = {.proto = model_.graph};
        VKONNX_RETURN_IF_ERROR(add_imports());
        VKONNX_RETURN_IF_ERROR(add_initializers(scope, graph_.initializers));
        VKONNX_RETURN_IF_ERROR(add_inputs(scope));
        VKONNX_RETURN_IF_ERROR(name_node_outputs(scope));
        VKONNX_RETURN_IF_ERROR(add_nodes(scope));
        VKONNX_RETURN_IF_ERROR(add_outputs(scope, graph_.outputs));
        VKONNX_RETURN_IF_ERROR(declare_inputs());
        VKONNX_RETURN_IF_ERROR(declare_outputs(scope.proto, graph_.output_infos));
        mark_inputs();
        return std::move(graph_);
    }

private:
    Status add_imports();
    Status add_initializers(Scope& scope, std::vector<int32_t>& initializers);
    template <class Proto>
    Status add_initializer(Scope& scope, std::string_view name, const Proto& tensor, std::vector<int32_t>& initializers);
    Status add_inputs(Scope& scope);
    Status name_node_outputs(Scope& scope);
    Status add_nodes(Scope& scope);
    Status add_outputs(const Scope& scope, std::vector<int32_t>& outputs);
    Status declare_inputs();
    Status declare_outputs(const GraphProto& graph, std::vector<graph::ValueInfo>& infos);
    void mark_inputs();
    void mark_values(std::vector<bool>& needed, std::vector<bool>& wanted) const;
    void mark_subgraph(const Node& node, const graph::Branch& branch, std::vector<bool>& needed, std::vector<bool>& wanted) const;
    Status tie_inputs(const Scope& scope, Node& node, const NodeProto& proto);
    void read_operation(Node& node, const NodeProto& proto);
    void refuse_unsupported(Node& node, const NodeProto& proto);
    Status add_branches(const Scope& around, Node& node, const NodeProto& proto);
    Status add_branch(Scope& scope, graph::Branch& branch, bool is_body);
    Status missing_input(const Scope& scope, const NodeProto& node, std::string_view input) const;
    std::vector<size_t> order_of(const Scope& scope) const;

    int32_t add_value(Value value)
    {
        graph_.values.push_back(std::move(value));
        return int32_t(graph_.values.size() - 1);
    }

    const ModelProto& model_;
    const ExternalFolder& folder_;
    std::vector<Imports> imports_;
    Graph graph_;
};

Status GraphBuilder::add_imports()
{
    Result<std::vector<Imports>> imports = imports_of(model_);
    VKONNX_RETURN_IF_ERROR(imports.status());
    imports_ = std::move(*imports);
    return {};
}

Status GraphBuilder::add_initializers(Scope& scope, std::vector<int32_t>& initializers)
{
    const GraphProto& proto = scope.proto;
    const auto at = [](const char* kind, size_t i, const Status& status) {
        return status ? status : Status(status.code(), kind + std::to_string(i) + ": " + std::string(status.message()));
    };
    for (size_t i = 0; i < proto.initializers.size(); ++i) {
        const TensorProto& tensor = proto.initializers[i];
        VKONNX_RETURN_IF_ERROR(at("initializer ", i, add_initializer(scope, tensor.name, tensor, initializers)));
    }
    for (size_t i = 0; i < proto.sparse_initializers.size(); ++i) {
        const SparseTensorProto& tensor = *proto.sparse_initializers[i];
        VKONNX_RETURN_IF_ERROR(at("sparse initializer ", i, add_initializer(scope, tensor.values.name, tensor, initializers)));
    }
    return {};
}

template <class Proto>
Status GraphBuilder::add_initializer(Scope& scope, std::string_view name, const Proto& tensor, std::vector<int32_t>& initializers)
{
    const Result<std::shared_ptr<const graph::Content>> content = content_of(tensor, folder_);
    VKONNX_RETURN_IF_ERROR(content.status());
    const int32_t index = add_value({.name = name, .content = *content});
    if (!scope.values.try_emplace(name, index).second)
        return invalid("two initializers have the name " + quote(name));
    initializers.push_back(index);
    return {};
}

Status GraphBuilder::add_inputs(Scope& scope)
{
    for (size_t i = 0; i < scope.proto.inputs.size(); ++i) {
        std::string_view name = scope.proto.inputs[i].name;
        auto known = scope.values.find(name);
        if (known == scope.values.end()) {
            int32_t index = add_value({.name = name, .input = int32_t(i)});
            scope.values.emplace(name, index);
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

Status GraphBuilder::name_node_outputs(Scope& scope)
{
    for (size_t i = 0; i < scope.proto.nodes.size(); ++i) {
        const NodeProto& node = scope.proto.nodes[i];
        for (std::string_view output : node.outputs) {
            if (output.empty())
                continue;
            if (scope.values.contains(output))
                return invalid(prefix(node) + "its output " + quote(output) + " has the name of a graph input or initializer");
            if (find_value(scope.around, output) != no_value)
                return invalid(prefix(node) + "its output " + quote(output) + " has the name of a value of a graph around it");
            if (!scope.node_outputs.try_emplace(output, i).second)
                return invalid(prefix(node) + "its output " + quote(output) + " is made twice");
        }
    }
    return {};
}

Status GraphBuilder::add_nodes(Scope& scope)
{
    std::vector<size_t> order = order_of(scope);
    if (order.size() < scope.proto.nodes.size()) {  // the first node of the file that can't run is refused
        order.resize(scope.proto.nodes.size());
        std::iota(order.begin(), order.end(), size_t(0));
    }
    for (const size_t index : order) {
        const NodeProto& proto = scope.proto.nodes[index];
        Node node{.name = name_of(proto),
                  .op_type = proto.op_type,
                  .domain = domain_name(proto.domain),
                  .index = proto.index,
                  .branch = scope.branch};
        const Result<int64_t> version = imports_[proto.imports].version_for(proto);
        VKONNX_RETURN_IF_ERROR(version.status());
        node.opset = *version;
        VKONNX_RETURN_IF_ERROR(tie_inputs(scope, node, proto));
        for (std::string_view output : proto.outputs)
            node.outputs.push_back(output.empty() ? no_value : add_value({.name = output}));
        read_operation(node, proto);
        if (node.refused && node.operation && !graph::subgraphs_of(*node.operation).empty())
            VKONNX_RETURN_IF_ERROR(add_branches(scope, node, proto));
        for (size_t i = 0; i < node.outputs.size(); ++i)
            if (node.outputs[i] != no_value)
                scope.values.emplace(proto.outputs[i], node.outputs[i]);
        graph_.nodes.push_back(std::move(node));
    }
    return {};
}

// Returns the member of an If, a Loop or a Scan that holds the subgraph of this attribute.
int32_t& subgraph_of(graph::Operation& operation, std::string_view attribute)
{
    if (auto* branches = std::get_if<graph::If>(&operation))
        return attribute == "then_branch" ? branches->then_branch : branches->else_branch;
    auto* loop = std::get_if<graph::Loop>(&operation);
    return loop ? loop->body : std::get<graph::Scan>(operation).body;
}

// Adds the subgraphs of an If, a Loop or a Scan, with their nodes. The node itself must be the next one that is added. What is
// only not supported in a subgraph is said when it is to run.
Status GraphBuilder::add_branches(const Scope& around, Node& node, const NodeProto& proto)
{
    graph::Operation made = *node.operation;
    const bool is_if = std::holds_alternative<graph::If>(made);
    for (const AttributeProto& attribute : proto.attributes) {
        if (attribute.type != AttributeType::graph)
            continue;
        const auto index = int32_t(graph_.branches.size());
        graph_.branches.emplace_back();  // the subgraphs of nodes within it come behind it
        graph::Branch branch = {.name = attribute.name,
                                .first_node = graph_.nodes.size(),
                                .when = attribute.name == "then_branch",
                                .within = around.branch};
        Scope scope = {.proto = *attribute.g, .around = &around, .branch = index};
        const Status status = add_branch(scope, branch, !is_if);
        branch.end_node = graph_.nodes.size();
        const auto wrong = [&](std::string_view what) {
            return std::string(proto.op_type) + ": " + std::string(attribute.name) + ": " + std::string(what);
        };
        if (status.code() == Code::unsupported)
            branch.refused = status;
        else if (!status)
            return Status(status.code(), prefix(proto) + wrong(status.message()));
        else if (is_if && branch.outputs.size() != node.outputs.size())
            node.refused = invalid(wrong("it has " + std::to_string(branch.outputs.size()) + " outputs, but the node has " +
                                         std::to_string(node.outputs.size())));
        subgraph_of(made, attribute.name) = index;
        graph_.branches[size_t(index)] = std::move(branch);
    }
    for (const int32_t branch : graph::subgraphs_of(made))
        graph_.branches[size_t(branch)].node = graph_.nodes.size();
    node.operation = std::make_unique<const graph::Operation>(std::move(made));
    return {};
}

// Adds what a subgraph holds. A body has inputs, which its node fills.
Status GraphBuilder::add_branch(Scope& scope, graph::Branch& branch, bool is_body)
{
    VKONNX_RETURN_IF_ERROR(add_initializers(scope, branch.initializers));
    for (const ValueInfoProto& input : scope.proto.inputs) {
        if (!is_body && scope.values.contains(input.name))
            continue;
        if (!is_body)
            return invalid("it has the input " + quote(input.name) + ", which nothing fills; expected none");
        branch.inputs.push_back(add_value({.name = input.name}));
        if (!scope.values.try_emplace(input.name, branch.inputs.back()).second)
            return invalid("its input " + quote(input.name) + " has the name of another input or of an initializer");
    }
    VKONNX_RETURN_IF_ERROR(name_node_outputs(scope));
    VKONNX_RETURN_IF_ERROR(add_nodes(scope));
    VKONNX_RETURN_IF_ERROR(add_outputs(scope, branch.outputs));
    return declare_outputs(scope.proto, branch.output_infos);
}

Status GraphBuilder::tie_inputs(const Scope& scope, Node& node, const NodeProto& proto)
{
    for (std::string_view input : proto.inputs) {
        const int32_t value = input.empty() ? no_value : find_value(&scope, input);
        if (!input.empty() && value == no_value)
            return missing_input(scope, proto, input);
        node.inputs.push_back(value);
    }
    while (!node.inputs.empty() && node.inputs.back() == no_value)
        node.inputs.pop_back();
    return {};
}

// Tells why a node that is added in its turn has an input that is not there.
Status GraphBuilder::missing_input(const Scope& scope, const NodeProto& node, std::string_view input) const
{
    const Scope* at = &scope;
    while (at && !at->node_outputs.contains(input))
        at = at->around;
    if (!at)
        return invalid(prefix(node) + "its input " + quote(input) +
                       " is neither a graph input nor an initializer nor a node's output");
    const NodeProto& other = at->proto.nodes[at->node_outputs.at(input)];
    if (&other == &node)
        return invalid(prefix(node) + "its input " + quote(input) + " is its own output");
    return invalid(prefix(node) + "its input " + quote(input) + ", made by " + label(other) +
                   ", is part of a cycle or depends on one");
}

// Returns the scope's nodes in an order that can run: again and again the first one in the file whose inputs are there. Nodes
// that wait for each other, and those that wait for them, are left out.
std::vector<size_t> GraphBuilder::order_of(const Scope& scope) const
{
    const std::vector<NodeProto>& nodes = scope.proto.nodes;
    std::vector<size_t> waiting(nodes.size());
    std::vector<std::vector<size_t>> readers(nodes.size());
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
        std::vector<std::string_view> names;
        add_reads(nodes[i], names);
        for (const std::string_view name : names) {
            if (const auto maker = scope.node_outputs.find(name); maker != scope.node_outputs.end()) {
                readers[maker->second].push_back(i);
                ++waiting[i];
            }
        }
        if (waiting[i] == 0)
            ready.push(i);
    }
    std::vector<size_t> order;
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (const size_t reader : readers[order.back()])
            if (--waiting[reader] == 0)
                ready.push(reader);
    }
    return order;
}

Status GraphBuilder::add_outputs(const Scope& scope, std::vector<int32_t>& outputs)
{
    std::unordered_set<std::string_view> named;
    for (const ValueInfoProto& output : scope.proto.outputs) {
        const int32_t value = find_value(&scope, output.name);
        if (value == no_value)
            return invalid("the graph output " + quote(output.name) +
                           " is neither a graph input nor an initializer nor a node's output");
        if (!named.insert(output.name).second)
            return invalid("two graph outputs have the name " + quote(output.name));
        outputs.push_back(value);
    }
    return {};
}

// Reads the operator and its attributes. What is wrong with them is said when the node is to be executed.
void GraphBuilder::read_operation(Node& node, const NodeProto& proto)
{
    node.info = graph::find_operator(node.domain, proto.op_type, node.opset);
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

// Keeps the error for the first node with an unsupported operator. One in a branch is refused where the branch is taken.
void GraphBuilder::refuse_unsupported(Node& node, const NodeProto& proto)
{
    if (node.branch == graph::no_branch && !graph_.unsupported)
        return;
    std::string what;
    for (const AttributeProto& attribute : proto.attributes)
        if (what.empty() && (attribute.type == AttributeType::graph || attribute.type == AttributeType::graphs))
            what = " (with a subgraph in attribute " + quote(attribute.name) + ")";
    const std::string sentence = "operator " + quote(proto.op_type) + " of domain " + quote(node.domain) + ", opset " +
                                 std::to_string(node.opset) + what + " is not supported";
    if (node.branch == graph::no_branch)
        graph_.unsupported =
            Status(Code::unsupported, prefix(proto) + sentence + "; supported are " + graph::supported_operators());
    else
        node.refused = Status(Code::unsupported, sentence);
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
    for (const ValueInfoProto& proto : model_.graph.inputs) {
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

Status GraphBuilder::declare_outputs(const GraphProto& graph, std::vector<graph::ValueInfo>& infos)
{
    for (const ValueInfoProto& proto : graph.outputs) {
        Result<graph::ValueInfo> info = declaration("output ", proto);
        VKONNX_RETURN_IF_ERROR(info.status());
        infos.push_back(std::move(*info));
    }
    return {};
}

// Marks graph inputs whose elements decide dimensions or branches, by themselves or by what is computed from them. A condition is
// wanted and not needed: without it both branches run. It therefore marks only what the host can compute it from, and no floats,
// because each run that is given another number takes a plan of its own.
void GraphBuilder::mark_inputs()
{
    std::vector<bool> needed(graph_.values.size()), wanted(graph_.values.size());
    // What a body makes of its inputs comes back as its inputs, so that one way through the nodes may not be enough.
    for (std::vector<bool> before[2]; before[0] != needed || before[1] != wanted;) {
        before[0] = needed;
        before[1] = wanted;
        mark_values(needed, wanted);
    }
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
        graph::ValueInfo& info = graph_.input_infos[i];
        const auto input = size_t(graph_.inputs[i]);
        info.decides_dimensions = needed[input] || (wanted[input] && !graph::is_real(info.dtype));
    }
}

// Marks the values of a subgraph by those that its node makes of them, and the node's inputs by what the subgraph makes of them.
void GraphBuilder::mark_subgraph(const Node& node, const graph::Branch& branch, std::vector<bool>& needed,
                                 std::vector<bool>& wanted) const
{
    const bool is_loop = std::holds_alternative<graph::Loop>(*node.operation);
    const size_t first = is_loop ? 1 : 0;  // a Loop's body gives its condition first
    const size_t passed = branch.inputs.size() - std::min<size_t>(branch.inputs.size(), is_loop ? 2 : 0);
    for (std::vector<bool>* marks : {&needed, &wanted}) {
        const auto pass = [&](int32_t from, int32_t to) {
            if (from != no_value && to != no_value && (*marks)[size_t(from)])
                (*marks)[size_t(to)] = true;
        };
        for (size_t i = 0; i < node.outputs.size() && first + i < branch.outputs.size(); ++i)
            pass(node.outputs[i], branch.outputs[first + i]);
        for (size_t i = 0; i < passed; ++i) {
            const size_t input = branch.inputs.size() - passed + i;
            if (input < node.inputs.size())
                pass(branch.inputs[input], node.inputs[input]);
            if (first + i < branch.outputs.size())
                pass(branch.inputs[input], branch.outputs[first + i]);
        }
    }
    if (is_loop && !branch.outputs.empty())
        wanted[size_t(branch.outputs.front())] = true;
}

void GraphBuilder::mark_values(std::vector<bool>& needed, std::vector<bool>& wanted) const
{
    const auto set = [](std::vector<bool>& marks, int32_t value) {
        if (value != no_value)
            marks[size_t(value)] = true;
    };
    const auto has_any = [](const std::vector<bool>& marks, std::span<const int32_t> values) {
        return std::ranges::any_of(values, [&](int32_t value) { return value != no_value && marks[size_t(value)]; });
    };
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
        const Node& node = graph_.nodes[n];
        if (!node.info || !node.operation)
            continue;
        const bool only_known = std::holds_alternative<graph::HostOperator>(*node.operation);
        const auto* branches = std::get_if<graph::If>(node.operation.get());
        if (node.refused)
            for (const int32_t branch : graph::subgraphs_of(*node.operation))
                mark_subgraph(node, graph_.branches[size_t(branch)], needed, wanted);
        if (node.op_type == Shape::name || node.op_type == "Size")
            continue;  // they look at dimensions only
        if (graph::looks_for_elements(*node.operation))
            continue;  // the host computes it between two stages
        if (!branches && !graph::subgraphs_of(*node.operation).empty()) {
            for (size_t i = 0; i < node.inputs.size(); ++i)
                if (node.info->is_list(i, node.opset))
                    set(needed, node.inputs[i]);
            continue;  // the body tells of the others
        }
        // What only a device computes, a run computes for the next stage, whether its inputs are known or not.
        const bool may_be_known =
            graph::may_be_known(*node.operation) || std::holds_alternative<graph::Composite>(*node.operation);
        const bool is_needed = may_be_known && has_any(needed, node.outputs);
        const bool is_wanted = branches || (has_any(wanted, node.outputs) && graph::may_be_known(*node.operation));
        for (size_t i = 0; i < node.inputs.size(); ++i)
            if (is_needed || only_known || (node.info->is_list(i, node.opset) && !branches))
                set(needed, node.inputs[i]);
            else if (is_wanted)
                set(wanted, node.inputs[i]);
    }
}

}  // namespace

Result<Graph> build_graph(const ModelProto& model, const ExternalFolder& folder)
{
    return GraphBuilder(model, folder).build();
}

}  // namespace vkonnx::onnx
