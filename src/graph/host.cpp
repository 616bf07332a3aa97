// SPDX-License-Identifier: Apache-2.0
#include "graph/host_request.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/composer.h"
#include "graph/reals.h"
#include "return_if_error.h"

namespace vkonnx::graph {

Result<HostTensor> HostRequest::sized(TensorDesc desc) const
{
    if (bits(desc.dtype) < 8 || bits(desc.dtype) % 8 != 0)
        return unsupported("elements of type " + std::string(vkonnx::name(desc.dtype)) + " are not computed on the host");
    const Result<uint64_t> bytes = byte_size(desc);
    if (!bytes)
        return unsupported(std::string(bytes.message()));
    if (*bytes > most_bytes)
        return unsupported("its output " + to_string(desc) + " has " + std::to_string(*bytes) +
                           " bytes, above what is left of SessionOptions::max_folded_bytes, " + std::to_string(most_bytes));
    return HostTensor{.desc = std::move(desc), .data = std::vector<std::byte>(size_t(*bytes))};
}

Result<HostTensor> HostRequest::numbers(std::vector<int64_t> dims, std::span<const int64_t> values) const
{
    Result<HostTensor> made = sized({DType::int64, std::move(dims)});
    if (made && !values.empty())
        std::memcpy(made->data.data(), values.data(), values.size_bytes());
    return made;
}

namespace {

using Dims = std::vector<int64_t>;

size_t width_of(const HostTensor& tensor)
{
    return bits(tensor.desc.dtype) / 8;
}

// ---- operators

Result<HostTensor> compute(const ConstantOfShape&, const HostRequest& request)
{
    const HostTensor& shape = request.inputs[0];
    if (shape.desc.dtype != DType::int64 || shape.desc.dims.size() != 1)
        return request.invalid("input is " + to_string(shape.desc) + ", expected int64 with one dimension");
    const DType dtype = request.value ? request.value->desc.dtype : DType::float32;
    const TensorDesc desc = {.dtype = dtype, .dims = integers_of(shape)};
    for (size_t i = 0; i < desc.dims.size(); ++i)
        if (desc.dims[i] < 0)
            return request.invalid("input[" + std::to_string(i) + "] = " + std::to_string(desc.dims[i]) + " must be at least 0");
    if (desc.dims.size() > max_rank)
        return request.invalid("input has " + std::to_string(desc.dims.size()) + " elements, at most " +
                               std::to_string(max_rank) + " are supported");
    Result<HostTensor> made = request.sized(desc);
    if (!made || !request.value)
        return made;
    const Result<HostTensor> value = request.value->read();
    VKONNX_RETURN_IF_ERROR(value.status());
    if (value->data.size() != width_of(*made))
        return request.invalid("value is " + to_string(value->desc) + ", expected one element");
    for (size_t at = 0; at < made->data.size(); at += value->data.size())
        std::memcpy(made->data.data() + at, value->data.data(), value->data.size());
    return made;
}

// Returns as many numbers as ONNX says: max(ceil((limit - start) / delta), 0).
template <class Number>
Result<HostTensor> range(const HostRequest& request)
{
    Number numbers[3] = {};
    for (size_t i = 0; i < 3; ++i)
        std::memcpy(&numbers[i], request.inputs[i].data.data(), sizeof(Number));
    const auto [start, limit, delta] = numbers;
    if (delta == 0)
        return request.invalid("delta = 0 must not be 0");
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
        request.sized({request.inputs[0].desc.dtype, {int64_t(std::min<uint64_t>(count, uint64_t(INT64_MAX)))}});
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

// Halves are counted in float, and each number is rounded once.
Result<HostTensor> range_of_halves(const Range& op, const HostRequest& request)
{
    const int64_t stash_type = op.stash_type.value_or(int64_t(DType::float32));
    if (stash_type != int64_t(DType::float32))
        return request.unsupported("stash_type = " + std::to_string(stash_type) + ", expected 1, which is float");
    std::vector<HostTensor> floats;
    for (const HostTensor& input : request.inputs)
        floats.push_back(rounded({DType::float32, input.desc.dims}, reals_of(input)));
    const Result<HostTensor> counted = range<float>({.name = request.name, .inputs = floats, .most_bytes = request.most_bytes});
    VKONNX_RETURN_IF_ERROR(counted.status());
    return rounded({request.inputs[0].desc.dtype, counted->desc.dims}, reals_of(*counted));
}

Result<HostTensor> compute(const Range& op, const HostRequest& request)
{
    const DType dtype = request.inputs[0].desc.dtype;
    for (const HostTensor& input : request.inputs)
        if (input.desc.dtype != dtype || input.data.size() * 8 != bits(dtype))
            return request.invalid("inputs are " + to_string(request.inputs[0].desc) + ", " + to_string(request.inputs[1].desc) +
                                   " and " + to_string(request.inputs[2].desc) + ", expected scalars of one type");
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
    case DType::float16:
    case DType::bfloat16:
        return range_of_halves(op, request);
    default:
        return request.unsupported("elements of type " + std::string(name(dtype)) + " are not counted on the host");
    }
}

Result<HostTensor> compute(const Size&, const HostRequest& request)
{
    const Result<int64_t> count = element_count(request.inputs[0].desc);
    Result<HostTensor> made = count ? request.sized({DType::int64, {}}) : count.status();
    if (made)
        std::memcpy(made->data.data(), &*count, sizeof(int64_t));
    return made;
}

// Tells whether an element is zero: of integers and booleans all of its bits are, of floats all but the sign.
bool is_zero(std::span<const std::byte> element, bool is_float)
{
    const std::span<const std::byte> low = element.first(element.size() - 1);  // little-endian
    return std::ranges::all_of(low, [](std::byte byte) { return byte == std::byte(0); }) &&
           (is_float ? element.back() << 1 : element.back()) == std::byte(0);
}

// Makes a column of coordinates for each element that is not zero, in their order.
Result<HostTensor> compute(const NonZero&, const HostRequest& request)
{
    const HostTensor& x = request.inputs[0];
    const DType dtype = x.desc.dtype;
    if (!is_real(dtype) && !is_integer(dtype) && dtype != DType::boolean)
        return request.unsupported("elements of type " + std::string(name(dtype)) + " are not computed on the host");
    const size_t width = width_of(x);
    std::vector<int64_t> found;
    for (size_t i = 0; i * width < x.data.size(); ++i)
        if (!is_zero(std::span(x.data).subspan(i * width, width), is_real(dtype)))
            found.push_back(int64_t(i));
    const Dims& dims = x.desc.dims;
    Result<HostTensor> made = request.sized({DType::int64, {int64_t(dims.size()), int64_t(found.size())}});
    VKONNX_RETURN_IF_ERROR(made.status());
    for (size_t axis = dims.size(); axis-- > 0;)
        for (size_t i = 0; i < found.size(); ++i) {
            const int64_t coordinate = found[i] % dims[axis];
            found[i] /= dims[axis];
            std::memcpy(made->data.data() + (axis * found.size() + i) * sizeof(int64_t), &coordinate, sizeof(int64_t));
        }
    return made;
}

}  // namespace

Result<HostTensors> computed(const HostOperator& op, std::string_view name, std::span<const HostTensor> inputs,
                             const Content* value, uint64_t most_bytes)
{
    const auto all = [](auto made) -> Result<HostTensors> {
        if constexpr (std::same_as<decltype(made), Result<HostTensor>>)
            return made ? Result(HostTensors{std::move(*made)}) : made.status();
        else
            return made;
    };
    return std::visit([&](const auto& one) { return all(compute(one, HostRequest{name, inputs, value, most_bytes})); }, op);
}

}  // namespace vkonnx::graph
