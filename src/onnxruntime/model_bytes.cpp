// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/model_bytes.h"

#include <protozero/pbf_builder.hpp>

#include <algorithm>
#include <memory>

#include "onnxruntime/tensor.h"

namespace vkonnx::onnxruntime {

namespace {

// The numbers of the fields are those of onnx.proto.
enum class ModelField : protozero::pbf_tag_type { ir_version = 1, graph = 7, opset_import = 8 };
enum class OperatorSetField : protozero::pbf_tag_type { domain = 1, version = 2 };
enum class GraphField : protozero::pbf_tag_type { node = 1, name = 2, initializer = 5, input = 11, output = 12 };
enum class NodeField : protozero::pbf_tag_type { input = 1, output = 2, name = 3, op_type = 4, attribute = 5, domain = 7 };
enum class AttributeField : protozero::pbf_tag_type {
    name = 1,
    number = 2,
    integer = 3,
    text = 4,
    tensor = 5,
    graph = 6,
    numbers = 7,
    integers = 8,
    texts = 9,
    type = 20,
};
enum class TensorField : protozero::pbf_tag_type { dims = 1, data_type = 2, name = 8, raw_data = 9 };
enum class ValueInfoField : protozero::pbf_tag_type { name = 1, type = 2 };
enum class TypeField : protozero::pbf_tag_type { tensor_type = 1 };
enum class TensorTypeField : protozero::pbf_tag_type { elem_type = 1 };
// The numbers of the types of attributes are those of AttributeProto.AttributeType.
enum class AttributeType : int32_t {
    number = 1,
    integer = 2,
    text = 3,
    tensor = 4,
    graph = 5,
    numbers = 6,
    integers = 7,
    texts = 8,
};

template <class Field>
using Builder = protozero::pbf_builder<Field>;

constexpr int64_t ir_version = 10;
constexpr size_t most_bytes_of_a_known_constant = 1024;

struct ReleaseValue {
    const OrtApi* api;
    void operator()(OrtValue* value) const { api->ReleaseValue(value); }
};

void write_tensor(Builder<TensorField> tensor, const std::string& name, const onnx::HostView& elements)
{
    tensor.add_packed_int64(TensorField::dims, elements.desc.dims.begin(), elements.desc.dims.end());
    tensor.add_int32(TensorField::data_type, int32_t(elements.desc.dtype));
    if (!name.empty())
        tensor.add_string(TensorField::name, name);
    tensor.add_bytes(TensorField::raw_data, reinterpret_cast<const char*>(elements.data.data()), elements.data.size());
}

void write_value_info(Builder<ValueInfoField> info, const std::string& name, DType dtype)
{
    info.add_string(ValueInfoField::name, name);
    Builder<TypeField> type(info, ValueInfoField::type);
    Builder<TensorTypeField> tensor(type, TypeField::tensor_type);
    tensor.add_int32(TensorTypeField::elem_type, int32_t(dtype));
}

// Returns the attribute's content, which ONNX Runtime copies to memory of the size that it tells.
template <class Item>
std::vector<Item> read_attribute(const Runtime& runtime, const OrtOpAttr* attribute, OrtOpAttrType type)
{
    size_t bytes = 0;
    // Without room it tells how much it needs, and calls that an error.
    if (OrtStatus* status = runtime.api().ReadOpAttr(attribute, type, nullptr, 0, &bytes))
        runtime.api().ReleaseStatus(status);
    std::vector<Item> items((bytes + sizeof(Item) - 1) / sizeof(Item));
    if (bytes > 0)
        runtime.check(runtime.api().ReadOpAttr(attribute, type, items.data(), bytes, &bytes));
    return items;
}

// Returns the texts of a list, each of which a zero ends.
std::vector<std::string> texts_of(const std::vector<char>& characters)
{
    std::vector<std::string> texts;
    for (auto begin = characters.begin(); begin != characters.end();) {
        const auto end = std::find(begin, characters.end(), '\0');
        texts.emplace_back(begin, end);
        begin = end == characters.end() ? end : end + 1;
    }
    return texts;
}

// This class writes one model.
class Writer {
public:
    Writer(const Runtime& runtime, WeightsAs weights) : runtime_(runtime), weights_(weights) {}

    ModelBytes write(const Graph& graph, const Part& part)
    {
        ModelBytes model;
        Builder<ModelField> builder(model.bytes);
        builder.add_int64(ModelField::ir_version, ir_version);
        for (const OperatorSet& set : graph.operator_sets) {
            Builder<OperatorSetField> one(builder, ModelField::opset_import);
            one.add_string(OperatorSetField::domain, set.domain);
            one.add_int64(OperatorSetField::version, set.version);
        }
        write_graph(Builder<GraphField>(builder, ModelField::graph), graph, part, false, model);
        return model;
    }

private:
    // Constants of outer graphs are written with the outermost one alone.
    void write_graph(Builder<GraphField> builder, const Graph& graph, const Part& part, bool is_inner, ModelBytes& model)
    {
        builder.add_string(GraphField::name, "part");
        for (const Node* node : part.nodes)
            write_node(Builder<NodeField>(builder, GraphField::node), *node);
        for (const std::string& name : part.inputs)
            write_value_info({builder, GraphField::input}, name, graph.values.at(name).dtype);
        for (const std::string& name : constants_of(graph, part))
            if (!is_inner)
                write_constant(builder, name, graph.values.at(name), weights_, model);
            else if (!graph.values.at(name).is_outer)
                write_constant(builder, name, graph.values.at(name), WeightsAs::elements, model);
        for (const std::string& name : part.outputs)
            write_value_info({builder, GraphField::output}, name, graph.values.at(name).dtype);
    }

    static std::set<std::string> constants_of(const Graph& graph, const Part& part)
    {
        std::set<std::string> names;
        const auto add = [&](const std::string& name) {
            if (!name.empty() && graph.values.at(name).is_constant)
                names.insert(name);
        };
        for (const Node* node : part.nodes) {
            std::for_each(node->inputs.begin(), node->inputs.end(), add);
            std::for_each(node->captured.begin(), node->captured.end(), add);
        }
        std::for_each(part.outputs.begin(), part.outputs.end(), add);
        return names;
    }

    void write_constant(Builder<GraphField>& builder, const std::string& name, const Value& value, WeightsAs weights,
                        ModelBytes& model)
    {
        const OrtValue* held = nullptr;
        runtime_.check(runtime_.api().ValueInfo_GetInitializerValue(value.handle, &held));
        if (!held)
            throw Failure{Status(Code::driver_error, "ONNX Runtime does not give the elements of the constant '" + name + "'")};
        const onnx::HostView elements = view_of(runtime_, held);
        if (weights == WeightsAs::inputs && elements.data.size() > most_bytes_of_a_known_constant) {
            model.weights.push_back({name, elements.desc});
            write_value_info({builder, GraphField::input}, name, elements.desc.dtype);
        } else {
            write_tensor({builder, GraphField::initializer}, name, elements);
        }
    }

    void write_node(Builder<NodeField> builder, const Node& node)
    {
        const OrtApi& api = runtime_.api();
        for (const std::string& name : node.inputs)
            builder.add_string(NodeField::input, name);
        for (const std::string& name : node.outputs)
            builder.add_string(NodeField::output, name);
        builder.add_string(NodeField::name, node.name);
        builder.add_string(NodeField::op_type, node.op_type);
        builder.add_string(NodeField::domain, node.domain);
        for (const OrtOpAttr* attribute :
             runtime_.list_of<const OrtOpAttr*>(node.handle, api.Node_GetNumAttributes, api.Node_GetAttributes))
            write_attribute(builder, attribute);
        size_t count = 0;
        runtime_.check(api.Node_GetNumSubgraphs(node.handle, &count));
        std::vector<const OrtGraph*> graphs(count);
        std::vector<const char*> names(count);
        if (count > 0)
            runtime_.check(api.Node_GetSubgraphs(node.handle, graphs.data(), count, names.data()));
        for (size_t i = 0; i < count; ++i)
            write_subgraph({builder, NodeField::attribute}, names[i], graphs[i]);
    }

    void write_attribute(Builder<NodeField>& node, const OrtOpAttr* attribute)
    {
        OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
        runtime_.check(runtime_.api().OpAttr_GetType(attribute, &type));
        const char* name = "";
        runtime_.check(runtime_.api().OpAttr_GetName(attribute, &name));
        if (type == ORT_OP_ATTR_GRAPH)
            return;  // Node_GetSubgraphs tells of it
        Builder<AttributeField> builder(node, NodeField::attribute);
        builder.add_string(AttributeField::name, name);
        builder.add_int32(AttributeField::type, int32_t(attribute_type(type, name)));
        switch (type) {
        case ORT_OP_ATTR_INT:
            builder.add_int64(AttributeField::integer, read_attribute<int64_t>(runtime_, attribute, type).at(0));
            break;
        case ORT_OP_ATTR_INTS:
            for (const int64_t integer : read_attribute<int64_t>(runtime_, attribute, type))
                builder.add_int64(AttributeField::integers, integer);
            break;
        case ORT_OP_ATTR_FLOAT:
            builder.add_float(AttributeField::number, read_attribute<float>(runtime_, attribute, type).at(0));
            break;
        case ORT_OP_ATTR_FLOATS:
            for (const float number : read_attribute<float>(runtime_, attribute, type))
                builder.add_float(AttributeField::numbers, number);
            break;
        case ORT_OP_ATTR_STRING: {
            const std::vector<char> text = read_attribute<char>(runtime_, attribute, type);
            builder.add_bytes(AttributeField::text, text.data(), text.size());
            break;
        }
        case ORT_OP_ATTR_STRINGS:
            for (const std::string& text : texts_of(read_attribute<char>(runtime_, attribute, type)))
                builder.add_bytes(AttributeField::texts, text);
            break;
        case ORT_OP_ATTR_TENSOR:
            write_tensor_attribute(builder, attribute);
            break;
        case ORT_OP_ATTR_GRAPH:
        case ORT_OP_ATTR_UNDEFINED:
            break;
        }
    }

    static AttributeType attribute_type(OrtOpAttrType type, const std::string& name)
    {
        switch (type) {
        case ORT_OP_ATTR_FLOAT:
            return AttributeType::number;
        case ORT_OP_ATTR_INT:
            return AttributeType::integer;
        case ORT_OP_ATTR_STRING:
            return AttributeType::text;
        case ORT_OP_ATTR_TENSOR:
            return AttributeType::tensor;
        case ORT_OP_ATTR_GRAPH:
            return AttributeType::graph;
        case ORT_OP_ATTR_FLOATS:
            return AttributeType::numbers;
        case ORT_OP_ATTR_INTS:
            return AttributeType::integers;
        case ORT_OP_ATTR_STRINGS:
            return AttributeType::texts;
        case ORT_OP_ATTR_UNDEFINED:
            break;
        }
        throw Failure{Status(Code::unsupported, "the attribute '" + name + "' has a type that ONNX Runtime does not give")};
    }

    void write_tensor_attribute(Builder<AttributeField>& builder, const OrtOpAttr* attribute)
    {
        OrtValue* made = nullptr;
        runtime_.check(runtime_.api().OpAttr_GetTensorAttributeAsOrtValue(attribute, &made));
        const std::unique_ptr<OrtValue, ReleaseValue> value(made, {&runtime_.api()});
        write_tensor({builder, AttributeField::tensor}, {}, view_of(runtime_, value.get()));
    }

    void write_subgraph(Builder<AttributeField> attribute, const char* name, const OrtGraph* handle)
    {
        const Graph graph = read_graph(runtime_, handle);
        attribute.add_string(AttributeField::name, name);
        attribute.add_int32(AttributeField::type, int32_t(AttributeType::graph));
        Part part;
        for (const Node& node : graph.nodes)
            part.nodes.push_back(&node);
        part.inputs = graph.inputs;
        part.outputs = graph.outputs;
        ModelBytes inner;  // which has no constants as inputs
        write_graph({attribute, AttributeField::graph}, graph, part, true, inner);
    }

    const Runtime& runtime_;
    WeightsAs weights_;
};

}  // namespace

ModelBytes write_model(const Runtime& runtime, const Graph& graph, const Part& part, WeightsAs weights)
{
    return Writer(runtime, weights).write(graph, part);
}

}  // namespace vkonnx::onnxruntime
