// This file has the references of composites that go along a sequence: CausalConvWithState, CumProd and TensorScatter.
#include <cmath>

#include "kit/composites.h"
#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Answers = std::vector<CompositeAnswers>;

Answers cum_prod(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const List& dims = x.desc.dims;
    const auto given = int64_t(problem.inputs[1].words[0]);
    const auto axis = size_t(given < 0 ? given + int64_t(dims.size()) : given);
    const bool exclusive = problem.attribute<int64_t>("exclusive", 0) == 1;
    const bool reverse = problem.attribute<int64_t>("reverse", 0) == 1;
    CompositeAnswers made = {.output = x.desc};
    for (int64_t i = 0; i < *element_count(x.desc); ++i) {
        const List place = coordinates_of(i, dims);
        Answer answer = exactly(x.desc.dtype, 1);
        double product = 1;
        for (int64_t k = 0; k < dims[axis]; ++k) {
            const bool is_before = reverse ? k > place[axis] : k < place[axis];
            if (!is_before && (exclusive || k != place[axis]))
                continue;
            List other = place;
            other[axis] = k;
            const auto from = size_t(index_of(other, dims));
            if (answer.word)
                answer.word = normalized(x.desc.dtype, *answer.word * x.words[from]);
            else
                product *= x.values[from];
            ++answer.taps;
        }
        if (!answer.word) {
            answer.value = product;
            answer.magnitude = std::fabs(product);
            answer.rounds_terms = true;
        }
        made.elements.push_back(answer);
    }
    return {made};
}

Answers tensor_scatter(const CompositeProblem& problem)
{
    const RealTensor &past = problem.inputs[0], &update = problem.inputs[1];
    const List& dims = past.desc.dims;
    const int64_t given = problem.attribute<int64_t>("axis", -2);
    const auto axis = size_t(given < 0 ? given + int64_t(dims.size()) : given);
    const bool circular = problem.attribute<std::string>("mode", "linear") == "circular";
    CompositeAnswers made = {.output = past.desc};
    for (int64_t i = 0; i < *element_count(past.desc); ++i)
        made.elements.push_back(moved(past, i));
    for (int64_t i = 0; i < *element_count(update.desc); ++i) {
        List place = coordinates_of(i, update.desc.dims);
        place[axis] += problem.has(2) ? int64_t(problem.inputs[2].words[size_t(place[0])]) : 0;
        if (circular)
            place[axis] = (place[axis] % dims[axis] + dims[axis]) % dims[axis];
        if (place[axis] >= 0 && place[axis] < dims[axis])
            made.elements[size_t(index_of(place, dims))] = moved(update, i);
    }
    return {made};
}

Answers causal_conv_with_state(const CompositeProblem& problem)
{
    const RealTensor &x = problem.inputs[0], &w = problem.inputs[1];
    const List& dims = x.desc.dims;
    const int64_t kernel = w.desc.dims[2], before = kernel - 1;
    const bool is_swish = problem.attribute<std::string>("activation", "none") != "none";
    const auto value_at = [&](int64_t batch, int64_t channel, int64_t t) {  // the state has the times below 0
        const int64_t row = batch * dims[1] + channel;
        if (t >= 0)
            return x.values[size_t(row * dims[2] + t)];
        return problem.has(3) ? problem.inputs[3].values[size_t(row * before + before + t)] : 0.0;
    };
    CompositeAnswers y = {.output = x.desc};
    for (int64_t i = 0; i < *element_count(x.desc); ++i) {
        const List at = coordinates_of(i, dims);
        Answer answer = {.taps = kernel + 1, .rounds_terms = true};
        if (problem.has(2)) {
            answer.value = problem.inputs[2].values[size_t(at[1])];
            answer.magnitude = std::fabs(problem.inputs[2].values[size_t(at[1])]);
        }
        for (int64_t tap = 0; tap < kernel; ++tap) {
            const double term = w.values[size_t(at[1] * kernel + tap)] * value_at(at[0], at[1], at[2] - before + tap);
            answer.value = answer.value + DoubleDouble(term);
            answer.magnitude += std::fabs(term);
        }
        if (is_swish) {  // its slope is nowhere above 1.1
            answer.value = answer.value.hi / (1 + std::exp(-answer.value.hi));
            answer.magnitude *= 2;
            answer.taps += 10;
        }
        y.elements.push_back(answer);
    }
    CompositeAnswers state = {.output = {.dtype = x.desc.dtype, .dims = {dims[0], dims[1], before}}};
    for (int64_t i = 0; i < *element_count(state.output); ++i) {
        const List at = coordinates_of(i, state.output.dims);
        state.elements.push_back(exactly(x.desc.dtype, value_at(at[0], at[1], dims[2] - before + at[2])));
    }
    return {y, state};
}

}  // namespace

std::vector<CompositeAnswers> reference_sequences(const CompositeProblem& problem)
{
    if (problem.op_type == "CumProd")
        return cum_prod(problem);
    return problem.op_type == "TensorScatter" ? tensor_scatter(problem) : causal_conv_with_state(problem);
}

}  // namespace vkonnx::kit
