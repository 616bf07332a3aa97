#include "kit/operators.h"

#include <cmath>
#include <optional>

#include "kit/elements.h"
#include "kit/layout.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

// A meeting is an input position and a kernel tap that meet at an output position of an axis.
struct Meeting {
    int64_t position = 0;
    int64_t tap = 0;
};

// The meetings of an axis are sorted by output position. Taps are in ascending order, as section 5 reads them.
using Meetings = std::vector<std::vector<Meeting>>;

// Every pair (q, t) lands at q * stride + t * dilation in the uncropped output, and counts where that is inside. The later the
// tap, the earlier the first q that lands behind the cropped front, so that q is followed instead of tried from 0 every time.
Meetings scattered(const ReferenceAxis& axis)
{
    Meetings meetings(size_t(axis.out));
    int64_t first = axis.in;
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
        const auto lands = [&](int64_t q) { return q * axis.stride + tap * axis.dilation - axis.begin; };
        while (first > 0 && lands(first - 1) >= 0)
            --first;
        for (int64_t q = first; q < axis.in && lands(q) < axis.out; ++q)
            meetings[size_t(lands(q))].push_back({q, tap});
    }
    return meetings;
}

// Every tap of every window looks at one position of the padded input, and is read where that is inside the input.
Meetings gathered(const ReferenceAxis& axis)
{
    Meetings meetings(size_t(axis.out));
    for (int64_t o = 0; o < axis.out; ++o)
        for (int64_t tap = 0; tap < axis.kernel; ++tap) {
            const int64_t position = o * axis.stride + tap * axis.dilation - axis.begin;
            if (position >= 0 && position < axis.in)
                meetings[size_t(o)].push_back({position, tap});
        }
    return meetings;
}

// Returns how many taps count for the divisor: those inside the input, or with include_pad all before the end of the right
// padding.
std::vector<int64_t> counted(const ReferenceAxis& axis, bool include_pad)
{
    std::vector<int64_t> counts(size_t(axis.out), 0);
    const int64_t first = include_pad ? -axis.begin : 0;
    const int64_t behind = include_pad ? axis.in + axis.end : axis.in;
    for (int64_t o = 0; o < axis.out; ++o)
        for (int64_t tap = 0; tap < axis.kernel; ++tap) {
            const int64_t position = o * axis.stride + tap * axis.dilation - axis.begin;
            if (position >= first && position < behind)
                ++counts[size_t(o)];
        }
    return counts;
}

// Returns how far apart in memory neighbours along each dimension are, in elements.
std::vector<int64_t> steps_of(const std::vector<int64_t>& dims)
{
    std::vector<int64_t> steps(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;)
        steps[i - 1] = steps[i] * dims[i];
    return steps;
}

// Visits all combinations of meetings along the axes, the last axis fastest, with where they are in X and in W. The steps are
// those of the spatial axes.
template <class Visit>
void each_combination(std::span<const Meetings> meetings, std::span<const int64_t> position, std::span<const int64_t> x_steps,
                      std::span<const int64_t> w_steps, int64_t x_at, int64_t w_at, const Visit& visit)
{
    if (meetings.empty())
        return visit(x_at, w_at);
    for (const Meeting& meeting : meetings[0][size_t(position[0])])
        each_combination(meetings.subspan(1), position.subspan(1), x_steps.subspan(1), w_steps.subspan(1),
                         x_at + meeting.position * x_steps[0], w_at + meeting.tap * w_steps[0], visit);
}

// A sum begins with its first term instead of zero, because adding +0 would turn -0.0 into +0.0.
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
    return size_t(index);
}

// This struct holds what is left of a ConvTranspose of either dialect once its sizes are known.
struct Convolution {
    std::span<const RealTensor> inputs;
    Resolution resolution = {};
    int64_t groups = 1;
    DataPlaces data = {};
    FilterPlaces filter = {};
    std::vector<Meetings> meetings = {};
    std::vector<int64_t> x_steps = {};
    std::vector<int64_t> w_steps = {};
};

template <class Real>
Answer conv_transpose_at(const Convolution& conv, int64_t flat)
{
    const auto index = coordinates_of(flat, conv.resolution.output.dims);
    const auto position = std::span(index).subspan(conv.data.first_axis);
    const int64_t n = index[conv.data.batch];
    const int64_t m = index[conv.data.channels];
    const int64_t columns = conv.inputs[1].desc.dims[conv.filter.out];
    const int64_t group = m / columns;
    const int64_t per_group = conv.inputs[0].desc.dims[conv.data.channels] / conv.groups;

    Sum<Real> sum;
    Answer answer;
    for (int64_t c = group * per_group; c < (group + 1) * per_group; ++c) {
        const int64_t x_at = n * conv.x_steps[conv.data.batch] + c * conv.x_steps[conv.data.channels];
        const int64_t w_at = c * conv.w_steps[conv.filter.in] + (m - group * columns) * conv.w_steps[conv.filter.out];
        each_combination(conv.meetings, position, std::span(conv.x_steps).subspan(conv.data.first_axis),
                         std::span(conv.w_steps).subspan(conv.filter.first_axis), x_at, w_at, [&](int64_t i, int64_t j) {
                             const double x = conv.inputs[0].values[at(i)];
                             const double w = conv.inputs[1].values[at(j)];
                             sum.add(product(x, w, Real()));
                             answer.magnitude += std::fabs(x * w);
                             ++answer.taps;
                         });
    }
    if (conv.inputs.size() == 3) {
        const double bias = conv.inputs[2].values[at(m)];
        sum.add(Real(bias));
        answer.magnitude += std::fabs(bias);
    }
    answer.value = sum.total.value_or(Real(0));
    return answer;
}

// Returns the flat indices of the elements of a window, in their order.
std::vector<int64_t> elements_in(const Resolution& resolution, const std::vector<Meetings>& meetings, const TensorDesc& x,
                                 int64_t flat)
{
    const DataPlaces places = places_of(x.layout, resolution.axes.size());
    const auto index = coordinates_of(flat, resolution.output.dims);
    const auto steps = steps_of(x.dims);
    const auto axis_steps = std::span(steps).subspan(places.first_axis);
    const int64_t plane = index[places.batch] * steps[places.batch] + index[places.channels] * steps[places.channels];
    std::vector<int64_t> elements;
    each_combination(meetings, std::span(index).subspan(places.first_axis), axis_steps, axis_steps, plane, 0,
                     [&](int64_t i, int64_t) { elements.push_back(i); });
    return elements;
}

template <class Real>
Answer average_pool_at(const Resolution& resolution, const std::vector<Meetings>& meetings,
                       const std::vector<std::vector<int64_t>>& counts, const RealTensor& x, int64_t flat)
{
    const DataPlaces places = places_of(x.desc.layout, resolution.axes.size());
    const auto index = coordinates_of(flat, resolution.output.dims);
    Answer answer;
    for (size_t i = 0; i < resolution.axes.size(); ++i)
        answer.divisor *= counts[i][at(index[places.first_axis + i])];

    Sum<Real> sum;
    for (const int64_t i : elements_in(resolution, meetings, x.desc, flat)) {
        const double value = x.values[at(i)];
        sum.add(Real(value));
        answer.magnitude += std::fabs(value);
        ++answer.taps;
    }
    if (sum.total) {
        answer.value = *sum.total / Real(double(answer.divisor));
        answer.magnitude /= double(answer.divisor);
    }
    return answer;
}

// Returns the flat index that an element has in the order (N, C, D1..Dn), or (N, C, Dn..D1) if `column_major`.
int64_t index_in_order(int64_t element, const TensorDesc& x, bool column_major)
{
    const DataPlaces places = places_of(x.layout, x.dims.size() - 2);
    const auto at_axis = coordinates_of(element, x.dims);
    std::vector<size_t> order = {places.batch, places.channels};
    for (size_t i = 0; i + 2 < x.dims.size(); ++i)
        order.push_back(places.first_axis + (column_major ? x.dims.size() - 3 - i : i));
    int64_t index = 0;
    for (const size_t axis : order)
        index = index * x.dims[axis] + at_axis[axis];
    return index;
}

bool exceeds(const RealTensor& x, int64_t a, int64_t b)
{
    if (x.words.empty())
        return x.values[at(a)] > x.values[at(b)];
    return is_signed(x.desc.dtype) ? int64_t(x.words[at(a)]) > int64_t(x.words[at(b)]) : x.words[at(a)] > x.words[at(b)];
}

// Returns the answer for a window that lies in padding alone: the least number of the type.
Answer lowest(DType dtype)
{
    Answer answer;
    if (is_integer(dtype))
        answer.word = normalized(dtype, is_signed(dtype) ? uint64_t{1} << (bits(dtype) - 1) : 0);
    const FloatFormat format = format_of(dtype);
    answer.value = -std::ldexp(2 - std::ldexp(1.0, -format.fraction_bits), format.bias());
    return answer;
}

Status check_values(std::span<const RealTensor> inputs)
{
    for (const RealTensor& input : inputs) {
        Result<int64_t> count = element_count(input.desc);
        if (!count || size_t(*count) != input.values.size() + input.words.size())
            return Status(Code::invalid_argument, "reference: values do not fill " + to_string(input.desc));
    }
    return Status();
}

std::vector<TensorDesc> descs_of(std::span<const RealTensor> inputs)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    return descs;
}

template <class Attributes>
Result<std::vector<Answer>> convolved(const Attributes& attributes, int64_t groups, Layout layout, onednn::FilterFormat filter,
                                      std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const Result<Resolution> resolution = resolve(attributes, descs_of(inputs));
    if (!resolution)
        return resolution.status();
    if (Status status = check_values(inputs); !status)
        return status;
    const size_t axes = resolution->axes.size();
    Convolution conv = {.inputs = inputs,
                        .resolution = *resolution,
                        .groups = groups,
                        .data = places_of(layout, axes),
                        .filter = places_of(filter, axes),
                        .x_steps = steps_of(inputs[0].desc.dims),
                        .w_steps = steps_of(inputs[1].desc.dims)};
    for (const ReferenceAxis& axis : resolution->axes)
        conv.meetings.push_back(scattered(axis));
    std::vector<Answer> answers;
    answers.reserve(sample.size());
    const bool is_double = inputs[0].desc.dtype == DType::float64;
    for (const int64_t flat : sample)
        answers.push_back(is_double ? conv_transpose_at<DoubleDouble>(conv, flat) : conv_transpose_at<double>(conv, flat));
    return answers;
}

}  // namespace

Result<std::vector<Answer>> reference(const ConvTranspose& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    const Layout layout = inputs.empty() ? Layout::ncx : inputs[0].desc.layout;
    return convolved(attributes, attributes.group, layout, onednn::FilterFormat::iox, inputs, sample);
}

Result<std::vector<Answer>> reference(const onednn::ConvTranspose& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return convolved(attributes, attributes.groups, attributes.data_format, attributes.filter_format, inputs, sample);
}

Result<std::vector<Answer>> reference(const AveragePool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    const Result<Resolution> resolution = resolve(attributes, descs_of(inputs));
    if (!resolution)
        return resolution.status();
    if (Status status = check_values(inputs); !status)
        return status;
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

Result<std::vector<Answer>> reference(const MaxPool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output)
{
    const Result<Resolution> resolution = resolve(attributes, descs_of(inputs));
    if (!resolution)
        return resolution.status();
    if (Status status = check_values(inputs); !status)
        return status;
    const RealTensor& x = inputs[0];
    std::vector<Meetings> meetings;
    for (const ReferenceAxis& axis : resolution->axes)
        meetings.push_back(gathered(axis));
    std::vector<Answer> answers;
    answers.reserve(sample.size());
    for (const int64_t flat : sample) {
        const auto elements = elements_in(*resolution, meetings, x.desc, flat);
        int64_t greatest = elements.empty() ? -1 : elements.front();
        for (const int64_t element : elements)
            if (exceeds(x, element, greatest))
                greatest = element;
        Answer answer = lowest(x.desc.dtype);
        if (output == 1)
            answer.word = uint64_t(greatest < 0 ? -1 : index_in_order(greatest, x.desc, attributes.storage_order == 1));
        else if (greatest >= 0 && !x.words.empty())
            answer.word = x.words[at(greatest)];
        else if (greatest >= 0)
            answer.value = x.values[at(greatest)];
        answers.push_back(answer);
    }
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
        // This is i * (count - 1) / (taken - 1), computed in parts, so that nothing overflows.
        const int64_t steps = taken > 1 ? taken - 1 : 1;
        const int64_t whole = (count - 1) / steps;
        const int64_t rest = (count - 1) % steps;
        sample.push_back(i * whole + i * rest / steps);
    }
    return sample;
}

double float_error_bound(const Answer& answer, double u)
{
    const double n = double(answer.taps);
    return (n + 6) * u * answer.magnitude + n * std::ldexp(1.0, -149);
}

double double_error_bound(const Answer& answer)
{
    const double n = double(answer.taps);
    return (n + 6) * std::ldexp(1.0, -53) * answer.magnitude + n * std::ldexp(1.0, -1074);
}

}  // namespace vkonnx::kit
