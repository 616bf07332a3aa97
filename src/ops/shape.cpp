// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t shape_versions[] = {1, 13, 15, 19, 21, 23, 24, 25};

constexpr Schema::Type shape_types[] = {
    {DType::float32, 1},         {DType::uint8, 1},           {DType::int8, 1},
    {DType::uint16, 1},          {DType::int16, 1},           {DType::int32, 1},
    {DType::int64, 1},           {DType::string, 1},          {DType::boolean, 1},
    {DType::float16, 1},         {DType::float64, 1},         {DType::uint32, 1},
    {DType::uint64, 1},          {DType::complex64, 1},       {DType::complex128, 1},
    {DType::bfloat16, 13},       {DType::float8e4m3fn, 19},   {DType::float8e5m2, 19},
    {DType::float8e4m3fnuz, 19}, {DType::float8e5m2fnuz, 19}, {DType::uint4, 21},
    {DType::int4, 21},           {DType::float4e2m1, 23},     {DType::float8e8m0, 24},
    {DType::uint2, 25},          {DType::int2, 25},
};

constexpr Schema::Input shape_inputs[] = {{"data", "T", shape_types}};
constexpr Schema::Output shape_outputs[] = {{"shape"}};
constexpr Schema::Attribute shape_attributes[] = {{"start", 15}, {"end", 15}};
constexpr Schema shape_schema = {.name = Shape::name,
                                 .versions = shape_versions,
                                 .inputs = shape_inputs,
                                 .outputs = shape_outputs,
                                 .attributes = shape_attributes};

int64_t clamped(int64_t index, int64_t rank)
{
    return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank);
}

}  // namespace

const Schema& schema_of(const Shape&)
{
    return shape_schema;
}

Result<ShapeGeometry> resolve(const Shape& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_dims(*document, "data", data));

    const auto rank = int64_t(data.dims.size());
    const int64_t start = clamped(attributes.start.value_or(0), rank);
    const int64_t end = clamped(attributes.end.value_or(rank), rank);
    ShapeGeometry geometry;
    if (start < end)
        geometry.result.assign(data.dims.begin() + start, data.dims.begin() + end);
    geometry.equation = join({document->title(), ": dimensions ", start, " up to, not including, ", end, " of ", rank});
    return geometry;
}

TensorDesc output_of(const ShapeGeometry& geometry)
{
    return {DType::int64, {int64_t(geometry.result.size())}};
}

}  // namespace vkonnx::ops
