// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/pool.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 6> versions = {1, 8, 10, 11, 12, 22};

constexpr int64_t indices_since = 8;

constexpr std::array<TypeSince, 6> types = {{
    {DType::float32, 1},
    {DType::float64, 1},
    {DType::float16, 1},
    {DType::int8, 12},
    {DType::uint8, 12},
    {DType::bfloat16, 22},
}};

Status check_attributes(const Document& document, const MaxPool& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_since(document, "dilations", !attributes.dilations.empty(), 10));
    VKONNX_RETURN_IF_ERROR(check_since(document, "ceil_mode", attributes.ceil_mode.has_value(), 10));
    VKONNX_RETURN_IF_ERROR(check_since(document, "storage_order", attributes.storage_order.has_value(), indices_since));
    VKONNX_RETURN_IF_ERROR(check_flag(document, "ceil_mode", attributes.ceil_mode));
    VKONNX_RETURN_IF_ERROR(check_flag(document, "storage_order", attributes.storage_order));
    if (attributes.outputs < 1 || attributes.outputs > 2)
        return document.refuse({"outputs = ", attributes.outputs, " must be 1 or 2"});
    return check_since(document, "output Indices", attributes.outputs > 1, indices_since);
}

}  // namespace

Result<MaxPoolGeometry> resolve(const MaxPool& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(MaxPool::name, versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    VKONNX_RETURN_IF_ERROR(check_pool_input(*document, inputs, types));
    MaxPoolGeometry geometry;
    geometry.column_major = attributes.storage_order.value_or(0) == 1;
    geometry.outputs = attributes.outputs;
    VKONNX_RETURN_IF_ERROR(size_pool(*document, windows_of(attributes), inputs[0], geometry));
    return geometry;
}

std::vector<TensorDesc> outputs_of(const MaxPoolGeometry& geometry)
{
    std::vector<TensorDesc> outputs(size_t(geometry.outputs), output_of(geometry));
    if (outputs.size() > 1)
        outputs.back().dtype = DType::int64;
    return outputs;
}

Signature signature_of(const MaxPool& attributes)
{
    return {.inputs = {"X"}, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
