// SPDX-License-Identifier: Apache-2.0
#include "ops/pool.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t average_pool_versions[] = {1, 7, 10, 11, 19, 22};
constexpr Schema::Input average_pool_inputs[] = {{"X", "T", float_types}};
constexpr Schema::Attribute average_pool_attributes[] = {
    {"auto_pad"}, {"kernel_shape"}, {"strides"}, {"dilations", 19}, {"pads"}, {"ceil_mode", 10}, {"count_include_pad", 7}};
constexpr Schema average_pool_schema = {.name = AveragePool::name,
                                        .versions = average_pool_versions,
                                        .inputs = average_pool_inputs,
                                        .outputs = single_output,
                                        .attributes = average_pool_attributes};

Status check_attributes(const Document& document, const AveragePool& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_flag(document, "ceil_mode", attributes.ceil_mode));
    return check_flag(document, "count_include_pad", attributes.count_include_pad);
}

}  // namespace

const Schema& schema_of(const AveragePool&)
{
    return average_pool_schema;
}

Result<AveragePoolGeometry> resolve(const AveragePool& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    VKONNX_RETURN_IF_ERROR(check_pool_input(*document, inputs[0]));
    AveragePoolGeometry geometry;
    geometry.count_include_pad = attributes.count_include_pad.value_or(0) == 1;
    VKONNX_RETURN_IF_ERROR(size_pool(*document, windows_of(attributes), inputs[0], geometry));
    return geometry;
}

}  // namespace vkonnx::ops
