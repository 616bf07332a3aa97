// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t cast_versions[] = {6, 9, 13, 19, 21, 23, 24, 25, 28};

// The documents name these types for input and output. Some have no kernel: see is_supported.
constexpr Schema::Type cast_types[] = {
    {DType::float32, 6},     {DType::uint8, 6},           {DType::int8, 6},          {DType::uint16, 6},
    {DType::int16, 6},       {DType::int32, 6},           {DType::int64, 6},         {DType::boolean, 6},
    {DType::float16, 6},     {DType::float64, 6},         {DType::uint32, 6},        {DType::uint64, 6},
    {DType::string, 9},      {DType::bfloat16, 13},       {DType::float8e4m3fn, 19}, {DType::float8e4m3fnuz, 19},
    {DType::float8e5m2, 19}, {DType::float8e5m2fnuz, 19}, {DType::uint4, 21},        {DType::int4, 21},
    {DType::float4e2m1, 23}, {DType::float8e8m0, 24},     {DType::uint2, 25},        {DType::int2, 25},
};

constexpr Schema::Input cast_inputs[] = {{"input", "T1", cast_types}};
constexpr Schema::Output cast_outputs[] = {{"output"}};
constexpr Schema::Attribute cast_attributes[] = {{"to"}, {"saturate", 19}, {"round_mode", 24}};
constexpr Schema cast_schema = {.name = Cast::name,
                                .versions = cast_versions,
                                .older = "version 1, where `to` is a word, is not supported",
                                .inputs = cast_inputs,
                                .outputs = cast_outputs,
                                .attributes = cast_attributes};

bool is_float8(DType dtype)
{
    return (dtype >= DType::float8e4m3fn && dtype <= DType::float8e5m2fnuz) || dtype == DType::float8e8m0;
}

Status check_supported(const Document& document, std::string_view tensor, DType dtype)
{
    if (dtype != DType::string)
        return {};
    return document.refuse({tensor, " has type ", vkonnx::name(dtype),
                            ", which is not supported: bool, floats of 4 to 64 bits and integers of 2 to 64 bits are"},
                           Code::unsupported);
}

Status check_attributes(const Document& document, const Cast& attributes)
{
    if (word_of(Spellings<RoundMode>(round_mode_words), attributes.round_mode).empty())
        return document.refuse({"round_mode = ", int64_t(attributes.round_mode), " must be one of RoundMode"});
    VKONNX_RETURN_IF_ERROR(check_flag(document, "saturate", attributes.saturate));
    if (attributes.to < 1 || attributes.to > int64_t(DType::int2))
        return document.refuse({"to = ", attributes.to, " must be the number of a type, 1 to ", int64_t(DType::int2)});
    VKONNX_RETURN_IF_ERROR(check_type(document, "output", DType(attributes.to), cast_types));
    return check_supported(document, "output", DType(attributes.to));
}

}  // namespace

const Schema& schema_of(const Cast&)
{
    return cast_schema;
}

Result<CastGeometry> resolve(const Cast& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_supported(*document, "input", input.dtype));
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "input.layout", input.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "input", input));
    const DType to = DType(attributes.to);
    return CastGeometry{.from = input.dtype,
                        .output = {to, input.dims, input.layout},
                        .saturate = !is_float8(to) || attributes.saturate.value_or(1) != 0,
                        .round_mode = to == DType::float8e8m0 ? attributes.round_mode : RoundMode::up,
                        .equation = join({document->title(), ": ", vkonnx::name(input.dtype), " to ", vkonnx::name(to)})};
}

TensorDesc output_of(const CastGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
