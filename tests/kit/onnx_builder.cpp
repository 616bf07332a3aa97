#include "kit/onnx_builder.h"

#include <protozero/pbf_writer.hpp>

namespace vkonnx::kit {

namespace {

constexpr int64_t ir_version = 8;

// Completes an AttributeProto: adds the name and the type to the field of the value.
std::string finish_attribute(Proto value, std::string_view name, int64_t type)
{
    return value.bytes(1, name).integer(20, type).str();
}

std::string shape_of(const std::vector<Dim>& dims)
{
    Proto shape;
    for (const Dim& dim : dims)
        shape.bytes(1, dim.symbol.empty() ? Proto().integer(1, dim.extent).str() : Proto().bytes(2, dim.symbol).str());
    return shape.str();
}

std::string value_info_of(std::string_view name, const Proto& tensor_type)
{
    return Proto().bytes(1, name).bytes(2, Proto().bytes(1, tensor_type.str()).str()).str();
}

std::string node_of(std::string_view op_type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                    const std::vector<std::string>& attributes, std::string_view name, std::string_view domain)
{
    Proto node;
    for (const std::string& input : inputs)
        node.bytes(1, input);
    for (const std::string& output : outputs)
        node.bytes(2, output);
    if (!name.empty())
        node.bytes(3, name);
    node.bytes(4, op_type);
    for (const std::string& attribute : attributes)
        node.bytes(5, attribute);
    if (!domain.empty())
        node.bytes(7, domain);
    return node.str();
}

}  // namespace

Proto& Proto::integer(uint32_t field, int64_t value)
{
    protozero::pbf_writer(data_).add_int64(field, value);
    return *this;
}

Proto& Proto::real(uint32_t field, float value)
{
    protozero::pbf_writer(data_).add_float(field, value);
    return *this;
}

Proto& Proto::real(uint32_t field, double value)
{
    protozero::pbf_writer(data_).add_double(field, value);
    return *this;
}

Proto& Proto::bytes(uint32_t field, std::string_view value)
{
    protozero::pbf_writer(data_).add_bytes(field, value.data(), value.size());
    return *this;
}

Proto& Proto::integers(uint32_t field, const std::vector<int64_t>& values)
{
    protozero::pbf_writer(data_).add_packed_int64(field, values.begin(), values.end());
    return *this;
}

Proto& Proto::reals(uint32_t field, const std::vector<float>& values)
{
    protozero::pbf_writer(data_).add_packed_float(field, values.begin(), values.end());
    return *this;
}

Proto& Proto::reals(uint32_t field, const std::vector<double>& values)
{
    protozero::pbf_writer(data_).add_packed_double(field, values.begin(), values.end());
    return *this;
}

std::span<const std::byte> as_bytes(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

std::string raw_tensor(std::string_view name, const TensorDesc& desc, std::span<const std::byte> data)
{
    return Proto()
        .integers(1, desc.dims)
        .integer(2, int64_t(desc.dtype))
        .bytes(8, name)
        .bytes(9, {reinterpret_cast<const char*>(data.data()), data.size()})
        .str();
}

std::string external_tensor(std::string_view name, const TensorDesc& desc,
                            const std::vector<std::pair<std::string, std::string>>& entries)
{
    Proto tensor = Proto().integers(1, desc.dims).integer(2, int64_t(desc.dtype)).bytes(8, name).integer(14, 1);
    for (const auto& [key, value] : entries)
        tensor.bytes(13, Proto().bytes(1, key).bytes(2, value).str());
    return tensor.str();
}

std::string float_tensor(std::string_view name, std::vector<int64_t> dims, const std::vector<float>& values)
{
    return raw_tensor(name, {.dtype = DType::float32, .dims = std::move(dims)}, std::as_bytes(std::span(values)));
}

std::string int64_tensor(std::string_view name, std::vector<int64_t> dims, const std::vector<int64_t>& values)
{
    return raw_tensor(name, {.dtype = DType::int64, .dims = std::move(dims)}, std::as_bytes(std::span(values)));
}

std::string bool_tensor(std::string_view name, std::vector<int64_t> dims, const std::vector<uint8_t>& values)
{
    return raw_tensor(name, {.dtype = DType::boolean, .dims = std::move(dims)}, std::as_bytes(std::span(values)));
}

std::string int_attribute(std::string_view name, int64_t value)
{
    return finish_attribute(Proto().integer(3, value), name, 2);
}

std::string float_attribute(std::string_view name, float value)
{
    return finish_attribute(Proto().real(2, value), name, 1);
}

std::string string_attribute(std::string_view name, std::string_view value)
{
    return finish_attribute(Proto().bytes(4, value), name, 3);
}

std::string tensor_attribute(std::string_view name, std::string_view tensor_proto)
{
    return finish_attribute(Proto().bytes(5, tensor_proto), name, 4);
}

std::string graph_attribute(std::string_view name, std::string_view graph_proto)
{
    return finish_attribute(Proto().bytes(6, graph_proto), name, 5);
}

std::string ints_attribute(std::string_view name, const std::vector<int64_t>& values)
{
    return finish_attribute(Proto().integers(8, values), name, 7);
}

std::string floats_attribute(std::string_view name, const std::vector<float>& values)
{
    return finish_attribute(Proto().reals(7, values), name, 6);
}

std::string strings_attribute(std::string_view name, const std::vector<std::string>& values)
{
    Proto attribute;
    for (const std::string& value : values)
        attribute.bytes(9, value);
    return finish_attribute(attribute, name, 8);
}

std::string sparse_attribute(std::string_view name, std::string_view sparse_tensor_proto)
{
    Proto attribute;
    attribute.bytes(22, sparse_tensor_proto);
    return finish_attribute(attribute, name, 11);
}

std::string referring_attribute(std::string_view name, std::string_view refers_to, int64_t type)
{
    Proto attribute;
    attribute.bytes(21, refers_to);
    return finish_attribute(attribute, name, type);
}

std::string sparse_tensor(std::string_view values, std::string_view indices, const std::vector<int64_t>& dims)
{
    return Proto().bytes(1, values).bytes(2, indices).integers(3, dims).str();
}

std::string value_info(std::string_view name, DType dtype, const std::vector<Dim>& dims)
{
    return value_info_of(name, Proto().integer(1, int64_t(dtype)).bytes(2, shape_of(dims)));
}

std::string value_info_without_shape(std::string_view name, DType dtype)
{
    return value_info_of(name, Proto().integer(1, int64_t(dtype)));
}

FunctionBuilder::FunctionBuilder(std::string_view name, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs, std::string_view domain)
{
    function_.bytes(1, name).bytes(10, domain);
    for (const std::string& input : inputs)
        function_.bytes(4, input);
    for (const std::string& output : outputs)
        function_.bytes(5, output);
}

FunctionBuilder& FunctionBuilder::opset(int64_t version, std::string_view domain)
{
    return field(9, Proto().bytes(1, domain).integer(2, version).str());
}

FunctionBuilder& FunctionBuilder::attribute(std::string_view name)
{
    return field(6, name);
}

FunctionBuilder& FunctionBuilder::with_default(std::string_view attribute_proto)
{
    return field(11, attribute_proto);
}

FunctionBuilder& FunctionBuilder::node(std::string_view op_type, const std::vector<std::string>& inputs,
                                       const std::vector<std::string>& outputs, const std::vector<std::string>& attributes,
                                       std::string_view name, std::string_view domain)
{
    return field(7, node_of(op_type, inputs, outputs, attributes, name, domain));
}

FunctionBuilder& FunctionBuilder::field(uint32_t field, std::string_view message)
{
    function_.bytes(field, message);
    return *this;
}

ModelBuilder& ModelBuilder::opset(int64_t version, std::string_view domain)
{
    model_.bytes(8, Proto().bytes(1, domain).integer(2, version).str());
    return *this;
}

ModelBuilder& ModelBuilder::input(std::string_view name, DType dtype, const std::vector<Dim>& dims)
{
    return graph_field(11, value_info(name, dtype, dims));
}

ModelBuilder& ModelBuilder::output(std::string_view name, DType dtype, const std::vector<Dim>& dims)
{
    return graph_field(12, value_info(name, dtype, dims));
}

ModelBuilder& ModelBuilder::output(std::string_view name)
{
    return graph_field(12, Proto().bytes(1, name).str());
}

ModelBuilder& ModelBuilder::initializer(std::string_view tensor_proto)
{
    return graph_field(5, tensor_proto);
}

ModelBuilder& ModelBuilder::node(std::string_view op_type, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs, const std::vector<std::string>& attributes,
                                 std::string_view name, std::string_view domain)
{
    return graph_field(1, node_of(op_type, inputs, outputs, attributes, name, domain));
}

ModelBuilder& ModelBuilder::sparse_initializer(std::string_view sparse_tensor_proto)
{
    return graph_field(15, sparse_tensor_proto);
}

ModelBuilder& ModelBuilder::function(const FunctionBuilder& function)
{
    return model_field(25, function.build());
}

ModelBuilder& ModelBuilder::graph_field(uint32_t field, std::string_view message)
{
    graph_.bytes(field, message);
    return *this;
}

ModelBuilder& ModelBuilder::model_field(uint32_t field, std::string_view message)
{
    model_.bytes(field, message);
    return *this;
}

std::string ModelBuilder::build() const
{
    return Proto().integer(1, ir_version).str() + model_.str() + Proto().bytes(7, graph()).str();
}

std::string ModelBuilder::graph() const
{
    Proto graph = graph_;
    graph.bytes(2, "graph");
    return graph.str();
}

}  // namespace vkonnx::kit
