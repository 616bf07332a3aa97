// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t space_to_depth_versions[] = {1, 13, 28};
constexpr Schema::Input space_to_depth_inputs[] = {{"input", "T", movable_types}};
constexpr Schema::Output space_to_depth_outputs[] = {{"output"}};
constexpr Schema::Attribute space_to_depth_attributes[] = {{"blocksize"}, {"mode", 28}};
constexpr Schema space_to_depth_schema = {.name = SpaceToDepth::name,
                                          .versions = space_to_depth_versions,
                                          .inputs = space_to_depth_inputs,
                                          .outputs = space_to_depth_outputs,
                                          .attributes = space_to_depth_attributes};

}  // namespace

const Schema& schema_of(const SpaceToDepth&)
{
    return space_to_depth_schema;
}

Result<MoveGeometry> resolve(const SpaceToDepth& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_blocks(*document, attributes, input));
    const int64_t block = *attributes.blocksize;
    for (const size_t axis : {2, 3})
        if (input.dims[axis] % block != 0)
            return document->refuse({"input.dims[", int64_t(axis), "] = ", input.dims[axis],
                                     " must be a multiple of blocksize, and blocksize = ", block});
    const Exact channels = Exact(block) * block * input.dims[1];
    if (!channels.fits)
        return document->refuse({"blocksize = ", block, " leads to an integer beyond 64 bits"}, Code::unsupported);

    // The output's coordinates are n, those of its channel, h and w. A channel has the row and the column of the block, and the
    // input's channel behind them (DCR) or before them (CRD).
    const int64_t height = input.dims[2] / block;
    const int64_t width = input.dims[3] / block;
    const std::vector<int64_t> strides = strides_of(input.dims);
    const bool crd = attributes.mode == DepthToSpaceMode::crd;
    std::vector<Along> axes = {{input.dims[0], strides[0]},
                               {block, strides[2]},
                               {block, strides[3]},
                               {height, place_of(block, strides[2])},
                               {width, place_of(block, strides[3])}};
    axes.insert(axes.begin() + (crd ? 1 : 3), {input.dims[1], strides[1]});
    TensorDesc output = {input.dtype, {input.dims[0], channels.value, height, width}};
    return MoveGeometry{.op = SpaceToDepth::name,
                        .dtype = input.dtype,
                        .inputs = {input},
                        .moves = {moved_along(std::move(output), axes)},
                        .equation = join({document->title(), ", ", crd ? "CRD" : "DCR", ": blocks of ", block, " x ", block})};
}

}  // namespace vkonnx::ops
