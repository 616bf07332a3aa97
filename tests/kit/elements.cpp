#include "kit/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace vkonnx::kit {
namespace {

constexpr int double_fraction_bits = 52;
constexpr int double_bias = 1023;

template <class Word, class Encode>
std::vector<std::byte> encoded_words(std::span<const double> values, Encode encode)
{
    std::vector<std::byte> bytes(values.size() * sizeof(Word));
    for (size_t i = 0; i < values.size(); ++i) {
        const Word word = encode(values[i]);
        std::memcpy(bytes.data() + i * sizeof(Word), &word, sizeof(Word));
    }
    return bytes;
}

template <class Word, class Decode>
std::vector<double> decoded_words(std::span<const std::byte> bytes, Decode decode)
{
    std::vector<double> values(bytes.size() / sizeof(Word));
    for (size_t i = 0; i < values.size(); ++i) {
        Word word;
        std::memcpy(&word, bytes.data() + i * sizeof(Word), sizeof(Word));
        values[i] = decode(word);
    }
    return values;
}

bool is_half(DType dtype)
{
    return dtype == DType::float16 || dtype == DType::bfloat16;
}

}  // namespace

FloatFormat format_of(DType dtype)
{
    switch (dtype) {
    case DType::float16:
        return {.fraction_bits = 10, .exponent_bits = 5};
    case DType::bfloat16:
        return {.fraction_bits = 7, .exponent_bits = 8};
    case DType::float64:
        return {.fraction_bits = double_fraction_bits, .exponent_bits = 11};
    default:
        return {.fraction_bits = 23, .exponent_bits = 8};
    }
}

uint16_t half_bits(FloatFormat format, double value)
{
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const auto sign = uint16_t(bits >> 63 << 15);
    const auto infinity = uint16_t(((1 << format.exponent_bits) - 1) << format.fraction_bits);
    if (std::isnan(value))
        return sign | infinity | uint16_t(1 << (format.fraction_bits - 1));
    if (std::isinf(value))
        return sign | infinity;

    // The significand is an integer whose last bit is worth 2^(exponent - 52). Doubles below their own normal range are far below
    // half of the smallest half.
    const int biased = int(bits >> double_fraction_bits & 0x7ff);
    if (biased == 0)
        return sign;
    const uint64_t significand = (bits & ((uint64_t{1} << double_fraction_bits) - 1)) | uint64_t{1} << double_fraction_bits;
    const int exponent = biased - double_bias;

    // This many of its bits are below the half's last one. There are more where the half has no normal number so small.
    const int missing = exponent < format.min_exponent() ? format.min_exponent() - exponent : 0;
    const int dropped = double_fraction_bits - format.fraction_bits + missing;
    if (dropped > double_fraction_bits + 1)  // less than half of the smallest number
        return sign;
    const uint64_t kept = significand >> dropped;
    const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1);
    const uint64_t tie = uint64_t{1} << (dropped - 1);
    const uint64_t nearest = kept + (rest > tie || (rest == tie && (kept & 1) != 0) ? 1 : 0);

    // The leading one adds 1 to the exponent field, and so does a carry out of the fraction, which leads to Inf at last.
    const uint64_t field = missing > 0 ? 0 : uint64_t(exponent - format.min_exponent());
    const uint64_t magnitude = (field << format.fraction_bits) + nearest;
    return sign | (magnitude < infinity ? uint16_t(magnitude) : infinity);
}

double half_value(FloatFormat format, uint16_t bits)
{
    const int exponent = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
    const int fraction = bits & ((1 << format.fraction_bits) - 1);
    double value = 0;
    if (exponent == (1 << format.exponent_bits) - 1)
        value = fraction == 0 ? HUGE_VAL : std::nan("");
    else if (exponent == 0)
        value = std::ldexp(fraction, format.min_exponent() - format.fraction_bits);
    else
        value = std::ldexp(fraction + (1 << format.fraction_bits), exponent - format.bias() - format.fraction_bits);
    return (bits >> 15 & 1) != 0 ? -value : value;
}

double rounded(DType dtype, double value)
{
    if (dtype == DType::float64)
        return value;
    const FloatFormat format = format_of(dtype);
    return is_half(dtype) ? half_value(format, half_bits(format, value)) : double(float(value));
}

double ulp_at(DType dtype, double value)
{
    const FloatFormat format = format_of(dtype);
    const int exponent = value == 0 ? format.min_exponent() : std::max(std::ilogb(value), format.min_exponent());
    return std::ldexp(1.0, exponent - format.fraction_bits);
}

std::vector<std::byte> encoded(DType dtype, std::span<const double> values)
{
    if (is_half(dtype))
        return encoded_words<uint16_t>(values, [format = format_of(dtype)](double value) { return half_bits(format, value); });
    if (dtype == DType::float64)
        return encoded_words<double>(values, [](double value) { return value; });
    return encoded_words<float>(values, [](double value) { return float(value); });
}

bool is_signed(DType dtype)
{
    return dtype == DType::int2 || dtype == DType::int4 || dtype == DType::int8 || dtype == DType::int16 ||
           dtype == DType::int32 || dtype == DType::int64;
}

bool is_integer(DType dtype)
{
    return (is_signed(dtype) && bits(dtype) >= 8) || dtype == DType::uint8 || dtype == DType::uint16 || dtype == DType::uint32 ||
           dtype == DType::uint64;
}

uint64_t normalized(DType dtype, uint64_t word)
{
    const uint32_t above = 64 - std::clamp(bits(dtype), 1u, 64u);  // a string has no word, and a complex128 two
    const uint64_t high = word << above;
    return is_signed(dtype) ? uint64_t(int64_t(high) >> above) : high >> above;
}

std::vector<uint64_t> words_of(DType dtype, std::span<const std::byte> bytes)
{
    const size_t own = bits(dtype), width = own / 8;
    if (own < 8) {  // several to a byte, the first one in its lowest bits
        std::vector<uint64_t> parts(bytes.size() * 8 / own);
        for (size_t i = 0; i < parts.size(); ++i)
            parts[i] = normalized(dtype, uint64_t(bytes[i * own / 8]) >> (i * own % 8));
        return parts;
    }
    std::vector<uint64_t> words(bytes.size() / width);
    for (size_t i = 0; i < words.size(); ++i) {
        uint64_t parts[2] = {};
        std::memcpy(parts, bytes.data() + i * width, width);  // hosts are little-endian, as devices are
        // `encoded` makes the second part of a complex128 0. Where another came out, the inverted word equals none that is
        // expected.
        words[i] = normalized(dtype, parts[1] == 0 ? parts[0] : ~parts[0]);
    }
    return words;
}

std::vector<std::byte> encoded(const RealTensor& tensor)
{
    const size_t count = tensor.words.size(), own = bits(tensor.desc.dtype);
    if (!tensor.words.empty() && own < 8) {  // several to a byte, the first one in its lowest bits
        std::vector<std::byte> bytes((count * own + 7) / 8);
        for (size_t i = 0; i < count; ++i)
            bytes[i * own / 8] |= std::byte((tensor.words[i] & ((1u << own) - 1)) << (i * own % 8));
        return bytes;
    }
    if (!tensor.words.empty()) {
        const size_t width = own / 8;
        std::vector<std::byte> bytes(count * width);
        for (size_t i = 0; i < count; ++i)
            std::memcpy(bytes.data() + i * width, &tensor.words[i], std::min(width, sizeof(uint64_t)));
        return bytes;
    }
    return encoded(tensor.desc.dtype, tensor.values);
}

std::vector<double> decoded(DType dtype, std::span<const std::byte> bytes)
{
    if (is_half(dtype))
        return decoded_words<uint16_t>(bytes, [format = format_of(dtype)](uint16_t bits) { return half_value(format, bits); });
    if (dtype == DType::float64)
        return decoded_words<double>(bytes, [](double value) { return value; });
    return decoded_words<float>(bytes, [](float value) { return double(value); });
}

}  // namespace vkonnx::kit
