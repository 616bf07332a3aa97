// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/attributes.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 2> versions = {1, 13};

// Double is the documents', too.
constexpr std::array<TypeSince, 3> types = {{{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 13}}};

Status check_input(const Document& document, std::span<const TensorDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(check_input_count(document, inputs.size(), 1, 1));
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_no_double(document, "X", x.dtype, "power"));
    VKONNX_RETURN_IF_ERROR(check_type(document, "X", x.dtype, types));
    VKONNX_RETURN_IF_ERROR(check_layout(document, "X.layout", x.layout));
    const auto rank = int64_t(x.dims.size());
    if (rank < 2)
        return document.refuse({"X has rank ", rank, ", but at least 2 is expected: N and C"});
    return check_tensor(document, "X", x);
}

}  // namespace

Result<LrnGeometry> resolve(const LRN& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(LRN::name, versions, attributes.opset);
    if (!document)
        return document.status();
    if (!attributes.size)
        return document->refuse({"size is required: the number of channels to sum over"});
    const int64_t size = *attributes.size;
    if (size < 1)
        return document->refuse({"size = ", size, " must be at least 1"});
    VKONNX_RETURN_IF_ERROR(check_input(*document, inputs));
    const TensorDesc& x = inputs[0];
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

Signature signature_of(const LRN& attributes)
{
    return {.inputs = {"X"}, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
