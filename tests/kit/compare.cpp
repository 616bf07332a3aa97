#include "kit/compare.h"

#include <bit>
#include <cmath>
#include <cstdio>

namespace vkonnx::kit {
namespace {

constexpr double largest_exact_sum = 0x1p24;  // floats hold every integer up to here

bool is_power_of_two(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

bool same_bits(float a, float b)
{
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

bool special_fits(float expected, float got, const FloatRules& rules)
{
    if (std::isnan(expected) || std::isnan(got))
        return std::isnan(expected) && std::isnan(got);
    return rules.signed_zero_inf_nan ? expected == got : std::isinf(expected) == std::isinf(got);
}

// The sum is exact, so that only the division can round.
bool quotient_fits(float expected, int64_t divisor, float got, const FloatRules& rules)
{
    if (rules.exact_division || is_power_of_two(divisor))
        return same_bits(expected, got) || (expected == 0 && got == 0 && !rules.signed_zero_inf_nan);
    const double ulp = std::nextafter(std::fabs(expected), HUGE_VALF) - std::fabs(expected);
    return std::fabs(static_cast<double>(got) - static_cast<double>(expected)) <= 3 * ulp;
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

bool fits(const Answer& expected, float got, Fill fill, const FloatRules& rules)
{
    const float value = static_cast<float>(expected.value.hi);
    if (!std::isfinite(value) || !std::isfinite(got))
        return special_fits(value, got, rules);
    const double sum = expected.magnitude * static_cast<double>(expected.divisor);
    if (expected.taps == 0 || (fill != Fill::reals && sum <= largest_exact_sum))
        return quotient_fits(value, expected.divisor, got, rules);
    return std::fabs(static_cast<double>(got) - expected.value.hi) <= float_error_bound(expected, rules.unit_roundoff);
}

std::string mismatches(const TensorDesc& output, std::span<const int64_t> sample, std::span<const Answer> expected,
                       std::span<const float> got, Fill fill, const FloatRules& rules)
{
    constexpr int shown = 5;
    int64_t wrong = 0;
    std::string text;
    for (size_t i = 0; i < sample.size(); ++i) {
        const float value = got[static_cast<size_t>(sample[i])];
        if (fits(expected[i], value, fill, rules) || ++wrong > shown)
            continue;
        std::array<char, 160> line = {};
        std::snprintf(line.data(), line.size(), "  [%s] is %.9g, expected %.9g (%lld taps, divisor %lld, S %.6g)\n",
                      position(output, sample[i]).c_str(), static_cast<double>(value), expected[i].value.hi,
                      static_cast<long long>(expected[i].taps), static_cast<long long>(expected[i].divisor),
                      expected[i].magnitude);
        text += line.data();
    }
    if (wrong == 0)
        return "";
    return std::to_string(wrong) + " of " + std::to_string(sample.size()) + " elements of " + to_string(output) + " differ:\n" +
           text;
}

}  // namespace vkonnx::kit
