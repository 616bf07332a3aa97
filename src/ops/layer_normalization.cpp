// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t layer_normalization_versions[] = {17};
constexpr Schema::Type layer_normalization_types[] = {
    {DType::float32, 17}, {DType::float64, 17}, {DType::float16, 17}, {DType::bfloat16, 17}};
constexpr Schema::Input layer_normalization_inputs[] = {{"X", "T", layer_normalization_types},
                                                        {"Scale", "T", layer_normalization_types},
                                                        {"B", "T", layer_normalization_types, Schema::Option::optional}};
constexpr Schema::Output layer_normalization_outputs[] = {
    {"Y"}, {"Mean", Schema::Option::optional}, {"InvStdDev", Schema::Option::optional}};
constexpr Schema::Attribute layer_normalization_attributes[] = {{"axis"}, {"epsilon"}, {"stash_type"}};
constexpr Schema layer_normalization_schema = {.name = LayerNormalization::name,
                                               .versions = layer_normalization_versions,
                                               .inputs = layer_normalization_inputs,
                                               .outputs = layer_normalization_outputs,
                                               .attributes = layer_normalization_attributes};

Status check_attributes(const Document& document, const LayerNormalization& attributes, DType dtype)
{
    const int64_t stash_type = attributes.stash_type.value_or(int64_t(DType::float32));
    if (stash_type == int64_t(DType::bfloat16))
        return document.refuse({"stash_type = 16, which is bfloat16, is not supported: expected 1, which is float"},
                               Code::unsupported);
    if (stash_type != int64_t(DType::float32))
        return document.refuse({"stash_type = ", stash_type, " must be 1 or 16, the number of a type"});
    if (attributes.outputs < 1 || attributes.outputs > 3)
        return document.refuse({"outputs = ", attributes.outputs, " must be from 1 to 3"});
    if (attributes.outputs > 1 && dtype == DType::float64)
        return document.refuse({"outputs = ", attributes.outputs, " must be 1 where X has type double: Mean and InvStdDev of ",
                                "doubles are not supported"},
                               Code::unsupported);
    return {};
}

// Returns how many elements Scale or B has: one, or as many as a row of X.
Result<int64_t> count_of(const Document& document, std::string_view name, const TensorDesc& desc, int64_t extent)
{
    VKONNX_RETURN_IF_ERROR(check_tensor(document, name, desc));
    const int64_t count = product_of(desc.dims);
    if (count == extent || count == 1)
        return count;
    return document.refuse(
        {name, " = ", to_string(desc), " has ", count, " elements, but must have one or ", extent, ", as X has from `axis` on"});
}

}  // namespace

const Schema& schema_of(const LayerNormalization&)
{
    return layer_normalization_schema;
}

Result<LayerNormalizationGeometry> resolve(const LayerNormalization& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes, x.dtype));
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "X.layout", x.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "X", x));
    const auto rank = int64_t(x.dims.size());
    const int64_t axis = attributes.axis.value_or(-1);
    if (rank == 0)
        return document->refuse({"X is a scalar, but a rank of at least 1 is expected"});
    if (axis < -rank || axis >= rank)
        return document->refuse({"axis = ", axis, " must be from ", -rank, " to ", rank - 1, ": X has rank ", rank});
    const auto at = size_t(axis < 0 ? axis + rank : axis);

    LayerNormalizationGeometry geometry;
    geometry.output = x;
    geometry.moments = {DType::float32, x.dims, x.layout};
    geometry.rows = product_of(std::span(x.dims).first(at));
    geometry.extent = product_of(std::span(x.dims).subspan(at));
    geometry.epsilon = attributes.epsilon.value_or(1e-5f);
    geometry.outputs = attributes.outputs;
    std::fill(geometry.moments.dims.begin() + ptrdiff_t(at), geometry.moments.dims.end(), 1);
    const Result<int64_t> scales = count_of(*document, "Scale", inputs[1], geometry.extent);
    VKONNX_RETURN_IF_ERROR(scales.status());
    geometry.scales = *scales;
    if (inputs.size() > 2) {
        if (inputs[2].dtype == DType::undefined)
            return refuse_missing(*document, "B");
        const Result<int64_t> offsets = count_of(*document, "B", inputs[2], geometry.extent);
        VKONNX_RETURN_IF_ERROR(offsets.status());
        geometry.has_b = true;
        geometry.offsets = *offsets;
    }
    geometry.equation = join({document->title(), ": Y = (X - Mean) * InvStdDev * Scale", inputs.size() > 2 ? " + B" : "",
                              ", of all axes from ", int64_t(at), " on"});
    return geometry;
}

TensorDesc output_of(const LayerNormalizationGeometry& geometry)
{
    return geometry.output;
}

std::vector<TensorDesc> outputs_of(const LayerNormalizationGeometry& geometry)
{
    std::vector<TensorDesc> outputs(size_t(geometry.outputs), geometry.moments);
    outputs.front() = geometry.output;
    return outputs;
}

}  // namespace vkonnx::ops
