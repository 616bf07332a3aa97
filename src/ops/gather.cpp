// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr Schema::Type index_types[] = {{DType::int32, 1}, {DType::int64, 1}};
constexpr Schema::Type wide_index_types[] = {{DType::int64, 1}};
constexpr Schema::Input gather_inputs[] = {{"data", "T", movable_types}, {"indices", "Tind", index_types}};
constexpr Schema::Input nd_inputs[] = {{"data", "T", movable_types}, {"indices", "Tind", wide_index_types}};
constexpr Schema::Output gather_outputs[] = {{"output"}};
constexpr Schema::Attribute gather_attributes[] = {{"axis"}};
constexpr Schema::Attribute nd_attributes[] = {{"batch_dims", 12}};

constexpr int64_t gather_versions[] = {1, 11, 13};
constexpr Schema gather_schema = {.name = Gather::name,
                                  .versions = gather_versions,
                                  .inputs = gather_inputs,
                                  .outputs = gather_outputs,
                                  .attributes = gather_attributes};

constexpr int64_t elements_versions[] = {11, 13};
constexpr Schema elements_schema = {.name = GatherElements::name,
                                    .versions = elements_versions,
                                    .inputs = gather_inputs,
                                    .outputs = gather_outputs,
                                    .attributes = gather_attributes};

constexpr int64_t nd_versions[] = {11, 12, 13};
constexpr Schema nd_schema = {
    .name = GatherND::name, .versions = nd_versions, .inputs = nd_inputs, .outputs = gather_outputs, .attributes = nd_attributes};

// Finds the document, and refuses tensors that no attribute makes right.
template <class Attributes>
Result<Document> document_of_movable(const Attributes& attributes, std::span<const TensorDesc> inputs)
{
    Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "data", inputs[0].dtype));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "data", inputs[0]));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "indices", inputs[1]));
    return document;
}

// Returns how many coordinates an index of GatherND has, or an error where the shapes of its inputs do not fit each other.
Result<size_t> coordinates_of(const Document& document, const TensorDesc& data, const TensorDesc& indices, int64_t batch_dims)
{
    const auto rank = int64_t(data.dims.size());
    const auto index_rank = int64_t(indices.dims.size());
    if (rank == 0 || index_rank == 0)
        return document.refuse({rank == 0 ? "data" : "indices", " has rank 0, but at least 1 is expected"});
    const int64_t most = std::min(rank, index_rank) - 1;
    if (batch_dims < 0 || batch_dims > most)
        return document.refuse({"batch_dims = ", batch_dims, " must be in [0, ", most, "], where data has rank ", rank,
                                " and indices have rank ", index_rank});
    for (size_t a = 0; a < size_t(batch_dims); ++a)
        if (indices.dims[a] != data.dims[a])
            return document.refuse({"indices.dims[", int64_t(a), "] = ", indices.dims[a], ", but data.dims[", int64_t(a),
                                    "] = ", data.dims[a], "; the first batch_dims = ", batch_dims, " must be equal"});
    const int64_t coordinates = indices.dims.back();
    if (coordinates < 1 || coordinates > rank - batch_dims)
        return document.refuse({"indices.dims[", index_rank - 1, "] = ", coordinates, " must be in [1, ", rank - batch_dims,
                                "], the number of axes of data behind the first ", batch_dims});
    return size_t(coordinates);
}

}  // namespace

const Schema& schema_of(const Gather&)
{
    return gather_schema;
}

const Schema& schema_of(const GatherElements&)
{
    return elements_schema;
}

const Schema& schema_of(const GatherND&)
{
    return nd_schema;
}

Result<GatherGeometry> resolve(const Gather& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of_movable(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    const TensorDesc& indices = inputs[1];
    const Result<size_t> axis = axis_of(*document, "axis", attributes.axis.value_or(0), data.dims.size());
    VKONNX_RETURN_IF_ERROR(axis.status());

    const std::span<const int64_t> dims = data.dims;
    const std::span<const int64_t> front = dims.first(*axis);
    const std::span<const int64_t> behind = dims.subspan(*axis + 1);
    TensorDesc output = {.dtype = data.dtype};
    for (const std::span<const int64_t> part : {front, std::span(indices.dims), behind})
        output.dims.insert(output.dims.end(), part.begin(), part.end());
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "output", output));
    const int64_t extent = dims[*axis];
    const int64_t inner = product_of(behind);
    const int64_t count = *element_count(indices);
    return GatherGeometry{.op = Gather::name,
                          .data = data,
                          .indices = indices,
                          .output = std::move(output),
                          .axes = {{product_of(front), place_of(extent, inner), 0}, {count, 0, 1}, {inner, 1, 0}},
                          .indexed = {{extent, inner}},
                          .equation = join({document->title(), ": along axis ", int64_t(*axis), " of data, those of ", extent,
                                            " that ", count, " indices name"})};
}

Result<GatherGeometry> resolve(const GatherElements& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of_movable(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    const TensorDesc& indices = inputs[1];
    const size_t rank = data.dims.size();
    const Result<size_t> axis = axis_of(*document, "axis", attributes.axis.value_or(0), rank);
    VKONNX_RETURN_IF_ERROR(axis.status());
    VKONNX_RETURN_IF_ERROR(check_indices_along(*document, data, indices, *axis));

    GatherGeometry geometry = {
        .op = GatherElements::name, .data = data, .indices = indices, .output = {.dtype = data.dtype, .dims = indices.dims}};
    const std::vector<int64_t> of_data = strides_of(data.dims);
    const std::vector<int64_t> of_indices = strides_of(indices.dims);
    for (size_t a = 0; a < rank; ++a)
        geometry.axes.push_back({indices.dims[a], a == *axis ? 0 : of_data[a], of_indices[a]});
    const int64_t extent = data.dims[*axis];
    geometry.indexed = {{extent, of_data[*axis]}};
    geometry.equation = join({document->title(), ": along axis ", int64_t(*axis), " of data, at each place the one of ", extent,
                              " that the index there names"});
    return geometry;
}

Result<GatherGeometry> resolve(const GatherND& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of_movable(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    const TensorDesc& indices = inputs[1];
    const int64_t batch_dims = attributes.batch_dims.value_or(0);
    const Result<size_t> coordinates = coordinates_of(*document, data, indices, batch_dims);
    VKONNX_RETURN_IF_ERROR(coordinates.status());

    const std::span<const int64_t> dims = data.dims;
    const auto batch_axes = size_t(batch_dims);
    const std::span<const int64_t> batches = dims.first(batch_axes);
    const std::span<const int64_t> behind = dims.subspan(batch_axes + *coordinates);
    const std::span<const int64_t> places = std::span(indices.dims).first(indices.dims.size() - 1);
    TensorDesc output = {.dtype = data.dtype};
    for (const std::span<const int64_t> part : {places, behind})
        output.dims.insert(output.dims.end(), part.begin(), part.end());
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "output", output));

    const std::vector<int64_t> strides = strides_of(dims);
    const auto numbers = int64_t(*coordinates);
    const int64_t count = product_of(places.subspan(batch_axes));
    const int64_t inner = product_of(behind);
    GatherGeometry geometry = {.op = GatherND::name, .data = data, .indices = indices, .output = std::move(output)};
    geometry.axes = {{product_of(batches), product_of(dims.subspan(batch_axes)), place_of(count, numbers)},
                     {count, 0, numbers},
                     {inner, 1, 0}};
    for (size_t a = batch_axes; a < batch_axes + *coordinates; ++a)
        geometry.indexed.push_back({dims[a], strides[a]});
    geometry.equation = join({document->title(), ": of each of ", product_of(batches), " batches of data, the ", inner,
                              " elements at the ", numbers, " coordinates of each of ", count, " indices"});
    return geometry;
}

TensorDesc output_of(const GatherGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
