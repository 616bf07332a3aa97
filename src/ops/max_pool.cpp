// SPDX-License-Identifier: Apache-2.0
#include "ops/pool.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t max_pool_versions[] = {1, 8, 10, 11, 12, 22};
constexpr int64_t indices_since = 8;
constexpr Schema::Type max_pool_types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::int8, 12}, {DType::uint8, 12}, {DType::bfloat16, 22},
};
constexpr Schema::Input max_pool_inputs[] = {{"X", "T", max_pool_types}};
constexpr Schema::Output max_pool_outputs[] = {{"Y"}, {"Indices", Schema::Option::optional, indices_since}};
constexpr Schema::Attribute max_pool_attributes[] = {{"auto_pad"},
                                                     {"kernel_shape"},
                                                     {"strides"},
                                                     {"dilations", 10},
                                                     {"pads"},
                                                     {"ceil_mode", 10},
                                                     {"storage_order", indices_since}};
constexpr Schema max_pool_schema = {.name = MaxPool::name,
                                    .versions = max_pool_versions,
                                    .inputs = max_pool_inputs,
                                    .outputs = max_pool_outputs,
                                    .attributes = max_pool_attributes};

Status check_attributes(const Document& document, const MaxPool& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_flag(document, "ceil_mode", attributes.ceil_mode));
    VKONNX_RETURN_IF_ERROR(check_flag(document, "storage_order", attributes.storage_order));
    if (attributes.outputs < 1 || attributes.outputs > 2)
        return document.refuse({"outputs = ", attributes.outputs, " must be 1 or 2"});
    return {};
}

}  // namespace

const Schema& schema_of(const MaxPool&)
{
    return max_pool_schema;
}

Result<MaxPoolGeometry> resolve(const MaxPool& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    VKONNX_RETURN_IF_ERROR(check_pool_input(*document, inputs[0]));
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

}  // namespace vkonnx::ops
