// This file computes the operators that only move elements, as their documents define them: for every axis it makes a list of the
// input's coordinates by walking along it, and looks up elements one at a time. Types are from the documents' tables, written out
// once more.
#include <algorithm>
#include <bit>
#include <set>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_move.h"

namespace vkonnx::kit {

namespace movement {

bool is_whole(DType dtype)
{
    const uint32_t width = bits(dtype);
    return width == 8 || width == 16 || width == 32 || width == 64;
}

bool is_common(DType dtype, int64_t version)
{
    return is_whole(dtype) && int(dtype) <= int(DType::bfloat16) && (dtype != DType::bfloat16 || version >= 13);
}

std::optional<size_t> axis_of(int64_t axis, size_t rank)
{
    const auto count = int64_t(rank);
    if (axis < -count || axis >= count)
        return std::nullopt;
    return size_t(axis >= 0 ? axis : count + axis);
}

int64_t index_at(const RealTensor& indices, const List& coordinates)
{
    const uint64_t word = indices.words[size_t(index_of(coordinates, indices.desc.dims))];
    return indices.desc.dtype == DType::int32 ? int64_t(int32_t(uint32_t(word))) : int64_t(word);
}

std::optional<size_t> place_at(const List& dims, List coordinates)
{
    for (size_t a = 0; a < dims.size(); ++a) {
        if (coordinates[a] < 0)
            coordinates[a] += dims[a];
        if (coordinates[a] < 0 || coordinates[a] >= dims[a])
            return std::nullopt;
    }
    return size_t(index_of(coordinates, dims));
}

Answer word_answer(uint64_t word)
{
    Answer answer;
    answer.word = word;
    return answer;
}

}  // namespace movement

namespace {

using namespace movement;

constexpr int64_t fill = -1;  // stands in a list where there is no coordinate

bool is_eight_bit_float(DType dtype, int64_t version)
{
    return dtype == DType::float8e8m0 ? version >= 24 : is_whole(dtype) && int(dtype) > int(DType::bfloat16) && version >= 21;
}

bool may_be_padded(DType dtype, int64_t version)
{
    if (dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16)
        return true;
    const bool number = is_common(dtype, version) && dtype != DType::boolean && dtype != DType::complex64;
    return (number && version >= 11) || (is_common(dtype, version) && version >= 13) || is_eight_bit_float(dtype, version);
}

// Returns the named axes, or all in order where none are named.
Result<std::vector<size_t>> axes_of(const List& named, size_t rank)
{
    std::vector<size_t> axes;
    for (size_t i = 0; named.empty() && i < rank; ++i)
        axes.push_back(i);
    for (const int64_t one : named) {
        const std::optional<size_t> axis = axis_of(one, rank);
        if (!axis)
            return refusal("axis");
        axes.push_back(*axis);
    }
    if (std::set<size_t>(axes.begin(), axes.end()).size() != axes.size())
        return refusal("an axis twice");
    return axes;
}

// Looks up elements by one list of the input's coordinates for each axis.
std::vector<Answer> looked_up(const RealTensor& data, const std::vector<List>& lists, uint64_t filled,
                              std::span<const int64_t> sample)
{
    List dims;
    for (const List& list : lists)
        dims.push_back(int64_t(list.size()));
    std::vector<Answer> answers;
    for (const int64_t index : sample) {
        List coordinates = coordinates_of(index, dims);
        bool inside = true;
        for (size_t a = 0; a < dims.size(); ++a) {
            coordinates[a] = lists[a][size_t(coordinates[a])];
            inside = inside && coordinates[a] != fill;
        }
        answers.push_back(word_answer(inside ? data.words[size_t(index_of(coordinates, data.desc.dims))] : filled));
    }
    return answers;
}

List counted(int64_t extent)
{
    List list(static_cast<size_t>(extent));
    for (int64_t i = 0; i < extent; ++i)
        list[size_t(i)] = i;
    return list;
}

std::vector<List> whole(const TensorDesc& desc)
{
    std::vector<List> lists;
    for (const int64_t extent : desc.dims)
        lists.push_back(counted(extent));
    return lists;
}

TensorDesc desc_of(const TensorDesc& data, const std::vector<List>& lists)
{
    TensorDesc desc = data;
    for (size_t a = 0; a < lists.size(); ++a)
        desc.dims[a] = int64_t(lists[a].size());
    return desc;
}

// ---- Transpose

Result<List> order_of(const Transpose& op, size_t rank)
{
    List order = op.perm;
    if (order.empty())
        for (size_t a = rank; a-- > 0;)
            order.push_back(int64_t(a));
    if (order.size() != rank || std::set<int64_t>(order.begin(), order.end()) != [&] {
            const List all = counted(int64_t(rank));
            return std::set<int64_t>(all.begin(), all.end());
        }())
        return refusal("perm");
    return order;
}

// ---- Slice

// Returns the coordinates that Python's range gives.
List taken(int64_t extent, int64_t start, int64_t end, int64_t step)
{
    start = start < 0 ? start + extent : start;
    end = end < 0 ? end + extent : end;
    List list;
    if (step > 0)
        for (int64_t i = std::clamp<int64_t>(start, 0, extent); i < std::min(end, extent);) {
            list.push_back(i);
            if (step >= extent)
                break;
            i += step;
        }
    else
        for (int64_t i = std::min(std::max<int64_t>(start, 0), extent - 1); i >= 0 && i > end;) {
            list.push_back(i);
            if (step <= -extent)
                break;
            i += step;
        }
    return list;
}

Result<std::vector<List>> lists_of(const Slice& op, const TensorDesc& data)
{
    const int64_t version = version_of(versions<Slice>, op.opset);
    const size_t count = op.starts.size();
    if (version == 0 || (!op.steps.empty() && version < 10) || !is_common(data.dtype, version))
        return refusal("version or type");
    if (Status status = check_count(data); !status)
        return status;
    if (op.ends.size() != count || (!op.axes.empty() && op.axes.size() != count) ||
        (!op.steps.empty() && op.steps.size() != count) || count > data.dims.size() ||
        std::count(op.steps.begin(), op.steps.end(), 0) > 0)
        return refusal("lists");
    const Result<std::vector<size_t>> axes = axes_of(op.axes, data.dims.size());
    if (!axes)
        return axes.status();
    std::vector<List> lists = whole(data);
    for (size_t i = 0; i < count; ++i)
        lists[axes->at(i)] = taken(data.dims[axes->at(i)], op.starts[i], op.ends[i], op.steps.empty() ? 1 : op.steps[i]);
    return lists;
}

// ---- Pad

// Returns the coordinates of what is left of an axis, with those that a mode puts before and behind it.
Result<List> padded(PadMode mode, int64_t extent, int64_t begin, int64_t end)
{
    if (extent + begin + end < 0)
        return refusal("pads take away too much");
    List list;
    if (mode == PadMode::constant) {
        for (int64_t i = -begin; i < extent + end; ++i)
            list.push_back(i >= 0 && i < extent ? i : fill);
        return list;
    }
    for (int64_t i = std::max<int64_t>(-begin, 0); i < extent + std::min<int64_t>(end, 0); ++i)
        list.push_back(i);
    const List left = list;
    const auto count = int64_t(left.size());
    begin = std::max<int64_t>(begin, 0);
    end = std::max<int64_t>(end, 0);
    if (count == 0 && begin + end > 0)
        return refusal("nothing to repeat");
    if (mode == PadMode::reflect && std::max(begin, end) >= std::max<int64_t>(count, 1))
        return refusal("nothing so far to reflect");
    for (int64_t i = 0; i < begin; ++i) {
        const int64_t front = mode == PadMode::edge ? 0 : mode == PadMode::reflect ? i + 1 : count - 1 - i % count;
        list.insert(list.begin(), left[size_t(front)]);
    }
    for (int64_t i = 0; i < end; ++i) {
        const int64_t back = mode == PadMode::edge ? count - 1 : mode == PadMode::reflect ? count - 2 - i : i % count;
        list.push_back(left[size_t(back)]);
    }
    return list;
}

Result<std::vector<List>> lists_of(const Pad& op, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<Pad>, op.opset);
    const TensorDesc& data = inputs[0];
    if (version == 0 || (op.mode == PadMode::wrap && version < 19) || (!op.axes.empty() && version < 18) ||
        (op.value && version >= 11) || inputs.size() > (version < 11 ? 1 : 2) || !may_be_padded(data.dtype, version))
        return refusal("version or type");
    if (Status status = check_count(data); !status)
        return status;
    if (inputs.size() == 2 && inputs[1].dtype != DType::undefined) {  // else it is not given
        const Result<int64_t> count = element_count(inputs[1]);
        if (inputs[1].dtype != data.dtype || !count || *count != 1)
            return refusal("constant_value");
    }
    const Result<std::vector<size_t>> axes = axes_of(op.axes, data.dims.size());
    if (!axes || op.pads.size() != 2 * axes->size())
        return refusal("axes or pads");
    std::vector<List> lists = whole(data);
    for (size_t i = 0; i < axes->size(); ++i) {
        Result<List> list = padded(op.mode, data.dims[axes->at(i)], op.pads[i], op.pads[axes->size() + i]);
        if (!list)
            return list.status();
        lists[axes->at(i)] = std::move(*list);
    }
    return lists;
}

uint64_t filling(const Pad& op, std::span<const RealTensor> inputs)
{
    if (inputs.size() == 2 && inputs[1].desc.dtype != DType::undefined)
        return inputs[1].words[0];
    if (!op.value)
        return 0;
    const DType dtype = inputs[0].desc.dtype;
    return dtype == DType::float64   ? std::bit_cast<uint64_t>(double(*op.value))
           : dtype == DType::float16 ? half_bits(format_of(dtype), *op.value)
                                     : std::bit_cast<uint32_t>(*op.value);
}

// ---- Split

// Returns where each part begins, and at the end the axis's extent.
Result<List> starts_of(const Split& op, const TensorDesc& input, size_t& axis)
{
    const int64_t version = version_of(versions<Split>, op.opset);
    if (version == 0 || !is_common(input.dtype, version) || (op.num_outputs && version < 18))
        return refusal("version or type");
    if (Status status = check_count(input); !status)
        return status;
    const std::optional<size_t> resolved = axis_of(op.axis.value_or(0), input.dims.size());
    if (!resolved)
        return refusal("axis");
    axis = *resolved;
    const int64_t extent = input.dims[axis];
    List lengths = op.split;
    if (version >= 18 && lengths.empty() != op.num_outputs.has_value())
        return refusal("split or num_outputs");
    if (lengths.empty()) {
        const int64_t count = version >= 18 ? *op.num_outputs : op.outputs;
        if (count < 1 || count > 254 || (version < 18 && extent % count != 0))
            return refusal("count");
        const int64_t length = (extent + count - 1) / count;
        for (int64_t i = 0; i < count; ++i)
            lengths.push_back(i + 1 < count ? length : extent - length * i);
    }
    if (op.outputs < 0 || (op.outputs != 0 && op.outputs != int64_t(lengths.size())) || lengths.size() > 254)
        return refusal("outputs");
    List starts = {0};
    for (const int64_t length : lengths) {
        if (length < 0)
            return refusal("length");
        starts.push_back(starts.back() + length);
    }
    if (starts.back() != extent)
        return refusal("sum of lengths");
    return starts;
}

// ---- DepthToSpace

Result<TensorDesc> output_of(const DepthToSpace& op, const TensorDesc& input)
{
    const int64_t version = version_of(versions<DepthToSpace>, op.opset);
    if (version == 0 || !is_common(input.dtype, version) || (op.mode != DepthToSpaceMode::dcr && version < 11))
        return refusal("version or type");
    if (Status status = check_count(input); !status)
        return status;
    if (input.layout != Layout::ncx || input.dims.size() != 4 || !op.blocksize || *op.blocksize < 1 ||
        input.dims[1] % (*op.blocksize * *op.blocksize) != 0)
        return refusal("rank or blocksize");
    const int64_t b = *op.blocksize;
    return TensorDesc{input.dtype, {input.dims[0], input.dims[1] / (b * b), input.dims[2] * b, input.dims[3] * b}};
}

// ---- SpaceToDepth

Result<TensorDesc> output_of(const SpaceToDepth& op, const TensorDesc& input)
{
    const int64_t version = version_of(versions<SpaceToDepth>, op.opset);
    if (version == 0 || !is_common(input.dtype, version) || (op.mode != DepthToSpaceMode::dcr && version < 28))
        return refusal("version or type");
    if (Status status = check_count(input); !status)
        return status;
    if (input.layout != Layout::ncx || input.dims.size() != 4 || !op.blocksize || *op.blocksize < 1 ||
        input.dims[2] % *op.blocksize != 0 || input.dims[3] % *op.blocksize != 0)
        return refusal("rank or blocksize");
    const int64_t b = *op.blocksize;
    return TensorDesc{input.dtype, {input.dims[0], input.dims[1] * b * b, input.dims[2] / b, input.dims[3] / b}};
}

// ---- Expand and Tile

Result<std::vector<List>> lists_of(const Tile& op, const TensorDesc& input)
{
    const int64_t version = version_of(versions<Tile>, op.opset);
    if (version == 0 || !is_common(input.dtype, version) || op.repeats.size() != input.dims.size())
        return refusal("version, type or number of repeats");
    if (Status status = check_count(input); !status)
        return status;
    std::vector<List> lists(input.dims.size());
    for (size_t a = 0; a < lists.size(); ++a) {
        if (op.repeats[a] < 0)
            return refusal("repeats");
        for (int64_t copy = 0; copy < op.repeats[a]; ++copy)
            for (int64_t i = 0; i < input.dims[a]; ++i)
                lists[a].push_back(i);
    }
    return lists;
}

// Returns the output's dimensions. The input's and the shape's last dimensions stand over each other, and the shorter of the two
// counts as having 1s in front.
Result<List> expanded_dims(const Expand& op, const TensorDesc& input)
{
    const int64_t version = version_of(versions<Expand>, op.opset);
    if (version == 0 || !is_common(input.dtype, version))
        return refusal("version or type");
    if (Status status = check_count(input); !status)
        return status;
    const auto from_end = [](const List& dims, size_t i) { return i < dims.size() ? dims[dims.size() - 1 - i] : 1; };
    List dims;
    for (size_t i = 0; i < std::max(input.dims.size(), op.shape.size()); ++i) {
        const int64_t own = from_end(input.dims, i);
        const int64_t wanted = from_end(op.shape, i);
        if (wanted < 0 || (own != wanted && own != 1 && wanted != 1))
            return refusal("shape");
        dims.insert(dims.begin(), own == 1 ? wanted : own);
    }
    return dims;
}

}  // namespace

std::vector<TensorDesc> outputs_of(const Resolution& resolution)
{
    std::vector<TensorDesc> outputs = {resolution.output};
    outputs.insert(outputs.end(), resolution.more_outputs.begin(), resolution.more_outputs.end());
    return outputs;
}

Result<Resolution> resolve(const Transpose& op, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<Transpose>, op.opset);
    if (inputs.size() != 1 || version == 0 ||
        !(is_common(inputs[0].dtype, version) || is_eight_bit_float(inputs[0].dtype, version)))
        return refusal("version or type");
    if (Status status = check_count(inputs[0]); !status)
        return status;
    const Result<List> order = order_of(op, inputs[0].dims.size());
    if (!order)
        return order.status();
    Resolution resolution = {.output = {.dtype = inputs[0].dtype}};
    for (const int64_t axis : *order)
        resolution.output.dims.push_back(inputs[0].dims[size_t(axis)]);
    return resolution;
}

Result<std::vector<Answer>> reference(const Transpose& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const List& dims = inputs[0].desc.dims;
    const Result<List> order = order_of(op, dims.size());
    if (!order)
        return order.status();
    List turned;
    for (const int64_t axis : *order)
        turned.push_back(dims[size_t(axis)]);
    std::vector<Answer> answers;
    for (const int64_t index : sample) {
        const List there = coordinates_of(index, turned);
        List here(dims.size());
        for (size_t a = 0; a < there.size(); ++a)
            here[size_t(order->at(a))] = there[a];
        answers.push_back(word_answer(inputs[0].words[size_t(index_of(here, dims))]));
    }
    return answers;
}

Result<Resolution> resolve(const Slice& op, std::span<const TensorDesc> inputs)
{
    if (inputs.size() != 1)
        return refusal("number of inputs");
    const Result<std::vector<List>> lists = lists_of(op, inputs[0]);
    return lists ? Result(Resolution{.output = desc_of(inputs[0], *lists)}) : lists.status();
}

Result<std::vector<Answer>> reference(const Slice& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const Result<std::vector<List>> lists = lists_of(op, inputs[0].desc);
    return lists ? Result(looked_up(inputs[0], *lists, 0, sample)) : lists.status();
}

Result<Resolution> resolve(const Pad& op, std::span<const TensorDesc> inputs)
{
    if (inputs.empty())
        return refusal("number of inputs");
    const Result<std::vector<List>> lists = lists_of(op, inputs);
    return lists ? Result(Resolution{.output = desc_of(inputs[0], *lists)}) : lists.status();
}

Result<std::vector<Answer>> reference(const Pad& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    const Result<std::vector<List>> lists = lists_of(op, descs);
    return lists ? Result(looked_up(inputs[0], *lists, filling(op, inputs), sample)) : lists.status();
}

Result<Resolution> resolve(const Concat& op, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<Concat>, op.opset);
    if (version == 0 || inputs.empty() || inputs.size() > 254 || !op.axis)
        return refusal("version or number of inputs");
    const std::optional<size_t> axis = axis_of(*op.axis, inputs[0].dims.size());
    if (!axis)
        return refusal("axis");
    Resolution resolution = {.output = inputs[0]};
    resolution.output.dims[*axis] = 0;
    for (const TensorDesc& input : inputs) {
        if (Status status = check_count(input); !status)
            return status;
        if (input.dtype != inputs[0].dtype || !is_common(input.dtype, version) || input.dims.size() != inputs[0].dims.size())
            return refusal("type or rank");
        for (size_t a = 0; a < input.dims.size(); ++a)
            if (a != *axis && input.dims[a] != inputs[0].dims[a])
                return refusal("extent");
        resolution.output.dims[*axis] += input.dims[*axis];
    }
    return resolution;
}

Result<std::vector<Answer>> reference(const Concat& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const size_t axis = *axis_of(*op.axis, inputs[0].desc.dims.size());
    List dims = inputs[0].desc.dims;
    dims[axis] = 0;
    for (const RealTensor& input : inputs)
        dims[axis] += input.desc.dims[axis];
    std::vector<Answer> answers;
    for (const int64_t index : sample) {
        List coordinates = coordinates_of(index, dims);
        size_t i = 0;
        for (; coordinates[axis] >= inputs[i].desc.dims[axis]; ++i)
            coordinates[axis] -= inputs[i].desc.dims[axis];
        answers.push_back(word_answer(inputs[i].words[size_t(index_of(coordinates, inputs[i].desc.dims))]));
    }
    return answers;
}

Result<Resolution> resolve(const Split& op, std::span<const TensorDesc> inputs)
{
    if (inputs.size() != 1)
        return refusal("number of inputs");
    size_t axis = 0;
    const Result<List> starts = starts_of(op, inputs[0], axis);
    if (!starts)
        return starts.status();
    Resolution resolution;
    for (size_t i = 0; i + 1 < starts->size(); ++i) {
        TensorDesc part = inputs[0];
        part.dims[axis] = starts->at(i + 1) - starts->at(i);
        (i == 0 ? resolution.output : resolution.more_outputs.emplace_back()) = part;
    }
    return resolution;
}

Result<std::vector<Answer>> reference(const Split& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output)
{
    size_t axis = 0;
    const Result<List> starts = starts_of(op, inputs[0].desc, axis);
    if (!starts)
        return starts.status();
    std::vector<List> lists = whole(inputs[0].desc);
    lists[axis].assign(lists[axis].begin() + starts->at(output), lists[axis].begin() + starts->at(output + 1));
    return looked_up(inputs[0], lists, 0, sample);
}

Result<Resolution> resolve(const DepthToSpace& op, std::span<const TensorDesc> inputs)
{
    if (inputs.size() != 1)
        return refusal("number of inputs");
    Result<TensorDesc> output = output_of(op, inputs[0]);
    return output ? Result(Resolution{.output = std::move(*output)}) : output.status();
}

// Follows the document's reshape, transpose and reshape backwards.
Result<std::vector<Answer>> reference(const DepthToSpace& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const Result<TensorDesc> output = output_of(op, inputs[0].desc);
    if (!output)
        return output.status();
    const int64_t b = *op.blocksize;
    const int64_t depth = output->dims[1];
    std::vector<Answer> answers;
    for (const int64_t index : sample) {
        const List y = coordinates_of(index, output->dims);
        const int64_t row = y[2] % b;
        const int64_t column = y[3] % b;
        const int64_t channel =
            op.mode == DepthToSpaceMode::dcr ? (row * b + column) * depth + y[1] : (y[1] * b + row) * b + column;
        const List x = {y[0], channel, y[2] / b, y[3] / b};
        answers.push_back(word_answer(inputs[0].words[size_t(index_of(x, inputs[0].desc.dims))]));
    }
    return answers;
}

Result<Resolution> resolve(const SpaceToDepth& op, std::span<const TensorDesc> inputs)
{
    if (inputs.size() != 1)
        return refusal("number of inputs");
    Result<TensorDesc> output = output_of(op, inputs[0]);
    return output ? Result(Resolution{.output = std::move(*output)}) : output.status();
}

// Follows the document's reshape, transpose and reshape backwards.
Result<std::vector<Answer>> reference(const SpaceToDepth& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const Result<TensorDesc> output = output_of(op, inputs[0].desc);
    if (!output)
        return output.status();
    const int64_t b = *op.blocksize;
    const int64_t depth = inputs[0].desc.dims[1];
    std::vector<Answer> answers;
    for (const int64_t index : sample) {
        const List y = coordinates_of(index, output->dims);
        const bool dcr = op.mode == DepthToSpaceMode::dcr;
        const int64_t place = dcr ? y[1] / depth : y[1] % (b * b);
        const List x = {y[0], dcr ? y[1] % depth : y[1] / (b * b), y[2] * b + place / b, y[3] * b + place % b};
        answers.push_back(word_answer(inputs[0].words[size_t(index_of(x, inputs[0].desc.dims))]));
    }
    return answers;
}

Result<Resolution> resolve(const Expand& op, std::span<const TensorDesc> inputs)
{
    if (inputs.size() != 1)
        return refusal("number of inputs");
    const Result<List> dims = expanded_dims(op, inputs[0]);
    if (!dims)
        return dims.status();
    Resolution resolution = {.output = {inputs[0].dtype, *dims}};
    const Status status = check_count(resolution.output);
    return status ? Result(std::move(resolution)) : status;
}

// The document explains Expand by numpy.broadcast_to: along an axis where the input has one element, every output is that
// element.
Result<std::vector<Answer>> reference(const Expand& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const Result<List> dims = expanded_dims(op, inputs[0].desc);
    if (!dims)
        return dims.status();
    std::vector<Answer> answers;
    for (const int64_t index : sample) {
        const List there = coordinates_of(index, *dims);
        List here(there.end() - ptrdiff_t(inputs[0].desc.dims.size()), there.end());
        for (size_t a = 0; a < here.size(); ++a)
            here[a] = std::min(here[a], inputs[0].desc.dims[a] - 1);
        answers.push_back(word_answer(inputs[0].words[size_t(index_of(here, inputs[0].desc.dims))]));
    }
    return answers;
}

Result<Resolution> resolve(const Tile& op, std::span<const TensorDesc> inputs)
{
    if (inputs.size() != 1)
        return refusal("number of inputs");
    const Result<std::vector<List>> lists = lists_of(op, inputs[0]);
    return lists ? Result(Resolution{.output = desc_of(inputs[0], *lists)}) : lists.status();
}

Result<std::vector<Answer>> reference(const Tile& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const Result<std::vector<List>> lists = lists_of(op, inputs[0].desc);
    return lists ? Result(looked_up(inputs[0], *lists, 0, sample)) : lists.status();
}

}  // namespace vkonnx::kit
