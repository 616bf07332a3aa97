#include "kit/reference_functions.h"

#include <algorithm>
#include <cmath>

#include "kit/elements.h"

namespace vkonnx::kit {

using Kind = ElementwiseKind;

namespace {

// Modulo 2^bits, from the exponent's first bit to its last.
uint64_t integer_power(DType dtype, uint64_t base, uint64_t exponent, bool negative)
{
    base = normalized(dtype, base);
    if (negative)
        return base == 1 ? 1 : base == ~uint64_t{0} ? (exponent % 2 ? base : 1) : 0;
    uint64_t result = 1;
    for (int bit = 63; bit >= 0; --bit) {
        result *= result;
        if (exponent >> bit & 1)
            result *= base;
    }
    return normalized(dtype, result);
}

// To an exponent that is no integer: of the nearest float, truncated; a device's float may be the next one.
Answer truncated_power(const Element& base, double exponent)
{
    const float value = float(std::pow(double(float(int64_t(base.word))), exponent));
    const double end = std::ldexp(1.0, int(bits(base.dtype)) - 1);
    Answer answer;
    if (std::isnan(value))
        answer.word = 0;
    else if (value >= end)
        answer.word = normalized(base.dtype, uint64_t(end) - 1);
    else if (value <= -end)
        answer.word = normalized(base.dtype, uint64_t(end));
    else {
        answer.word = uint64_t(int64_t(value));
        answer.slack = value >= 0x1p22 ? uint64_t(std::ldexp(1.0, std::ilogb(value) - 22)) : 1;
    }
    return answer;
}

}  // namespace

bool is_function(Kind kind)
{
    return kind == Kind::sigmoid || kind == Kind::tanh || kind == Kind::elu || kind == Kind::exp || kind == Kind::log ||
           kind == Kind::erf || kind == Kind::pow;
}

double function_of(Kind kind, double a)
{
    switch (kind) {
    case Kind::sigmoid:
        return a < 0 ? std::exp(a) / (1 + std::exp(a)) : 1 / (1 + std::exp(-a));
    case Kind::tanh:
        return std::tanh(a);
    case Kind::elu:
        return std::expm1(a);
    case Kind::exp:
        return std::exp(a);
    case Kind::log:
        return std::log(a);
    case Kind::erf:
        return std::erf(a);
    default:
        return 0;
    }
}

// As Vulkan promises of its own division and root, and the public header of functions; Elu's product adds its rounding.
double ulps_of(Kind kind)
{
    switch (kind) {
    case Kind::sqrt:
        return 5;
    case Kind::div:
    case Kind::reciprocal:
    case Kind::elu:
        return 3;
    default:
        return is_function(kind) ? 1 : 0;
    }
}

Answer power_of(const Element& base, const Element& exponent)
{
    const bool whole = is_integer(exponent.dtype);
    if (!is_integer(base.dtype)) {
        const bool minus = is_signed(exponent.dtype);
        const long double y = !whole  ? exponent.value
                              : minus ? (long double)(int64_t(exponent.word))
                                      : (long double)(exponent.word);
        return {.value = double(std::pow((long double)(base.value), y)), .ulps = ulps_of(Kind::pow)};
    }
    Answer answer;
    const double y = exponent.value;
    if (whole)
        answer.word =
            integer_power(base.dtype, base.word, exponent.word, is_signed(exponent.dtype) && int64_t(exponent.word) < 0);
    else if (std::isfinite(y) && y == std::trunc(y))
        answer.word = integer_power(base.dtype, base.word, uint64_t(std::min(std::fabs(y), 0x1p63)), y < 0);
    else
        return truncated_power(base, y);
    return answer;
}

}  // namespace vkonnx::kit
