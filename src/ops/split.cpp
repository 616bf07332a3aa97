// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>

#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 4> versions = {2, 11, 13, 18};

// Tensors are numbered in a byte, the input among them.
constexpr int64_t most_outputs = 254;

Status check_attributes(const Document& document, const Split& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_since(document, "num_outputs", attributes.num_outputs.has_value(), 18));
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
    if (count > most_outputs)
        return document.refuse({"it has ", count, " outputs, but at most ", most_outputs, " are supported"}, Code::unsupported);
    return {};
}

// The parts' lengths along an axis of this extent.
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

Result<MoveGeometry> resolve(const Split& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(Split::name, versions, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, attributes));
    VKONNX_RETURN_IF_ERROR(check_input_count(*document, inputs.size(), 1, 1));
    const TensorDesc& input = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "input", input.dtype, movable_types()));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "input", input));
    const Result<size_t> axis = axis_of(*document, "axis", attributes.axis.value_or(0), input.dims.size());
    if (!axis)
        return axis.status();
    const Result<std::vector<int64_t>> lengths = lengths_of(*document, attributes, input.dims[*axis]);
    if (!lengths)
        return lengths.status();

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

Signature signature_of(const Split& attributes)
{
    return {.inputs = {"input"}, .attributes = names_of_fields(attributes)};
}

}  // namespace vkonnx::ops
