// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t topk_versions[] = {1, 10, 11, 24};
constexpr Schema::Type topk_types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 24},
    {DType::int8, 11},   {DType::int16, 11},  {DType::int32, 11},  {DType::int64, 11},
    {DType::uint8, 11},  {DType::uint16, 11}, {DType::uint32, 11}, {DType::uint64, 11},
};
constexpr Schema::Input topk_inputs[] = {{"X", "T", topk_types}, {.name = "K", .member = "k", .since = 10}};
constexpr Schema::Output topk_outputs[] = {{"Values"}, {"Indices"}};
constexpr Schema::Attribute topk_attributes[] = {{"k"}, {"axis"}, {"largest", 11}, {"sorted", 11}};
constexpr Schema topk_schema = {
    .name = TopK::name, .versions = topk_versions, .inputs = topk_inputs, .outputs = topk_outputs, .attributes = topk_attributes};

}  // namespace

const Schema& schema_of(const TopK&)
{
    return topk_schema;
}

Result<TopKGeometry> resolve(const TopK& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "largest", attributes.largest));
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "sorted", attributes.sorted));
    if (attributes.outputs < 1 || attributes.outputs > 2)
        return document->refuse({"outputs = ", attributes.outputs, " must be 1 or 2"});
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "X.layout", x.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "X", x));
    const Result<size_t> axis = axis_of(*document, "axis", attributes.axis.value_or(-1), x.dims.size());
    VKONNX_RETURN_IF_ERROR(axis.status());
    if (!attributes.k)
        return document->refuse({"k is required"});
    const int64_t extent = x.dims[*axis];
    const int64_t k = *attributes.k;
    if (k < 0 || k > extent)
        return document->refuse({"k = ", k, " must be from 0 to ", extent, ", the extent of axis ", int64_t(*axis), " of X"});

    const std::span<const int64_t> dims = x.dims;
    TopKGeometry geometry = {.input = x,
                             .output = x,
                             .outer = product_of(dims.first(*axis)),
                             .extent = extent,
                             .inner = product_of(dims.subspan(*axis + 1)),
                             .kept = k,
                             .least = attributes.largest == 0,
                             .outputs = attributes.outputs};
    geometry.output.dims[*axis] = k;
    geometry.equation =
        join({document->title(), ": Values = the ", k, geometry.least ? " least" : " greatest", " elements of X along axis ",
              int64_t(*axis), geometry.outputs > 1 ? ", Indices = where they are" : ""});
    return geometry;
}

TensorDesc output_of(const TopKGeometry& geometry)
{
    return geometry.output;
}

std::vector<TensorDesc> outputs_of(const TopKGeometry& geometry)
{
    std::vector<TensorDesc> outputs(size_t(geometry.outputs), geometry.output);
    if (outputs.size() > 1)
        outputs.back().dtype = DType::int64;
    return outputs;
}

}  // namespace vkonnx::ops
