// SPDX-License-Identifier: Apache-2.0
#include "graph/reals.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "halves.h"

namespace vkonnx::graph {
namespace {

float brain_value(uint16_t bits)
{
    return std::bit_cast<float>(uint32_t(bits) << 16);
}

uint16_t brain_bits(float value)
{
    const auto bits = std::bit_cast<uint32_t>(value);
    return uint16_t((std::isnan(value) ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class Stored, class Value>
std::vector<double> decoded(const HostTensor& tensor, Value value)
{
    std::vector<double> values(tensor.data.size() / sizeof(Stored));
    for (size_t i = 0; i < values.size(); ++i) {
        Stored stored = {};
        std::memcpy(&stored, tensor.data.data() + i * sizeof stored, sizeof stored);
        values[i] = value(stored);
    }
    return values;
}

template <class Encode>
HostTensor encoded(const TensorDesc& desc, std::span<const double> values, Encode encode)
{
    using Stored = decltype(encode(0.0));
    HostTensor tensor = {.desc = desc};
    tensor.data.resize(values.size() * sizeof(Stored));
    for (size_t i = 0; i < values.size(); ++i) {
        const Stored stored = encode(values[i]);
        std::memcpy(tensor.data.data() + i * sizeof stored, &stored, sizeof stored);
    }
    return tensor;
}

// This struct has the least and the greatest magnitude of a type's normal numbers.
struct NormalRange {
    double least = 0;
    double greatest = 0;
};

NormalRange range_of(DType dtype)
{
    switch (dtype) {
    case DType::float64:
        return {0x1p-1022, std::numeric_limits<double>::max()};
    case DType::float16:
        return {0x1p-14, 65504};
    case DType::bfloat16:
        return {0x1p-126, 0x1.fep127};
    default:
        return {0x1p-126, std::numeric_limits<float>::max()};
    }
}

}  // namespace

bool is_real(DType dtype)
{
    return dtype == DType::float32 || dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float64;
}

bool is_half(DType dtype)
{
    return dtype == DType::float16 || dtype == DType::bfloat16;
}

bool is_within(DType dtype, double value)
{
    return std::abs(value) <= range_of(dtype).greatest;
}

bool is_normal(DType dtype, double value)
{
    return std::abs(value) >= range_of(dtype).least && is_within(dtype, value);
}

std::vector<double> reals_of(const HostTensor& tensor)
{
    switch (tensor.desc.dtype) {
    case DType::float64:
        return decoded<double>(tensor, [](double value) { return value; });
    case DType::float16:
        return decoded<uint16_t>(tensor, half_value);
    case DType::bfloat16:
        return decoded<uint16_t>(tensor, brain_value);
    default:
        return decoded<float>(tensor, [](float value) { return double(value); });
    }
}

HostTensor rounded(const TensorDesc& desc, std::span<const double> values)
{
    switch (desc.dtype) {
    case DType::float64:
        return encoded(desc, values, [](double value) { return value; });
    case DType::float16:
        return encoded(desc, values, [](double value) { return half_bits(float(value)); });
    case DType::bfloat16:
        return encoded(desc, values, [](double value) { return brain_bits(float(value)); });
    default:
        return encoded(desc, values, [](double value) { return float(value); });
    }
}

}  // namespace vkonnx::graph
