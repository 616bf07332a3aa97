// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t lrn_versions[] = {1, 13};
constexpr Schema::Input lrn_inputs[] = {{"X", "T", function_types}};
constexpr Schema::Attribute lrn_attributes[] = {{"alpha"}, {"beta"}, {"bias"}, {"size"}};
constexpr Schema lrn_schema = {
    .name = LRN::name, .versions = lrn_versions, .inputs = lrn_inputs, .outputs = single_output, .attributes = lrn_attributes};

Status check_input(const Document& document, const TensorDesc& x)
{
    VKONNX_RETURN_IF_ERROR(check_layout(document, "X.layout", x.layout));
    const auto rank = int64_t(x.dims.size());
    if (rank < 2)
        return document.refuse({"X has rank ", rank, ", but at least 2 is expected: N and C"});
    return check_tensor(document, "X", x);
}

}  // namespace

const Schema& schema_of(const LRN&)
{
    return lrn_schema;
}

Result<LrnGeometry> resolve(const LRN& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    if (!attributes.size)
        return document->refuse({"size is required: the number of channels to sum over"});
    const int64_t size = *attributes.size;
    if (size < 1)
        return document->refuse({"size = ", size, " must be at least 1"});
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_input(*document, x));
    const std::span dims = x.dims;
    const size_t channels = places_of(x.layout, dims.size()).channels;
    const int64_t before = (size - 1) / 2;
    LrnGeometry geometry = {.output = x,
                            .outer = product_of(dims.first(channels)),
                            .channels = dims[channels],
                            .inner = product_of(dims.subspan(channels + 1)),
                            .before = std::min(before, dims[channels]),
                            .behind = std::min(size - 1 - before, dims[channels]),
                            .factor = attributes.alpha.value_or(0.0001f) / float(size),
                            .beta = attributes.beta.value_or(0.75f),
                            .bias = attributes.bias.value_or(1)};
    geometry.equation = join({document->title(), ": Y = X / (bias + alpha / size * sum of X^2)^beta, of ", before,
                              " channels before, the element's own and ", size - 1 - before, " behind"});
    return geometry;
}

TensorDesc output_of(const LrnGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
