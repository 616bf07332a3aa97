// This file has the references of composites that move or choose elements, or change each by itself.
#include <cmath>

#include "kit/composites.h"
#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Answers = std::vector<CompositeAnswers>;

int64_t elements_of(const TensorDesc& desc)
{
    return *element_count(desc);
}

int64_t positive(int64_t axis, size_t rank)
{
    return axis < 0 ? axis + int64_t(rank) : axis;
}

Answers cast_like(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    CompositeAnswers made = {.output = {.dtype = problem.inputs[1].desc.dtype, .dims = x.desc.dims}};
    for (int64_t i = 0; i < elements_of(x.desc); ++i)
        made.elements.push_back(exactly(made.output.dtype, number_at(x, size_t(i))));
    return {made};
}

Answers eye_like(const CompositeProblem& problem)
{
    const TensorDesc& x = problem.inputs[0].desc;
    const auto dtype = DType(problem.attribute<int64_t>("dtype", int64_t(x.dtype)));
    const int64_t k = problem.attribute<int64_t>("k", 0);
    CompositeAnswers made = {.output = {.dtype = dtype, .dims = x.dims}};
    for (int64_t row = 0; row < x.dims[0]; ++row)
        for (int64_t column = 0; column < x.dims[1]; ++column)
            made.elements.push_back(exactly(dtype, column - row == k ? 1 : 0));
    return {made};
}

Answers shrink(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const double lambd = problem.attribute("lambd", 0.5f), bias = problem.attribute("bias", 0.0f);
    CompositeAnswers made = {.output = x.desc};
    for (int64_t i = 0; i < elements_of(x.desc); ++i) {
        const double number = number_at(x, size_t(i));
        const double y = number < -lambd ? number + bias : number > lambd ? number - bias : 0;
        Answer answer = exactly(x.desc.dtype, y);
        if (!answer.word) {
            answer.value = y;
            answer.magnitude = std::fabs(number) + std::fabs(bias);
            answer.taps = y == 0 ? 0 : 1;
        }
        made.elements.push_back(answer);
    }
    return {made};
}

Answers one_hot(const CompositeProblem& problem)
{
    const RealTensor &indices = problem.inputs[0], &values = problem.inputs[2];
    const auto depth = int64_t(number_at(problem.inputs[1], 0));
    const int64_t axis = positive(problem.attribute<int64_t>("axis", -1), indices.desc.dims.size() + 1);
    CompositeAnswers made = {.output = {.dtype = values.desc.dtype, .dims = indices.desc.dims}};
    made.output.dims.insert(made.output.dims.begin() + axis, depth);
    for (int64_t i = 0; i < elements_of(made.output); ++i) {
        List place = coordinates_of(i, made.output.dims);
        const int64_t level = place[size_t(axis)];
        place.erase(place.begin() + axis);
        auto index = int64_t(number_at(indices, size_t(index_of(place, indices.desc.dims))));
        if (index < 0 && problem.opset >= 11)
            index += depth;
        made.elements.push_back(moved(values, index == level ? 1 : 0));
    }
    return {made};
}

Answers trilu(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const bool upper = problem.attribute<int64_t>("upper", 1) != 0;
    const double k = problem.has(1) ? number_at(problem.inputs[1], 0) : 0;
    CompositeAnswers made = {.output = x.desc};
    for (int64_t i = 0; i < elements_of(x.desc); ++i) {
        const List place = coordinates_of(i, x.desc.dims);
        const double from_diagonal = double(place.back() - place[place.size() - 2]) - k;
        const bool kept = upper ? from_diagonal >= 0 : from_diagonal <= 0;
        made.elements.push_back(kept ? moved(x, i) : exactly(x.desc.dtype, 0));
    }
    return {made};
}

Answers reverse_sequence(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const auto time = size_t(problem.attribute<int64_t>("time_axis", 0)), batch = 1 - time;
    CompositeAnswers made = {.output = x.desc};
    for (int64_t i = 0; i < elements_of(x.desc); ++i) {
        List place = coordinates_of(i, x.desc.dims);
        const int64_t length = std::min(int64_t(problem.inputs[1].words[size_t(place[batch])]), x.desc.dims[time]);
        if (place[time] < length)
            place[time] = length - 1 - place[time];
        made.elements.push_back(moved(x, index_of(place, x.desc.dims)));
    }
    return {made};
}

Answers scatter(const CompositeProblem& problem)
{
    const RealTensor &data = problem.inputs[0], &indices = problem.inputs[1], &updates = problem.inputs[2];
    const auto axis = size_t(positive(problem.attribute<int64_t>("axis", 0), data.desc.dims.size()));
    CompositeAnswers made = {.output = data.desc};
    for (int64_t i = 0; i < elements_of(data.desc); ++i)
        made.elements.push_back(moved(data, i));
    for (int64_t i = 0; i < elements_of(indices.desc); ++i) {
        List place = coordinates_of(i, indices.desc.dims);
        place[axis] = positive(int64_t(indices.words[size_t(i)]), size_t(data.desc.dims[axis]));
        made.elements[size_t(index_of(place, data.desc.dims))] = moved(updates, i);
    }
    return {made};
}

// Adds the corners of the box around a place, each with the product of its weights along the axes from `axis` on.
void interpolate(const RealTensor& x, const std::vector<double>& place, List corner, double weight, Answer& sum)
{
    const size_t axis = corner.size();
    if (axis == place.size()) {
        const double value = x.values[size_t(index_of(corner, x.desc.dims))];
        sum.value = sum.value + DoubleDouble(weight * value);
        sum.magnitude += std::fabs(value);  // weights are off by what places are off by, whatever they are
        ++sum.taps;
        return;
    }
    const int64_t last = x.desc.dims[axis] - 1;
    const int64_t first = std::min(int64_t(place[axis]), last);
    const double behind = place[axis] - double(first);
    for (const int64_t step : {0, 1}) {
        corner.push_back(std::min(first + step, last));
        interpolate(x, place, corner, weight * (step == 0 ? 1 - behind : behind), sum);
        corner.pop_back();
    }
}

Answers upsample(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    auto scales = problem.attribute("scales", std::vector<float>());
    for (size_t i = 0; problem.opset >= 9 && i < x.desc.dims.size(); ++i)
        scales.push_back(float(problem.inputs[1].values[i]));
    const bool is_linear = problem.attribute("mode", std::string("nearest")) != "nearest";
    CompositeAnswers made = {.output = x.desc};
    for (size_t axis = 0; axis < scales.size(); ++axis)
        made.output.dims[axis] = int64_t(std::floor(double(x.desc.dims[axis]) * double(scales[axis])));
    for (int64_t i = 0; i < elements_of(made.output); ++i) {
        const List place = coordinates_of(i, made.output.dims);
        std::vector<double> from(place.size());
        List nearest(place.size());
        for (size_t axis = 0; axis < place.size(); ++axis) {
            from[axis] = std::min(double(place[axis]) / double(scales[axis]), double(x.desc.dims[axis] - 1));
            nearest[axis] = int64_t(std::floor(from[axis]));
        }
        if (!is_linear) {
            made.elements.push_back(moved(x, index_of(nearest, x.desc.dims)));
            continue;
        }
        Answer answer;
        interpolate(x, from, {}, 1, answer);
        made.elements.push_back(answer);
    }
    return {made};
}

Answers hardmax(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const List& dims = x.desc.dims;
    const bool is_matrix = problem.opset < 13;
    const auto axis = size_t(positive(problem.attribute<int64_t>("axis", is_matrix ? 1 : -1), dims.size()));
    // Elements of the same row have the same coordinates in front of the axis, and behind it from version 13 on.
    const auto row_of = [&](int64_t i) {
        List place = coordinates_of(i, dims);
        for (size_t k = axis; k < (is_matrix ? dims.size() : axis + 1); ++k)
            place[k] = 0;
        return place;
    };
    CompositeAnswers made = {.output = x.desc};
    const int64_t elements = elements_of(x.desc);
    for (int64_t i = 0; i < elements; ++i) {
        bool is_first = true;
        for (int64_t other = 0; other < elements; ++other) {
            const double a = x.values[size_t(i)], b = x.values[size_t(other)];
            if (row_of(other) == row_of(i) && (b > a || (b == a && other < i)))
                is_first = false;
        }
        made.elements.push_back(exactly(x.desc.dtype, is_first ? 1 : 0));
    }
    return {made};
}

}  // namespace

std::vector<CompositeAnswers> reference_composed_movement(const CompositeProblem& problem)
{
    using Reference = Answers (*)(const CompositeProblem&);
    static const std::map<std::string, Reference> references = {
        {"CastLike", cast_like}, {"EyeLike", eye_like}, {"Hardmax", hardmax},
        {"OneHot", one_hot},     {"Scatter", scatter},  {"ReverseSequence", reverse_sequence},
        {"Shrink", shrink},      {"Trilu", trilu},      {"Upsample", upsample},
    };
    return references.at(problem.op_type)(problem);
}

}  // namespace vkonnx::kit
