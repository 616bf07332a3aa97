// This file computes ArgMax and ArgMin as their document defines them, going over each row from its front.
#include <cmath>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_move.h"

namespace vkonnx::kit {

using namespace movement;

namespace {

template <ArgExtreme Op>
Result<Resolution> resolution_of(const Op& op, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<Op>, op.opset);
    if (version == 0 || inputs.size() != 1 || (op.select_last_index && version < 12))
        return refusal("version, number of inputs or select_last_index");
    const DType dtype = inputs[0].dtype;
    const bool is_float = dtype == DType::float32 || dtype == DType::float16 || dtype == DType::float64;
    if (!is_float && !is_integer(dtype) && !(dtype == DType::bfloat16 && version >= 13))
        return refusal("type");
    for (const auto& flag : {op.keepdims, op.select_last_index})
        if (flag && *flag != 0 && *flag != 1)
            return refusal("a flag");
    if (Status status = check_count(inputs[0]); !status)
        return status;
    const std::optional<size_t> axis = axis_of(op.axis.value_or(0), inputs[0].dims.size());
    if (!axis)
        return refusal("axis");
    Resolution resolution = {.output = {DType::int64, inputs[0].dims, inputs[0].layout}};
    List& dims = resolution.output.dims;
    dims[*axis] = 1;
    if (op.keepdims.value_or(1) == 0)
        dims.erase(dims.begin() + ptrdiff_t(*axis));
    if (Status status = check_count(resolution.output); !status)
        return status;
    if (inputs[0].dims[*axis] == 0 && *element_count(resolution.output) > 0)
        return refusal("an axis without elements");
    return resolution;
}

// Tells whether element a is greater than element b, or less. NaN is neither.
bool is_beyond(const RealTensor& data, size_t a, size_t b, bool less)
{
    if (less)
        std::swap(a, b);
    if (data.words.empty())
        return data.values[a] > data.values[b];
    const uint64_t x = data.words[a], y = data.words[b];
    return is_signed(data.desc.dtype) ? int64_t(x) > int64_t(y) : x > y;
}

bool is_equal(const RealTensor& data, size_t a, size_t b)
{
    return data.words.empty() ? data.values[a] == data.values[b] : data.words[a] == data.words[b];
}

template <ArgExtreme Op>
Result<std::vector<Answer>> answers_of(const Op& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                       bool less)
{
    const RealTensor& data = inputs[0];
    const Result<Resolution> resolution = resolution_of(op, std::vector<TensorDesc>{data.desc});
    if (!resolution)
        return resolution.status();
    const List& dims = data.desc.dims;
    const auto axis = ptrdiff_t(*axis_of(op.axis.value_or(0), dims.size()));
    std::vector<Answer> answers;
    for (const int64_t element : sample) {
        List place = coordinates_of(element, resolution->output.dims);
        if (op.keepdims.value_or(1) == 0)
            place.insert(place.begin() + axis, 0);
        const auto at = [&](int64_t coordinate) {
            place[size_t(axis)] = coordinate;
            return size_t(index_of(place, dims));
        };
        int64_t best = 0;
        for (int64_t i = 1; i < dims[size_t(axis)]; ++i)
            if (is_beyond(data, at(i), at(best), less) || (op.select_last_index == 1 && is_equal(data, at(i), at(best))))
                best = i;
        answers.push_back(word_answer(uint64_t(best)));
    }
    return answers;
}

}  // namespace

Result<Resolution> resolve(const ArgMax& op, std::span<const TensorDesc> inputs)
{
    return resolution_of(op, inputs);
}

Result<Resolution> resolve(const ArgMin& op, std::span<const TensorDesc> inputs)
{
    return resolution_of(op, inputs);
}

Result<std::vector<Answer>> reference(const ArgMax& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    return answers_of(op, inputs, sample, false);
}

Result<std::vector<Answer>> reference(const ArgMin& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    return answers_of(op, inputs, sample, true);
}

}  // namespace vkonnx::kit
