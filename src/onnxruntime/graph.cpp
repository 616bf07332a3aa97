// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/graph.h"

#include <algorithm>

#include "onnxruntime/tensor.h"

namespace vkonnx::onnxruntime {

namespace {

std::string name_of(const Runtime& runtime, const OrtValueInfo* value)
{
    const char* name = "";
    if (value)
        runtime.check(runtime.api().GetValueInfoName(value, &name));
    return name;
}

// Fills in the type and the dimensions, where the value is a tensor.
void read_type(const Runtime& runtime, const OrtValueInfo* handle, Value& value)
{
    const OrtTypeInfo* type = nullptr;
    runtime.check(runtime.api().GetValueInfoTypeInfo(handle, &type));
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    if (type)
        runtime.check(runtime.api().CastTypeInfoToTensorInfo(type, &tensor));
    if (!tensor)
        return;
    TensorDesc desc = desc_of(runtime, tensor);
    value.dtype = desc.dtype;
    value.dims = std::move(desc.dims);
}

using Infos = std::vector<const OrtValueInfo*>;

// Adds the values to the graph's, and returns their names.
std::vector<std::string> add_values(const Runtime& runtime, const Infos& infos, Graph& graph)
{
    std::vector<std::string> names;
    for (const OrtValueInfo* info : infos) {
        names.push_back(name_of(runtime, info));
        const auto [place, is_new] = graph.values.try_emplace(names.back());
        if (names.back().empty() || !is_new)
            continue;
        Value& value = place->second;
        value.handle = info;
        read_type(runtime, info, value);
        runtime.check(runtime.api().ValueInfo_IsConstantInitializer(info, &value.is_constant));
        runtime.check(runtime.api().ValueInfo_IsFromOuterScope(info, &value.is_outer));
        runtime.check(runtime.api().ValueInfo_IsGraphOutput(info, &value.is_output));
    }
    return names;
}

Infos inputs_of(const Runtime& runtime, const OrtNode* node)
{
    const OrtApi& api = runtime.api();
    return runtime.list_of<const OrtValueInfo*>(node, api.Node_GetNumInputs, api.Node_GetInputs);
}

Infos outputs_of(const Runtime& runtime, const OrtNode* node)
{
    const OrtApi& api = runtime.api();
    return runtime.list_of<const OrtValueInfo*>(node, api.Node_GetNumOutputs, api.Node_GetOutputs);
}

std::vector<std::string> names_of(const Runtime& runtime, const Infos& infos)
{
    std::vector<std::string> names;
    for (const OrtValueInfo* info : infos)
        names.push_back(name_of(runtime, info));
    return names;
}

void add_node(const Runtime& runtime, const OrtNode* handle, Graph& graph)
{
    const OrtApi& api = runtime.api();
    Node node = {.handle = handle};
    const char* text = "";
    runtime.check(api.Node_GetName(handle, &text));
    node.name = text;
    runtime.check(api.Node_GetOperatorType(handle, &text));
    node.op_type = text;
    runtime.check(api.Node_GetDomain(handle, &text));
    node.domain = text;
    node.inputs = add_values(runtime, inputs_of(runtime, handle), graph);
    node.outputs = add_values(runtime, outputs_of(runtime, handle), graph);
    const Infos captured =
        runtime.list_of<const OrtValueInfo*>(handle, api.Node_GetNumImplicitInputs, api.Node_GetImplicitInputs);
    node.captured = add_values(runtime, captured, graph);
    for (const std::vector<std::string>* names : {&node.inputs, &node.captured})
        for (const std::string& name : *names)
            graph.values.at(name).readers.push_back(graph.nodes.size());
    graph.nodes.push_back(std::move(node));
}

std::vector<OperatorSet> operator_sets_of(const Runtime& runtime, const OrtGraph* graph)
{
    size_t count = 0;
    runtime.check(runtime.api().Graph_GetNumOperatorSets(graph, &count));
    std::vector<const char*> domains(count);
    std::vector<int64_t> versions(count);
    runtime.check(runtime.api().Graph_GetOperatorSets(graph, domains.data(), versions.data(), count));
    std::vector<OperatorSet> sets;
    for (size_t i = 0; i < count; ++i)
        sets.push_back({domains[i], versions[i]});
    return sets;
}

}  // namespace

std::vector<std::string> input_names(const Runtime& runtime, const OrtNode* node)
{
    return names_of(runtime, inputs_of(runtime, node));
}

std::vector<std::string> output_names(const Runtime& runtime, const OrtNode* node)
{
    return names_of(runtime, outputs_of(runtime, node));
}

Graph read_graph(const Runtime& runtime, const OrtGraph* handle)
{
    const OrtApi& api = runtime.api();
    Graph graph;
    for (const OrtNode* node : runtime.list_of<const OrtNode*>(handle, api.Graph_GetNumNodes, api.Graph_GetNodes))
        add_node(runtime, node, graph);
    graph.inputs =
        add_values(runtime, runtime.list_of<const OrtValueInfo*>(handle, api.Graph_GetNumInputs, api.Graph_GetInputs), graph);
    graph.outputs =
        add_values(runtime, runtime.list_of<const OrtValueInfo*>(handle, api.Graph_GetNumOutputs, api.Graph_GetOutputs), graph);
    graph.operator_sets = operator_sets_of(runtime, handle);
    runtime.check(api.Graph_GetParentNode(handle, &graph.parent));
    const char* op_type = "";
    if (graph.parent)
        runtime.check(api.Node_GetOperatorType(graph.parent, &op_type));
    graph.parent_op_type = op_type;
    return graph;
}

Graph read_parent(const Runtime& runtime, const Graph& graph)
{
    Graph outer = {.operator_sets = graph.operator_sets};
    add_node(runtime, graph.parent, outer);
    return outer;
}

Part part_of(const Graph& graph, const std::vector<size_t>& nodes)
{
    Part part;
    std::set<std::string> written;
    std::set<std::string> seen;
    for (const size_t index : nodes)
        part.nodes.push_back(&graph.nodes[index]);
    for (const Node* node : part.nodes)
        written.insert(node->outputs.begin(), node->outputs.end());
    const auto reads = [&](const std::string& name) {
        if (!name.empty() && !written.contains(name) && !graph.values.at(name).is_constant && seen.insert(name).second)
            part.inputs.push_back(name);
    };
    for (const Node* node : part.nodes) {
        std::for_each(node->inputs.begin(), node->inputs.end(), reads);
        std::for_each(node->captured.begin(), node->captured.end(), reads);
    }

    const std::set<size_t> inside(nodes.begin(), nodes.end());
    const auto is_read_outside = [&](const Value& value) {
        // What nothing reads is an output, too: a part must have one.
        return value.is_output || value.readers.empty() ||
               !std::all_of(value.readers.begin(), value.readers.end(), [&](size_t reader) { return inside.contains(reader); });
    };
    for (const Node* node : part.nodes)
        for (const std::string& name : node->outputs)
            if (!name.empty() && is_read_outside(graph.values.at(name)))
                part.outputs.push_back(name);
    return part;
}

}  // namespace vkonnx::onnxruntime
