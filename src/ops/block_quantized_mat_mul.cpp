// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t block_quantized_versions[] = {1};
constexpr Schema::Type block_quantized_types[] = {{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 1}};
constexpr Schema::Type packed_types[] = {{DType::uint8, 1}};
constexpr Schema::Input block_quantized_inputs[] = {
    {"A", "T1", block_quantized_types},
    {"B", "T2", packed_types},
    {"scales", "T1", block_quantized_types},
    {.name = "zero_points", .type_constraint = "T2", .types = packed_types, .option = Schema::Option::optional}};
constexpr Schema::Attribute block_quantized_attributes[] = {{"bits"}, {"block_size"}};
constexpr Schema block_quantized_schema = {.domain = BlockQuantizedMatMul::domain,
                                           .name = BlockQuantizedMatMul::name,
                                           .versions = block_quantized_versions,
                                           .inputs = block_quantized_inputs,
                                           .outputs = single_output,
                                           .attributes = block_quantized_attributes};

Status check_dims(const Document& document, std::string_view name, const TensorDesc& desc, const std::vector<int64_t>& dims)
{
    VKONNX_RETURN_IF_ERROR(check_tensor(document, name, desc));
    if (desc.dims != dims)
        return document.refuse(
            {name, " = ", to_string(desc), " must be ", to_string(TensorDesc{.dtype = desc.dtype, .dims = dims})});
    return {};
}

}  // namespace

const Schema& schema_of(const BlockQuantizedMatMul&)
{
    return block_quantized_schema;
}

Result<BlockQuantizedMatMulGeometry> resolve(const BlockQuantizedMatMul& attributes, std::span<const TensorDesc> inputs)
{
    Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    document->vocabulary.family = "vkonnx";
    const int64_t bits = attributes.bits.value_or(4), size = attributes.block_size.value_or(0);
    constexpr int64_t most_size = 65536;
    if (bits != 2 && bits != 4 && bits != 8)
        return document->refuse({"bits = ", bits, " must be 2, 4 or 8"});
    if (!attributes.block_size)
        return document->refuse({"block_size is required"});
    if (size < 16 || size > most_size || (size & (size - 1)) != 0)
        return document->refuse({"block_size = ", size, " must be a power of 2 from 16 to ", most_size});
    const TensorDesc &a = inputs[0], &b = inputs[1];
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "A.layout", a.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "A", a));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "B", b));
    if (a.dims.empty())
        return document->refuse({"A = ", to_string(a), " must have at least 1 dimension"});
    BlockQuantizedMatMulGeometry geometry = {.inputs = {a, b, inputs[2]},
                                             .output = a,
                                             .inner = a.dims.back(),
                                             .columns = b.dims.empty() ? 0 : b.dims[0],
                                             .bits = bits,
                                             .block_size = size};
    geometry.blocks = (geometry.inner + size - 1) / size;
    VKONNX_RETURN_IF_ERROR(check_dims(*document, "B", b, {geometry.columns, geometry.blocks, size * bits / 8}));
    VKONNX_RETURN_IF_ERROR(check_dims(*document, "scales", inputs[2], {geometry.columns, geometry.blocks}));
    if (inputs.size() > 3 && inputs[3].dtype != DType::undefined) {
        VKONNX_RETURN_IF_ERROR(check_dims(*document, "zero_points", inputs[3], {geometry.columns, geometry.bytes_of_zeros()}));
        geometry.inputs.push_back(inputs[3]);
    }
    geometry.rows = product_of(std::span<const int64_t>(a.dims).first(a.dims.size() - 1));
    geometry.output.dims.back() = geometry.columns;
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", geometry.output));
    geometry.equation = join({document->title(), ": Y = A * W^T of ", geometry.rows, " rows and ", geometry.inner,
                              " columns of A and ", geometry.columns, " rows of W: ", bits, " bits, in blocks of ", size,
                              geometry.has_zeros() ? " with zero points" : ""});
    return geometry;
}

TensorDesc output_of(const BlockQuantizedMatMulGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
