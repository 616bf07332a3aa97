// SPDX-License-Identifier: Apache-2.0
// This file implements Model, which reads and checks a file's bytes.
#include <vkonnx/onnx.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "build.h"
#include "guard.h"
#include "inline.h"
#include "return_if_error.h"
#include "tensor.h"

namespace vkonnx::onnx {

namespace {

constexpr uint64_t most_bytes = 0x7fffffff;  // of a protobuf message

Status too_large(uint64_t bytes)
{
    return Status(Code::invalid_argument, "not a valid ONNX model: it has " + std::to_string(bytes) +
                                              " bytes, a protobuf message at most " + std::to_string(most_bytes));
}

// This struct holds what a graph points into.
struct File {
    std::vector<std::byte> bytes;
    ModelProto proto;
};

Result<Model> build(std::vector<std::byte> bytes, const ExternalFolder& folder)
{
    if (bytes.size() > most_bytes)
        return too_large(bytes.size());
    auto file = std::make_shared<File>();
    file->bytes = std::move(bytes);
    Result<ModelProto> proto = parse_model({reinterpret_cast<const char*>(file->bytes.data()), file->bytes.size()});
    VKONNX_RETURN_IF_ERROR(proto.status());
    file->proto = std::move(*proto);
    if (!file->proto.has_graph)
        return Status(Code::invalid_argument, "not a valid ONNX model: it has no graph");
    VKONNX_RETURN_IF_ERROR(inline_functions(file->proto));
    Result<graph::Graph> graph = build_graph(file->proto, folder);
    VKONNX_RETURN_IF_ERROR(graph.status());
    std::vector<MetadataEntry> metadata = std::move(file->proto.metadata);
    return Access::model(std::make_shared<ModelState>(
        ModelState{.file = std::move(file), .graph = std::move(*graph), .metadata = std::move(metadata)}));
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
        VKONNX_RETURN_IF_ERROR(check_span("onnx::parse_tensor", "tensor_proto", tensor_proto));
        if (tensor_proto.size() > most_bytes)
            return too_large(tensor_proto.size());
        Result<TensorProto> proto = parse_tensor_proto({reinterpret_cast<const char*>(tensor_proto.data()), tensor_proto.size()});
        return proto ? read(*proto) : proto.status();
    });
}

Result<Model> Model::load(const std::string& path, const ModelOptions& options)
{
    return guarded([&]() -> Result<Model> {
        Result<std::vector<std::byte>> bytes = read_file(path);
        VKONNX_RETURN_IF_ERROR(bytes.status());
        const std::string& folder = options.external_data_folder;
        return build(std::move(*bytes), folder.empty() ? ExternalFolder::of_model(path) : ExternalFolder::named(folder));
    });
}

Result<Model> Model::parse(std::span<const std::byte> bytes, const ModelOptions& options)
{
    return guarded([&]() -> Result<Model> {
        VKONNX_RETURN_IF_ERROR(check_span("Model::parse", "bytes", bytes));
        if (bytes.size() > most_bytes)
            return too_large(bytes.size());
        return build({bytes.begin(), bytes.end()}, ExternalFolder::named(options.external_data_folder));
    });
}

std::span<const ValueInfo> Model::inputs() const noexcept
{
    return state_ ? std::span(state_->graph.input_infos) : std::span<const ValueInfo>();
}

std::span<const ValueInfo> Model::outputs() const noexcept
{
    return state_ ? std::span(state_->graph.output_infos) : std::span<const ValueInfo>();
}

std::span<const MetadataEntry> Model::metadata() const noexcept
{
    return state_ ? std::span(state_->metadata) : std::span<const MetadataEntry>();
}

}  // namespace vkonnx::onnx
