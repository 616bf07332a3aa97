#include "compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace vkonnx::tools {
namespace {

// This struct reads a floating-point type, given as a word of its size.
template <class Word, int mantissa_bits>
struct FloatingPoint {
    using Bits = Word;
    static constexpr int word_bits = sizeof(Word) * 8;

    static double value(Word word)
    {
        constexpr int exponent_bits = word_bits - 1 - mantissa_bits;
        constexpr int bias = (1 << (exponent_bits - 1)) - 1;
        const auto exponent = int(word >> mantissa_bits & ((Word{1} << exponent_bits) - 1));
        const auto mantissa = double(word & ((Word{1} << mantissa_bits) - 1));
        double magnitude;
        if (exponent == (1 << exponent_bits) - 1)
            magnitude = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
        else if (exponent == 0)
            magnitude = std::ldexp(mantissa, 1 - bias - mantissa_bits);
        else
            magnitude = std::ldexp(mantissa + std::ldexp(1.0, mantissa_bits), exponent - bias - mantissa_bits);
        return word >> (word_bits - 1) ? -magnitude : magnitude;
    }

    // Returns how many representable numbers apart the two are. It counts on integers that have the order of the numbers.
    static double ulps(Word a, Word b)
    {
        const auto key = [](Word word) {
            const Word sign = Word{1} << (word_bits - 1);
            return Word(word & sign ? sign - (word & Word(~sign)) : sign + word);
        };
        const Word left = key(a), right = key(b);
        return double(Word(left > right ? left - right : right - left));
    }
};

std::string index_text(size_t flat, const std::vector<int64_t>& dims)
{
    std::string text;
    for (size_t axis = dims.size(); axis-- > 0;) {
        const auto extent = size_t(dims[axis]);
        text = std::to_string(flat % extent) + (text.empty() ? "" : "," + text);
        flat /= extent;
    }
    return "[" + text + "]";
}

std::string number_text(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string integer_text(uint64_t word, DType dtype)
{
    switch (dtype) {
    case DType::int8:
        return std::to_string(int8_t(word));
    case DType::int16:
        return std::to_string(int16_t(word));
    case DType::int32:
        return std::to_string(int32_t(word));
    case DType::int64:
        return std::to_string(int64_t(word));
    default:
        return std::to_string(word);
    }
}

void finish(Comparison& comparison, size_t wrong, size_t count, const std::string& first)
{
    if (wrong > 0)
        comparison.mismatch = std::to_string(wrong) + " of " + std::to_string(count) + " elements differ, first " + first;
}

template <class Format>
double greatest(const onnx::HostTensor& tensor)
{
    using Word = typename Format::Bits;
    double found = 0;
    for (size_t i = 0; i < tensor.data.size() / sizeof(Word); ++i) {
        Word word;
        std::memcpy(&word, tensor.data.data() + i * sizeof word, sizeof word);
        if (const double magnitude = std::fabs(Format::value(word)); std::isfinite(magnitude))
            found = std::max(found, magnitude);
    }
    return found;
}

template <class Format>
Comparison compare_floating(const onnx::HostTensor& actual, const onnx::HostTensor& expected, const Tolerance& tolerance,
                            size_t parts)
{
    using Word = typename Format::Bits;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const size_t count = actual.data.size() / sizeof(Word);
    const double allowed =
        tolerance.absolute + (tolerance.of_greatest > 0 ? tolerance.of_greatest * greatest<Format>(expected) : 0);
    Comparison comparison{.errors = Errors()};
    std::string first;
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) {
        Word a, e;
        std::memcpy(&a, actual.data.data() + i * sizeof a, sizeof a);
        std::memcpy(&e, expected.data.data() + i * sizeof e, sizeof e);
        const double value = Format::value(a), wanted = Format::value(e);
        if (value == wanted || (std::isnan(value) && std::isnan(wanted)))
            continue;
        Errors errors{infinity, infinity, infinity};
        if (std::isfinite(value) && std::isfinite(wanted)) {
            const double difference = std::fabs(value - wanted);
            errors = {difference, wanted != 0 ? difference / std::fabs(wanted) : 0, Format::ulps(a, e)};
        }
        widen(comparison.errors, errors);
        if (errors.absolute <= allowed + tolerance.relative * std::fabs(wanted) && std::isfinite(errors.absolute))
            continue;
        if (wrong++ == 0)
            first = index_text(i / parts, actual.desc.dims) + " is " + number_text(value) + ", expected " + number_text(wanted);
    }
    finish(comparison, wrong, count, first);
    return comparison;
}

Comparison compare_exactly(const onnx::HostTensor& actual, const onnx::HostTensor& expected)
{
    Comparison comparison{.errors = Errors()};
    if (actual.desc.dtype == DType::string) {
        if (actual.strings != expected.strings)
            comparison.mismatch = "the strings differ";
        return comparison;
    }
    const uint32_t element_bits = bits(actual.desc.dtype);
    const size_t size = std::max<size_t>(element_bits / 8, 1);
    const size_t count = actual.data.size() / size;
    std::string first;
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t a = 0, e = 0;
        std::memcpy(&a, actual.data.data() + i * size, size);
        std::memcpy(&e, expected.data.data() + i * size, size);
        if (a != e && wrong++ == 0) {
            const std::string where = element_bits < 8 ? "byte " + std::to_string(i) : index_text(i, actual.desc.dims);
            first = where + " is " + integer_text(a, actual.desc.dtype) + ", expected " + integer_text(e, actual.desc.dtype);
        }
    }
    finish(comparison, wrong, count, first);
    return comparison;
}

using Float16 = FloatingPoint<uint16_t, 10>;
using BFloat16 = FloatingPoint<uint16_t, 7>;

}  // namespace

double half_value(DType dtype, uint16_t bits)
{
    return dtype == DType::bfloat16 ? BFloat16::value(bits) : Float16::value(bits);
}

void widen(std::optional<Errors>& errors, const std::optional<Errors>& other)
{
    if (!errors || !other) {
        errors = errors ? errors : other;
        return;
    }
    errors->absolute = std::max(errors->absolute, other->absolute);
    errors->relative = std::max(errors->relative, other->relative);
    errors->ulp = std::max(errors->ulp, other->ulp);
}

Comparison compare(const onnx::HostTensor& actual, const onnx::HostTensor& expected, const Tolerance& tolerance)
{
    if (actual.desc != expected.desc)
        return {.mismatch = "is " + to_string(actual.desc) + ", expected " + to_string(expected.desc)};
    if (actual.data.size() != expected.data.size())
        return {.mismatch =
                    "has " + std::to_string(actual.data.size()) + " bytes, expected " + std::to_string(expected.data.size())};
    switch (actual.desc.dtype) {
    case DType::float16:
        return compare_floating<Float16>(actual, expected, tolerance, 1);
    case DType::bfloat16:
        return compare_floating<BFloat16>(actual, expected, tolerance, 1);
    case DType::float32:
        return compare_floating<FloatingPoint<uint32_t, 23>>(actual, expected, tolerance, 1);
    case DType::float64:
        return compare_floating<FloatingPoint<uint64_t, 52>>(actual, expected, tolerance, 1);
    case DType::complex64:
        return compare_floating<FloatingPoint<uint32_t, 23>>(actual, expected, tolerance, 2);
    case DType::complex128:
        return compare_floating<FloatingPoint<uint64_t, 52>>(actual, expected, tolerance, 2);
    default:
        return compare_exactly(actual, expected);
    }
}

}  // namespace vkonnx::tools
