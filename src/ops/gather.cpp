// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t versions[] = {1, 11, 13};
constexpr Schema::Type index_types[] = {{DType::int32, 1}, {DType::int64, 1}};
constexpr Schema::Input schema_inputs[] = {{"data", "T", movable_types}, {"indices", "Tind", index_types}};
constexpr Schema::Output schema_outputs[] = {{"output"}};
constexpr Schema::Attribute schema_attributes[] = {{"axis"}};
constexpr Schema gather_schema = {.name = Gather::name,
                                  .versions = versions,
                                  .inputs = schema_inputs,
                                  .outputs = schema_outputs,
                                  .attributes = schema_attributes};

}  // namespace

const Schema& schema_of(const Gather&)
{
    return gather_schema;
}

Result<GatherGeometry> resolve(const Gather& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    const TensorDesc& indices = inputs[1];
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "data", data.dtype));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "data", data));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "indices", indices));
    const Result<size_t> axis = axis_of(*document, "axis", attributes.axis.value_or(0), data.dims.size());
    VKONNX_RETURN_IF_ERROR(axis.status());

    const std::span<const int64_t> dims = data.dims;
    const std::span<const int64_t> front = dims.first(*axis);
    const std::span<const int64_t> behind = dims.subspan(*axis + 1);
    TensorDesc output = {.dtype = data.dtype};
    for (const std::span<const int64_t> part : {front, std::span(indices.dims), behind})
        output.dims.insert(output.dims.end(), part.begin(), part.end());
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "output", output));
    const int64_t extent = dims[*axis];
    const int64_t count = *element_count(indices);
    return GatherGeometry{.data = data,
                          .indices = indices,
                          .output = std::move(output),
                          .outer = product_of(front),
                          .extent = extent,
                          .inner = product_of(behind),
                          .count = count,
                          .equation = join({document->title(), ": along axis ", int64_t(*axis), " of data, those of ", extent,
                                            " that ", count, " indices name"})};
}

TensorDesc output_of(const GatherGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
