// SPDX-License-Identifier: Apache-2.0
// Model: a file's bytes, read and checked.
#include <vkonnx/onnx.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "graph.h"
#include "guard.h"
#include "tensor.h"
#include "value_info.h"

namespace vkonnx::onnx {

namespace {

constexpr uint64_t most_bytes = 0x7fffffff;  // of a protobuf message

Status too_large(uint64_t bytes)
{
    return Status(Code::invalid_argument, "not a valid ONNX model: it has " + std::to_string(bytes) +
                                              " bytes, a protobuf message at most " + std::to_string(most_bytes));
}

Result<std::vector<ValueInfo>> declarations(const ModelState& state, bool is_input)
{
    const std::vector<ValueInfoProto>& protos = is_input ? state.proto.graph.inputs : state.proto.graph.outputs;
    std::vector<ValueInfo> infos;
    for (const ValueInfoProto& proto : protos) {
        std::string label = std::string(is_input ? "input " : "output ") + quote(proto.name) + ": ";
        ValueInfo info{.name = std::string(proto.name),
                       .dtype = dtype_from(proto.elem_type),
                       .has_shape = proto.has_shape,
                       .dims = proto.dims};
        if (!proto.is_tensor)
            return Status(Code::unsupported, label +
                                                 "it is no dense tensor; sequences, maps, optionals and sparse tensors are not "
                                                 "supported");
        if (info.dtype == DType::undefined && proto.elem_type != 0)
            return Status(Code::invalid_argument,
                          label + "elem_type " + std::to_string(proto.elem_type) + " is none of ONNX's types");
        if (info.dims.size() > max_rank)
            return Status(Code::invalid_argument,
                          label + "rank " + std::to_string(info.dims.size()) + " is above " + std::to_string(max_rank));
        infos.push_back(std::move(info));
    }
    return infos;
}

// Initializers that are listed as graph inputs too, as before IR version 4, against that listing.
Status check_filled_inputs(const ModelState& state, const std::vector<ValueInfo>& inputs)
{
    for (const Value& value : state.graph.values) {
        if (value.input < 0 || value.initializer < 0)
            continue;
        Result<TensorDesc> desc = check(state.proto.graph.initializers[size_t(value.initializer)]);
        if (!desc)
            return desc.status();
        if (std::string wrong = contradiction(inputs[size_t(value.input)], *desc); !wrong.empty())
            return Status(Code::invalid_argument, "initializer " + quote(value.name) + ": " + wrong);
    }
    return {};
}

Result<Model> build(std::vector<std::byte> bytes)
{
    if (bytes.size() > most_bytes)
        return too_large(bytes.size());
    auto state = std::make_shared<ModelState>();
    state->bytes = std::move(bytes);
    Result<ModelProto> proto = parse_model({reinterpret_cast<const char*>(state->bytes.data()), state->bytes.size()});
    if (!proto)
        return proto.status();
    state->proto = std::move(*proto);
    if (!state->proto.has_graph)
        return Status(Code::invalid_argument, "not a valid ONNX model: it has no graph");
    Result<Graph> graph = build_graph(state->proto);
    if (!graph)
        return graph.status();
    state->graph = std::move(*graph);
    Result<std::vector<ValueInfo>> inputs = declarations(*state, true);
    Result<std::vector<ValueInfo>> outputs = declarations(*state, false);
    if (!inputs || !outputs)
        return inputs ? outputs.status() : inputs.status();
    if (Status status = check_filled_inputs(*state, *inputs); !status)
        return status;
    for (int32_t input : state->graph.inputs)
        state->inputs.push_back((*inputs)[size_t(state->graph.values[size_t(input)].input)]);
    state->outputs = std::move(*outputs);
    return Access::model(std::move(state));
}

Status io_error(const std::string& path, const std::string& why)
{
    return Status(Code::io, "cannot read " + quote(path) + ": " + why);
}

Result<std::vector<std::byte>> read_file(const std::string& path)
{
    std::error_code error;
    std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        return io_error(path, "no such file");
    if (!std::filesystem::is_regular_file(status))
        return io_error(path, "it is not a regular file");
    uint64_t size = std::filesystem::file_size(path, error);
    if (error)
        return io_error(path, error.message());
    if (size > most_bytes)
        return too_large(size);
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return io_error(path, std::generic_category().message(errno));
    std::vector<std::byte> bytes(size);
    file.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(size));
    if (uint64_t(file.gcount()) != size)
        return io_error(path, "it ended after " + std::to_string(file.gcount()) + " of " + std::to_string(size) + " bytes");
    return bytes;
}

}  // namespace

Result<HostTensor> parse_tensor(std::span<const std::byte> tensor_proto)
{
    return guarded([&]() -> Result<HostTensor> {
        if (Status status = check_span("onnx::parse_tensor", "tensor_proto", tensor_proto); !status)
            return status;
        if (tensor_proto.size() > most_bytes)
            return too_large(tensor_proto.size());
        Result<TensorProto> proto = parse_tensor_proto({reinterpret_cast<const char*>(tensor_proto.data()), tensor_proto.size()});
        return proto ? read(*proto) : proto.status();
    });
}

Result<Model> Model::load(const std::string& path)
{
    return guarded([&]() -> Result<Model> {
        Result<std::vector<std::byte>> bytes = read_file(path);
        return bytes ? build(std::move(*bytes)) : bytes.status();
    });
}

Result<Model> Model::parse(std::span<const std::byte> bytes)
{
    return guarded([&]() -> Result<Model> {
        if (Status status = check_span("Model::parse", "bytes", bytes); !status)
            return status;
        if (bytes.size() > most_bytes)
            return too_large(bytes.size());
        return build(std::vector<std::byte>(bytes.begin(), bytes.end()));
    });
}

std::span<const ValueInfo> Model::inputs() const noexcept
{
    return state_ ? std::span(state_->inputs) : std::span<const ValueInfo>();
}

std::span<const ValueInfo> Model::outputs() const noexcept
{
    return state_ ? std::span(state_->outputs) : std::span<const ValueInfo>();
}

}  // namespace vkonnx::onnx
