// SPDX-License-Identifier: Apache-2.0
// This file holds the parts of an ONNX file that this library looks at, as plain structs. Every view points into the file's
// bytes, which must outlive them; memory is bounded by a constant times the file's size. Field names are those of onnx.proto.
#pragma once

#include <vkonnx/onnx.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/quote.h"

namespace vkonnx::onnx {

using graph::max_rank;
using graph::quote;
using graph::visible;

enum class TypedField : uint8_t { float_data, int32_data, string_data, int64_data, double_data, uint64_data };
inline constexpr size_t typed_field_count = 6;

struct StringStringEntryProto {
    std::string_view key = {};
    std::string_view value = {};
};

struct TensorProto {
    std::string_view name = {};
    std::vector<int64_t> dims = {};
    int64_t data_type = 0;
    bool has_raw_data = false;
    std::string_view raw_data = {};
    std::array<uint64_t, typed_field_count> elements = {};  // how many each typed field has
    bool has_segment = false;
    int64_t data_location = 0;  // 0: in the fields above; 1: where external_data says
    std::vector<StringStringEntryProto> external_data = {};
    std::string_view message = {};  // the whole TensorProto, for reading the typed fields later
};

struct SparseTensorProto {
    TensorProto values = {};  // its name is that of the sparse tensor
    TensorProto indices = {};
    std::vector<int64_t> dims = {};
};

// The numbers are those of AttributeProto.AttributeType.
enum class AttributeType : uint8_t {
    undefined,
    real,
    integer,
    string,
    tensor,
    graph,
    reals,
    integers,
    strings,
    tensors,
    graphs,
    sparse_tensor,
    sparse_tensors,
    type_proto,
    type_protos,
};
const char* name(AttributeType type);  // onnx.proto's word: "FLOAT"

struct GraphProto;

struct AttributeProto {
    std::string_view name = {};
    AttributeType type = AttributeType::undefined;  // never undefined once parsed
    std::string_view ref_attr_name = {};
    float f = 0;
    int64_t i = 0;
    std::string_view s = {};
    std::shared_ptr<const TensorProto> t = {};
    std::shared_ptr<const GraphProto> g = {};
    std::shared_ptr<const SparseTensorProto> sparse_tensor = {};
    std::vector<float> floats = {};
    std::vector<int64_t> ints = {};
    std::vector<std::string_view> strings = {};
};

struct NodeProto {
    size_t index = 0;    // in its graph, or in its function
    size_t imports = 0;  // whose opset imports it goes by: 0 for the model's, else 1 + the index of a function
    std::string_view name = {};
    std::string_view op_type = {};
    std::string_view domain = {};
    std::string_view overload = {};
    std::vector<std::string_view> inputs = {};
    std::vector<std::string_view> outputs = {};
    std::vector<AttributeProto> attributes = {};
};

struct ValueInfoProto {
    std::string_view name = {};
    bool is_tensor = true;  // false for sequences, maps, optionals and sparse tensors
    int64_t elem_type = 0;
    bool has_shape = false;
    std::vector<int64_t> dims = {};  // -1 for a symbol or nothing
};

struct GraphProto {
    std::vector<NodeProto> nodes = {};
    std::vector<TensorProto> initializers = {};
    std::vector<std::shared_ptr<const SparseTensorProto>> sparse_initializers = {};
    std::vector<ValueInfoProto> inputs = {};
    std::vector<ValueInfoProto> outputs = {};
};

struct OperatorSetId {
    std::string_view domain = {};
    int64_t version = 0;
};

struct FunctionProto {
    std::string_view domain = {};
    std::string_view name = {};
    std::string_view overload = {};
    std::vector<std::string_view> inputs = {};
    std::vector<std::string_view> outputs = {};
    std::vector<std::string_view> attributes = {};      // those without a default
    std::vector<AttributeProto> attribute_protos = {};  // those with a default, which is the value
    std::vector<NodeProto> nodes = {};
    std::vector<OperatorSetId> opset_imports = {};
};

struct ModelProto {
    bool has_graph = false;
    GraphProto graph = {};
    std::vector<OperatorSetId> opset_imports = {};
    std::vector<MetadataEntry> metadata = {};
    std::vector<FunctionProto> functions = {};
    std::deque<std::string> made_names = {};  // those that are not in the file
};

// Subgraphs may lie in one another so deep, which is deeper than the protobuf library of others reads.
inline constexpr size_t most_subgraphs = 32;

Result<ModelProto> parse_model(std::string_view bytes);
Result<TensorProto> parse_tensor_proto(std::string_view bytes);

}  // namespace vkonnx::onnx
