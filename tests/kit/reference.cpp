#include "kit/reference.h"

#include <cmath>
#include <optional>

namespace vkonnx::kit {
namespace {

// Input position and kernel tap that meet at an output position of an axis.
struct Meeting {
    int64_t position = 0;
    int64_t tap = 0;
};

// By output position; taps in ascending order, as section 5 reads them.
using Meetings = std::vector<std::vector<Meeting>>;

// Every pair (q, t) lands at q * stride + t * dilation in the uncropped output, and counts where that is inside. The later the
// tap, the earlier the first q that lands behind the cropped front, so that q is followed instead of tried from 0 every time.
Meetings scattered(const ReferenceAxis& axis)
{
    Meetings meetings(static_cast<size_t>(axis.out));
    int64_t first = axis.in;
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
        const auto lands = [&](int64_t q) { return q * axis.stride + tap * axis.dilation - axis.begin; };
        while (first > 0 && lands(first - 1) >= 0)
            --first;
        for (int64_t q = first; q < axis.in && lands(q) < axis.out; ++q)
            meetings[static_cast<size_t>(lands(q))].push_back({q, tap});
    }
    return meetings;
}

// Every tap of every window looks at one position of the padded input, and is read where that is inside the input.
Meetings gathered(const ReferenceAxis& axis)
{
    Meetings meetings(static_cast<size_t>(axis.out));
    for (int64_t o = 0; o < axis.out; ++o)
        for (int64_t tap = 0; tap < axis.kernel; ++tap) {
            const int64_t position = o * axis.stride + tap * axis.dilation - axis.begin;
            if (position >= 0 && position < axis.in)
                meetings[static_cast<size_t>(o)].push_back({position, tap});
        }
    return meetings;
}

// The taps that count for the divisor: those inside the input, or with include_pad all before the end of the right padding.
std::vector<int64_t> counted(const ReferenceAxis& axis, bool include_pad)
{
    std::vector<int64_t> counts(static_cast<size_t>(axis.out), 0);
    const int64_t first = include_pad ? -axis.begin : 0;
    const int64_t behind = include_pad ? axis.in + axis.end : axis.in;
    for (int64_t o = 0; o < axis.out; ++o)
        for (int64_t tap = 0; tap < axis.kernel; ++tap) {
            const int64_t position = o * axis.stride + tap * axis.dilation - axis.begin;
            if (position >= first && position < behind)
                ++counts[static_cast<size_t>(o)];
        }
    return counts;
}

// The multi-index of a flat one: the only place where anything is divided to find a position.
std::vector<int64_t> taken_apart(int64_t flat, const std::vector<int64_t>& dims)
{
    std::vector<int64_t> index(dims.size());
    for (size_t i = dims.size(); i-- > 0;) {
        index[i] = flat % dims[i];
        flat /= dims[i];
    }
    return index;
}

// Visits all combinations of meetings along the axes, the last axis fastest, with offsets into a channel of X and of W.
template <class Visit>
void each_combination(const std::vector<ReferenceAxis>& axes, const std::vector<Meetings>& meetings,
                      std::span<const int64_t> position, size_t level, int64_t x_offset, int64_t w_offset, const Visit& visit)
{
    if (level == axes.size())
        return visit(x_offset, w_offset);
    const ReferenceAxis& axis = axes[level];
    for (const Meeting& meeting : meetings[level][static_cast<size_t>(position[level])])
        each_combination(axes, meetings, position, level + 1, x_offset * axis.in + meeting.position,
                         w_offset * axis.kernel + meeting.tap, visit);
}

// Begins with the first term instead of with zero: adding +0 would turn -0.0 into +0.0.
template <class Real>
struct Sum {
    std::optional<Real> total;
    void add(const Real& term) { total = total ? *total + term : term; }
};

double product(double a, double b, double)
{
    return a * b;
}

DoubleDouble product(double a, double b, const DoubleDouble&)
{
    return DoubleDouble::two_product(a, b);
}

size_t at(int64_t index)
{
    return static_cast<size_t>(index);
}

template <class Real>
Answer conv_transpose_at(const ConvTranspose& attributes, const Resolution& resolution, const std::vector<Meetings>& meetings,
                         std::span<const HostTensor> inputs, int64_t flat)
{
    const auto index = taken_apart(flat, resolution.output.dims);
    int64_t x_size = 1;
    int64_t w_size = 1;
    for (const ReferenceAxis& axis : resolution.axes) {
        x_size *= axis.in;
        w_size *= axis.kernel;
    }
    const int64_t channels_in = inputs[0].desc.dims[1];
    const int64_t columns = inputs[1].desc.dims[1];
    const int64_t group = index[1] / columns;
    const int64_t per_group = channels_in / attributes.group;

    Sum<Real> sum;
    Answer answer;
    for (int64_t c = group * per_group; c < (group + 1) * per_group; ++c) {
        const double* x = inputs[0].values.data() + (index[0] * channels_in + c) * x_size;
        const double* w = inputs[1].values.data() + (c * columns + (index[1] - group * columns)) * w_size;
        each_combination(resolution.axes, meetings, std::span(index).subspan(2), 0, 0, 0, [&](int64_t x_at, int64_t w_at) {
            sum.add(product(x[x_at], w[w_at], Real()));
            answer.magnitude += std::fabs(x[x_at] * w[w_at]);
            ++answer.taps;
        });
    }
    if (inputs.size() == 3) {
        const double bias = inputs[2].values[at(index[1])];
        sum.add(Real(bias));
        answer.magnitude += std::fabs(bias);
    }
    answer.value = sum.total.value_or(Real(0));
    return answer;
}

template <class Real>
Answer average_pool_at(const Resolution& resolution, const std::vector<Meetings>& meetings,
                       const std::vector<std::vector<int64_t>>& counts, const HostTensor& x, int64_t flat)
{
    const auto index = taken_apart(flat, resolution.output.dims);
    int64_t x_size = 1;
    Answer answer;
    for (size_t i = 0; i < resolution.axes.size(); ++i) {
        x_size *= resolution.axes[i].in;
        answer.divisor *= counts[i][at(index[i + 2])];
    }
    const double* plane = x.values.data() + (index[0] * x.desc.dims[1] + index[1]) * x_size;

    Sum<Real> sum;
    each_combination(resolution.axes, meetings, std::span(index).subspan(2), 0, 0, 0, [&](int64_t x_at, int64_t) {
        sum.add(Real(plane[x_at]));
        answer.magnitude += std::fabs(plane[x_at]);
        ++answer.taps;
    });
    if (sum.total) {
        answer.value = *sum.total / Real(static_cast<double>(answer.divisor));
        answer.magnitude /= static_cast<double>(answer.divisor);
    }
    return answer;
}

Status check_values(std::span<const HostTensor> inputs)
{
    for (const HostTensor& input : inputs) {
        Result<int64_t> count = element_count(input.desc);
        if (!count || static_cast<size_t>(*count) != input.values.size())
            return Status(Code::invalid_argument, "reference: values do not fill " + to_string(input.desc));
    }
    return Status();
}

std::vector<TensorDesc> descs_of(std::span<const HostTensor> inputs)
{
    std::vector<TensorDesc> descs;
    for (const HostTensor& input : inputs)
        descs.push_back(input.desc);
    return descs;
}

}  // namespace

Result<std::vector<Answer>> reference(const ConvTranspose& attributes, std::span<const HostTensor> inputs,
                                      std::span<const int64_t> sample)
{
    const Result<Resolution> resolution = resolve(attributes, descs_of(inputs));
    if (!resolution)
        return resolution.status();
    if (Status bad = check_values(inputs); !bad)
        return bad;
    std::vector<Meetings> meetings;
    for (const ReferenceAxis& axis : resolution->axes)
        meetings.push_back(scattered(axis));
    std::vector<Answer> answers;
    answers.reserve(sample.size());
    const bool is_double = inputs[0].desc.dtype == DType::float64;
    for (const int64_t flat : sample)
        answers.push_back(is_double ? conv_transpose_at<DoubleDouble>(attributes, *resolution, meetings, inputs, flat)
                                    : conv_transpose_at<double>(attributes, *resolution, meetings, inputs, flat));
    return answers;
}

Result<std::vector<Answer>> reference(const AveragePool& attributes, std::span<const HostTensor> inputs,
                                      std::span<const int64_t> sample)
{
    const Result<Resolution> resolution = resolve(attributes, descs_of(inputs));
    if (!resolution)
        return resolution.status();
    if (Status bad = check_values(inputs); !bad)
        return bad;
    std::vector<Meetings> meetings;
    std::vector<std::vector<int64_t>> counts;
    for (const ReferenceAxis& axis : resolution->axes) {
        meetings.push_back(gathered(axis));
        counts.push_back(counted(axis, attributes.count_include_pad.value_or(0) != 0));
    }
    std::vector<Answer> answers;
    answers.reserve(sample.size());
    const bool is_double = inputs[0].desc.dtype == DType::float64;
    for (const int64_t flat : sample)
        answers.push_back(is_double ? average_pool_at<DoubleDouble>(*resolution, meetings, counts, inputs[0], flat)
                                    : average_pool_at<double>(*resolution, meetings, counts, inputs[0], flat));
    return answers;
}

std::vector<int64_t> sample_of(const TensorDesc& output, int64_t most)
{
    const Result<int64_t> elements = element_count(output);
    const int64_t count = elements ? *elements : 0;
    const int64_t taken = count < most ? count : most;
    std::vector<int64_t> sample;
    sample.reserve(at(taken));
    for (int64_t i = 0; i < taken; ++i) {
        // i * (count - 1) / (taken - 1) in parts, so that nothing overflows
        const int64_t steps = taken > 1 ? taken - 1 : 1;
        const int64_t whole = (count - 1) / steps;
        const int64_t rest = (count - 1) % steps;
        sample.push_back(i * whole + i * rest / steps);
    }
    return sample;
}

double float_error_bound(const Answer& answer, double u)
{
    const double n = static_cast<double>(answer.taps);
    return (n + 6) * u * answer.magnitude + n * std::ldexp(1.0, -149);
}

}  // namespace vkonnx::kit
