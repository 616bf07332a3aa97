// This file computes GlobalAveragePool, GlobalMaxPool and the operators that reduce along axes as their documents define them:
// every element of the input belongs to the output whose index it has on the axes that are kept.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

bool is_float(DType dtype)
{
    return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16;
}

// This struct tells what the documents of a kind say, as far as kinds differ in it.
struct Document {
    List versions = {};
    int64_t axes_since = 18;   // the version from which axes are an input
    bool takes_bytes = false;  // int8 and uint8 from version 12, bool from 20
    bool takes_integers = true;
    bool takes_doubles = true;
};

const Document& document_of(ReductionKind kind)
{
    static const Document all = {{1, 11, 13, 18}};
    static const Document sums = {{1, 11, 13}, 13};
    static const Document extremes = {{1, 11, 12, 13, 18, 20}, 18, true};
    static const Document roots = {{1, 11, 13, 18}, 18, false, false};
    static const Document logarithms = {{1, 11, 13, 18, 28}, 18, false, false, false};
    switch (kind) {
    case ReductionKind::sum:
        return sums;
    case ReductionKind::max:
    case ReductionKind::min:
        return extremes;
    case ReductionKind::l2:
        return roots;
    case ReductionKind::log_sum:
    case ReductionKind::log_sum_exp:
        return logarithms;
    case ReductionKind::mean:
    case ReductionKind::prod:
    case ReductionKind::l1:
    case ReductionKind::sum_square:
        break;
    }
    return all;
}

bool takes(const Document& document, DType dtype, int64_t version)
{
    switch (dtype) {
    case DType::float32:
    case DType::float16:
        return true;
    case DType::float64:
        return document.takes_doubles;
    case DType::bfloat16:
        return version >= 13;
    case DType::int32:
    case DType::int64:
    case DType::uint32:
    case DType::uint64:
        return document.takes_integers;
    case DType::int8:
    case DType::uint8:
        return document.takes_bytes && version >= 12;
    case DType::boolean:
        return document.takes_bytes && version >= 20;
    default:
        return false;
    }
}

struct Reduced {
    TensorDesc output = {};
    std::set<size_t> axes = {};
};

template <Reduction Op>
Result<Reduced> reduced(const Op& a, std::span<const TensorDesc> inputs)
{
    const Document& document = document_of(Op::reduction);
    const int64_t version = version_of(document.versions, a.opset);
    if (version == 0 || inputs.size() != 1 || !takes(document, inputs[0].dtype, version))
        return refusal("opset, number of inputs or type");
    for (const auto& flag : {a.keepdims, a.noop_with_empty_axes})
        if (flag && *flag != 0 && *flag != 1)
            return refusal("a flag");
    if (a.noop_with_empty_axes && version < document.axes_since)
        return refusal("noop_with_empty_axes");
    const List& dims = inputs[0].dims;
    if (Result<int64_t> count = element_count(inputs[0]); !count)
        return count.status();
    Reduced result;
    for (const int64_t axis : a.axes) {
        const int64_t from_front = axis < 0 ? axis + int64_t(dims.size()) : axis;
        if (from_front < 0 || from_front >= int64_t(dims.size()))
            return refusal("an axis");
        result.axes.insert(size_t(from_front));
    }
    for (size_t i = 0; a.axes.empty() && a.noop_with_empty_axes.value_or(0) == 0 && i < dims.size(); ++i)
        result.axes.insert(i);
    result.output = {inputs[0].dtype, {}, inputs[0].layout};
    for (size_t i = 0; i < dims.size(); ++i)
        if (!result.axes.count(i) || a.keepdims.value_or(1) == 1)
            result.output.dims.push_back(result.axes.count(i) ? 1 : dims[i]);
    if (Result<int64_t> count = element_count(result.output); !count)
        return count.status();
    return result;
}

Result<Reduced> reduced_channels(int64_t opset, std::span<const TensorDesc> inputs)
{
    if (opset < 1 || inputs.size() != 1)
        return refusal("opset or number of inputs");
    const TensorDesc& x = inputs[0];
    if (!is_float(x.dtype) && !(x.dtype == DType::bfloat16 && opset >= 22))
        return refusal("type");
    if (Result<int64_t> count = element_count(x); !count)
        return count.status();
    if (x.dims.size() < 3)
        return refusal("rank");
    Reduced result = {.output = x};
    for (size_t i = 1; i < x.dims.size(); ++i) {
        const size_t channels = x.layout == Layout::nxc ? x.dims.size() - 1 : 1;
        if (i == channels)
            continue;
        result.axes.insert(i);
        result.output.dims[i] = 1;
    }
    return result;
}

Result<Reduced> reduced(const GlobalAveragePool& a, std::span<const TensorDesc> inputs)
{
    return reduced_channels(a.opset, inputs);
}

Result<Reduced> reduced(const GlobalMaxPool& a, std::span<const TensorDesc> inputs)
{
    return reduced_channels(a.opset, inputs);
}

template <class Attributes>
Result<Resolution> resolution(const Attributes& a, std::span<const TensorDesc> inputs)
{
    const Result<Reduced> result = reduced(a, inputs);
    if (!result)
        return result.status();
    return Resolution{.output = result->output};
}

// A part holds what belongs to an output, in the order of the input: numbers, or the words of integers and booleans.
struct Part {
    std::vector<double> values = {};
    std::vector<uint64_t> words = {};
};

constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- words

uint64_t least_word(DType dtype)
{
    return is_signed(dtype) ? normalized(dtype, uint64_t(1) << (bits(dtype) - 1)) : 0;
}

uint64_t greatest_word(DType dtype)
{
    return dtype == DType::boolean ? 1 : normalized(dtype, ~least_word(dtype));
}

uint64_t quotient_of(uint64_t sum, size_t count, DType dtype)
{
    if (count == 0)
        return 0;
    // Sums of 32-bit numbers fit in 64 bits, and sums of 64-bit numbers are modulo 2^64.
    if (is_signed(dtype))
        return uint64_t(int64_t(sum) / int64_t(count));
    return sum / count;
}

// Reduces words, modulo 2^64 on the way.
uint64_t word_of(const std::vector<uint64_t>& words, DType dtype, ReductionKind kind)
{
    uint64_t sum = 0, magnitudes = 0, squares = 0, product = 1, least = greatest_word(dtype), greatest = least_word(dtype);
    for (const uint64_t word : words) {
        sum += word;
        magnitudes += is_signed(dtype) && int64_t(word) < 0 ? 0 - word : word;
        squares += word * word;
        product *= word;
        least = is_less(dtype, word, least) ? word : least;
        greatest = is_less(dtype, greatest, word) ? word : greatest;
    }
    switch (kind) {
    case ReductionKind::mean:
        return quotient_of(sum, words.size(), dtype);
    case ReductionKind::max:
        return greatest;
    case ReductionKind::min:
        return least;
    case ReductionKind::prod:
        return product;
    case ReductionKind::l1:
        return magnitudes;
    case ReductionKind::sum_square:
        return squares;
    case ReductionKind::sum:
    case ReductionKind::l2:
    case ReductionKind::log_sum:
    case ReductionKind::log_sum_exp:
        break;
    }
    return sum;
}

// ---- numbers

// This struct describes the type that a device computes in: float for halves, else the tensor's own.
struct ComputeType {
    std::array<double, 2> roundoff = {0x1p-24, 0x1p-23};  // the unit roundoff of devices that divide exactly, and of others
    double normal = 0x1p-126;                             // the least normal number
    double most = 0x1.fffffep127;                         // the greatest number
};

ComputeType compute_type_of(DType dtype)
{
    if (dtype == DType::float64)
        return {{0x1p-53, 0x1p-53}, 0x1p-1022, std::numeric_limits<double>::max()};
    return {};
}

Answer sum_of(const std::vector<double>& values)
{
    Answer answer;
    if (values.empty())
        return answer;
    DoubleDouble sum(values[0]);
    for (size_t i = 1; i < values.size(); ++i)
        sum = sum + DoubleDouble(values[i]);
    for (const double value : values)
        answer.magnitude += std::fabs(value);
    answer.taps = int64_t(values.size());
    answer.value = sum;
    return answer;
}

Answer mean_of(const std::vector<double>& values)
{
    Answer answer = sum_of(values);
    if (values.empty())
        return answer;
    answer.divisor = answer.taps;
    answer.value = answer.value / DoubleDouble(double(answer.divisor));
    answer.magnitude /= double(answer.divisor);
    return answer;
}

std::vector<double> magnitudes_of(std::vector<double> values)
{
    for (double& value : values)
        value = std::fabs(value);
    return values;
}

Answer squares_of(const std::vector<double>& values)
{
    Answer answer;
    DoubleDouble sum;
    for (const double value : values) {
        sum = sum + DoubleDouble::two_product(value, value);
        answer.magnitude += value * value;
        answer.rounds_terms = answer.rounds_terms || value != std::floor(value);  // squares of small integers are exact
    }
    answer.taps = int64_t(values.size());
    answer.value = sum;
    return answer;
}

// Returns the greatest or the least of the values. Signs of zeros are of no account.
Answer extreme_of(const std::vector<double>& values, bool greatest, bool skips_nans)
{
    double extreme = greatest ? -infinity : infinity;
    for (const double value : values) {
        if (std::isnan(value) && skips_nans)
            continue;
        if (std::isnan(value) || (greatest ? value > extreme : value < extreme))
            extreme = value;
        if (std::isnan(extreme))
            break;
    }
    Answer answer;
    answer.value = extreme;
    answer.ulps = extreme == 0 && !skips_nans ? 0.25 : 0;
    return answer;
}

Range around(double value, double error)
{
    Range range = Range::of(value - error);
    range.include(value + error);
    return range;
}

// Returns the range of a product. A device may multiply in any order, and one order may leave the range of the compute type where
// another doesn't. Then nothing is certain, unless all numbers go one way.
Range product_range(const std::vector<double>& values, const ComputeType& type, double roundoff)
{
    DoubleDouble product(1);
    double above = 1, below = 1;  // the products of magnitudes above 1 and below 1
    bool has_nan = false, has_infinity = false, has_zero = false, negative = false;
    for (const double value : values) {
        const double magnitude = std::fabs(value);
        has_nan = has_nan || std::isnan(value);
        has_infinity = has_infinity || magnitude == infinity;
        has_zero = has_zero || value == 0;
        negative = negative != std::signbit(value);
        product = product * DoubleDouble(value);
        above *= magnitude > 1 && magnitude < infinity ? magnitude : 1;
        below *= magnitude < 1 && magnitude > 0 ? magnitude : 1;
    }
    const double n = double(values.size());
    const bool may_overflow = above * (1 + n * roundoff) > type.most;
    const bool may_underflow = below < type.normal * (1 + n * roundoff);
    const double infinite = negative ? -infinity : infinity;
    if (has_nan || (has_infinity && has_zero))
        return Range::of(std::numeric_limits<double>::quiet_NaN());
    if (has_infinity)
        return may_underflow ? Range::anything() : Range::of(infinite);
    if (has_zero)
        return may_overflow ? Range::anything() : Range::of(0);
    if (!may_overflow)
        return around(product.hi, n * roundoff * std::fabs(product.hi) + (may_underflow ? n * type.normal * above : 0));
    if (below < 1)
        return Range::anything();
    Range range = Range::of(infinite);
    if (std::fabs(product.hi) <= type.most * (1 + n * roundoff))
        range.include(product.hi * (1 - n * roundoff));
    return range;
}

// Returns by how much a device's sum may be off, denormals flushed or not. It is exact where all sums of its terms are integers
// that the compute type holds.
double error_of(const Answer& sum, const ComputeType& type, double roundoff)
{
    const bool exact = !sum.rounds_terms && sum.magnitude <= 0.5 / roundoff;
    const double n = double(sum.taps);
    return exact ? 0 : (n + 6) * roundoff * sum.magnitude + 2 * n * type.normal;
}

// Returns the range of numbers to which a device may round the sum. An end beyond the greatest number is infinite.
Range sum_range(const Answer& sum, double error, const ComputeType& type)
{
    const double value = sum.value.hi;
    if (!std::isfinite(value))
        return Range::of(value);
    Range range;
    for (const double end : {value - error, value + error})
        range.include(std::fabs(end) > type.most ? std::copysign(infinity, end) : end);
    return range;
}

Range root_range(const std::vector<double>& values, const ComputeType& type, double roundoff, double ulps)
{
    const Answer squares = squares_of(values);
    const Range range = sum_range(squares, error_of(squares, type, roundoff), type);
    if (!range.has_numbers())
        return range;
    Range roots = Range::of(std::sqrt(std::max(0.0, range.low())) * (1 - 2 * ulps * roundoff));
    roots.include(std::sqrt(range.high()) * (1 + 2 * ulps * roundoff));
    return roots;
}

Range logarithm_range(const std::vector<double>& values, const ComputeType& type, double roundoff)
{
    Answer sum = sum_of(values);
    for (const double value : values)
        sum.rounds_terms = sum.rounds_terms || value != std::floor(value);
    const Range range = sum_range(sum, error_of(sum, type, roundoff), type);
    if (!range.has_numbers())
        return range;
    Range logarithms;
    if (range.low() < 0)
        logarithms.include(std::numeric_limits<double>::quiet_NaN());
    for (const double end : {range.low(), range.high()}) {
        if (end < 0)
            continue;
        const double value = std::log(end);
        const double error = std::isfinite(value) ? 2 * roundoff * std::fabs(value) : 0;
        logarithms.include(value - error);
        logarithms.include(value + error);
    }
    if (range.low() < 0 && range.high() >= 0)
        logarithms.include(-infinity);
    return logarithms;
}

Range power_logarithm_range(const std::vector<double>& values, double roundoff)
{
    const double greatest = extreme_of(values, true, false).value.hi;
    if (!std::isfinite(greatest))
        return Range::of(greatest);  // also without values
    double sum = 0;
    for (const double value : values)
        sum += std::exp(value - greatest);
    const double logarithm = std::log(sum);
    const double error = (double(values.size()) + 6) * roundoff * (1 + logarithm + std::fabs(greatest));
    return around(greatest + logarithm, error);
}

// The root of a device that doesn't divide exactly is off by up to 5 units.
Answer answer_of(const std::vector<double>& values, DType dtype, ReductionKind kind, bool skips_nans)
{
    const ComputeType type = compute_type_of(dtype);
    Answer answer;
    const auto ranges = [&](const auto& range_at) {
        answer.ranges = std::array{range_at(type.roundoff[0], 1.0), range_at(type.roundoff[1], 6.0)};
        const Range& range = (*answer.ranges)[0];
        answer.value = std::isinf(range.low()) ? range.high() : range.low();  // an end of the range, for reports
        return answer;
    };
    switch (kind) {
    case ReductionKind::mean:
        return mean_of(values);
    case ReductionKind::max:
    case ReductionKind::min:
        return extreme_of(values, kind == ReductionKind::max, skips_nans);
    case ReductionKind::prod:
        return ranges([&](double roundoff, double) { return product_range(values, type, roundoff); });
    case ReductionKind::l1:
        return sum_of(magnitudes_of(values));
    case ReductionKind::l2:
        return ranges([&](double roundoff, double ulps) { return root_range(values, type, roundoff, ulps); });
    case ReductionKind::sum_square:
        return squares_of(values);
    case ReductionKind::log_sum:
        return ranges([&](double roundoff, double) { return logarithm_range(values, type, roundoff); });
    case ReductionKind::log_sum_exp:
        return ranges([&](double roundoff, double) { return power_logarithm_range(values, roundoff); });
    case ReductionKind::sum:
        break;
    }
    return sum_of(values);
}

template <class Attributes>
Result<std::vector<Answer>> answers(const Attributes& a, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                    ReductionKind kind, bool skips_nans = false)
{
    const Result<Reduced> result = reduced(a, std::vector<TensorDesc>{inputs[0].desc});
    if (!result)
        return result.status();
    const List& dims = inputs[0].desc.dims;
    const DType dtype = inputs[0].desc.dtype;
    const bool has_words = is_integer(dtype) || dtype == DType::boolean;
    std::vector<Part> parts(size_t(*element_count(result->output)));
    List index(dims.size());
    const int64_t elements = *element_count(inputs[0].desc);
    for (int64_t flat = 0; flat < elements; ++flat) {
        int64_t to = 0;
        for (size_t i = 0; i < dims.size(); ++i)
            if (!result->axes.count(i))
                to = to * dims[i] + index[i];
        if (has_words)
            parts[size_t(to)].words.push_back(inputs[0].words[size_t(flat)]);
        else
            parts[size_t(to)].values.push_back(inputs[0].values[size_t(flat)]);
        for (size_t i = dims.size(); i-- > 0;) {
            if (++index[i] < dims[i])
                break;
            index[i] = 0;
        }
    }
    std::vector<Answer> all;
    for (const int64_t flat : sample) {
        const Part& part = parts[size_t(flat)];
        if (has_words)
            all.emplace_back().word = normalized(dtype, word_of(part.words, dtype, kind));
        else
            all.push_back(answer_of(part.values, dtype, kind, skips_nans));
    }
    return all;
}

}  // namespace

Versions versions_of(ReductionKind kind)
{
    return document_of(kind).versions;
}

Result<Resolution> resolve(const GlobalAveragePool& attributes, std::span<const TensorDesc> inputs)
{
    return resolution(attributes, inputs);
}

Result<Resolution> resolve(const GlobalMaxPool& attributes, std::span<const TensorDesc> inputs)
{
    return resolution(attributes, inputs);
}

Result<std::vector<Answer>> reference(const GlobalAveragePool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return answers(attributes, inputs, sample, ReductionKind::mean);
}

Result<std::vector<Answer>> reference(const GlobalMaxPool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return answers(attributes, inputs, sample, ReductionKind::max, true);
}

template <ReductionKind kind>
Result<Resolution> resolve(const Reduce<kind>& attributes, std::span<const TensorDesc> inputs)
{
    return resolution(attributes, inputs);
}

template <ReductionKind kind>
Result<std::vector<Answer>> reference(const Reduce<kind>& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return answers(attributes, inputs, sample, kind);
}

template Result<Resolution> resolve(const ReduceMean&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceSum&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceMax&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceMin&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceProd&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceL1&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceL2&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceSumSquare&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceLogSum&, std::span<const TensorDesc>);
template Result<Resolution> resolve(const ReduceLogSumExp&, std::span<const TensorDesc>);

template Result<std::vector<Answer>> reference(const ReduceMean&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceSum&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceMax&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceMin&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceProd&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceL1&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceL2&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceSumSquare&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceLogSum&, std::span<const RealTensor>, std::span<const int64_t>);
template Result<std::vector<Answer>> reference(const ReduceLogSumExp&, std::span<const RealTensor>, std::span<const int64_t>);

}  // namespace vkonnx::kit
