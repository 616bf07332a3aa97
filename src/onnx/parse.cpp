// SPDX-License-Identifier: Apache-2.0
#include "parse.h"

#include <algorithm>

#include "wire.h"

namespace vkonnx::onnx {

namespace {

template <class Read>
auto read_nested(Trail& trail, const char* field, int64_t index, std::string_view bytes, Read read)
{
    trail.enter(field, index);
    Message message(trail, bytes);
    auto value = read(trail, message);
    trail.leave();
    return value;
}

template <class T>
int64_t next_index(const std::vector<T>& list)
{
    return int64_t(list.size());
}

uint64_t& elements(TensorProto& tensor, TypedField field)
{
    return tensor.elements[size_t(field)];
}

StringStringEntryProto read_entry(Trail&, Message& message)
{
    StringStringEntryProto entry;
    while (message.next()) {
        if (message.tag() == 1)
            entry.key = message.once("key").bytes();
        else if (message.tag() == 2)
            entry.value = message.once("value").bytes();
        else
            message.skip();
    }
    return entry;
}

TensorProto read_tensor(Trail& trail, Message& message)
{
    TensorProto tensor;
    auto count = [&](TypedField field) { return [&, field](auto) { ++elements(tensor, field); }; };
    while (message.next()) {
        switch (message.tag()) {
        case 1:
            message.integers([&](int64_t extent) { tensor.dims.push_back(extent); });
            break;
        case 2:
            tensor.data_type = message.once("data_type").integer();
            break;
        case 3:
            (void)message.once("segment").bytes();
            tensor.has_segment = true;
            break;
        case 4:
            message.fixed<float>(count(TypedField::float_data));
            break;
        case 5:
            message.integers(count(TypedField::int32_data));
            break;
        case 6:
            (void)message.bytes();
            ++elements(tensor, TypedField::string_data);
            break;
        case 7:
            message.integers(count(TypedField::int64_data));
            break;
        case 8:
            tensor.name = message.once("name").bytes();
            break;
        case 9:
            tensor.raw_data = message.once("raw_data").bytes();
            tensor.has_raw_data = true;
            break;
        case 10:
            message.fixed<double>(count(TypedField::double_data));
            break;
        case 11:
            message.integers(count(TypedField::uint64_data));
            break;
        case 13:
            tensor.external_data.push_back(
                read_nested(trail, "external_data", next_index(tensor.external_data), message.bytes(), read_entry));
            break;
        case 14:
            tensor.data_location = message.once("data_location").integer();
            break;
        default:
            message.skip();
        }
    }
    return tensor;
}

TensorProto read_tensor_at(Trail& trail, const char* field, int64_t index, std::string_view bytes)
{
    TensorProto tensor = read_nested(trail, field, index, bytes, read_tensor);
    tensor.message = bytes;
    return tensor;
}

SparseTensorProto read_sparse_tensor(Trail& trail, Message& message)
{
    SparseTensorProto tensor;
    while (message.next()) {
        if (message.tag() == 1)
            tensor.values = read_tensor_at(trail, "values", -1, message.once("values").bytes());
        else if (message.tag() == 2)
            tensor.indices = read_tensor_at(trail, "indices", -1, message.once("indices").bytes());
        else if (message.tag() == 3)
            message.integers([&](int64_t extent) { tensor.dims.push_back(extent); });
        else
            message.skip();
    }
    return tensor;
}

// These are the field numbers of AttributeProto that hold a value, in the order of AttributeType.
constexpr std::array<uint32_t, 15> attribute_fields = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 22, 23, 14, 15};

AttributeType settle_type(const AttributeProto& attribute, int64_t declared, uint32_t given)
{
    if (declared < 0 || declared >= int64_t(attribute_fields.size()))
        throw ParseError("attribute " + quote(attribute.name) + " has type " + std::to_string(declared) +
                         ", which is none of ONNX's");
    auto type = AttributeType(declared);
    for (size_t i = 1; i < attribute_fields.size() && type == AttributeType::undefined; ++i)
        if (given & (1u << i))
            type = AttributeType(i);  // files older than the field `type`
    if (type == AttributeType::undefined && attribute.ref_attr_name.empty())
        throw ParseError("attribute " + quote(attribute.name) + " has neither a type nor a value");
    for (size_t i = 1; i < attribute_fields.size(); ++i)
        if ((given & (1u << i)) && i != size_t(type))
            throw ParseError("attribute " + quote(attribute.name) + " of type " + name(type) + " has a value of type " +
                             name(AttributeType(i)));
    const bool has_no_value = (type == AttributeType::tensor && !attribute.t) || (type == AttributeType::graph && !attribute.g) ||
                              (type == AttributeType::sparse_tensor && !attribute.sparse_tensor);
    if (has_no_value && attribute.ref_attr_name.empty())
        throw ParseError("attribute " + quote(attribute.name) + " of type " + name(type) + " has no value");
    return type;
}

GraphProto read_graph(Trail& trail, Message& message);

std::shared_ptr<const GraphProto> read_subgraph(Trail& trail, std::string_view bytes)
{
    constexpr const char* field = "g";
    if (trail.count(field) == most_subgraphs)
        throw ParseError("subgraphs lie in one another more than " + std::to_string(most_subgraphs) + " deep");
    return std::make_shared<GraphProto>(read_nested(trail, field, -1, bytes, read_graph));
}

AttributeProto read_attribute(Trail& trail, Message& message)
{
    AttributeProto attribute;
    int64_t declared = 0;
    uint32_t given = 0;
    while (message.next()) {
        uint32_t tag = message.tag();
        for (size_t i = 1; i < attribute_fields.size(); ++i)
            if (attribute_fields[i] == tag)
                given |= 1u << i;
        switch (tag) {
        case 1:
            attribute.name = message.once("name").bytes();
            break;
        case 2:
            attribute.f = message.once("f").real();
            break;
        case 3:
            attribute.i = message.once("i").integer();
            break;
        case 4:
            attribute.s = message.once("s").bytes();
            break;
        case 5:
            attribute.t = std::make_shared<TensorProto>(read_tensor_at(trail, "t", -1, message.once("t").bytes()));
            break;
        case 6:
            attribute.g = read_subgraph(trail, message.once("g").bytes());
            break;
        case 7:
            message.fixed<float>([&](float value) { attribute.floats.push_back(value); });
            break;
        case 8:
            message.integers([&](int64_t value) { attribute.ints.push_back(value); });
            break;
        case 9:
            attribute.strings.push_back(message.bytes());
            break;
        case 20:
            declared = message.once("type").integer();
            break;
        case 21:
            attribute.ref_attr_name = message.once("ref_attr_name").bytes();
            break;
        case 22:
            attribute.sparse_tensor = std::make_shared<SparseTensorProto>(
                read_nested(trail, "sparse_tensor", -1, message.once("sparse_tensor").bytes(), read_sparse_tensor));
            break;
        default:
            message.skip();  // lists of tensors and subgraphs are not descended into: no operator here takes them
        }
    }
    if (attribute.name.empty())
        throw ParseError("an attribute without a name");
    attribute.type = settle_type(attribute, declared, given);
    return attribute;
}

NodeProto read_node(Trail& trail, Message& message)
{
    NodeProto node;
    while (message.next()) {
        switch (message.tag()) {
        case 1:
            node.inputs.push_back(message.bytes());
            break;
        case 2:
            node.outputs.push_back(message.bytes());
            break;
        case 3:
            node.name = message.once("name").bytes();
            break;
        case 4:
            node.op_type = message.once("op_type").bytes();
            break;
        case 5:
            node.attributes.push_back(
                read_nested(trail, "attribute", next_index(node.attributes), message.bytes(), read_attribute));
            break;
        case 7:
            node.domain = message.once("domain").bytes();
            break;
        case 8:
            node.overload = message.once("overload").bytes();
            break;
        default:
            message.skip();
        }
    }
    if (node.op_type.empty())
        throw ParseError("a node without op_type");
    return node;
}

int64_t read_dimension(Trail&, Message& message)
{
    int64_t extent = -1;
    while (message.next()) {
        if (message.tag() != 1) {
            message.skip();
            continue;
        }
        extent = message.once("dim_value").integer();
        if (extent < -1)  // some exporters write -1 for "unknown"
            throw ParseError("a dimension of " + std::to_string(extent));
    }
    return extent;
}

std::vector<int64_t> read_shape(Trail& trail, Message& message)
{
    std::vector<int64_t> dims;
    while (message.next()) {
        if (message.tag() == 1)
            dims.push_back(read_nested(trail, "dim", next_index(dims), message.bytes(), read_dimension));
        else
            message.skip();
    }
    return dims;
}

ValueInfoProto read_tensor_type(Trail& trail, Message& message)
{
    ValueInfoProto info;
    while (message.next()) {
        switch (message.tag()) {
        case 1:
            info.elem_type = message.once("elem_type").integer();
            break;
        case 2:
            info.dims = read_nested(trail, "shape", -1, message.once("shape").bytes(), read_shape);
            info.has_shape = true;
            break;
        default:
            message.skip();
        }
    }
    return info;
}

ValueInfoProto read_type(Trail& trail, Message& message)
{
    ValueInfoProto info;
    while (message.next()) {
        switch (message.tag()) {
        case 1:
            info = read_nested(trail, "tensor_type", -1, message.once("tensor_type").bytes(), read_tensor_type);
            break;
        case 4:  // sequence, map, opaque, sparse tensor, optional
        case 5:
        case 7:
        case 8:
        case 9:
            message.skip();
            info.is_tensor = false;
            break;
        default:
            message.skip();
        }
    }
    return info;
}

ValueInfoProto read_value_info(Trail& trail, Message& message)
{
    ValueInfoProto info;
    std::string_view name;
    while (message.next()) {
        switch (message.tag()) {
        case 1:
            name = message.once("name").bytes();
            break;
        case 2:
            info = read_nested(trail, "type", -1, message.once("type").bytes(), read_type);
            break;
        default:
            message.skip();
        }
    }
    info.name = name;
    if (info.name.empty())
        throw ParseError("a graph input or output without a name");
    return info;
}

GraphProto read_graph(Trail& trail, Message& message)
{
    GraphProto graph;
    while (message.next()) {
        switch (message.tag()) {
        case 1:
            graph.nodes.push_back(read_nested(trail, "node", next_index(graph.nodes), message.bytes(), read_node));
            graph.nodes.back().index = graph.nodes.size() - 1;
            break;
        case 5:
            graph.initializers.push_back(read_tensor_at(trail, "initializer", next_index(graph.initializers), message.bytes()));
            if (graph.initializers.back().name.empty())
                throw ParseError("an initializer without a name");
            break;
        case 11:
            graph.inputs.push_back(read_nested(trail, "input", next_index(graph.inputs), message.bytes(), read_value_info));
            break;
        case 12:
            graph.outputs.push_back(read_nested(trail, "output", next_index(graph.outputs), message.bytes(), read_value_info));
            break;
        case 15:
            graph.sparse_initializers.push_back(std::make_shared<SparseTensorProto>(read_nested(
                trail, "sparse_initializer", next_index(graph.sparse_initializers), message.bytes(), read_sparse_tensor)));
            if (graph.sparse_initializers.back()->values.name.empty())
                throw ParseError("a sparse initializer without a name, which is that of its values");
            break;
        default:
            message.skip();
        }
    }
    return graph;
}

OperatorSetId read_opset(Trail&, Message& message)
{
    OperatorSetId id;
    while (message.next()) {
        if (message.tag() == 1)
            id.domain = message.once("domain").bytes();
        else if (message.tag() == 2)
            id.version = message.once("version").integer();
        else
            message.skip();
    }
    return id;
}

MetadataEntry read_metadata(Trail& trail, Message& message)
{
    const StringStringEntryProto entry = read_entry(trail, message);
    return {.key = std::string(entry.key), .value = std::string(entry.value)};
}

FunctionProto read_function(Trail& trail, Message& message)
{
    FunctionProto function;
    while (message.next()) {
        switch (message.tag()) {
        case 1:
            function.name = message.once("name").bytes();
            break;
        case 4:
            function.inputs.push_back(message.bytes());
            break;
        case 5:
            function.outputs.push_back(message.bytes());
            break;
        case 6:
            function.attributes.push_back(message.bytes());
            break;
        case 7:
            function.nodes.push_back(read_nested(trail, "node", next_index(function.nodes), message.bytes(), read_node));
            function.nodes.back().index = function.nodes.size() - 1;
            break;
        case 9:
            function.opset_imports.push_back(
                read_nested(trail, "opset_import", next_index(function.opset_imports), message.bytes(), read_opset));
            break;
        case 10:
            function.domain = message.once("domain").bytes();
            break;
        case 11:
            function.attribute_protos.push_back(
                read_nested(trail, "attribute_proto", next_index(function.attribute_protos), message.bytes(), read_attribute));
            break;
        case 13:
            function.overload = message.once("overload").bytes();
            break;
        default:
            message.skip();
        }
    }
    if (function.name.empty())
        throw ParseError("a function without a name");
    return function;
}

ModelProto read_model(Trail& trail, Message& message)
{
    ModelProto model;
    while (message.next()) {
        switch (message.tag()) {
        case 7:
            model.graph = read_nested(trail, "graph", -1, message.once("graph").bytes(), read_graph);
            model.has_graph = true;
            break;
        case 8:
            model.opset_imports.push_back(
                read_nested(trail, "opset_import", next_index(model.opset_imports), message.bytes(), read_opset));
            break;
        case 14:
            model.metadata.push_back(
                read_nested(trail, "metadata_props", next_index(model.metadata), message.bytes(), read_metadata));
            break;
        case 25:
            model.functions.push_back(
                read_nested(trail, "functions", next_index(model.functions), message.bytes(), read_function));
            break;
        default:
            message.skip();
        }
    }
    return model;
}

template <class Read>
auto parse(const char* kind, std::string_view bytes, Read read) -> Result<decltype(read(std::declval<Trail&>()))>
{
    Trail trail(bytes);
    auto refuse = [&](const char* what) {
        return Status(Code::invalid_argument, std::string("not a valid ONNX ") + kind + ": " + what + " (" + trail.text() + ")");
    };
    try {
        return read(trail);
    } catch (const protozero::end_of_buffer_exception&) {
        return refuse("the data ends inside a field");
    } catch (const protozero::varint_too_long_exception&) {
        return refuse("a number longer than 10 bytes");
    } catch (const protozero::unknown_pbf_wire_type_exception&) {
        return refuse("a wire type that protobuf does not have or no longer uses");
    } catch (const protozero::invalid_tag_exception&) {
        return refuse("a field number that protobuf does not allow");
    } catch (const protozero::invalid_length_exception&) {
        return refuse("a list of numbers whose length is no multiple of a number's size");
    } catch (const protozero::exception& error) {
        return refuse(error.what());
    } catch (const ParseError& error) {
        return refuse(error.what());
    }
}

}  // namespace

const char* name(AttributeType type)
{
    constexpr std::array<const char*, attribute_fields.size()> names = {
        "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
        "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
    return names[size_t(type)];
}

Result<ModelProto> parse_model(std::string_view bytes)
{
    return parse("model", bytes, [&](Trail& trail) {
        Message message(trail, bytes);
        return read_model(trail, message);
    });
}

Result<TensorProto> parse_tensor_proto(std::string_view bytes)
{
    return parse("tensor", bytes, [&](Trail& trail) {
        Message message(trail, bytes);
        TensorProto tensor = read_tensor(trail, message);
        tensor.message = bytes;
        return tensor;
    });
}

}  // namespace vkonnx::onnx
