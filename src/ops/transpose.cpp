// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t transpose_versions[] = {1, 13, 21, 23, 24, 25};

constexpr Schema::Type transpose_types[] = {
    {DType::float32, 1},         {DType::uint8, 1},           {DType::int8, 1},
    {DType::uint16, 1},          {DType::int16, 1},           {DType::int32, 1},
    {DType::int64, 1},           {DType::string, 1},          {DType::boolean, 1},
    {DType::float16, 1},         {DType::float64, 1},         {DType::uint32, 1},
    {DType::uint64, 1},          {DType::complex64, 1},       {DType::complex128, 1},
    {DType::bfloat16, 13},       {DType::float8e4m3fn, 21},   {DType::float8e5m2, 21},
    {DType::float8e4m3fnuz, 21}, {DType::float8e5m2fnuz, 21}, {DType::uint4, 21},
    {DType::int4, 21},           {DType::float4e2m1, 23},     {DType::float8e8m0, 24},
    {DType::uint2, 25},          {DType::int2, 25},
};

constexpr Schema::Input transpose_inputs[] = {{"data", "T", transpose_types}};
constexpr Schema::Output transpose_outputs[] = {{"transposed"}};
constexpr Schema::Attribute transpose_attributes[] = {{"perm"}};
constexpr Schema transpose_schema = {.name = Transpose::name,
                                     .versions = transpose_versions,
                                     .inputs = transpose_inputs,
                                     .outputs = transpose_outputs,
                                     .attributes = transpose_attributes};

// Returns the input's axis for each axis of the output.
Result<std::vector<size_t>> order_of(const Document& document, const std::vector<int64_t>& perm, size_t rank)
{
    std::vector<size_t> order(rank);
    if (perm.empty())
        for (size_t i = 0; i < rank; ++i)
            order[i] = rank - 1 - i;
    else if (perm.size() != rank)
        return document.refuse({"perm has ", int64_t(perm.size()), " entries, but data has rank ", int64_t(rank)});
    std::vector<bool> named(rank);
    for (size_t i = 0; i < perm.size(); ++i) {
        if (perm[i] < 0 || perm[i] >= int64_t(rank))
            return document.refuse({"perm[", int64_t(i), "] = ", perm[i], " must be in [0, ", int64_t(rank) - 1, "]"});
        if (named[size_t(perm[i])])
            return document.refuse({"perm[", int64_t(i), "] = ", perm[i], " names an axis twice"});
        named[size_t(perm[i])] = true;
        order[i] = size_t(perm[i]);
    }
    return order;
}

}  // namespace

const Schema& schema_of(const Transpose&)
{
    return transpose_schema;
}

Result<MoveGeometry> resolve(const Transpose& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "data", data.dtype));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "data", data));
    const Result<std::vector<size_t>> order = order_of(*document, attributes.perm, data.dims.size());
    VKONNX_RETURN_IF_ERROR(order.status());

    const Source whole = whole_source(data);
    Move move;
    move.sources.resize(1);
    move.output.dtype = data.dtype;
    std::string axes;
    for (const size_t axis : *order) {
        move.output.dims.push_back(data.dims[axis]);
        move.sources[0].axes.push_back(whole.axes[axis]);
        axes += join({axes.empty() ? "" : ", ", int64_t(axis)});
    }
    move.extents = move.output.dims;
    return MoveGeometry{.op = Transpose::name,
                        .dtype = data.dtype,
                        .inputs = {data},
                        .moves = {std::move(move)},
                        .equation = join({document->title(), ": data's axes in the order ", axes.empty() ? "of none" : axes})};
}

}  // namespace vkonnx::ops
