// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t scatter_versions[] = {11, 13, 16, 18};
constexpr Schema::Type index_types[] = {{DType::int32, 11}, {DType::int64, 11}};
constexpr Schema::Type wide_index_types[] = {{DType::int64, 11}};
constexpr Schema::Input elements_inputs[] = {
    {"data", "T", movable_types}, {"indices", "Tind", index_types}, {"updates", "T", movable_types}};
constexpr Schema::Input nd_inputs[] = {
    {"data", "T", movable_types}, {"indices", "Tind", wide_index_types}, {"updates", "T", movable_types}};
constexpr Schema::Output scatter_outputs[] = {{"output"}};
constexpr Schema::Attribute elements_attributes[] = {{"axis"}, {"reduction", 16}};
constexpr Schema::Attribute nd_attributes[] = {{"reduction", 16}};

constexpr Schema elements_schema = {.name = ScatterElements::name,
                                    .versions = scatter_versions,
                                    .inputs = elements_inputs,
                                    .outputs = scatter_outputs,
                                    .attributes = elements_attributes};

constexpr Schema nd_schema = {.name = ScatterND::name,
                              .versions = scatter_versions,
                              .inputs = nd_inputs,
                              .outputs = scatter_outputs,
                              .attributes = nd_attributes};

Status check_reduction(const Document& document, ScatterReduction reduction, DType dtype)
{
    const std::string_view word = word_of(Spellings<ScatterReduction>(scatter_reduction_words), reduction);
    if (word.empty())
        return document.refuse({"reduction = ", int64_t(reduction), " must be one of none, add, mul, max, min"});
    if ((reduction == ScatterReduction::max || reduction == ScatterReduction::min) && document.version < 18)
        return document.refuse(
            {"reduction = ", word, " exists from version 18, and opset ", document.opset, " means version ", document.version});
    if (dtype == DType::complex64 && reduction != ScatterReduction::none)
        return document.refuse({"reduction = ", word, " of complex64 is not supported"}, Code::unsupported);
    return {};
}

// Finds the document, and refuses what does not depend on the shapes together.
template <class Attributes>
Result<Document> document_of_scatter(const Attributes& attributes, std::span<const TensorDesc> inputs)
{
    Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "data", inputs[0].dtype));
    VKONNX_RETURN_IF_ERROR(check_reduction(*document, attributes.reduction, inputs[0].dtype));
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "data.layout", inputs[0].layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "data", inputs[0]));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "indices", inputs[1]));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "updates", inputs[2]));
    return document;
}

Status check_updates(const Document& document, const TensorDesc& updates, const std::vector<int64_t>& expected)
{
    if (updates.dims == expected)
        return {};
    const TensorDesc right = {.dtype = updates.dtype, .dims = expected};
    return document.refuse({"updates = ", to_string(updates), " must be ", to_string(right)});
}

ScatterReduction reduction_of(ScatterReduction reduction, DType dtype)
{
    if (dtype == DType::boolean && reduction == ScatterReduction::add)
        return ScatterReduction::max;
    if (dtype == DType::boolean && reduction == ScatterReduction::mul)
        return ScatterReduction::min;
    return reduction;
}

// Returns what a reduction does to an element and its update, for people.
std::string_view verb_of(ScatterReduction reduction)
{
    switch (reduction) {
    case ScatterReduction::none:
        return "put";
    case ScatterReduction::add:
        return "added";
    case ScatterReduction::mul:
        return "multiplied";
    case ScatterReduction::max:
        return "put where they are greater";
    case ScatterReduction::min:
        return "put where they are less";
    }
    return "";
}

}  // namespace

const Schema& schema_of(const ScatterElements&)
{
    return elements_schema;
}

const Schema& schema_of(const ScatterND&)
{
    return nd_schema;
}

Result<ScatterGeometry> resolve(const ScatterElements& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of_scatter(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    const TensorDesc& indices = inputs[1];
    const size_t rank = data.dims.size();
    const Result<size_t> axis = axis_of(*document, "axis", attributes.axis.value_or(0), rank);
    VKONNX_RETURN_IF_ERROR(axis.status());
    VKONNX_RETURN_IF_ERROR(check_indices_along(*document, data, indices, *axis));
    VKONNX_RETURN_IF_ERROR(check_updates(*document, inputs[2], indices.dims));

    ScatterGeometry geometry = {.op = ScatterElements::name,
                                .data = data,
                                .indices = indices,
                                .updates = inputs[2],
                                .reduction = reduction_of(attributes.reduction, data.dtype)};
    const std::vector<int64_t> of_data = strides_of(data.dims);
    const std::vector<int64_t> of_indices = strides_of(indices.dims);
    for (size_t a = 0; a < rank; ++a) {
        const bool indexed = a == *axis;
        geometry.update_axes.push_back({indices.dims[a], indexed ? 0 : of_data[a]});
        geometry.axes.push_back({data.dims[a], indexed ? data.dims[a] : indices.dims[a], indexed ? 0 : of_indices[a]});
    }
    const int64_t extent = data.dims[*axis];
    geometry.indexed = {{extent, of_data[*axis]}};
    geometry.count = indices.dims[*axis];
    geometry.step = of_indices[*axis];
    geometry.equation = join({document->title(), ": data with updates, which are ", verb_of(attributes.reduction), " along axis ",
                              int64_t(*axis), " at the one of ", extent, " that the index of each names"});
    return geometry;
}

Result<ScatterGeometry> resolve(const ScatterND& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of_scatter(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    const TensorDesc& indices = inputs[1];
    const auto rank = int64_t(data.dims.size());
    const auto index_rank = int64_t(indices.dims.size());
    if (rank == 0 || index_rank == 0)
        return document->refuse({rank == 0 ? "data" : "indices", " has rank 0, but at least 1 is expected"});
    const int64_t numbers = indices.dims.back();
    if (numbers < 1 || numbers > rank)
        return document->refuse(
            {"indices.dims[", index_rank - 1, "] = ", numbers, " must be in [1, ", rank, "], the number of axes of data"});
    const std::span<const int64_t> dims = data.dims;
    const std::span<const int64_t> places = std::span(indices.dims).first(size_t(index_rank) - 1);
    const std::span<const int64_t> behind = dims.subspan(size_t(numbers));
    std::vector<int64_t> expected(places.begin(), places.end());
    expected.insert(expected.end(), behind.begin(), behind.end());
    VKONNX_RETURN_IF_ERROR(check_updates(*document, inputs[2], expected));

    const int64_t count = *element_count(indices) / numbers;
    const int64_t slices = product_of(dims.first(size_t(numbers)));
    ScatterGeometry geometry = {.op = ScatterND::name,
                                .data = data,
                                .indices = indices,
                                .updates = inputs[2],
                                .reduction = reduction_of(attributes.reduction, data.dtype),
                                .slice = product_of(behind),
                                .update_axes = {{count, 0}},
                                .axes = {{slices, slices, 0}},
                                .count = count};
    const std::vector<int64_t> strides = strides_of(dims.first(size_t(numbers)));
    for (size_t a = 0; a < size_t(numbers); ++a)
        geometry.indexed.push_back({dims[a], strides[a]});
    geometry.equation = join({document->title(), ": data with updates of ", geometry.slice, " elements, which are ",
                              verb_of(attributes.reduction), " at the ", numbers, " coordinates of each of ", count, " indices"});
    return geometry;
}

TensorDesc output_of(const ScatterGeometry& geometry)
{
    return geometry.data;
}

}  // namespace vkonnx::ops
