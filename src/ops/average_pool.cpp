// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/pool.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 6> versions = {1, 7, 10, 11, 19, 22};

Status check_attributes(const Document& document, const AveragePool& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_since(document, "dilations", !attributes.dilations.empty(), 19));
    VKONNX_RETURN_IF_ERROR(check_since(document, "ceil_mode", attributes.ceil_mode.has_value(), 10));
    VKONNX_RETURN_IF_ERROR(check_since(document, "count_include_pad", attributes.count_include_pad.has_value(), 7));
    VKONNX_RETURN_IF_ERROR(check_flag(document, "ceil_mode", attributes.ceil_mode));
    return check_flag(document, "count_include_pad", attributes.count_include_pad);
}

}  // namespace

Result<AveragePoolGeometry> resolve(const AveragePool& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(AveragePool::name, versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    VKONNX_RETURN_IF_ERROR(check_pool_input(*document, inputs, float_types()));
    AveragePoolGeometry geometry;
    geometry.count_include_pad = attributes.count_include_pad.value_or(0) == 1;
    VKONNX_RETURN_IF_ERROR(size_pool(*document, windows_of(attributes), inputs[0], geometry));
    return geometry;
}

Signature signature_of(const AveragePool& attributes)
{
    return {.inputs = {"X"}, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
