// SPDX-License-Identifier: Apache-2.0
// This file resolves ArgMax and ArgMin.
#include "ops/move.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t arg_extreme_versions[] = {1, 11, 12, 13};
constexpr Schema::Type arg_extreme_types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13}, {DType::int8, 1},   {DType::int16, 1},
    {DType::int32, 1},   {DType::int64, 1},   {DType::uint8, 1},   {DType::uint16, 1},    {DType::uint32, 1}, {DType::uint64, 1},
};
constexpr Schema::Input arg_extreme_inputs[] = {{"data", "T", arg_extreme_types}};
constexpr Schema::Output arg_extreme_outputs[] = {{"reduced"}};
constexpr Schema::Attribute arg_extreme_attributes[] = {{"axis"}, {"keepdims"}, {"select_last_index", 12}};
template <ArgExtreme Op>
constexpr Schema schema = {.name = Op::name,
                           .versions = arg_extreme_versions,
                           .inputs = arg_extreme_inputs,
                           .outputs = arg_extreme_outputs,
                           .attributes = arg_extreme_attributes};

template <ArgExtreme Op>
Result<ArgExtremeGeometry> resolved(const Op& attributes, std::span<const TensorDesc> inputs, bool least)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "keepdims", attributes.keepdims));
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "select_last_index", attributes.select_last_index));
    const TensorDesc& data = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "data.layout", data.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "data", data));
    const Result<size_t> axis = axis_of(*document, "axis", attributes.axis.value_or(0), data.dims.size());
    VKONNX_RETURN_IF_ERROR(axis.status());

    const std::span<const int64_t> dims = data.dims;
    const std::span<const int64_t> front = dims.first(*axis);
    const std::span<const int64_t> behind = dims.subspan(*axis + 1);
    TensorDesc reduced = data;
    reduced.dtype = DType::int64;
    const auto place = reduced.dims.begin() + ptrdiff_t(*axis);
    if (attributes.keepdims.value_or(1) == 1)
        *place = 1;
    else
        reduced.dims.erase(place);
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "reduced", reduced));
    ArgExtremeGeometry geometry = {.op = Op::name,
                                   .input = data,
                                   .output = std::move(reduced),
                                   .outer = product_of(front),
                                   .extent = dims[*axis],
                                   .inner = product_of(behind),
                                   .least = least,
                                   .last = attributes.select_last_index.value_or(0) == 1};
    if (geometry.extent == 0 && *element_count(geometry.output) > 0)
        return document->refuse({"data.dims[", int64_t(*axis), "] = 0 must be at least 1: of no elements none is the ",
                                 least ? "least" : "greatest"});
    geometry.equation =
        join({document->title(), ": reduced = where along axis ", int64_t(*axis), " the ", geometry.last ? "last" : "first",
              " of the ", least ? "least" : "greatest", " elements of data is"});
    return geometry;
}

}  // namespace

const Schema& schema_of(const ArgMax&)
{
    return schema<ArgMax>;
}

const Schema& schema_of(const ArgMin&)
{
    return schema<ArgMin>;
}

Result<ArgExtremeGeometry> resolve(const ArgMax& attributes, std::span<const TensorDesc> inputs)
{
    return resolved(attributes, inputs, false);
}

Result<ArgExtremeGeometry> resolve(const ArgMin& attributes, std::span<const TensorDesc> inputs)
{
    return resolved(attributes, inputs, true);
}

TensorDesc output_of(const ArgExtremeGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
