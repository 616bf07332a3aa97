// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePool, GlobalMaxPool, ReduceMean, ReduceSum.
#include <array>

#include "ops/attributes.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using Kind = ReductionGeometry::Kind;

constexpr std::array<int64_t, 2> pool_versions = {1, 22};
constexpr std::array<int64_t, 4> mean_versions = {1, 11, 13, 18};
constexpr std::array<int64_t, 3> sum_versions = {1, 11, 13};

constexpr int64_t negative_axes_since = 11;

constexpr std::array<TypeSince, 8> types = {{
    {DType::float32, 1},
    {DType::float64, 1},
    {DType::float16, 1},
    {DType::bfloat16, 13},
    {DType::int32, 1},
    {DType::int64, 1},
    {DType::uint32, 1},
    {DType::uint64, 1},
}};

Status check_input(const Document& document, std::string_view name, std::span<const TensorDesc> inputs,
                   std::span<const TypeSince> table)
{
    VKONNX_RETURN_IF_ERROR(check_input_count(document, inputs.size(), 1, 1));
    VKONNX_RETURN_IF_ERROR(check_type(document, name, inputs[0].dtype, table));
    VKONNX_RETURN_IF_ERROR(check_layout(document, std::string(name) + ".layout", inputs[0].layout));
    return check_tensor(document, name, inputs[0]);
}

// Marks the dimensions that the axes name.
Status read_axes(const Document& document, std::span<const int64_t> axes, std::vector<bool>& reduced)
{
    const auto rank = int64_t(reduced.size());
    const int64_t least = document.version >= negative_axes_since ? -rank : 0;
    for (size_t i = 0; i < axes.size(); ++i) {
        if (rank == 0)
            return document.refuse({"axes[", int64_t(i), "] = ", axes[i], " must not be given: data is a scalar"});
        if (axes[i] < least || axes[i] >= rank)
            return document.refuse({"axes[", int64_t(i), "] = ", axes[i], " must be from ", least, " to ", rank - 1,
                                    ": data has rank ", rank, " and opset ", document.opset, " means version ",
                                    document.version});
        reduced[size_t(axes[i] < 0 ? axes[i] + rank : axes[i])] = true;
    }
    return {};
}

std::string list_of(const std::vector<bool>& reduced)
{
    std::string list;
    for (size_t a = 0; a < reduced.size(); ++a)
        if (reduced[a])
            list += (list.empty() ? "" : ", ") + std::to_string(a);
    return list;
}

template <class Attributes>
Result<ReductionGeometry> reduction(const Attributes& attributes, std::span<const TensorDesc> inputs,
                                    std::span<const int64_t> versions, int64_t noop_since, Kind kind)
{
    const Result<Document> document = document_of(Attributes::name, versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(
        check_since(*document, "noop_with_empty_axes", attributes.noop_with_empty_axes.has_value(), noop_since));
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "keepdims", attributes.keepdims));
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "noop_with_empty_axes", attributes.noop_with_empty_axes));
    VKONNX_RETURN_IF_ERROR(check_input(*document, "data", inputs, types));

    const TensorDesc& data = inputs[0];
    const bool all = attributes.axes.empty() && attributes.noop_with_empty_axes.value_or(0) == 0;
    ReductionGeometry geometry = {.op = Attributes::name,
                                  .input = data,
                                  .reduced = std::vector<bool>(data.dims.size(), all),
                                  .kind = kind,
                                  .output = {data.dtype, {}, data.layout}};
    VKONNX_RETURN_IF_ERROR(read_axes(*document, attributes.axes, geometry.reduced));
    const bool keeps = attributes.keepdims.value_or(1) == 1;
    for (size_t a = 0; a < data.dims.size(); ++a)
        if (!geometry.reduced[a])
            geometry.output.dims.push_back(data.dims[a]);
        else if (keeps)
            geometry.output.dims.push_back(1);
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "reduced", geometry.output));
    const std::string list = list_of(geometry.reduced);
    geometry.equation = join({document->title(), ": reduced = ", kind == Kind::mean ? "mean" : "sum", " of data along ",
                              list.empty() ? "no axis" : "axes " + list});
    return geometry;
}

// Along all spatial axes.
template <class Attributes>
Result<ReductionGeometry> global_pool(const Attributes& attributes, std::span<const TensorDesc> inputs, Kind kind)
{
    const Result<Document> document = document_of(Attributes::name, pool_versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_input(*document, "X", inputs, float_types()));
    const TensorDesc& x = inputs[0];
    const auto rank = int64_t(x.dims.size());
    if (rank < 3)
        return document->refuse({"X has rank ", rank, ", but at least 3 is expected: N, C and spatial axes"});
    const Places places = places_of(x.layout, x.dims.size());
    ReductionGeometry geometry = {
        .op = Attributes::name, .input = x, .reduced = std::vector<bool>(x.dims.size()), .kind = kind, .output = x};
    geometry.channels = x.dims[places.channels];
    for (size_t a = places.spatial; a < places.spatial + x.dims.size() - 2; ++a) {
        geometry.reduced[a] = true;
        geometry.output.dims[a] = 1;
    }
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", geometry.output));
    geometry.equation = join(
        {document->title(), ": Y = ", kind == Kind::mean ? "mean" : "greatest", " of X along axes ", list_of(geometry.reduced)});
    return geometry;
}

}  // namespace

Result<ReductionGeometry> resolve(const GlobalAveragePool& attributes, std::span<const TensorDesc> inputs)
{
    return global_pool(attributes, inputs, Kind::mean);
}

Result<ReductionGeometry> resolve(const GlobalMaxPool& attributes, std::span<const TensorDesc> inputs)
{
    return global_pool(attributes, inputs, Kind::greatest);
}

Result<ReductionGeometry> resolve(const ReduceMean& attributes, std::span<const TensorDesc> inputs)
{
    return reduction(attributes, inputs, mean_versions, 18, Kind::mean);
}

Result<ReductionGeometry> resolve(const ReduceSum& attributes, std::span<const TensorDesc> inputs)
{
    return reduction(attributes, inputs, sum_versions, 13, Kind::sum);
}

TensorDesc output_of(const ReductionGeometry& geometry)
{
    return geometry.output;
}

Signature signature_of(const GlobalAveragePool& attributes)
{
    return {.inputs = {"X"}, .attributes = names_of_fields(attributes)};
}

Signature signature_of(const GlobalMaxPool& attributes)
{
    return {.inputs = {"X"}, .attributes = names_of_fields(attributes)};
}

Signature signature_of(const ReduceMean& attributes)
{
    return {.inputs = {"data"}, .attributes = names_of_fields(attributes)};
}

Signature signature_of(const ReduceSum& attributes)
{
    return {.inputs = {"data"}, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
