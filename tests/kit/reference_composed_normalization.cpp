// This file has the references of composites that normalize, and of losses.
#include <cmath>

#include "kit/composites.h"
#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Answers = std::vector<CompositeAnswers>;

constexpr size_t no_input = 99;

// Returns an answer that has been through so many roundings.
Answer answer_of(double value, double magnitude, size_t roundings)
{
    Answer answer;
    answer.value = value;
    answer.magnitude = magnitude;
    answer.taps = int64_t(roundings);
    return answer;
}

// This struct has the elements that are normalized together, by their indices, of a tensor that is cut into groups.
using Groups = std::map<List, std::vector<size_t>>;

// Elements whose coordinates differ in `axes` alone are of one group.
Groups groups_of(const TensorDesc& desc, const List& axes)
{
    Groups groups;
    for (int64_t i = 0; i < *element_count(desc); ++i) {
        List place = coordinates_of(i, desc.dims);
        for (const int64_t axis : axes)
            place[size_t(axis < 0 ? axis + int64_t(place.size()) : axis)] = 0;
        groups[place].push_back(size_t(i));
    }
    return groups;
}

struct Statistics {
    double mean = 0;
    double variance = 0;  // mean of (x - mean)^2
    double square = 0;    // mean of x^2
    double greatest = 0;  // magnitude
};

Statistics statistics_of(const std::vector<double>& values, const std::vector<size_t>& group)
{
    Statistics made;
    const auto count = double(group.size());
    for (const size_t i : group) {
        made.mean += values[i] / count;
        made.square += values[i] * values[i] / count;
        made.greatest = std::max(made.greatest, std::fabs(values[i]));
    }
    for (const size_t i : group)
        made.variance += (values[i] - made.mean) * (values[i] - made.mean) / count;
    return made;
}

// Returns what numpy broadcasts to element i of these dimensions.
double broadcast(const RealTensor& tensor, const List& dims, size_t i)
{
    const List place = coordinates_of(int64_t(i), dims);
    List own;
    for (size_t axis = 0; axis < tensor.desc.dims.size(); ++axis)
        own.push_back(tensor.desc.dims[axis] == 1 ? 0 : place[axis + dims.size() - tensor.desc.dims.size()]);
    return tensor.values[size_t(index_of(own, tensor.desc.dims))];
}

// An element is off by what the greatest one is, in units of the deviation that it is divided by.
Answer normalized_answer(double value, double factor, double bias, const Statistics& statistics, double deviation, size_t count)
{
    return answer_of(value * factor + bias, (1 + statistics.greatest / deviation) * std::fabs(factor) + std::fabs(bias),
                     2 * count + 8);
}

Answers lp_normalization(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const bool is_sum = problem.attribute<int64_t>("p", 2) == 1;
    CompositeAnswers made = {.output = x.desc, .elements = std::vector<Answer>(x.values.size())};
    for (const auto& [place, group] : groups_of(x.desc, {problem.attribute<int64_t>("axis", -1)})) {
        double norm = 0;
        for (const size_t i : group)
            norm += is_sum ? std::fabs(x.values[i]) : x.values[i] * x.values[i];
        norm = is_sum ? norm : std::sqrt(norm);
        for (const size_t i : group) {
            const double y = norm == 0 ? 0 : x.values[i] / norm;
            made.elements[i] = answer_of(y, std::fabs(y), group.size() + 4);
        }
    }
    return {made};
}

Answers mean_variance_normalization(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    CompositeAnswers made = {.output = x.desc, .elements = std::vector<Answer>(x.values.size())};
    for (const auto& [place, group] : groups_of(x.desc, problem.attribute("axes", List{0, 2, 3}))) {
        const Statistics statistics = statistics_of(x.values, group);
        const double deviation = std::sqrt(statistics.variance) + 1e-9;
        for (const size_t i : group)
            made.elements[i] = normalized_answer((x.values[i] - statistics.mean) / deviation, 1, 0, statistics,
                                                 std::max(deviation, 1e-9), group.size());
    }
    return {made};
}

Answers group_normalization(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const int64_t groups = problem.attribute<int64_t>("num_groups", 0);
    const double epsilon = problem.attribute("epsilon", 1e-5f);
    CompositeAnswers made = {.output = x.desc, .elements = std::vector<Answer>(x.values.size())};
    const int64_t channels = x.desc.dims[1];
    std::map<List, std::vector<size_t>> members;
    for (size_t i = 0; i < x.values.size(); ++i) {
        const List place = coordinates_of(int64_t(i), x.desc.dims);
        members[{place[0], place[1] / (channels / groups)}].push_back(i);
    }
    for (const auto& [place, group] : members) {
        const Statistics statistics = statistics_of(x.values, group);
        const double deviation = std::sqrt(statistics.variance + epsilon);
        for (const size_t i : group) {
            const int64_t channel = coordinates_of(int64_t(i), x.desc.dims)[1];
            const auto at = size_t(problem.opset < 21 ? place[1] : channel);
            made.elements[i] = normalized_answer((x.values[i] - statistics.mean) / deviation, problem.inputs[1].values[at],
                                                 problem.inputs[2].values[at], statistics, deviation, group.size());
        }
    }
    return {made};
}

// Normalizes input + skip + bias along the last axis, as SkipLayerNormalization or by the root of the mean of squares. The
// operators without a skip add nothing.
Answers layer_normalization(const CompositeProblem& problem)
{
    const bool has_skip = problem.op_type.starts_with("Skip");
    const bool is_simplified = problem.op_type != "SkipLayerNormalization";
    RealTensor x = problem.inputs[0];
    const RealTensor& scale = problem.inputs[has_skip ? 2 : 1];
    const size_t beta = is_simplified ? no_input : 3, bias = is_simplified ? 3 : 4;
    CompositeAnswers y = {.output = x.desc, .elements = std::vector<Answer>(x.values.size())}, sum = y, mean, inverse;
    y.output.dtype = has_skip ? x.desc.dtype : scale.desc.dtype;
    if (has_skip)
        for (size_t i = 0; i < x.values.size(); ++i) {
            double magnitude = std::fabs(x.values[i]);
            const auto add = [&](size_t input) {
                const double more = broadcast(problem.inputs[input], x.desc.dims, i);
                x.values[i] += more;
                magnitude += std::fabs(more);
            };
            add(1);
            if (problem.has(bias))
                add(bias);
            sum.elements[i] = answer_of(x.values[i], magnitude, 2);
        }
    List axes;
    const int64_t given = has_skip ? -1 : problem.attribute<int64_t>("axis", -1), rank = int64_t(x.desc.dims.size());
    for (int64_t axis = given < 0 ? given + rank : given; axis < rank; ++axis)
        axes.push_back(axis);
    mean.output = inverse.output = {.dims = x.desc.dims};
    for (const int64_t axis : axes)
        mean.output.dims[size_t(axis)] = inverse.output.dims[size_t(axis)] = 1;
    const double epsilon = problem.attribute("epsilon", has_skip ? 1e-12f : 1e-5f);
    for (const auto& [place, group] : groups_of(x.desc, axes)) {
        const Statistics statistics = statistics_of(x.values, group);
        const double deviation = std::sqrt((is_simplified ? statistics.square : statistics.variance) + epsilon);
        mean.elements.push_back(answer_of(statistics.mean, statistics.greatest, group.size() + 2));
        inverse.elements.push_back(
            answer_of(1 / deviation, (1 + statistics.greatest / deviation) / deviation, 2 * group.size() + 8));
        for (const size_t i : group) {
            const double factor = broadcast(scale, x.desc.dims, i);
            const double plus = problem.has(beta) ? broadcast(problem.inputs[beta], x.desc.dims, i) : 0;
            const double centred = x.values[i] - (is_simplified ? 0 : statistics.mean);
            y.elements[i] = normalized_answer(centred / deviation, factor, plus, statistics, deviation, group.size());
        }
    }
    if (problem.op_type == "SimplifiedLayerNormalization")
        return {y, inverse};
    return {y, mean, inverse, sum};
}

// Replaces what stands along axis 1 by the logarithm of its softmax.
void take_log_softmax(RealTensor& x)
{
    for (const auto& [place, group] : groups_of(x.desc, {1})) {
        double greatest = -HUGE_VAL, sum = 0;
        for (const size_t i : group)
            greatest = std::max(greatest, x.values[i]);
        for (const size_t i : group)
            sum += std::exp(x.values[i] - greatest);
        for (const size_t i : group)
            x.values[i] -= greatest + std::log(sum);
    }
}

Answers loss(const CompositeProblem& problem)
{
    const bool is_entropy = problem.op_type == "SoftmaxCrossEntropyLoss";
    RealTensor logs = problem.inputs[0];
    if (is_entropy)
        take_log_softmax(logs);
    const RealTensor& target = problem.inputs[1];
    const std::string reduction = problem.attribute("reduction", std::string("mean"));
    const bool has_ignored = problem.attributes.contains("ignore_index");
    const int64_t ignored = problem.attribute<int64_t>("ignore_index", 0), classes = logs.desc.dims[1];
    CompositeAnswers losses = {.output = {.dtype = logs.desc.dtype, .dims = target.desc.dims}};
    double weight_sum = 0;
    Answer sum;
    const size_t slack = is_entropy ? size_t(classes) + 20 : 2;  // of a logarithm
    for (size_t i = 0; i < target.words.size(); ++i) {
        const auto one = int64_t(target.words[i]);
        double weight = 0, value = 0;
        if (!has_ignored || one != ignored) {
            List place = coordinates_of(int64_t(i), target.desc.dims);
            const bool is_class = one >= 0 && one < classes;
            place.insert(place.begin() + 1, one);
            weight = !problem.has(2) ? 1 : is_class ? problem.inputs[2].values[size_t(one)] : 0;
            value = is_class ? -logs.values[size_t(index_of(place, logs.desc.dims))] * weight : 0;
        }
        weight_sum += weight;
        losses.elements.push_back(answer_of(value, std::fabs(value) + std::fabs(weight), slack));
        sum = answer_of(sum.value.hi + value, sum.magnitude + losses.elements.back().magnitude, slack + i);
    }
    CompositeAnswers log_prob = {.output = logs.desc};
    for (const double value : logs.values)
        log_prob.elements.push_back(answer_of(value, std::fabs(value) + 1, slack));
    if (reduction == "none")
        return {losses, log_prob};
    CompositeAnswers total = {.output = {.dtype = logs.desc.dtype}};
    if (reduction == "mean")
        sum = answer_of(sum.value.hi / weight_sum, sum.magnitude / std::fabs(weight_sum), size_t(sum.taps) + target.words.size());
    total.elements.push_back(sum);
    return {total, log_prob};
}

}  // namespace

std::vector<CompositeAnswers> reference_composed_normalization(const CompositeProblem& problem)
{
    using Reference = Answers (*)(const CompositeProblem&);
    static const std::map<std::string, Reference> references = {
        {"GroupNormalization", group_normalization},
        {"LpNormalization", lp_normalization},
        {"MeanVarianceNormalization", mean_variance_normalization},
        {"NegativeLogLikelihoodLoss", loss},
        {"SoftmaxCrossEntropyLoss", loss},
    };
    const auto found = references.find(problem.op_type);
    return found == references.end() ? layer_normalization(problem) : found->second(problem);
}

}  // namespace vkonnx::kit
