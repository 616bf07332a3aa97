// SPDX-License-Identifier: Apache-2.0
#include "plan/core/compute_type.h"

#include <bit>
#include <cmath>

#include "shaders/library/data_types.h"

namespace vkonnx::plan {

#define DATA_TYPE_IS_NUMBERED(number, NAME, name)                                                                                \
    static_assert(int(DType::name) == number, "data_types.h and DType number a type differently");
DATA_TYPES(DATA_TYPE_IS_NUMBERED)
#undef DATA_TYPE_IS_NUMBERED

Result<ComputeType> compute_type_of(std::string_view op, DType dtype, const Capabilities& capabilities)
{
    switch (dtype) {
    case DType::float32:
        return ComputeType::f32;
    case DType::float16:
        return ComputeType::f16;
    case DType::bfloat16:
        return ComputeType::bf16;
    case DType::float64:
        return capabilities.float64 ? ComputeType::f64 : ComputeType::f64_soft;
    default:
        return Status(Code::unsupported, std::string(op) + ": there is no kernel for " + std::string(name(dtype)));
    }
}

std::string_view name(ComputeType compute_type)
{
    constexpr std::string_view names[] = {"f32", "f16", "bf16", "f64", "f64_soft", "i8",  "i16",
                                          "i32", "i64", "u8",   "u16", "u32",      "u64", "u128"};
    return names[size_t(compute_type)];
}

std::optional<Kernel> variant(std::span<const Variant> variants, ComputeType compute_type)
{
    for (const Variant& variant : variants)
        if (variant.compute_type == compute_type)
            return variant.kernel;
    return {};
}

std::optional<ComputeType> integer_of(DType dtype)
{
    switch (dtype) {
    case DType::int8:
        return ComputeType::i8;
    case DType::int16:
        return ComputeType::i16;
    case DType::int32:
        return ComputeType::i32;
    case DType::int64:
        return ComputeType::i64;
    case DType::uint8:
        return ComputeType::u8;
    case DType::uint16:
        return ComputeType::u16;
    case DType::uint32:
        return ComputeType::u32;
    case DType::uint64:
        return ComputeType::u64;
    default:
        return {};
    }
}

std::optional<ComputeType> raw_type_of(uint32_t bits)
{
    switch (bits) {
    case 8:
        return ComputeType::u8;
    case 16:
        return ComputeType::u16;
    case 32:
        return ComputeType::u32;
    case 64:
        return ComputeType::u64;
    case 128:
        return ComputeType::u128;
    default:
        return {};
    }
}

int64_t elements_per_word(ComputeType compute_type)
{
    switch (compute_type) {
    case ComputeType::i8:
    case ComputeType::u8:
        return 4;
    case ComputeType::f16:
    case ComputeType::bf16:
    case ComputeType::i16:
    case ComputeType::u16:
        return 2;
    default:
        return 1;
    }
}

std::string compute_type_note(ComputeType compute_type)
{
    return compute_type == ComputeType::f64_soft
               ? "; doubles in integer words, since the device computes none (Capabilities::float64)"
               : "";
}

double cost_of(ComputeType compute_type)
{
    switch (compute_type) {
    case ComputeType::f64_soft:
        return 64;
    case ComputeType::i64:
    case ComputeType::u64:
    case ComputeType::u128:
        return 8;
    default:
        return 1;
    }
}

namespace {

// Returns the least or the greatest number of an integer type, as 64 bits.
uint64_t end_of(ComputeType compute_type, bool greatest)
{
    switch (compute_type) {
    case ComputeType::i8:
        return uint64_t(greatest ? INT8_MAX : INT8_MIN);
    case ComputeType::i16:
        return uint64_t(greatest ? INT16_MAX : INT16_MIN);
    case ComputeType::i32:
        return uint64_t(greatest ? INT32_MAX : INT32_MIN);
    case ComputeType::i64:
        return uint64_t(greatest ? INT64_MAX : INT64_MIN);
    case ComputeType::u8:
        return greatest ? UINT8_MAX : 0;
    case ComputeType::u16:
        return greatest ? UINT16_MAX : 0;
    case ComputeType::u32:
        return greatest ? UINT32_MAX : 0;
    case ComputeType::u64:
        return greatest ? UINT64_MAX : 0;
    default:
        return 0;
    }
}

}  // namespace

uint64_t bits_of(ComputeType compute_type, double value)
{
    switch (compute_type) {
    case ComputeType::f32:
    case ComputeType::f16:
    case ComputeType::bf16:
        return std::bit_cast<uint32_t>(float(value));
    case ComputeType::f64:
    case ComputeType::f64_soft:
        return std::bit_cast<uint64_t>(value);
    default:
        if (std::isinf(value))
            return end_of(compute_type, value > 0);
        return value < 0 ? uint64_t(int64_t(value)) : uint64_t(value);
    }
}

}  // namespace vkonnx::plan
