// SPDX-License-Identifier: Apache-2.0
// This file resolves GlobalAveragePool, GlobalMaxPool, and the operators that reduce along axes.
#include <algorithm>

#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using Kind = ReductionKind;

constexpr Schema::Type wide_types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
    {DType::int32, 1},   {DType::int64, 1},   {DType::uint32, 1},  {DType::uint64, 1},
};
constexpr Schema::Type compared_types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13}, {DType::int32, 1},    {DType::int64, 1},
    {DType::uint32, 1},  {DType::uint64, 1},  {DType::int8, 12},   {DType::uint8, 12},    {DType::boolean, 20},
};
// ReduceL2, ReduceLogSum and ReduceLogSumExp take these. Their documents also name integers, but don't say how results are
// rounded.
constexpr Schema::Type root_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13}};

// The axes are an attribute before version `since`, and an input from then on.
template <const auto& types, int64_t since>
constexpr Schema::Input inputs[] = {{"data", "T", types},
                                    {.name = "axes", .option = Schema::Option::optional, .member = "axes", .since = since}};
template <int64_t since>
constexpr Schema::Attribute attributes[] = {{"axes"}, {"keepdims"}, {"noop_with_empty_axes", since}};
constexpr Schema::Output reduced[] = {{"reduced"}};

constexpr int64_t reduction_versions[] = {1, 11, 13, 18};
constexpr int64_t sum_versions[] = {1, 11, 13};
constexpr int64_t compared_versions[] = {1, 11, 12, 13, 18, 20};
constexpr int64_t logarithm_versions[] = {1, 11, 13, 18, 28};

// A Row has what a kind's documents say, and what it makes of data, in words that "along axes 0, 2" can follow.
struct Row {
    Kind kind = {};
    std::string_view result = {};
    Schema schema = {};
};

template <const auto& types = wide_types, int64_t since = 18>
constexpr Row row(Kind kind, std::string_view result, std::span<const int64_t> all_versions = reduction_versions)
{
    return {kind,
            result,
            {.name = name(kind),
             .versions = all_versions,
             .inputs = inputs<types, since>,
             .outputs = reduced,
             .attributes = attributes<since>}};
}

constexpr Row rows[] = {
    row(Kind::mean, "mean of data"),
    row<wide_types, 13>(Kind::sum, "sum of data", sum_versions),
    row<compared_types>(Kind::max, "greatest of data", compared_versions),
    row<compared_types>(Kind::min, "least of data", compared_versions),
    row(Kind::prod, "product of data"),
    row(Kind::l1, "sum of |data|"),
    row<root_types>(Kind::l2, "square root of the sum of data^2"),
    row(Kind::sum_square, "sum of data^2"),
    row<function_types>(Kind::log_sum, "logarithm of the sum of data", logarithm_versions),
    row<function_types>(Kind::log_sum_exp, "logarithm of the sum of e^data", logarithm_versions),
};

constexpr bool is_row_of_each_kind()
{
    for (size_t i = 0; i < std::size(rows); ++i)
        if (rows[i].kind != Kind(i))
            return false;
    return std::size(rows) == std::size(reduction_words);
}
static_assert(is_row_of_each_kind());

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

// Refuses integers that the documents have and the library lacks, in words that say so.
Status check_integers(const Document& document, const Schema& schema, std::span<const TensorDesc> inputs)
{
    const auto has = [](std::span<const Schema::Type> types, DType dtype) {
        return std::any_of(types.begin(), types.end(), [&](const Schema::Type& type) { return type.dtype == dtype; });
    };
    if (inputs.empty() || has(schema.inputs[0].types, inputs[0].dtype))
        return {};
    for (const DType dtype : {DType::int32, DType::int64, DType::uint32, DType::uint64})
        if (inputs[0].dtype == dtype)
            return document.refuse({"data has type ", name(dtype),
                                    ", of which roots and logarithms are not computed: float32, float16 and bfloat16 have them"},
                                   Code::unsupported);
    return {};
}

// Marks the dimensions that the axes name.
Status read_axes(const Document& document, std::span<const int64_t> axes, std::vector<bool>& reduced)
{
    const auto rank = int64_t(reduced.size());
    for (size_t i = 0; i < axes.size(); ++i) {
        if (rank == 0)
            return document.refuse({"axes[", int64_t(i), "] = ", axes[i], " must not be given: data is a scalar"});
        if (axes[i] < -rank || axes[i] >= rank)
            return document.refuse(
                {"axes[", int64_t(i), "] = ", axes[i], " must be from ", -rank, " to ", rank - 1, ": data has rank ", rank});
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

struct Flags {
    std::optional<int64_t> keepdims = {};
    std::optional<int64_t> noop_with_empty_axes = {};
};

Result<ReductionGeometry> reduction(const Row& row, const Document& document, std::span<const int64_t> axes, const Flags& flags,
                                    const TensorDesc& data)
{
    VKONNX_RETURN_IF_ERROR(check_flag(document, "keepdims", flags.keepdims));
    VKONNX_RETURN_IF_ERROR(check_flag(document, "noop_with_empty_axes", flags.noop_with_empty_axes));
    VKONNX_RETURN_IF_ERROR(check_input(document, "data", data));

    const bool all = axes.empty() && flags.noop_with_empty_axes.value_or(0) == 0;
    ReductionGeometry geometry = {.op = row.schema.name,
                                  .input = data,
                                  .reduced = std::vector<bool>(data.dims.size(), all),
                                  .kind = row.kind,
                                  .output = {data.dtype, {}, data.layout}};
    VKONNX_RETURN_IF_ERROR(read_axes(document, axes, geometry.reduced));
    const bool keeps = flags.keepdims.value_or(1) == 1;
    for (size_t a = 0; a < data.dims.size(); ++a)
        if (!geometry.reduced[a])
            geometry.output.dims.push_back(data.dims[a]);
        else if (keeps)
            geometry.output.dims.push_back(1);
    VKONNX_RETURN_IF_ERROR(check_tensor(document, "reduced", geometry.output));
    const std::string list = list_of(geometry.reduced);
    geometry.equation =
        join({document.title(), ": reduced = ", row.result, " along ", list.empty() ? "no axis" : "axes " + list});
    return geometry;
}

// Resolves a pool along all spatial axes.
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
    ReductionGeometry geometry = {.op = Attributes::name,
                                  .input = x,
                                  .reduced = std::vector<bool>(x.dims.size()),
                                  .kind = kind,
                                  .skips_nans = kind == Kind::max,
                                  .output = x};
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

const Schema& schema_of(ReductionKind kind)
{
    return rows[size_t(kind)].schema;
}

Result<ReductionGeometry> resolve(const GlobalAveragePool& attributes, std::span<const TensorDesc> inputs)
{
    return global_pool(attributes, inputs, Kind::mean);
}

Result<ReductionGeometry> resolve(const GlobalMaxPool& attributes, std::span<const TensorDesc> inputs)
{
    return global_pool(attributes, inputs, Kind::max);
}

template <ReductionKind kind>
Result<ReductionGeometry> resolve(const Reduce<kind>& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_integers(*document, schema_of(kind), inputs));
    VKONNX_RETURN_IF_ERROR(check_inputs(*document, schema_of(kind), inputs));
    return reduction(rows[size_t(kind)], *document, attributes.axes, {attributes.keepdims, attributes.noop_with_empty_axes},
                     inputs[0]);
}
template Result<ReductionGeometry> resolve(const ReduceMean&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceSum&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceMax&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceMin&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceProd&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceL1&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceL2&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceSumSquare&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceLogSum&, std::span<const TensorDesc>);
template Result<ReductionGeometry> resolve(const ReduceLogSumExp&, std::span<const TensorDesc>);

TensorDesc output_of(const ReductionGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
