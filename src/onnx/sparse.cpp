// SPDX-License-Identifier: Apache-2.0
#include "sparse.h"

#include <algorithm>
#include <cstring>

#include "attributes.h"
#include "return_if_error.h"

namespace vkonnx::onnx {

namespace {

// The dense tensor may have as many bytes as one that lies in a model file, however few bytes say so.
constexpr uint64_t most_dense_bytes = 0x7fffffff;

// The dense tensor has values[i] at positions[i], which ascend. A position counts elements in row-major order.
struct Sparse {
    TensorDesc desc = {};  // of the dense tensor
    std::vector<int64_t> positions = {};
    std::shared_ptr<const graph::Content> values = {};
};

Status refuse(const SparseTensorProto& tensor, const std::string& what, Code code = Code::invalid_argument)
{
    const std::string_view name = tensor.values.name;
    return Status(code, (name.empty() ? "sparse tensor" : "sparse tensor " + quote(name)) + ": " + what);
}

Status in_part(const SparseTensorProto& tensor, const char* part, const Status& status)
{
    if (status || status.code() == Code::out_of_memory)
        return status;
    return refuse(tensor, std::string(part) + ": " + std::string(status.message()), status.code());
}

Status check_dims(const SparseTensorProto& tensor, const TensorDesc& desc)
{
    if (desc.dims.size() > max_rank)
        return refuse(tensor, "rank " + std::to_string(desc.dims.size()) + " is above " + std::to_string(max_rank));
    for (size_t i = 0; i < desc.dims.size(); ++i)
        if (desc.dims[i] < 0)
            return refuse(tensor, "dims[" + std::to_string(i) + "] = " + std::to_string(desc.dims[i]) + " must not be negative");
    const Result<int64_t> count = element_count(desc);
    if (!count)
        return refuse(tensor, std::string(count.message()));
    const uint64_t element_bits = desc.dtype == DType::string ? 8 * sizeof(std::string) : bits(desc.dtype);
    if (uint64_t(*count) > 8 * most_dense_bytes / element_bits)
        return refuse(tensor,
                      "as the dense tensor " + to_string(desc) + " it has more than " + std::to_string(most_dense_bytes) +
                          " bytes, which is the limit of this library",
                      Code::unsupported);
    return {};
}

// Reads the indices, which are positions, or for each position its coordinates.
Result<std::vector<int64_t>> positions_of(const SparseTensorProto& tensor, const Sparse& sparse, const ExternalFolder& folder)
{
    const Result<std::shared_ptr<const graph::Content>> content = content_of(tensor.indices, folder);
    VKONNX_RETURN_IF_ERROR(in_part(tensor, "indices", content.status()));
    const TensorDesc& indices = (*content)->desc;
    const int64_t count = sparse.values->desc.dims[0];
    const auto rank = int64_t(sparse.desc.dims.size());
    const bool are_coordinates = indices.dims.size() == 2;
    const std::string length = std::to_string(count);
    if (indices.dtype != DType::int64 || (indices.dims != std::vector{count} && indices.dims != std::vector{count, rank}))
        return refuse(tensor, "its indices are " + to_string(indices) + ", expected int64[" + length + "] or int64[" + length +
                                  "," + std::to_string(rank) + "]");
    const Result<HostTensor> host = (*content)->read();
    VKONNX_RETURN_IF_ERROR(in_part(tensor, "indices", host.status()));
    const std::vector<int64_t> given = graph::integers_of(*host);
    // An index is a number of one digit, by a base that is the number of elements, or of `rank` digits.
    const std::vector<int64_t> bases = are_coordinates ? sparse.desc.dims : std::vector{*element_count(sparse.desc)};
    std::vector<int64_t> positions(static_cast<size_t>(count));
    for (size_t i = 0; i < positions.size(); ++i) {
        for (size_t digit = 0; digit < bases.size(); ++digit) {
            const size_t at = i * bases.size() + digit;
            if (given[at] < 0 || given[at] >= bases[digit])
                return refuse(tensor, "indices[" + std::to_string(i) + (are_coordinates ? "," + std::to_string(digit) : "") +
                                          "] = " + std::to_string(given[at]) + " must not be negative, and below " +
                                          std::to_string(bases[digit]));
            positions[i] = positions[i] * bases[digit] + given[at];
        }
        if (i > 0 && positions[i] <= positions[i - 1])
            return refuse(tensor, "indices[" + std::to_string(i) + "] is element " + std::to_string(positions[i]) +
                                      ", which does not come behind element " + std::to_string(positions[i - 1]) +
                                      "; indices must ascend, each given once");
    }
    return positions;
}

// Copies the values whose bytes lie from `offset` on, as far as there is room. The rest is zero.
void scatter(const Sparse& sparse, std::span<const std::byte> values, uint64_t offset, std::span<std::byte> to)
{
    std::fill(to.begin(), to.end(), std::byte(0));
    const uint64_t width = bits(sparse.desc.dtype), end = offset + to.size();
    const std::vector<int64_t>& positions = sparse.positions;
    const auto first = std::lower_bound(positions.begin(), positions.end(), int64_t(8 * offset / width));
    for (auto i = size_t(first - positions.begin()); i < positions.size(); ++i) {
        const auto position = uint64_t(positions[i]);
        if (position * width >= 8 * end)
            return;
        if (width < 8) {  // the first of the elements in a byte has its lowest bits
            const uint64_t in_byte = 8 / width, value = std::to_integer<uint64_t>(values[i / in_byte]) >> (i % in_byte * width);
            to[position / in_byte - offset] |= std::byte((value & ((1U << width) - 1)) << (position % in_byte * width));
            continue;
        }
        const uint64_t from = position * width / 8, begin = std::max(from, offset);
        const uint64_t size = std::min(from + width / 8, end) - begin;
        std::memcpy(&to[begin - offset], &values[i * width / 8 + (begin - from)], size);
    }
}

Status read_part(const Sparse& sparse, uint64_t offset, std::span<std::byte> to)
{
    if (!sparse.values->bytes.empty()) {
        scatter(sparse, sparse.values->bytes, offset, to);
        return {};
    }
    const Result<HostTensor> values = sparse.values->read();
    if (values)
        scatter(sparse, values->data, offset, to);
    return values.status();
}

Result<HostTensor> read_all(const Sparse& sparse)
{
    HostTensor dense{.desc = sparse.desc};
    if (sparse.desc.dtype != DType::string) {
        dense.data.resize(size_t(*byte_size(sparse.desc)));
        Status status = read_part(sparse, 0, dense.data);
        return status ? Result<HostTensor>(std::move(dense)) : status;
    }
    Result<HostTensor> values = sparse.values->read();
    VKONNX_RETURN_IF_ERROR(values.status());
    dense.strings.resize(size_t(*element_count(sparse.desc)));
    for (size_t i = 0; i < sparse.positions.size(); ++i)
        dense.strings[size_t(sparse.positions[i])] = std::move(values->strings[i]);
    return dense;
}

}  // namespace

Result<std::shared_ptr<const graph::Content>> content_of(const SparseTensorProto& tensor, const ExternalFolder& folder)
{
    auto sparse = std::make_shared<Sparse>();
    const Result<std::shared_ptr<const graph::Content>> values = content_of(tensor.values, folder);
    VKONNX_RETURN_IF_ERROR(in_part(tensor, "values", values.status()));
    sparse->values = *values;
    sparse->desc = {.dtype = sparse->values->desc.dtype, .dims = tensor.dims, .layout = Layout::ncx};
    if (sparse->values->desc.dims.size() != 1)
        return refuse(tensor, "its values are " + to_string(sparse->values->desc) + ", expected one dimension");
    VKONNX_RETURN_IF_ERROR(check_dims(tensor, sparse->desc));
    Result<std::vector<int64_t>> positions = positions_of(tensor, *sparse, folder);
    VKONNX_RETURN_IF_ERROR(positions.status());
    sparse->positions = std::move(*positions);
    graph::Content content = {.desc = sparse->desc, .read = [sparse] { return read_all(*sparse); }};
    if (sparse->desc.dtype != DType::string)
        content.read_part = [sparse](uint64_t offset, std::span<std::byte> to) { return read_part(*sparse, offset, to); };
    return std::make_shared<const graph::Content>(std::move(content));
}

}  // namespace vkonnx::onnx
