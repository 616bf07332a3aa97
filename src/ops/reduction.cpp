// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePool, GlobalMaxPool, ReduceMean, ReduceSum.
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using Kind = ReductionGeometry::Kind;

constexpr int64_t negative_axes_since = 11;

constexpr Schema::Type types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
    {DType::int32, 1},   {DType::int64, 1},   {DType::uint32, 1},  {DType::uint64, 1},
};

constexpr Schema::Output reduced[] = {{"reduced"}};

constexpr int64_t mean_versions[] = {1, 11, 13, 18};
constexpr Schema::Input mean_inputs[] = {{"data", "T", types},
                                         {.name = "axes", .option = Schema::Option::optional, .member = "axes", .since = 18}};
constexpr Schema::Attribute mean_attributes[] = {{"axes"}, {"keepdims"}, {"noop_with_empty_axes", 18}};
constexpr Schema mean_schema = {.name = ReduceMean::name,
                                .versions = mean_versions,
                                .inputs = mean_inputs,
                                .outputs = reduced,
                                .attributes = mean_attributes};

constexpr int64_t sum_versions[] = {1, 11, 13};
constexpr Schema::Input sum_inputs[] = {{"data", "T", types},
                                        {.name = "axes", .option = Schema::Option::optional, .member = "axes", .since = 13}};
constexpr Schema::Attribute sum_attributes[] = {{"axes"}, {"keepdims"}, {"noop_with_empty_axes", 13}};
constexpr Schema sum_schema = {
    .name = ReduceSum::name, .versions = sum_versions, .inputs = sum_inputs, .outputs = reduced, .attributes = sum_attributes};

constexpr int64_t pool_versions[] = {1, 22};
constexpr Schema::Input pool_inputs[] = {{"X", "T", float_types}};
constexpr Schema average_pool_schema = {
    .name = GlobalAveragePool::name, .versions = pool_versions, .inputs = pool_inputs, .outputs = single_output};
constexpr Schema max_pool_schema = {
    .name = GlobalMaxPool::name, .versions = pool_versions, .inputs = pool_inputs, .outputs = single_output};

Status check_input(const Document& document, std::string_view name, const TensorDesc& input)
{
    VKONNX_RETURN_IF_ERROR(check_layout(document, std::string(name) + ".layout", input.layout));
    return check_tensor(document, name, input);
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
Result<ReductionGeometry> reduction(const Attributes& attributes, std::span<const TensorDesc> inputs, Kind kind)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "keepdims", attributes.keepdims));
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "noop_with_empty_axes", attributes.noop_with_empty_axes));
    VKONNX_RETURN_IF_ERROR(check_input(*document, "data", inputs[0]));

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
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_input(*document, "X", inputs[0]));
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

const Schema& schema_of(const GlobalAveragePool&)
{
    return average_pool_schema;
}

const Schema& schema_of(const GlobalMaxPool&)
{
    return max_pool_schema;
}

const Schema& schema_of(const ReduceMean&)
{
    return mean_schema;
}

const Schema& schema_of(const ReduceSum&)
{
    return sum_schema;
}

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
    return reduction(attributes, inputs, Kind::mean);
}

Result<ReductionGeometry> resolve(const ReduceSum& attributes, std::span<const TensorDesc> inputs)
{
    return reduction(attributes, inputs, Kind::sum);
}

TensorDesc output_of(const ReductionGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
