// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/attributes.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 3> versions = {1, 11, 13};

// Double is the documents', too.
constexpr std::array<TypeSince, 3> types = {{{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 13}}};

Status check_input(const Document& document, std::span<const TensorDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(check_input_count(document, inputs.size(), 1, 1));
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_no_double(document, "input", input.dtype, "exponential function"));
    VKONNX_RETURN_IF_ERROR(check_type(document, "input", input.dtype, types));
    VKONNX_RETURN_IF_ERROR(check_layout(document, "input.layout", input.layout));
    if (input.dims.empty())
        return document.refuse({"input is a scalar, but a rank of at least 1 is expected"});
    return check_tensor(document, "input", input);
}

}  // namespace

Result<SoftmaxGeometry> resolve(const Softmax& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(Softmax::name, versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_input(*document, inputs));
    const TensorDesc& input = inputs[0];
    const auto rank = int64_t(input.dims.size());
    const bool rows = document->version < 13;
    const int64_t axis = attributes.axis.value_or(rows ? 1 : -1);
    const int64_t least = document->version >= 11 ? -rank : 0;
    if (axis < least || axis >= rank)
        return document->refuse({"axis = ", axis, attributes.axis ? "" : ", the default,", " must be from ", least, " to ",
                                 rank - 1, ": input has rank ", rank, " and opset ", document->opset, " means version ",
                                 document->version});
    const auto at = size_t(axis < 0 ? axis + rank : axis);
    const std::span dims = input.dims;
    SoftmaxGeometry geometry = {.output = input,
                                .outer = product_of(dims.first(at)),
                                .extent = rows ? product_of(dims.subspan(at)) : dims[at],
                                .inner = rows ? 1 : product_of(dims.subspan(at + 1))};
    geometry.equation = join({document->title(), ": output = e^input / sum of e^input along ",
                              rows ? join({"all axes from ", int64_t(at), " on"}) : join({"axis ", int64_t(at)})});
    return geometry;
}

TensorDesc output_of(const SoftmaxGeometry& geometry)
{
    return geometry.output;
}

Signature signature_of(const Softmax& attributes)
{
    return {.inputs = {"input"}, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
