// SPDX-License-Identifier: Apache-2.0
#include <vkonnx/vkonnx.hpp>

#include <array>
#include <limits>

#include "guard.h"
#include "ops/attributes.h"
#include "return_if_error.h"

namespace vkonnx {

namespace {

struct TypeRow {
    std::string_view name;
    uint32_t bits;
};

// The rows are in the order of DType's numbers.
constexpr std::array<TypeRow, 27> types = {{
    {"undefined", 0},      {"float", 32},     {"uint8", 8},          {"int8", 8},         {"uint16", 16},   {"int16", 16},
    {"int32", 32},         {"int64", 64},     {"string", 0},         {"bool", 8},         {"float16", 16},  {"double", 64},
    {"uint32", 32},        {"uint64", 64},    {"complex64", 64},     {"complex128", 128}, {"bfloat16", 16}, {"float8e4m3fn", 8},
    {"float8e4m3fnuz", 8}, {"float8e5m2", 8}, {"float8e5m2fnuz", 8}, {"uint4", 4},        {"int4", 4},      {"float4e2m1", 4},
    {"float8e8m0", 8},     {"uint2", 2},      {"int2", 2},
}};

const TypeRow& row(DType dtype)
{
    const auto number = size_t(dtype);
    return types[number < types.size() ? number : 0];
}

}  // namespace

std::string_view name(DType dtype) noexcept
{
    return row(dtype).name;
}

uint32_t bits(DType dtype) noexcept
{
    return row(dtype).bits;
}

Result<int64_t> element_count(const TensorDesc& desc)
{
    return guarded([&]() -> Result<int64_t> {
        bool empty = false;
        for (size_t i = 0; i < desc.dims.size(); ++i) {
            if (desc.dims[i] < 0)
                return Status(Code::invalid_argument,
                              ops::join({to_string(desc), ": dims[", int64_t(i), "] = ", desc.dims[i], " must be at least 0"}));
            empty = empty || desc.dims[i] == 0;
        }
        if (empty)  // even where the product of the other dimensions overflows
            return 0;
        ops::Exact count = 1;
        for (const int64_t extent : desc.dims)
            count = count * extent;
        if (!count.fits)
            return Status(Code::unsupported, ops::join({to_string(desc), " has more than 2^63 - 1 elements"}));
        return count.value;
    });
}

Result<uint64_t> byte_size(const TensorDesc& desc)
{
    return guarded([&]() -> Result<uint64_t> {
        const uint32_t width = bits(desc.dtype);
        if (width == 0)
            return Status(Code::invalid_argument,
                          ops::join({to_string(desc), ": elements of type ", name(desc.dtype), " have no fixed size"}));
        const Result<int64_t> elements = element_count(desc);
        VKONNX_RETURN_IF_ERROR(elements.status());
        const auto count = uint64_t(*elements);
        if (width < 8) {
            const uint32_t per_byte = 8 / width;
            return count / per_byte + (count % per_byte != 0 ? 1 : 0);
        }
        const uint32_t bytes = width / 8;
        if (count > std::numeric_limits<uint64_t>::max() / bytes)
            return Status(Code::unsupported, ops::join({to_string(desc), " has more than 2^64 - 1 bytes"}));
        return count * bytes;
    });
}

std::string to_string(const TensorDesc& desc) noexcept
{
    std::string type(name(desc.dtype));  // every type's name is short enough for a string without an allocation
    return guarded_or(type, [&] {
        std::string text = type + '[';
        for (size_t i = 0; i < desc.dims.size(); ++i)
            text += (i == 0 ? "" : ",") + std::to_string(desc.dims[i]);
        return text + (desc.layout == Layout::nxc ? "] NXC" : "]");
    });
}

std::string_view name(Layout layout) noexcept
{
    return word_of(Spellings<Layout>(layout_words), layout);
}

}  // namespace vkonnx
