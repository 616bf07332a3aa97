// SPDX-License-Identifier: Apache-2.0
#include "graph/host.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

using Dims = std::vector<int64_t>;

Status invalid(std::string_view name, const std::string& what)
{
    return Status(Code::invalid_argument, std::string(name) + ": " + what);
}

Status unsupported(std::string_view name, const std::string& what)
{
    return Status(Code::unsupported, std::string(name) + ": " + what);
}

struct Request {
    std::string_view name = {};
    std::span<const HostTensor> inputs = {};
    const Content* value = nullptr;
    uint64_t most_bytes = 0;
};

// Returns a tensor of zeros, which is to be filled.
Result<HostTensor> sized(const Request& request, TensorDesc desc)
{
    if (bits(desc.dtype) < 8 || bits(desc.dtype) % 8 != 0)
        return unsupported(request.name, "elements of type " + std::string(name(desc.dtype)) + " are not computed on the host");
    const Result<uint64_t> bytes = byte_size(desc);
    if (!bytes)
        return unsupported(request.name, std::string(bytes.message()));
    if (*bytes > request.most_bytes)
        return unsupported(request.name, "its output " + to_string(desc) + " has " + std::to_string(*bytes) +
                                             " bytes, above what is left of SessionOptions::max_folded_bytes, " +
                                             std::to_string(request.most_bytes));
    return HostTensor{.desc = std::move(desc), .data = std::vector<std::byte>(size_t(*bytes))};
}

size_t width_of(const HostTensor& tensor)
{
    return bits(tensor.desc.dtype) / 8;
}

// ---- operators

Result<HostTensor> compute(const ConstantOfShape&, const Request& request)
{
    const HostTensor& shape = request.inputs[0];
    if (shape.desc.dtype != DType::int64 || shape.desc.dims.size() != 1)
        return invalid(request.name, "input is " + to_string(shape.desc) + ", expected int64 with one dimension");
    const DType dtype = request.value ? request.value->desc.dtype : DType::float32;
    const TensorDesc desc = {.dtype = dtype, .dims = integers_of(shape)};
    for (size_t i = 0; i < desc.dims.size(); ++i)
        if (desc.dims[i] < 0)
            return invalid(request.name,
                           "input[" + std::to_string(i) + "] = " + std::to_string(desc.dims[i]) + " must be at least 0");
    if (desc.dims.size() > max_rank)
        return invalid(request.name, "input has " + std::to_string(desc.dims.size()) + " elements, at most " +
                                         std::to_string(max_rank) + " are supported");
    Result<HostTensor> made = sized(request, desc);
    if (!made || !request.value)
        return made;
    const Result<HostTensor> value = request.value->read();
    VKONNX_RETURN_IF_ERROR(value.status());
    if (value->data.size() != width_of(*made))
        return invalid(request.name, "value is " + to_string(value->desc) + ", expected one element");
    for (size_t at = 0; at < made->data.size(); at += value->data.size())
        std::memcpy(made->data.data() + at, value->data.data(), value->data.size());
    return made;
}

// Returns as many numbers as ONNX says: max(ceil((limit - start) / delta), 0).
template <class Number>
Result<HostTensor> range(const Request& request)
{
    Number numbers[3] = {};
    for (size_t i = 0; i < 3; ++i)
        std::memcpy(&numbers[i], request.inputs[i].data.data(), sizeof(Number));
    const auto [start, limit, delta] = numbers;
    if (delta == 0)
        return invalid(request.name, "delta = 0 must not be 0");
    uint64_t count = 0;
    if constexpr (std::is_integral_v<Number>) {
        const uint64_t distance = delta > 0 ? uint64_t(limit) - uint64_t(start) : uint64_t(start) - uint64_t(limit);
        const uint64_t stride = delta > 0 ? uint64_t(delta) : uint64_t(0) - uint64_t(delta);
        if (delta > 0 ? limit > start : limit < start)
            count = (distance - 1) / stride + 1;
    } else {
        const double exact = std::ceil((double(limit) - double(start)) / double(delta));
        count = exact >= 1 && exact < 0x1p62 ? uint64_t(exact) : exact >= 1 ? uint64_t(INT64_MAX) : 0;
    }
    Result<HostTensor> made =
        sized(request, {request.inputs[0].desc.dtype, {int64_t(std::min<uint64_t>(count, uint64_t(INT64_MAX)))}});
    if (!made)
        return made;
    Number next = start;
    for (uint64_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<Number>)
            next = Number(uint64_t(start) + i * uint64_t(delta));
        else
            next = Number(start + Number(i) * delta);
        std::memcpy(made->data.data() + i * sizeof(Number), &next, sizeof(Number));
    }
    return made;
}

Result<HostTensor> compute(const Range&, const Request& request)
{
    const DType dtype = request.inputs[0].desc.dtype;
    for (const HostTensor& input : request.inputs)
        if (input.desc.dtype != dtype || input.data.size() * 8 != bits(dtype))
            return invalid(request.name, "inputs are " + to_string(request.inputs[0].desc) + ", " +
                                             to_string(request.inputs[1].desc) + " and " + to_string(request.inputs[2].desc) +
                                             ", expected scalars of one type");
    switch (dtype) {
    case DType::int16:
        return range<int16_t>(request);
    case DType::int32:
        return range<int32_t>(request);
    case DType::int64:
        return range<int64_t>(request);
    case DType::float32:
        return range<float>(request);
    case DType::float64:
        return range<double>(request);
    default:
        return unsupported(request.name, "elements of type " + std::string(name(dtype)) + " are not counted on the host");
    }
}

Result<HostTensor> compute(const Size&, const Request& request)
{
    const Result<int64_t> count = element_count(request.inputs[0].desc);
    Result<HostTensor> made = count ? sized(request, {DType::int64, {}}) : count.status();
    if (made)
        std::memcpy(made->data.data(), &*count, sizeof(int64_t));
    return made;
}

}  // namespace

Result<HostTensor> computed(const HostOperator& op, std::string_view name, std::span<const HostTensor> inputs,
                            const Content* value, uint64_t most_bytes)
{
    return std::visit([&](const auto& one) { return compute(one, Request{name, inputs, value, most_bytes}); }, op);
}

}  // namespace vkonnx::graph
