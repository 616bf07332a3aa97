// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t tile_versions[] = {6, 13};
constexpr Schema::Input tile_inputs[] = {{"input", "T", movable_types}, {.name = "repeats", .member = "repeats"}};
constexpr Schema::Output tile_outputs[] = {{"output"}};
constexpr Schema::Attribute tile_attributes[] = {{"repeats"}};
constexpr Schema tile_schema = {
    .name = Tile::name, .versions = tile_versions, .inputs = tile_inputs, .outputs = tile_outputs, .attributes = tile_attributes};

}  // namespace

const Schema& schema_of(const Tile&)
{
    return tile_schema;
}

Result<MoveGeometry> resolve(const Tile& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "input", input.dtype));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "input", input));
    const size_t rank = input.dims.size();
    if (attributes.repeats.size() != rank)
        return document->refuse(
            {"repeats has ", int64_t(attributes.repeats.size()), " entries, but input has rank ", int64_t(rank)});

    // The output has two coordinates for each axis of the input: which copy, and which of the input's elements.
    const std::vector<int64_t> strides = strides_of(input.dims);
    TensorDesc output = input;
    std::vector<Along> axes;
    std::string text;
    for (size_t axis = 0; axis < rank; ++axis) {
        const int64_t copies = attributes.repeats[axis];
        if (copies < 0)
            return document->refuse({"repeats[", int64_t(axis), "] = ", copies, " must be at least 0"});
        const Exact extent = Exact(input.dims[axis]) * copies;
        if (!extent.fits)
            return document->refuse({"repeats[", int64_t(axis), "] = ", copies, " leads to an integer beyond 64 bits"},
                                    Code::unsupported);
        output.dims[axis] = extent.value;
        axes.push_back({.extent = copies, .stride = 0});
        axes.push_back({.extent = input.dims[axis], .stride = strides[axis]});
        text += join({axis_line(axis), copies, " times ", input.dims[axis]});
    }
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "output", output));
    return MoveGeometry{.op = Tile::name,
                        .dtype = input.dtype,
                        .inputs = {input},
                        .moves = {moved_along(std::move(output), axes)},
                        .equation = join({document->title(), ": copies of input side by side", text})};
}

}  // namespace vkonnx::ops
