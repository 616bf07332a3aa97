// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/attributes.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 9> versions = {6, 9, 13, 19, 21, 23, 24, 25, 28};

constexpr std::array<TypeSince, 13> types = {{
    {DType::float32, 6},
    {DType::uint8, 6},
    {DType::int8, 6},
    {DType::uint16, 6},
    {DType::int16, 6},
    {DType::int32, 6},
    {DType::int64, 6},
    {DType::boolean, 6},
    {DType::float16, 6},
    {DType::float64, 6},
    {DType::uint32, 6},
    {DType::uint64, 6},
    {DType::bfloat16, 13},
}};

// In the documents, but not here.
constexpr std::array<TypeSince, 11> others = {{
    {DType::string, 9},
    {DType::float8e4m3fn, 19},
    {DType::float8e4m3fnuz, 19},
    {DType::float8e5m2, 19},
    {DType::float8e5m2fnuz, 19},
    {DType::uint4, 21},
    {DType::int4, 21},
    {DType::float4e2m1, 23},
    {DType::float8e8m0, 24},
    {DType::uint2, 25},
    {DType::int2, 25},
}};

Status check_cast_type(const Document& document, std::string_view input, DType dtype)
{
    for (const TypeSince& other : others)
        if (other.dtype == dtype && other.version <= document.version)
            return document.refuse({input, " has type ", vkonnx::name(dtype),
                                    ", which is not supported: bool, float16, bfloat16, ",
                                    "float, double and integers of 8 to 64 bits are"},
                                   Code::unsupported);
    for (const TypeSince& other : others)
        if (other.dtype == dtype)
            return check_type(document, input, dtype, others);
    return check_type(document, input, dtype, types);
}

Status check_attributes(const Document& document, const Cast& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_since(document, "saturate", attributes.saturate.has_value(), 19));
    VKONNX_RETURN_IF_ERROR(check_since(document, "round_mode", attributes.round_mode != RoundMode::up, 24));
    if (word_of(Spellings<RoundMode>(round_mode_words), attributes.round_mode).empty())
        return document.refuse({"round_mode = ", int64_t(attributes.round_mode), " must be one of RoundMode"});
    VKONNX_RETURN_IF_ERROR(check_flag(document, "saturate", attributes.saturate));
    if (attributes.to < 1 || attributes.to > int64_t(DType::int2))
        return document.refuse({"to = ", attributes.to, " must be the number of a type, 1 to ", int64_t(DType::int2)});
    return check_cast_type(document, "output", DType(attributes.to));
}

}  // namespace

Result<CastGeometry> resolve(const Cast& attributes, std::span<const TensorDesc> inputs)
{
    if (attributes.opset >= 1 && attributes.opset < versions.front())
        return Status(Code::unsupported, join({Cast::name, ": opset = ", attributes.opset, " must be at least ", versions.front(),
                                               ": version 1, where `to` is a word, is not supported"}));
    const Result<Document> document = document_of(Cast::name, versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    VKONNX_RETURN_IF_ERROR(check_input_count(*document, inputs.size(), 1, 1));
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_cast_type(*document, "input", input.dtype));
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "input.layout", input.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "input", input));
    const DType to = DType(attributes.to);
    return CastGeometry{.from = input.dtype,
                        .output = {to, input.dims, input.layout},
                        .equation = join({document->title(), ": ", vkonnx::name(input.dtype), " to ", vkonnx::name(to)})};
}

TensorDesc output_of(const CastGeometry& geometry)
{
    return geometry.output;
}

Signature signature_of(const Cast& attributes)
{
    return {.inputs = {"input"}, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
