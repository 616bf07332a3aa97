// SPDX-License-Identifier: Apache-2.0
#include "plan/numbers.h"

#include <bit>
#include <cmath>

#include "shared/data_types.h"

namespace vkonnx::plan {

#define DATA_TYPE_IS_NUMBERED(number, NAME, name)                                                                                \
    static_assert(int(DType::name) == number, "data_types.h and DType number a type differently");
DATA_TYPES(DATA_TYPE_IS_NUMBERED)
#undef DATA_TYPE_IS_NUMBERED

Result<Number> number_of(std::string_view op, DType dtype, const Capabilities& capabilities)
{
    switch (dtype) {
    case DType::float32:
        return Number::f32;
    case DType::float16:
        return Number::f16;
    case DType::bfloat16:
        return Number::bf16;
    case DType::float64:
        return capabilities.float64 ? Number::f64 : Number::f64_soft;
    default:
        return Status(Code::unsupported, std::string(op) + ": there is no kernel for " + std::string(name(dtype)));
    }
}

std::string_view name(Number number)
{
    constexpr std::string_view names[] = {"f32", "f16", "bf16", "f64", "f64_soft", "i8",  "i16",
                                          "i32", "i64", "u8",   "u16", "u32",      "u64", "u128"};
    return names[size_t(number)];
}

std::optional<Kernel> variant(std::span<const Variant> variants, Number number)
{
    for (const Variant& variant : variants)
        if (variant.number == number)
            return variant.kernel;
    return {};
}

std::optional<Number> integer_of(DType dtype)
{
    switch (dtype) {
    case DType::int8:
        return Number::i8;
    case DType::int16:
        return Number::i16;
    case DType::int32:
        return Number::i32;
    case DType::int64:
        return Number::i64;
    case DType::uint8:
        return Number::u8;
    case DType::uint16:
        return Number::u16;
    case DType::uint32:
        return Number::u32;
    case DType::uint64:
        return Number::u64;
    default:
        return {};
    }
}

std::optional<Number> raw_type_of(uint32_t bits)
{
    switch (bits) {
    case 8:
        return Number::u8;
    case 16:
        return Number::u16;
    case 32:
        return Number::u32;
    case 64:
        return Number::u64;
    case 128:
        return Number::u128;
    default:
        return {};
    }
}

int64_t elements_per_word(Number number)
{
    switch (number) {
    case Number::i8:
    case Number::u8:
        return 4;
    case Number::f16:
    case Number::bf16:
    case Number::i16:
    case Number::u16:
        return 2;
    default:
        return 1;
    }
}

std::string number_note(Number number)
{
    return number == Number::f64_soft ? "; doubles in integer words, since the device computes none (Capabilities::float64)" : "";
}

double cost_of(Number number)
{
    switch (number) {
    case Number::f64_soft:
        return 64;
    case Number::i64:
    case Number::u64:
    case Number::u128:
        return 8;
    default:
        return 1;
    }
}

namespace {

// Returns the least or the greatest number of an integer type, as 64 bits.
uint64_t end_of(Number number, bool greatest)
{
    switch (number) {
    case Number::i8:
        return uint64_t(greatest ? INT8_MAX : INT8_MIN);
    case Number::i16:
        return uint64_t(greatest ? INT16_MAX : INT16_MIN);
    case Number::i32:
        return uint64_t(greatest ? INT32_MAX : INT32_MIN);
    case Number::i64:
        return uint64_t(greatest ? INT64_MAX : INT64_MIN);
    case Number::u8:
        return greatest ? UINT8_MAX : 0;
    case Number::u16:
        return greatest ? UINT16_MAX : 0;
    case Number::u32:
        return greatest ? UINT32_MAX : 0;
    case Number::u64:
        return greatest ? UINT64_MAX : 0;
    default:
        return 0;
    }
}

}  // namespace

uint64_t bits_of(Number number, double value)
{
    switch (number) {
    case Number::f32:
    case Number::f16:
    case Number::bf16:
        return std::bit_cast<uint32_t>(float(value));
    case Number::f64:
    case Number::f64_soft:
        return std::bit_cast<uint64_t>(value);
    default:
        if (std::isinf(value))
            return end_of(number, value > 0);
        return value < 0 ? uint64_t(int64_t(value)) : uint64_t(value);
    }
}

}  // namespace vkonnx::plan
