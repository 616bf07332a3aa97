// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t depth_to_space_versions[] = {1, 11, 13, 28};
constexpr Schema::Input depth_to_space_inputs[] = {{"input", "T", movable_types}};
constexpr Schema::Output depth_to_space_outputs[] = {{"output"}};
constexpr Schema::Attribute depth_to_space_attributes[] = {{"blocksize"}, {"mode", 11}};
constexpr Schema depth_to_space_schema = {.name = DepthToSpace::name,
                                          .versions = depth_to_space_versions,
                                          .inputs = depth_to_space_inputs,
                                          .outputs = depth_to_space_outputs,
                                          .attributes = depth_to_space_attributes};

}  // namespace

const Schema& schema_of(const DepthToSpace&)
{
    return depth_to_space_schema;
}

Result<MoveGeometry> resolve(const DepthToSpace& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_blocks(*document, attributes, input));
    const int64_t block = *attributes.blocksize;
    const Exact area = Exact(block) * block;
    const int64_t channels = input.dims[1];
    if (!area.fits || channels % area.value != 0)
        return document->refuse({"input.dims[1] = ", channels, " must be a multiple of blocksize^2, and blocksize = ", block});
    const Exact height = Exact(input.dims[2]) * block;
    const Exact width = Exact(input.dims[3]) * block;
    if (!height.fits || !width.fits)
        return document->refuse({"blocksize = ", block, " leads to an integer beyond 64 bits"}, Code::unsupported);

    // The output's coordinates are n, c, h, row of the block, w and column of the block.
    const int64_t depth = channels / area.value;
    const std::vector<int64_t> strides = strides_of(input.dims);
    const bool crd = attributes.mode == DepthToSpaceMode::crd;
    const int64_t channel = place_of(crd ? area.value : 1, strides[1]);
    const int64_t column = place_of(crd ? 1 : depth, strides[1]);
    const Along axes[] = {{input.dims[0], strides[0]}, {depth, channel},
                          {input.dims[2], strides[2]}, {block, place_of(block, column)},
                          {input.dims[3], strides[3]}, {block, column}};
    TensorDesc output = {input.dtype, {input.dims[0], depth, height.value, width.value}};
    return MoveGeometry{.op = DepthToSpace::name,
                        .dtype = input.dtype,
                        .inputs = {input},
                        .moves = {moved_along(std::move(output), axes)},
                        .equation = join({document->title(), ", ", crd ? "CRD" : "DCR", ": blocks of ", block, " x ", block})};
}

}  // namespace vkonnx::ops
