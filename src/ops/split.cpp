// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t split_versions[] = {2, 11, 13, 18};
constexpr Schema::Input split_inputs[] = {{"input", "T", movable_types},
                                          {.name = "split", .option = Schema::Option::optional, .member = "split", .since = 13}};
constexpr Schema::Output split_outputs[] = {{"outputs_0", Schema::Option::variadic}};
constexpr Schema::Attribute split_attributes[] = {{"axis"}, {"split"}, {"num_outputs", 18}};
constexpr Schema split_schema = {.name = Split::name,
                                 .versions = split_versions,
                                 .older = older_versions,
                                 .inputs = split_inputs,
                                 .outputs = split_outputs,
                                 .attributes = split_attributes};

Status check_attributes(const Document& document, const Split& attributes)
{
    const auto listed = int64_t(attributes.split.size());
    if (attributes.num_outputs && listed > 0)
        return document.refuse({"num_outputs = ", *attributes.num_outputs, " must not be given when split is"});
    if (document.version >= 18 && !attributes.num_outputs && listed == 0)
        return document.refuse({"split or num_outputs is required from version 18"});
    if (attributes.outputs < 0)
        return document.refuse({"outputs = ", attributes.outputs, " must be at least 0"});
    if (listed == 0 && attributes.num_outputs.value_or(attributes.outputs) < 1)
        return document.refuse(
            {document.version >= 18 ? "num_outputs = " : "outputs = ", attributes.num_outputs.value_or(attributes.outputs),
             " must be at least 1", document.version >= 18 ? "" : " when split is not given"});
    const int64_t count = listed > 0 ? listed : attributes.num_outputs.value_or(attributes.outputs);
    if (attributes.outputs > 0 && attributes.outputs != count)
        return document.refuse(
            {listed > 0 ? "split asks for " : "num_outputs asks for ", count, " outputs, but there are ", attributes.outputs});
    if (count > int64_t(most_tensors))
        return document.refuse({"it has ", count, " outputs, but at most ", int64_t(most_tensors), " are supported"},
                               Code::unsupported);
    return {};
}

// Returns the parts' lengths along an axis of this extent.
Result<std::vector<int64_t>> lengths_of(const Document& document, const Split& attributes, int64_t extent)
{
    std::vector<int64_t> lengths = attributes.split;
    if (lengths.empty()) {
        const int64_t count = attributes.num_outputs.value_or(attributes.outputs);
        const int64_t length = extent / count + (extent % count != 0);
        if (document.version < 18 && extent % count != 0)
            return document.refuse({count, " equal parts of the axis's ", extent, " elements are asked for"});
        if (length * (count - 1) > extent)
            return document.refuse({"num_outputs = ", count, " parts of ", length, " exceed the axis's ", extent, " elements"});
        lengths.assign(size_t(count), length);
        lengths.back() = extent - length * (count - 1);
    }
    Exact sum = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] < 0)
            return document.refuse({"split[", int64_t(i), "] = ", lengths[i], " must be at least 0"});
        sum = sum + lengths[i];
    }
    if (!sum.fits || sum.value != extent)
        return document.refuse({"split adds up to ", sum.fits ? Word(sum.value) : Word("more than 64 bits hold"),
                                ", but the axis has ", extent, " elements"});
    return lengths;
}

}  // namespace

const Schema& schema_of(const Split&)
{
    return split_schema;
}

Result<MoveGeometry> resolve(const Split& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "input", input.dtype));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "input", input));
    const Result<size_t> axis = axis_of(*document, "axis", attributes.axis.value_or(0), input.dims.size());
    VKONNX_RETURN_IF_ERROR(axis.status());
    const Result<std::vector<int64_t>> lengths = lengths_of(*document, attributes, input.dims[*axis]);
    VKONNX_RETURN_IF_ERROR(lengths.status());

    MoveGeometry geometry = {.op = Split::name, .dtype = input.dtype, .inputs = {input}};
    geometry.equation = join({document->title(), ": ", int64_t(lengths->size()), " parts along axis ", int64_t(*axis), ", of "});
    int64_t start = 0;
    for (const int64_t length : *lengths) {
        Move move = {.output = input, .sources = {whole_source(input)}};
        SourceAxis& along = move.sources[0].axes[*axis];
        move.sources[0].first = place_of(start, along.stride);
        along.extent = move.output.dims[*axis] = length;
        move.extents = move.output.dims;
        geometry.equation += join({geometry.moves.empty() ? "" : ", ", length});
        geometry.moves.push_back(std::move(move));
        start += length;
    }
    return geometry;
}

}  // namespace vkonnx::ops
