// This file computes Softmax, LogSoftmax, InstanceNormalization, BatchNormalization, LayerNormalization and LRN as their
// documents define them, in twice double's precision where doubles are computed so. First-order bounds tell how far a device may
// be from that, by the roundings on its way. In them u is half a unit in the last place of what is computed in.
#include <algorithm>
#include <cmath>
#include <functional>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

constexpr double smallest = 0x1p-126;  // the least normal float: what is below may be flushed

// Tells whether the document's version takes the type. bfloat16 came with a later version.
bool is_float(DType dtype, int64_t version, int64_t bfloat16_since)
{
    return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 ||
           (dtype == DType::bfloat16 && version >= bfloat16_since);
}

DType carrier_of(DType dtype)
{
    return dtype == DType::float64 ? DType::float64 : DType::float32;
}

double roundoff(DType dtype)
{
    return dtype == DType::float64 ? 0x1p-53 : 0x1p-24;
}

// Returns an answer. `bound` is the largest error of the number before it is rounded to the type.
Answer answer_of(DType dtype, const DoubleDouble& value, double bound)
{
    Answer answer = {.value = value};
    const double carried = rounded(carrier_of(dtype), value.hi);
    if (std::isfinite(carried))
        answer.ulps = (bound + (dtype == DType::float64 ? 0x1p-1022 : smallest)) / ulp_at(carrier_of(dtype), carried);
    return answer;
}

// This struct divides elements into groups with numbers. A statistic, such as a mean, is of one group.
struct Groups {
    List group = {};  // of each element
    List sizes = {};
};

Groups grouped(const TensorDesc& x, const std::function<List(const List&)>& kept, const List& kept_dims)
{
    Groups groups;
    groups.sizes.resize(size_t(*element_count({x.dtype, kept_dims})));
    const int64_t elements = *element_count(x);
    for (int64_t flat = 0; flat < elements; ++flat) {
        const auto group = index_of(kept(coordinates_of(flat, x.dims)), kept_dims);
        groups.group.push_back(group);
        ++groups.sizes[size_t(group)];
    }
    return groups;
}

// ---- Softmax, LogSoftmax

struct SoftmaxRows {
    TensorDesc output = {};
    size_t axis = 0;
    bool to_end = false;  // rows are all axes from there on
};

template <class Op>
Result<SoftmaxRows> rows_of(const Op& a, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<Op>, a.opset);
    if (version == 0 || inputs.size() != 1 || !is_float(inputs[0].dtype, version, 13) || inputs[0].dtype == DType::float64)
        return refusal("opset, number of inputs or type");
    if (Status status = check_counts(inputs); !status)
        return status;
    const auto rank = int64_t(inputs[0].dims.size());
    int64_t axis = a.axis.value_or(version < 13 ? 1 : -1);
    if (axis < 0)
        axis += rank;
    if (axis < 0 || axis >= rank)
        return refusal("axis");
    return SoftmaxRows{inputs[0], size_t(axis), version < 13};
}

// This struct holds what a row's elements share.
struct SoftmaxRow {
    double greatest = -HUGE_VAL;
    double sum = 0;
};

std::vector<SoftmaxRow> rows_of(const RealTensor& x, const Groups& groups)
{
    std::vector<SoftmaxRow> rows(groups.sizes.size());
    for (size_t i = 0; i < x.values.size(); ++i) {
        double& greatest = rows[size_t(groups.group[i])].greatest;
        greatest = std::isnan(x.values[i]) || std::isnan(greatest) ? NAN : std::max(greatest, x.values[i]);
    }
    for (size_t i = 0; i < x.values.size(); ++i) {
        SoftmaxRow& row = rows[size_t(groups.group[i])];
        row.sum += std::exp(x.values[i] - row.greatest);
    }
    return rows;
}

Answer softmax_of(DType dtype, double x, const SoftmaxRow& row, double extent)
{
    const double value = std::exp(x - row.greatest) / row.sum;
    // The difference, the exponential function and the quotient round, and so do all terms of the sum.
    const double below = std::min(row.greatest - x, 110.0);
    return answer_of(dtype, value, value * (below + extent + 16) * 0x1p-24);
}

Answer log_softmax_of(DType dtype, double x, const SoftmaxRow& row, double extent)
{
    const double value = x - row.greatest - std::log(row.sum);
    // The difference, the logarithm and what is left round, and so do all terms of the sum.
    return answer_of(dtype, value, (2 * std::fabs(value) + extent + 16) * 0x1p-24);
}

// Computes each element by `element_of`, a function as softmax_of.
template <class Op, class Function>
Result<std::vector<Answer>> softmax(const Op& attributes, const RealTensor& x, std::span<const int64_t> sample,
                                    const Function& element_of)
{
    const Result<SoftmaxRows> rows = rows_of(attributes, {&x.desc, 1});
    if (!rows)
        return rows.status();
    const auto without_row = [&](List list) {
        const auto first = list.begin() + ptrdiff_t(rows->axis);
        list.erase(first, rows->to_end ? list.end() : first + 1);
        return list;
    };
    const Groups groups = grouped(x.desc, without_row, without_row(x.desc.dims));
    const std::vector<SoftmaxRow> shared = rows_of(x, groups);
    std::vector<Answer> answers;
    for (const int64_t flat : sample) {
        const auto row = size_t(groups.group[size_t(flat)]);
        answers.push_back(element_of(x.desc.dtype, x.values[size_t(flat)], shared[row], double(groups.sizes[row])));
    }
    return answers;
}

// ---- InstanceNormalization, BatchNormalization

size_t channel_axis(const TensorDesc& x)
{
    return x.layout == Layout::nxc ? x.dims.size() - 1 : 1;
}

// Returns the square root to twice the precision of double.
DoubleDouble root(const DoubleDouble& a)
{
    const double first = std::sqrt(a.hi);
    if (!(first > 0) || std::isinf(first))
        return DoubleDouble(first);
    return DoubleDouble(first) + (a - DoubleDouble::two_product(first, first)) / DoubleDouble(2 * first);
}

// This struct holds mean and variance, and by how much they may be off.
struct Moments {
    DoubleDouble mean = {};
    DoubleDouble variance = {};
    double mean_error = 0;
    double variance_error = 0;
};

std::vector<Moments> moments_of(const RealTensor& x, const Groups& groups)
{
    const double u = roundoff(x.desc.dtype);
    std::vector<Moments> all(groups.sizes.size());
    std::vector<double> magnitudes(all.size()), deviations(all.size());
    for (size_t i = 0; i < x.values.size(); ++i) {
        all[size_t(groups.group[i])].mean = all[size_t(groups.group[i])].mean + DoubleDouble(x.values[i]);
        magnitudes[size_t(groups.group[i])] += std::fabs(x.values[i]);
    }
    for (size_t g = 0; g < all.size(); ++g) {
        const double n = double(groups.sizes[g]);
        all[g].mean = all[g].mean / DoubleDouble(n);
        all[g].mean_error = (n + 6) * u * magnitudes[g] / n;
    }
    for (size_t i = 0; i < x.values.size(); ++i) {
        Moments& moments = all[size_t(groups.group[i])];
        const DoubleDouble difference = DoubleDouble(x.values[i]) - moments.mean;
        moments.variance = moments.variance + difference * difference;
        deviations[size_t(groups.group[i])] += std::fabs(difference.hi);
    }
    for (size_t g = 0; g < all.size(); ++g) {
        const double n = double(groups.sizes[g]);
        const double off = all[g].mean_error;
        all[g].variance = all[g].variance / DoubleDouble(n);
        all[g].variance_error = (n + 10) * u * all[g].variance.hi + (2 * off + 4 * u) * deviations[g] / n + 2 * off * off;
    }
    return all;
}

// Returns how far 1 / sqrt(variance + epsilon) may be off, relative to it. `square` is the exact sum.
double error_of_deviation(const Moments& moments, const DoubleDouble& square, double epsilon, double u)
{
    const double low = std::max(square.hi - moments.variance_error, std::min(square.hi, epsilon));
    return std::sqrt(square.hi / low) - 1 + 20 * u;
}

// Returns (x - mean) / sqrt(variance + epsilon) * scale + b.
Answer normalized_at(DType dtype, double x, const Moments& moments, double epsilon, double scale, double b)
{
    const double u = roundoff(dtype);
    const DoubleDouble difference = DoubleDouble(x) - moments.mean;
    const DoubleDouble square = moments.variance + DoubleDouble(epsilon);
    const DoubleDouble factor = DoubleDouble(scale) / root(square);
    const DoubleDouble product = difference * factor;
    const DoubleDouble value = product + DoubleDouble(b);
    const double factor_error = error_of_deviation(moments, square, epsilon, u);
    const double difference_error = moments.mean_error + u * std::fabs(difference.hi);
    const double bound =
        std::fabs(factor.hi) * (difference_error * (1 + factor_error) + std::fabs(difference.hi) * factor_error) +
        2 * u * std::fabs(product.hi) + 2 * u * std::fabs(value.hi);
    return answer_of(dtype, value, bound);
}

// Returns given * momentum + current * (1 - momentum).
Answer running_at(DType dtype, double given, double momentum, const Moments& moments, bool variance)
{
    const double u = roundoff(dtype);
    const DoubleDouble& current = variance ? moments.variance : moments.mean;
    const double error = variance ? moments.variance_error : moments.mean_error;
    const DoubleDouble kept = DoubleDouble::two_product(given, momentum);
    const DoubleDouble rest = current * (DoubleDouble(1) - DoubleDouble(momentum));
    return answer_of(dtype, kept + rest, error + 3 * u * (std::fabs(kept.hi) + std::fabs(rest.hi)));
}

// Returns 1 / sqrt(variance + epsilon).
Answer deviation_at(const Moments& moments, double epsilon)
{
    const DoubleDouble square = moments.variance + DoubleDouble(epsilon);
    const DoubleDouble value = DoubleDouble(1) / root(square);
    const double error = error_of_deviation(moments, square, epsilon, roundoff(DType::float32));
    return answer_of(DType::float32, value, std::fabs(value.hi) * error);
}

}  // namespace

Result<Resolution> resolve(const Softmax& attributes, std::span<const TensorDesc> inputs)
{
    const Result<SoftmaxRows> rows = rows_of(attributes, inputs);
    return rows ? Result(Resolution{.output = rows->output}) : rows.status();
}

Result<Resolution> resolve(const LogSoftmax& attributes, std::span<const TensorDesc> inputs)
{
    const Result<SoftmaxRows> rows = rows_of(attributes, inputs);
    return rows ? Result(Resolution{.output = rows->output}) : rows.status();
}

Result<std::vector<Answer>> reference(const Softmax& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return softmax(attributes, inputs[0], sample, softmax_of);
}

Result<std::vector<Answer>> reference(const LogSoftmax& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return softmax(attributes, inputs[0], sample, log_softmax_of);
}

Result<Resolution> resolve(const InstanceNormalization& attributes, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<InstanceNormalization>, attributes.opset);
    if (version == 0 || inputs.size() != 3)
        return refusal("opset or number of inputs");
    const TensorDesc& x = inputs[0];
    if (Status status = check_counts(inputs); !status)
        return status;
    if (x.dims.size() < 3)
        return refusal("rank");
    for (const TensorDesc& input : inputs)
        if (!is_float(input.dtype, version, 22) || input.dtype != x.dtype)
            return refusal("type");
    for (const TensorDesc& input : inputs.subspan(1))
        if (input.dims != List{x.dims[channel_axis(x)]})
            return refusal("scale or B");
    return Resolution{.output = x};
}

Result<std::vector<Answer>> reference(const InstanceNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    const RealTensor& x = inputs[0];
    const size_t channels = channel_axis(x.desc);
    const Groups groups = grouped(x.desc,
                                  [&](const List& index) {
                                      return List{index[0], index[channels]};
                                  },
                                  {x.desc.dims[0], x.desc.dims[channels]});
    const std::vector<Moments> moments = moments_of(x, groups);
    std::vector<Answer> answers;
    for (const int64_t flat : sample) {
        const auto c = size_t(coordinates_of(flat, x.desc.dims)[channels]);
        answers.push_back(normalized_at(x.desc.dtype, x.values[size_t(flat)], moments[size_t(groups.group[size_t(flat)])],
                                        attributes.epsilon.value_or(1e-5f), inputs[1].values[c], inputs[2].values[c]));
    }
    return answers;
}

Result<Resolution> resolve(const BatchNormalization& attributes, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<BatchNormalization>, attributes.opset);
    if (version == 0 || inputs.size() != 5)
        return refusal("opset or number of inputs");
    if ((attributes.spatial && (version > 7 || *attributes.spatial < 0 || *attributes.spatial > 1)) ||
        (attributes.training_mode && (version < 14 || *attributes.training_mode < 0 || *attributes.training_mode > 1)))
        return refusal("an attribute");
    if (Status status = check_counts(inputs); !status)
        return status;
    const TensorDesc& x = inputs[0];
    if (x.dims.empty())
        return refusal("rank");
    for (size_t i = 0; i < 5; ++i) {
        if (!is_float(inputs[i].dtype, version, 14) || (inputs[i].dtype == DType::float64) != (x.dtype == DType::float64))
            return refusal("type");
        if ((version < 14 || (version == 14 && i < 3)) && inputs[i].dtype != x.dtype)
            return refusal("types");
    }
    if (inputs[2].dtype != inputs[1].dtype || inputs[4].dtype != inputs[3].dtype)
        return refusal("types of pairs");
    List expected = {x.dims.size() == 1 ? 1 : x.dims[channel_axis(x)]};
    if (attributes.spatial == 0)
        expected = List(x.dims.begin() + 1, x.dims.end());
    for (const TensorDesc& input : inputs.subspan(1))
        if (input.dims != expected)
            return refusal("a statistic's extents");
    if (attributes.outputs < 1 || attributes.outputs > (attributes.training_mode == 1 ? 3 : 1))
        return refusal("outputs");
    return Resolution{.output = x,
                      .more_outputs = std::vector<TensorDesc>(size_t(attributes.outputs - 1), {inputs[3].dtype, expected})};
}

Result<std::vector<Answer>> reference(const BatchNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output)
{
    const RealTensor& x = inputs[0];
    const bool vector = x.desc.dims.size() == 1;
    const bool by_element = attributes.spatial == 0;
    const auto kept = [&](const List& index) {
        return by_element ? List(index.begin() + 1, index.end()) : List{vector ? 0 : index[channel_axis(x.desc)]};
    };
    const List& kept_dims = inputs[1].desc.dims;
    std::vector<Moments> moments(inputs[1].values.size());
    for (size_t c = 0; c < moments.size(); ++c)
        moments[c] = {.mean = inputs[3].values[c], .variance = inputs[4].values[c]};
    if (attributes.training_mode == 1)
        moments = moments_of(x, grouped(x.desc, kept, kept_dims));
    std::vector<Answer> answers;
    if (output > 0) {
        for (const int64_t c : sample)
            answers.push_back(running_at(inputs[2 + output].desc.dtype, inputs[2 + output].values[size_t(c)],
                                         attributes.momentum.value_or(0.9f), moments[size_t(c)], output == 2));
        return answers;
    }
    for (const int64_t flat : sample) {
        const auto c = size_t(index_of(kept(coordinates_of(flat, x.desc.dims)), kept_dims));
        answers.push_back(normalized_at(x.desc.dtype, x.values[size_t(flat)], moments[c], attributes.epsilon.value_or(1e-5f),
                                        inputs[1].values[c], inputs[2].values[c]));
    }
    return answers;
}

Result<Resolution> resolve(const LayerNormalization& attributes, std::span<const TensorDesc> inputs)
{
    if (version_of(versions<LayerNormalization>, attributes.opset) == 0 || inputs.size() < 2 || inputs.size() > 3)
        return refusal("opset or number of inputs");
    if (Status status = check_counts(inputs); !status)
        return status;
    const TensorDesc& x = inputs[0];
    const auto rank = int64_t(x.dims.size());
    const int64_t axis = attributes.axis.value_or(-1);
    if (axis < -rank || axis >= rank || attributes.stash_type.value_or(1) != 1)
        return refusal("axis or stash_type");
    if (attributes.outputs < 1 || attributes.outputs > (x.dtype == DType::float64 ? 1 : 3))
        return refusal("outputs");
    const size_t at = size_t(axis < 0 ? axis + rank : axis);
    TensorDesc kept = {DType::float32, x.dims, x.layout};
    int64_t extent = 1;
    for (size_t i = at; i < x.dims.size(); ++i) {
        extent *= x.dims[i];
        kept.dims[i] = 1;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!is_float(inputs[i].dtype, 17, 17) || inputs[i].dtype != x.dtype)
            return refusal("type");
        const int64_t count = *element_count(inputs[i]);
        if (i > 0 && count != extent && count != 1)
            return refusal("Scale or B");
    }
    return Resolution{.output = x, .more_outputs = std::vector<TensorDesc>(size_t(attributes.outputs - 1), kept)};
}

Result<std::vector<Answer>> reference(const LayerNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output)
{
    const RealTensor& x = inputs[0];
    const int64_t axis = attributes.axis.value_or(-1);
    const auto at = ptrdiff_t(axis < 0 ? axis + int64_t(x.desc.dims.size()) : axis);
    const Groups groups = grouped(
        x.desc, [&](const List& index) { return List(index.begin(), index.begin() + at); },
        List(x.desc.dims.begin(), x.desc.dims.begin() + at));
    const std::vector<Moments> moments = moments_of(x, groups);
    const double epsilon = attributes.epsilon.value_or(1e-5f);
    const auto of_position = [&](size_t input, int64_t position) {
        const std::vector<double>& values = inputs[input].values;
        return values[values.size() == 1 ? 0 : size_t(position)];
    };
    std::vector<Answer> answers;
    for (const int64_t flat : sample) {
        if (output > 0) {
            const Moments row = groups.sizes[size_t(flat)] > 0 ? moments[size_t(flat)] : Moments();
            answers.push_back(output == 1 ? answer_of(DType::float32, row.mean, row.mean_error) : deviation_at(row, epsilon));
            continue;
        }
        const int64_t row = groups.group[size_t(flat)];
        const int64_t position = flat % groups.sizes[size_t(row)];
        answers.push_back(normalized_at(x.desc.dtype, x.values[size_t(flat)], moments[size_t(row)], epsilon,
                                        of_position(1, position), inputs.size() > 2 ? of_position(2, position) : 0));
    }
    return answers;
}

Result<Resolution> resolve(const LRN& attributes, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<LRN>, attributes.opset);
    if (version == 0 || attributes.size.value_or(0) < 1 || inputs.size() != 1)
        return refusal("opset, size or number of inputs");
    if (!is_float(inputs[0].dtype, version, 13) || inputs[0].dtype == DType::float64)
        return refusal("type");
    if (Status status = check_counts(inputs); !status)
        return status;
    if (inputs[0].dims.size() < 2)
        return refusal("rank");
    return Resolution{.output = inputs[0]};
}

Result<std::vector<Answer>> reference(const LRN& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const RealTensor& x = inputs[0];
    const size_t channels = channel_axis(x.desc);
    const double size = double(*attributes.size);
    const double factor = attributes.alpha.value_or(0.0001f) / size;
    const double beta = attributes.beta.value_or(0.75f);
    std::vector<Answer> answers;
    for (const int64_t flat : sample) {
        List index = coordinates_of(flat, x.desc.dims);
        const int64_t c = index[channels];
        double sum = 0;
        double terms = 0;
        for (int64_t i = 0; i < x.desc.dims[channels]; ++i) {
            if (double(i - c) < -std::floor((size - 1) / 2) || double(i - c) > std::ceil((size - 1) / 2))
                continue;
            index[channels] = i;
            const double value = x.values[size_t(index_of(index, x.desc.dims))];
            sum += value * value;
            ++terms;
        }
        const double base = attributes.bias.value_or(1) + factor * sum;
        const double element = x.values[size_t(flat)];
        const double value = element / std::pow(base, beta);
        const double base_error = (terms + 6) * 0x1p-24 * std::fabs(factor * sum) + 0x1p-24 * std::fabs(base);
        const double bound = std::fabs(value) * (std::fabs(beta * base_error / base) + 6 * 0x1p-24);
        answers.push_back(answer_of(x.desc.dtype, value, bound));
    }
    return answers;
}

}  // namespace vkonnx::kit
