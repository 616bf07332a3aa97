// This header writes ONNX files: small models for tests and the demo, and wrong ones on purpose.
//
//   std::string file = ModelBuilder()
//                          .opset(17)
//                          .input("X", DType::float32, {1, 3, "H", "W"})
//                          .node("AveragePool", {"X"}, {"Y"}, {ints_attribute("kernel_shape", {2, 2})})
//                          .output("Y", DType::float32, {1, 3, "h", "w"})
//                          .build();
//
// Every function returns serialized messages as strings, so that a test can replace any part by bytes of its own.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vkonnx::kit {

// This class writes one protobuf message, field by field, by number. Fields may repeat and contradict each other.
class Proto {
public:
    Proto& integer(uint32_t field, int64_t value);
    Proto& real(uint32_t field, float value);
    Proto& real(uint32_t field, double value);
    Proto& bytes(uint32_t field, std::string_view value);                 // strings and nested messages
    Proto& integers(uint32_t field, const std::vector<int64_t>& values);  // packed
    Proto& reals(uint32_t field, const std::vector<float>& values);
    Proto& reals(uint32_t field, const std::vector<double>& values);
    const std::string& str() const { return data_; }

private:
    std::string data_;
};

std::span<const std::byte> as_bytes(std::string_view text);

// Returns a TensorProto with raw_data.
std::string raw_tensor(std::string_view name, const TensorDesc& desc, std::span<const std::byte> data);
std::string float_tensor(std::string_view name, std::vector<int64_t> dims, const std::vector<float>& values);
std::string int64_tensor(std::string_view name, std::vector<int64_t> dims, const std::vector<int64_t>& values);
std::string bool_tensor(std::string_view name, std::vector<int64_t> dims, const std::vector<uint8_t>& values);
// Returns a TensorProto whose data lies in another file. The entries are the pairs of external_data.
std::string external_tensor(std::string_view name, const TensorDesc& desc,
                            const std::vector<std::pair<std::string, std::string>>& entries);

std::string int_attribute(std::string_view name, int64_t value);
std::string float_attribute(std::string_view name, float value);
std::string string_attribute(std::string_view name, std::string_view value);
std::string tensor_attribute(std::string_view name, std::string_view tensor_proto);
std::string graph_attribute(std::string_view name, std::string_view graph_proto);
std::string ints_attribute(std::string_view name, const std::vector<int64_t>& values);
std::string floats_attribute(std::string_view name, const std::vector<float>& values);
std::string strings_attribute(std::string_view name, const std::vector<std::string>& values);
std::string sparse_attribute(std::string_view name, std::string_view sparse_tensor_proto);
// Returns an attribute in a function that has the value of the function's attribute. The type is a number of onnx.proto.
std::string referring_attribute(std::string_view name, std::string_view refers_to, int64_t type);

// Returns a SparseTensorProto.
std::string sparse_tensor(std::string_view values, std::string_view indices, const std::vector<int64_t>& dims);

// A dimension is a number or a symbol.
struct Dim {
    Dim(int64_t extent) : extent(extent) {}
    Dim(const char* symbol) : symbol(symbol) {}
    int64_t extent = -1;
    std::string symbol = {};
};

std::string value_info(std::string_view name, DType dtype, const std::vector<Dim>& dims);
std::string value_info_without_shape(std::string_view name, DType dtype);

// This class writes a function that a model defines.
class FunctionBuilder {
public:
    FunctionBuilder(std::string_view name, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                    std::string_view domain = "local");
    FunctionBuilder& opset(int64_t version, std::string_view domain = "");
    FunctionBuilder& attribute(std::string_view name);
    FunctionBuilder& with_default(std::string_view attribute_proto);  // an attribute, whose value is the default
    FunctionBuilder& node(std::string_view op_type, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs, const std::vector<std::string>& attributes = {},
                          std::string_view name = "", std::string_view domain = "");
    FunctionBuilder& field(uint32_t field, std::string_view message);  // any other field
    const std::string& build() const { return function_.str(); }

private:
    Proto function_;
};

class ModelBuilder {
public:
    ModelBuilder& opset(int64_t version, std::string_view domain = "");
    ModelBuilder& input(std::string_view name, DType dtype, const std::vector<Dim>& dims);
    ModelBuilder& output(std::string_view name, DType dtype, const std::vector<Dim>& dims);
    ModelBuilder& output(std::string_view name);  // without type and shape
    ModelBuilder& initializer(std::string_view tensor_proto);
    ModelBuilder& sparse_initializer(std::string_view sparse_tensor_proto);
    ModelBuilder& function(const FunctionBuilder& function);
    ModelBuilder& node(std::string_view op_type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                       const std::vector<std::string>& attributes = {}, std::string_view name = "", std::string_view domain = "");
    // These two add any other field of GraphProto or ModelProto.
    ModelBuilder& graph_field(uint32_t field, std::string_view message);
    ModelBuilder& model_field(uint32_t field, std::string_view message);
    std::string build() const;
    std::string graph() const;  // the GraphProto alone: a subgraph of another model

private:
    Proto graph_;
    Proto model_;
};

}  // namespace vkonnx::kit
