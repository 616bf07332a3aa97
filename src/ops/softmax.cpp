// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t softmax_versions[] = {1, 11, 13};
constexpr Schema::Input softmax_inputs[] = {{"input", "T", function_types}};
constexpr Schema::Output softmax_outputs[] = {{"output"}};
constexpr Schema::Attribute softmax_attributes[] = {{"axis"}};
constexpr Schema softmax_schema = {.name = Softmax::name,
                                   .versions = softmax_versions,
                                   .inputs = softmax_inputs,
                                   .outputs = softmax_outputs,
                                   .attributes = softmax_attributes,
                                   .non_negative = true};
constexpr Schema log_softmax_schema = {.name = LogSoftmax::name,
                                       .versions = softmax_versions,
                                       .inputs = softmax_inputs,
                                       .outputs = softmax_outputs,
                                       .attributes = softmax_attributes};

Status check_input(const Document& document, const TensorDesc& input)
{
    VKONNX_RETURN_IF_ERROR(check_layout(document, "input.layout", input.layout));
    if (input.dims.empty())
        return document.refuse({"input is a scalar, but a rank of at least 1 is expected"});
    return check_tensor(document, "input", input);
}

template <class Op>
Result<SoftmaxGeometry> rows_of(const Op& attributes, std::span<const TensorDesc> inputs, bool logarithm)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_input(*document, input));
    const auto rank = int64_t(input.dims.size());
    const bool rows = document->version < 13;
    const int64_t axis = attributes.axis.value_or(rows ? 1 : -1);
    if (axis < -rank || axis >= rank)
        return document->refuse({"axis = ", axis, attributes.axis ? "" : ", the default,", " must be from ", -rank, " to ",
                                 rank - 1, ": input has rank ", rank, " and opset ", document->opset, " means version ",
                                 document->version});
    const auto at = size_t(axis < 0 ? axis + rank : axis);
    const std::span dims = input.dims;
    SoftmaxGeometry geometry = {.op = Op::name,
                                .logarithm = logarithm,
                                .output = input,
                                .outer = product_of(dims.first(at)),
                                .extent = rows ? product_of(dims.subspan(at)) : dims[at],
                                .inner = rows ? 1 : product_of(dims.subspan(at + 1))};
    geometry.equation =
        join({document->title(), ": output = ", logarithm ? "log(e^input / sum of e^input)" : "e^input / sum of e^input",
              " along ", rows ? join({"all axes from ", int64_t(at), " on"}) : join({"axis ", int64_t(at)})});
    return geometry;
}

}  // namespace

const Schema& schema_of(const Softmax&)
{
    return softmax_schema;
}

const Schema& schema_of(const LogSoftmax&)
{
    return log_softmax_schema;
}

Result<SoftmaxGeometry> resolve(const Softmax& attributes, std::span<const TensorDesc> inputs)
{
    return rows_of(attributes, inputs, false);
}

Result<SoftmaxGeometry> resolve(const LogSoftmax& attributes, std::span<const TensorDesc> inputs)
{
    return rows_of(attributes, inputs, true);
}

TensorDesc output_of(const SoftmaxGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
