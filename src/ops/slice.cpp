// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t slice_versions[] = {1, 10, 11, 13};
constexpr Schema::Input slice_inputs[] = {{"data", "T", movable_types},
                                          {.name = "starts", .member = "starts", .since = 10},
                                          {.name = "ends", .member = "ends", .since = 10},
                                          {.name = "axes", .option = Schema::Option::optional, .member = "axes", .since = 10},
                                          {.name = "steps", .option = Schema::Option::optional, .member = "steps", .since = 10}};
constexpr Schema::Output slice_outputs[] = {{"output"}};
constexpr Schema::Attribute slice_attributes[] = {{"starts"}, {"ends"}, {"axes"}, {"steps", 10}};
constexpr Schema slice_schema = {.name = Slice::name,
                                 .versions = slice_versions,
                                 .inputs = slice_inputs,
                                 .outputs = slice_outputs,
                                 .attributes = slice_attributes};

// This struct holds what is taken of an axis: `count` elements, the first one `first`.
struct Taken {
    int64_t first = 0;
    int64_t count = 0;
    int64_t step = 1;
};

// Clamps start and end as the document does, without leaving 64 bits.
Taken taken_of(int64_t extent, int64_t start, int64_t end, int64_t step)
{
    const auto from_front = [&](int64_t index) { return index < 0 ? index + extent : index; };
    if (step > 0) {
        start = std::clamp<int64_t>(from_front(start), 0, extent);
        end = std::clamp<int64_t>(from_front(end), 0, extent);
        return {start, start < end ? (end - start - 1) / step + 1 : 0, step};
    }
    if (extent == 0)
        return {};
    start = std::clamp<int64_t>(from_front(start), 0, extent - 1);
    end = std::clamp<int64_t>(from_front(end), -1, extent - 1);
    // The subtraction is unsigned, because -step would overflow for the least integer.
    const auto back = uint64_t(0) - uint64_t(step);
    return {start, end < start ? int64_t((uint64_t(start - end) - 1) / back) + 1 : 0, step};
}

Status check_lists(const Document& document, const Slice& attributes)
{
    const size_t count = attributes.starts.size();
    const std::pair<std::string_view, size_t> lists[] = {{"ends", attributes.ends.size()},
                                                         {"axes", attributes.axes.empty() ? count : attributes.axes.size()},
                                                         {"steps", attributes.steps.empty() ? count : attributes.steps.size()}};
    for (const auto& [name, entries] : lists)
        if (entries != count)
            return document.refuse({name, " has ", int64_t(entries), " entries, but starts has ", int64_t(count)});
    for (size_t i = 0; i < attributes.steps.size(); ++i)
        if (attributes.steps[i] == 0)
            return document.refuse({"steps[", int64_t(i), "] = 0 must not be 0"});
    return {};
}

}  // namespace

const Schema& schema_of(const Slice&)
{
    return slice_schema;
}

Result<MoveGeometry> resolve(const Slice& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& data = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_movable(*document, "data", data.dtype));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "data", data));
    VKONNX_RETURN_IF_ERROR(check_lists(*document, attributes));
    const size_t rank = data.dims.size();
    const size_t count = attributes.starts.size();
    if (count > rank)
        return document->refuse({"starts has ", int64_t(count), " entries, but data has rank ", int64_t(rank)});
    Result<std::vector<size_t>> axes = axes_of(*document, attributes.axes, rank);
    VKONNX_RETURN_IF_ERROR(axes.status());

    Move move = {.output = data, .sources = {whole_source(data)}};
    std::string text;
    for (size_t i = 0; i < count; ++i) {
        const size_t axis = (*axes)[i];
        const Taken taken = taken_of(data.dims[axis], attributes.starts[i], attributes.ends[i], entry(attributes.steps, i, 1));
        SourceAxis& along = move.sources[0].axes[axis];
        if (taken.count > 0)
            move.sources[0].first += place_of(taken.first, along.stride);
        along.stride = taken.count > 1 ? place_of(taken.step, along.stride) : 0;
        along.extent = move.output.dims[axis] = taken.count;
        text += join({axis_line(axis), taken.count, " from ", taken.first, " in steps of ", taken.step});
    }
    move.extents = move.output.dims;
    return MoveGeometry{.op = Slice::name,
                        .dtype = data.dtype,
                        .inputs = {data},
                        .moves = {std::move(move)},
                        .equation = join({document->title(), ": every step-th element from start to before end", text})};
}

}  // namespace vkonnx::ops
