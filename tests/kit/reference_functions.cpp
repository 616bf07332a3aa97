#include "kit/reference_functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kit/elements.h"

namespace vkonnx::kit {

using Kind = ElementwiseKind;

namespace {

// Computes a power modulo 2^bits, from the exponent's first bit to its last.
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

// Computes a power whose exponent is no integer: the nearest float, truncated. A device's float may be the next one.
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

double logistic(double a)
{
    return a < 0 ? std::exp(a) / (1 + std::exp(a)) : 1 / (1 + std::exp(-a));
}

// This is a * tanh(log(1 + e^a)). With e = e^a, the tangent is (e^2 + 2 e) / (e^2 + 2 e + 2).
double mish(double a)
{
    const double e = std::exp(std::min(a, 40.0));
    const double n = e * (e + 2);
    return std::isnan(a) ? a : a * (n / (n + 2));
}

}  // namespace

bool is_function(Kind kind)
{
    return kind == Kind::sigmoid || kind == Kind::tanh || kind == Kind::elu || kind == Kind::exp || kind == Kind::log ||
           kind == Kind::erf || kind == Kind::pow || (kind >= Kind::sin && kind <= Kind::swish) || kind == Kind::mod;
}

double function_of(const Elementwise& op, double a)
{
    switch (op.kind) {
    case Kind::sigmoid:
        return logistic(a);
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
    case Kind::sin:
        return std::sin(a);
    case Kind::cos:
        return std::cos(a);
    case Kind::tan:
        return std::tan(a);
    case Kind::asin:
        return std::asin(a);
    case Kind::acos:
        return std::acos(a);
    case Kind::atan:
        return std::atan(a);
    case Kind::sinh:
        return std::sinh(a);
    case Kind::cosh:
        return std::cosh(a);
    case Kind::asinh:
        return std::asinh(a);
    case Kind::acosh:
        return std::acosh(a);
    case Kind::atanh:
        return std::atanh(a);
    case Kind::softplus:
        return std::max(a, 0.0) + std::log1p(std::exp(-std::fabs(a)));
    case Kind::softsign:
        return a / (1 + std::fabs(a));
    case Kind::mish:
        return mish(a);
    case Kind::selu:
        return double(op.gamma.value_or(1.0507009873554805f)) *
               (a > 0 ? a : double(op.alpha.value_or(1.6732632423543772f)) * std::expm1(a));
    case Kind::celu: {
        const double alpha = double(op.alpha.value_or(1));
        return a > 0 ? a : alpha * std::expm1(a / alpha);
    }
    case Kind::gelu:
        return op.approximate == GeluApproximation::tanh
                   ? a * logistic(2 * std::sqrt(2 / std::numbers::pi) * (a + 0.044715 * a * a * a))
                   : a * std::erfc(-a / std::numbers::sqrt2) / 2;
    case Kind::swish:
        return a * logistic(double(op.alpha.value_or(1)) * a);
    default:
        return 0;
    }
}

// Returns what Vulkan promises for its own division and root, and the public header for functions. Elu's product adds its
// rounding.
double ulps_of(Kind kind)
{
    switch (kind) {
    case Kind::sqrt:
        return 5;
    case Kind::gelu:
        return 6;
    case Kind::selu:
        return 4;
    case Kind::div:
    case Kind::mean:
    case Kind::reciprocal:
    case Kind::elu:
    case Kind::celu:
        return 3;
    case Kind::swish:
        return 2;
    default:
        return is_function(kind) && kind != Kind::mod ? 1 : 0;
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
