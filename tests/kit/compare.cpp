#include "kit/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

bool is_half(DType dtype)
{
    return dtype == DType::float16 || dtype == DType::bfloat16;
}

// Returns the type that sums and quotients are computed in.
DType carrier_of(DType dtype)
{
    return is_half(dtype) ? DType::float32 : dtype;
}

bool is_power_of_two(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

// Tells whether a device may flush denormals of this type to zero. It can't flush those of float16, which are normal floats.
bool may_flush(DType dtype, Fill fill, const FloatRules& rules)
{
    return fill == Fill::denormals && dtype != DType::float16 && !rules.keeps_denormals;
}

// Returns the bound up to which every sum of the fill's products is a number of the carrier: 2^24 (double 2^53) times the number
// that divides all of them.
double largest_exact_sum(DType dtype, Fill fill)
{
    const FloatFormat format = format_of(dtype);
    double quantum = 1;
    if (fill == Fill::large)
        quantum = 0x1p13;
    else if (fill == Fill::denormals)
        quantum = std::ldexp(1.0, format.min_exponent() - format.fraction_bits);
    return std::ldexp(quantum, format_of(carrier_of(dtype)).fraction_bits + 1);
}

double error_bound(const Answer& expected, DType dtype, Fill fill, const FloatRules& rules)
{
    const bool is_double = dtype == DType::float64;
    const double bound = is_double ? double_error_bound(expected) : float_error_bound(expected, rules.unit_roundoff);
    const double smallest = is_double ? 0x1p-1022 : 0x1p-126;
    return may_flush(dtype, fill, rules) ? bound + double(expected.taps + 2) * smallest : bound;
}

// For halves the carrier may be anywhere in the interval, and is rounded afterwards. An end beyond the largest half becomes Inf.
bool within(const DoubleDouble& expected, double bound, DType dtype, double got)
{
    if (is_half(dtype))
        return rounded(dtype, expected.hi - bound) <= got && got <= rounded(dtype, expected.hi + bound);
    return std::fabs((got - expected.hi) - expected.lo) <= bound;
}

// The sum is exact here, so that only the division and the rounding to a half can round.
bool quotient_fits(const Answer& expected, DType dtype, double got, const FloatRules& rules)
{
    const double carried = rounded(carrier_of(dtype), expected.value.hi);
    const double ulps = expected.native && rules.exact_division ? 0 : expected.ulps;
    if (ulps > 0)
        return within(expected.value, ulps * ulp_at(carrier_of(dtype), carried), dtype, got);
    if (!rules.exact_division && !is_power_of_two(expected.divisor))
        return within(carried, 3 * ulp_at(carrier_of(dtype), carried), dtype, got);
    const double value = rounded(dtype, carried);
    return value == got && (value != 0 || std::signbit(value) == std::signbit(got) || !rules.signed_zero_inf_nan);
}

std::string position(const TensorDesc& output, int64_t flat)
{
    std::string text;
    for (size_t i = output.dims.size(); i-- > 0;) {
        text.insert(0, std::to_string(flat % output.dims[i]) + (text.empty() ? "" : ","));
        flat /= output.dims[i];
    }
    return text;
}

}  // namespace

FloatRules FloatRules::of(const Capabilities& capabilities)
{
    return {.unit_roundoff = capabilities.rounds_to_nearest ? 0x1p-24 : 0x1p-23,
            .signed_zero_inf_nan = capabilities.keeps_signed_zero_inf_nan,
            .exact_division = capabilities.is_cpu};
}

FloatRules FloatRules::of(const Capabilities& capabilities, std::string_view kernel)
{
    FloatRules rules = of(capabilities);
    if (kernel.ends_with("_f64_soft") || kernel.starts_with("cast_") || kernel.starts_with("max_pool_"))
        rules.signed_zero_inf_nan = rules.exact_division = rules.keeps_denormals = true;
    return rules;
}

bool fits(const Answer& expected, DType dtype, double got, Fill fill, const FloatRules& rules)
{
    if (expected.ranges) {
        const Range& range = (*expected.ranges)[rules.exact_division ? 0 : 1];
        return (is_half(dtype) ? range.rounded_to(dtype) : range).holds(got);
    }
    const double carried = rounded(carrier_of(dtype), expected.value.hi);
    if (!std::isfinite(carried) || std::isnan(got))
        return Range::of(carried).holds(got, rules.signed_zero_inf_nan);
    const double sum = expected.magnitude * double(expected.divisor);
    const bool is_exact_sum = fill != Fill::reals && !expected.rounds_terms && sum <= largest_exact_sum(dtype, fill);
    if (!may_flush(dtype, fill, rules) && (expected.taps == 0 || is_exact_sum))
        return quotient_fits(expected, dtype, got, rules);
    return within(expected.value, error_bound(expected, dtype, fill, rules), dtype, got);
}

std::string mismatches(const TensorDesc& output, std::span<const int64_t> sample, std::span<const Answer> expected,
                       std::span<const double> got, Fill fill, const FloatRules& rules)
{
    constexpr int shown = 5;
    const int digits = output.dtype == DType::float64 ? 17 : 9;
    int64_t wrong = 0;
    std::string text;
    for (size_t i = 0; i < sample.size(); ++i) {
        const double value = got[size_t(sample[i])];
        if (fits(expected[i], output.dtype, value, fill, rules) || ++wrong > shown)
            continue;
        std::array<char, 200> line = {};
        std::snprintf(line.data(), line.size(), "  [%s] is %.*g, expected %.*g (%lld taps, divisor %lld, S %.6g)\n",
                      position(output, sample[i]).c_str(), digits, value, digits, expected[i].value.hi,
                      static_cast<long long>(expected[i].taps), static_cast<long long>(expected[i].divisor),
                      expected[i].magnitude);
        text += line.data();
    }
    if (wrong == 0)
        return "";
    return std::to_string(wrong) + " of " + std::to_string(sample.size()) + " elements of " + to_string(output) + " differ:\n" +
           text;
}

std::string mismatches(const TensorDesc& output, std::span<const int64_t> sample, std::span<const Answer> expected,
                       std::span<const std::byte> got, Fill fill, const FloatRules& rules)
{
    if (expected.empty() || !expected[0].word)
        return mismatches(output, sample, expected, decoded(output.dtype, got), fill, rules);
    const std::vector<uint64_t> words = words_of(output.dtype, got);
    int64_t wrong = 0;
    std::string text;
    for (size_t i = 0; i < sample.size(); ++i) {
        const uint64_t word = words[size_t(sample[i])];
        if (word + expected[i].slack - *expected[i].word <= 2 * expected[i].slack || ++wrong > 5)
            continue;
        std::array<char, 120> line = {};
        std::snprintf(line.data(), line.size(), " is %lld (0x%llx), expected %lld\n", static_cast<long long>(word),
                      static_cast<unsigned long long>(word), static_cast<long long>(*expected[i].word));
        text += "  [" + position(output, sample[i]) + "]" + line.data();
    }
    if (wrong == 0)
        return "";
    return std::to_string(wrong) + " of " + std::to_string(sample.size()) + " elements of " + to_string(output) + " differ:\n" +
           text;
}

double ulp_error(const Answer& expected, DType dtype, double got)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double value = rounded(dtype, expected.value.hi);
    if (std::isnan(value) || std::isnan(got))
        return std::isnan(value) && std::isnan(got) ? 0 : infinity;
    if (std::isinf(got))
        return value == got ? 0 : infinity;
    if (std::isinf(expected.value.hi))
        return infinity;
    return std::fabs((got - expected.value.hi) - expected.value.lo) / ulp_at(dtype, expected.value.hi);
}

bool same_bits(DType dtype, std::span<const std::byte> a, std::span<const std::byte> b)
{
    if (std::ranges::equal(a, b))
        return true;
    if (!is_real(dtype) || a.size() != b.size())
        return false;
    const std::vector<double> first = decoded(dtype, a), second = decoded(dtype, b);
    const size_t width = bits(dtype) / 8;
    for (size_t i = 0; i < first.size(); ++i)
        if (!std::ranges::equal(a.subspan(i * width, width), b.subspan(i * width, width)) &&
            !(std::isnan(first[i]) && std::isnan(second[i])))
            return false;
    return true;
}

}  // namespace vkonnx::kit
