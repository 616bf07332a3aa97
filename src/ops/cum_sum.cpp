// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t cum_sum_versions[] = {11, 14};
constexpr Schema::Type cum_sum_types[] = {
    {DType::float32, 11}, {DType::float64, 11}, {DType::float16, 14}, {DType::bfloat16, 14},
    {DType::int32, 11},   {DType::int64, 11},   {DType::uint32, 11},  {DType::uint64, 11},
};
constexpr Schema::Input cum_sum_inputs[] = {{"x", "T", cum_sum_types}, {.name = "axis", .member = "axis"}};
constexpr Schema::Output cum_sum_outputs[] = {{"y"}};
constexpr Schema::Attribute cum_sum_attributes[] = {{"axis"}, {"exclusive"}, {"reverse"}};
constexpr Schema cum_sum_schema = {.name = CumSum::name,
                                   .versions = cum_sum_versions,
                                   .inputs = cum_sum_inputs,
                                   .outputs = cum_sum_outputs,
                                   .attributes = cum_sum_attributes};

}  // namespace

const Schema& schema_of(const CumSum&)
{
    return cum_sum_schema;
}

Result<CumSumGeometry> resolve(const CumSum& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "exclusive", attributes.exclusive));
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "reverse", attributes.reverse));
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "x.layout", x.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "x", x));
    if (!attributes.axis)
        return document->refuse({"axis is required"});
    const Result<size_t> axis = axis_of(*document, "axis", *attributes.axis, x.dims.size());
    VKONNX_RETURN_IF_ERROR(axis.status());

    const std::span<const int64_t> dims = x.dims;
    CumSumGeometry geometry = {.output = x,
                               .outer = product_of(dims.first(*axis)),
                               .extent = dims[*axis],
                               .inner = product_of(dims.subspan(*axis + 1)),
                               .exclusive = attributes.exclusive.value_or(0) == 1,
                               .reverse = attributes.reverse.value_or(0) == 1};
    geometry.equation =
        join({document->title(), ": y = sum of x along axis ", int64_t(*axis), geometry.reverse ? " from the back" : "",
              geometry.exclusive ? " up to each element, without it" : " up to each element"});
    return geometry;
}

TensorDesc output_of(const CumSumGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
