// This file computes ScatterElements and ScatterND as their documents define them: data, and then one update after the other.
#include <cmath>
#include <limits>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_move.h"

namespace vkonnx::kit {

using namespace movement;

namespace {

// Checks what the two operators have in common, which is all but the dimensions of indices and updates.
Status check_scattered(std::span<const int64_t> versions, int64_t opset, ScatterReduction reduction, bool narrow_too,
                       std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions, opset);
    if (version == 0 || inputs.size() != 3 || !is_common(inputs[0].dtype, version) || inputs[2].dtype != inputs[0].dtype ||
        !(inputs[1].dtype == DType::int64 || (narrow_too && inputs[1].dtype == DType::int32)))
        return refusal("version, types or number of inputs");
    const int64_t since[] = {1, 16, 16, 18, 18};
    if (size_t(reduction) > 4 || version < since[size_t(reduction)])
        return refusal("reduction");
    if (reduction != ScatterReduction::none && inputs[0].dtype == DType::complex64)
        return refusal("reduction of complex numbers");
    for (const TensorDesc& input : inputs)
        if (Status status = check_count(input); !status)
            return status;
    return {};
}

uint64_t joined(ScatterReduction reduction, DType dtype, uint64_t element, uint64_t update)
{
    const bool truth = dtype == DType::boolean;
    switch (reduction) {
    case ScatterReduction::none:
        break;
    case ScatterReduction::add:
        return truth ? element | update : normalized(dtype, element + update);
    case ScatterReduction::mul:
        return truth ? element & update : normalized(dtype, element * update);
    case ScatterReduction::max:
        return is_less(dtype, element, update) ? update : element;
    case ScatterReduction::min:
        return is_less(dtype, update, element) ? update : element;
    }
    return update;
}

// Returns what may be right of a product of several factors: each multiplication is rounded, and its result may be flushed.
Range product_range(DType dtype, double element, const std::vector<double>& factors)
{
    const bool wide = dtype == DType::float64;
    const double roundoff = wide ? 0x1p-52 : 0x1p-23;
    const double normal = wide ? 0x1p-1022 : 0x1p-126;
    const double most = wide ? std::numeric_limits<double>::max() : double(std::numeric_limits<float>::max());
    DoubleDouble product(element);
    double error = 0;
    bool overflows = false;
    for (const double factor : factors) {
        if (overflows)
            return Range::anything();  // an infinity times 0 is NaN
        product = product * DoubleDouble(factor);
        error *= std::fabs(factor);
        if (error == 0 && rounded(wide ? DType::float64 : DType::float32, product.hi) == product.hi && product.lo == 0)
            continue;
        error += roundoff * std::fabs(product.hi);
        error += std::fabs(product.hi) - error < normal ? normal : 0;
        overflows = std::fabs(product.hi) + error > most;
    }
    Range range = Range::of(product.hi);
    for (const double end : {product.hi - error, product.hi + error})
        range.include(std::fabs(end) > most ? std::copysign(std::numeric_limits<double>::infinity(), end) : end);
    return range;
}

// Sums are compared as those of other operators. Greatest and least elements are exact, and so is the rounding of one product.
void join(ScatterReduction reduction, Answer& element, double update)
{
    switch (reduction) {
    case ScatterReduction::none:
        break;
    case ScatterReduction::add:
        element.value = element.value + DoubleDouble(update);
        element.magnitude += std::fabs(update);
        ++element.taps;
        break;
    case ScatterReduction::mul:
        element.value = element.value * DoubleDouble(update);
        break;
    case ScatterReduction::max:
        if (!std::isnan(element.value.hi) && (std::isnan(update) || element.value.hi < update))
            element.value = DoubleDouble(update);
        break;
    case ScatterReduction::min:
        if (!std::isnan(element.value.hi) && (std::isnan(update) || update < element.value.hi))
            element.value = DoubleDouble(update);
        break;
    }
}

// Takes the updates in their order. `place` tells where in data each goes, by its coordinates.
template <class Place>
std::vector<Answer> scattered(ScatterReduction reduction, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                              const Place& place)
{
    const RealTensor& data = inputs[0];
    const RealTensor& updates = inputs[2];
    const DType dtype = data.desc.dtype;
    std::vector<Answer> all;
    for (const uint64_t word : data.words)
        all.push_back(word_answer(word));
    for (const double value : data.values) {
        Answer answer = {.value = DoubleDouble(value)};
        if (reduction == ScatterReduction::add) {
            answer.magnitude = std::fabs(value);
            answer.taps = 1;
        }
        all.push_back(answer);
    }
    std::vector<std::vector<double>> factors(data.values.size());
    const int64_t count = *element_count(updates.desc);
    for (int64_t i = 0; i < count; ++i) {
        const std::optional<size_t> at = place_at(data.desc.dims, place(coordinates_of(i, updates.desc.dims)));
        if (!at)
            continue;
        if (updates.words.empty()) {
            join(reduction, all[*at], updates.values[size_t(i)]);
            factors[*at].push_back(updates.values[size_t(i)]);
        } else {
            all[*at].word = joined(reduction, dtype, *all[*at].word, updates.words[size_t(i)]);
        }
    }
    std::vector<Answer> answers;
    for (const int64_t element : sample) {
        const auto at = size_t(element);
        answers.push_back(all[at]);
        if (reduction == ScatterReduction::mul && !factors.empty() && factors[at].size() > 1 && std::isfinite(all[at].value.hi)) {
            const Range range = product_range(dtype, data.values[at], factors[at]);
            answers.back().ranges = {range, range};
        }
    }
    return answers;
}

}  // namespace

Result<Resolution> resolve(const ScatterElements& op, std::span<const TensorDesc> inputs)
{
    if (Status status = check_scattered(versions<ScatterElements>, op.opset, op.reduction, true, inputs); !status)
        return status;
    const List& data = inputs[0].dims;
    const List& indices = inputs[1].dims;
    const std::optional<size_t> axis = axis_of(op.axis.value_or(0), data.size());
    if (!axis || indices.size() != data.size() || inputs[2].dims != indices)
        return refusal("axis, rank or updates");
    for (size_t a = 0; a < data.size(); ++a)
        if (a != *axis && indices[a] > data[a])
            return refusal("dimensions of indices");
    return Resolution{.output = inputs[0]};
}

// Along the first axis, output[indices[i][j][k]][j][k] = updates[i][j][k].
Result<std::vector<Answer>> reference(const ScatterElements& op, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    const std::vector<TensorDesc> descs = {inputs[0].desc, inputs[1].desc, inputs[2].desc};
    if (const Result<Resolution> resolution = resolve(op, descs); !resolution)
        return resolution.status();
    const size_t axis = *axis_of(op.axis.value_or(0), descs[0].dims.size());
    return scattered(op.reduction, inputs, sample, [&](List coordinates) {
        coordinates[axis] = index_at(inputs[1], coordinates);
        return coordinates;
    });
}

Result<Resolution> resolve(const ScatterND& op, std::span<const TensorDesc> inputs)
{
    if (Status status = check_scattered(versions<ScatterND>, op.opset, op.reduction, false, inputs); !status)
        return status;
    const List& data = inputs[0].dims;
    const List& indices = inputs[1].dims;
    if (data.empty() || indices.empty() || indices.back() < 1 || indices.back() > int64_t(data.size()))
        return refusal("coordinates");
    List updates(indices.begin(), indices.end() - 1);
    updates.insert(updates.end(), data.begin() + ptrdiff_t(indices.back()), data.end());
    if (inputs[2].dims != updates)
        return refusal("updates");
    return Resolution{.output = inputs[0]};
}

// output[indices[i][j]...][k] = updates[i][j][k]
Result<std::vector<Answer>> reference(const ScatterND& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const std::vector<TensorDesc> descs = {inputs[0].desc, inputs[1].desc, inputs[2].desc};
    if (const Result<Resolution> resolution = resolve(op, descs); !resolution)
        return resolution.status();
    const List& indices = descs[1].dims;
    return scattered(op.reduction, inputs, sample, [&](const List& coordinates) {
        const auto behind = coordinates.begin() + ptrdiff_t(indices.size()) - 1;
        List place;
        for (int64_t i = 0; i < indices.back(); ++i) {
            List number(coordinates.begin(), behind);
            number.push_back(i);
            place.push_back(index_at(inputs[1], number));
        }
        place.insert(place.end(), behind, coordinates.end());
        return place;
    });
}

}  // namespace vkonnx::kit
