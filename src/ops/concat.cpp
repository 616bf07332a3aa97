// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t concat_versions[] = {4, 11, 13};
constexpr Schema::Input concat_inputs[] = {{"inputs_0", "T", movable_types, Schema::Option::variadic}};
constexpr Schema::Output concat_outputs[] = {{"concat_result"}};
constexpr Schema::Attribute concat_attributes[] = {{"axis"}};
constexpr Schema concat_schema = {.name = Concat::name,
                                  .versions = concat_versions,
                                  .older = older_versions,
                                  .inputs = concat_inputs,
                                  .outputs = concat_outputs,
                                  .attributes = concat_attributes};

Status check_inputs(const Document& document, std::span<const TensorDesc> inputs)
{
    for (size_t i = 0; i < inputs.size(); ++i) {
        const std::string label = join({"inputs_", int64_t(i)});
        VKONNX_RETURN_IF_ERROR(check_movable(document, label, inputs[i].dtype));
        VKONNX_RETURN_IF_ERROR(check_tensor(document, label, inputs[i]));
        if (inputs[i].dims.size() != inputs[0].dims.size())
            return document.refuse({label, " has rank ", int64_t(inputs[i].dims.size()), ", but inputs_0 has rank ",
                                    int64_t(inputs[0].dims.size())});
    }
    return {};
}

}  // namespace

const Schema& schema_of(const Concat&)
{
    return concat_schema;
}

Result<MoveGeometry> resolve(const Concat& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    if (!attributes.axis)
        return document->refuse({"axis is required"});
    VKONNX_RETURN_IF_ERROR(check_inputs(*document, inputs));
    const Result<size_t> axis = axis_of(*document, "axis", *attributes.axis, inputs[0].dims.size());
    VKONNX_RETURN_IF_ERROR(axis.status());

    Move move = {.output = inputs[0]};
    Exact out = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
        for (size_t a = 0; a < inputs[i].dims.size(); ++a)
            if (a != *axis && inputs[i].dims[a] != inputs[0].dims[a])
                return document->refuse({"inputs_", int64_t(i), ".dims[", int64_t(a), "] = ", inputs[i].dims[a],
                                         ", but inputs_0.dims[", int64_t(a), "] = ", inputs[0].dims[a], "; only axis ",
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

}  // namespace vkonnx::ops
