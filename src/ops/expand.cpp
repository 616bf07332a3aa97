// SPDX-License-Identifier: Apache-2.0
#include "ops/broadcast.h"
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t expand_versions[] = {8, 13};
constexpr Schema::Input expand_inputs[] = {{"input", "T", movable_types}, {.name = "shape", .member = "shape"}};
constexpr Schema::Output expand_outputs[] = {{"output"}};
constexpr Schema::Attribute expand_attributes[] = {{"shape"}};
constexpr Schema expand_schema = {.name = Expand::name,
                                  .versions = expand_versions,
                                  .inputs = expand_inputs,
                                  .outputs = expand_outputs,
                                  .attributes = expand_attributes};

}  // namespace

const Schema& schema_of(const Expand&)
{
    return expand_schema;
}

Result<MoveGeometry> resolve(const Expand& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "input", input.dtype));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "input", input));
    for (size_t i = 0; i < attributes.shape.size(); ++i)
        if (attributes.shape[i] < 0)
            return document->refuse({"shape[", int64_t(i), "] = ", attributes.shape[i], " must be at least 0"});
    const TensorDesc both[] = {input, {input.dtype, attributes.shape}};
    const Result<std::vector<int64_t>> dims =
        broadcast(*document, both, [](size_t i) { return std::string(i == 0 ? "input" : "shape"); });
    VKONNX_RETURN_IF_ERROR(dims.status());
    TensorDesc output = {input.dtype, *dims};
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "output", output));

    const std::vector<int64_t> extents = aligned(input.dims, dims->size());
    const std::vector<int64_t> strides = strides_of(extents);
    std::vector<Along> axes;
    for (size_t axis = 0; axis < dims->size(); ++axis)
        axes.push_back({.extent = (*dims)[axis], .stride = extents[axis] == 1 ? 0 : strides[axis]});
    std::string equation = join({document->title(), ": input broadcast to ", to_string(output)});
    return MoveGeometry{.op = Expand::name,
                        .dtype = input.dtype,
                        .inputs = {input},
                        .moves = {moved_along(std::move(output), axes)},
                        .equation = std::move(equation)};
}

}  // namespace vkonnx::ops
