// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 3> versions = {4, 11, 13};

// Tensors are numbered in a byte, the output among them.
constexpr size_t most_inputs = 254;

Status check_inputs(const Document& document, std::span<const TensorDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(check_input_count(document, inputs.size(), 1, most_inputs));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const std::string label = join({"inputs[", int64_t(i), "]"});
        VKONNX_RETURN_IF_ERROR(check_movable(document, label, inputs[i].dtype, movable_types()));
        VKONNX_RETURN_IF_ERROR(check_tensor(document, label, inputs[i]));
        if (inputs[i].dtype != inputs[0].dtype)
            return document.refuse(
                {label, " has type ", vkonnx::name(inputs[i].dtype), ", but inputs[0] has type ", vkonnx::name(inputs[0].dtype)});
        if (inputs[i].dims.size() != inputs[0].dims.size())
            return document.refuse({label, " has rank ", int64_t(inputs[i].dims.size()), ", but inputs[0] has rank ",
                                    int64_t(inputs[0].dims.size())});
    }
    return {};
}

}  // namespace

Result<MoveGeometry> resolve(const Concat& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(Concat::name, versions, attributes.opset);
    if (!document)
        return document.status();
    if (!attributes.axis)
        return document->refuse({"axis is required"});
    VKONNX_RETURN_IF_ERROR(check_inputs(*document, inputs));
    const Result<size_t> axis = axis_of(*document, "axis", *attributes.axis, inputs[0].dims.size());
    if (!axis)
        return axis.status();

    Move move = {.output = inputs[0]};
    Exact out = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
        for (size_t a = 0; a < inputs[i].dims.size(); ++a)
            if (a != *axis && inputs[i].dims[a] != inputs[0].dims[a])
                return document->refuse({"inputs[", int64_t(i), "].dims[", int64_t(a), "] = ", inputs[i].dims[a],
                                         ", but inputs[0].dims[", int64_t(a), "] = ", inputs[0].dims[a], "; only axis ",
                                         int64_t(*axis), " may differ"});
        Source source = whole_source(inputs[i]);
        source.input = i;
        source.axes[*axis].begin = out.value;
        out = out + inputs[i].dims[*axis];
        if (*element_count(inputs[i]) > 0)
            move.sources.push_back(std::move(source));
    }
    move.output.dims[*axis] = out.value;
    if (!out.fits)
        return document->refuse({"axis ", int64_t(*axis), " leads to an integer beyond 64 bits"}, Code::unsupported);
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "concat_result", move.output));
    move.extents = move.output.dims;
    return MoveGeometry{.op = Concat::name,
                        .dtype = inputs[0].dtype,
                        .beyond = Beyond::other,
                        .inputs = {inputs.begin(), inputs.end()},
                        .moves = {std::move(move)},
                        .equation = join({document->title(), ": ", int64_t(inputs.size()),
                                          " inputs, one behind the other along axis ", int64_t(*axis)})};
}

Signature signature_of(const Concat& attributes)
{
    return {.inputs = {"inputs_0"}, .most_inputs = most_inputs, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
