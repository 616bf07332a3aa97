// This file computes TopK as its document defines it: it sorts each row.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_move.h"

namespace vkonnx::kit {

using namespace movement;

namespace {

// Tells whether element a is less than element b. NaN is greater than all numbers.
bool is_less(const RealTensor& x, size_t a, size_t b)
{
    if (!x.words.empty())
        return is_signed(x.desc.dtype) ? int64_t(x.words[a]) < int64_t(x.words[b]) : x.words[a] < x.words[b];
    if (std::isnan(x.values[a]) || std::isnan(x.values[b]))
        return !std::isnan(x.values[a]) && std::isnan(x.values[b]);
    return x.values[a] < x.values[b];
}

}  // namespace

Result<Resolution> resolve(const TopK& op, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<TopK>, op.opset);
    if (version == 0 || inputs.size() != 1 || ((op.largest || op.sorted) && version < 11) || op.outputs < 1 || op.outputs > 2)
        return refusal("version, number of inputs or outputs, largest or sorted");
    const DType dtype = inputs[0].dtype;
    const bool is_float = dtype == DType::float32 || dtype == DType::float16 || dtype == DType::float64;
    if (!is_float && !(is_integer(dtype) && version >= 11) && !(dtype == DType::bfloat16 && version >= 24))
        return refusal("type");
    for (const auto& flag : {op.largest, op.sorted})
        if (flag && *flag != 0 && *flag != 1)
            return refusal("a flag");
    if (Status status = check_count(inputs[0]); !status)
        return status;
    const std::optional<size_t> axis = axis_of(op.axis.value_or(-1), inputs[0].dims.size());
    if (!axis || !op.k || *op.k < 0 || *op.k > inputs[0].dims[*axis])
        return refusal("axis or k");
    Resolution resolution = {.output = inputs[0]};
    resolution.output.dims[*axis] = *op.k;
    if (op.outputs > 1)
        resolution.more_outputs = {{DType::int64, resolution.output.dims, resolution.output.layout}};
    return resolution;
}

Result<std::vector<Answer>> reference(const TopK& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output)
{
    const RealTensor& x = inputs[0];
    const Result<Resolution> resolution = resolve(op, std::vector<TensorDesc>{x.desc});
    if (!resolution)
        return resolution.status();
    const List& dims = x.desc.dims;
    const size_t axis = *axis_of(op.axis.value_or(-1), dims.size());
    std::vector<Answer> answers;
    List order = List(size_t(dims[axis]));
    List sorted;  // the row whose order is known
    for (const int64_t element : sample) {
        List place = coordinates_of(element, resolution->output.dims);
        const auto wanted = size_t(place[axis]);
        place[axis] = 0;
        const int64_t first = index_of(place, dims);
        int64_t step = 1;  // between elements of the row
        for (size_t i = axis + 1; i < dims.size(); ++i)
            step *= dims[i];
        const auto at = [first, step](int64_t coordinate) { return size_t(first + coordinate * step); };
        if (place != sorted) {
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
                return op.largest == 0 ? is_less(x, at(a), at(b)) : is_less(x, at(b), at(a));
            });
            sorted = place;
        }
        const int64_t found = order[wanted];
        if (output == 1)
            answers.push_back(word_answer(uint64_t(found)));
        else if (x.words.empty())
            answers.push_back({.value = x.values[at(found)]});
        else
            answers.push_back(word_answer(x.words[at(found)]));
    }
    return answers;
}

}  // namespace vkonnx::kit
