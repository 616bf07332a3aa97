// This file computes Cast as its documents define it, and as ONNX Runtime does where they do not, in C++'s own integers and
// floating-point numbers.
#include <cmath>
#include <limits>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

// This struct describes the codes of a float of 8 bits, without their sign: code 0 is the least number, and they go up with it.
struct Float8 {
    int fraction_bits = 0;
    int bias = 0;
    int greatest = 0;  // the code of the greatest number
    bool has_infinity = false;
    bool has_negative_zero = true;
};

std::optional<Float8> float8_of(DType dtype)
{
    switch (dtype) {
    case DType::float8e4m3fn:
        return Float8{.fraction_bits = 3, .bias = 7, .greatest = 0x7e};
    case DType::float8e4m3fnuz:
        return Float8{.fraction_bits = 3, .bias = 8, .greatest = 0x7f, .has_negative_zero = false};
    case DType::float8e5m2:
        return Float8{.fraction_bits = 2, .bias = 15, .greatest = 0x7b, .has_infinity = true};
    case DType::float8e5m2fnuz:
        return Float8{.fraction_bits = 2, .bias = 16, .greatest = 0x7f, .has_negative_zero = false};
    default:
        return {};
    }
}

// Returns the number of a code, also of the one behind the greatest.
double number_of(const Float8& format, int code)
{
    const int exponent = code >> format.fraction_bits, fraction = code & ((1 << format.fraction_bits) - 1);
    const int leading = exponent > 0 ? 1 << format.fraction_bits : 0;
    return std::ldexp(leading + fraction, std::max(exponent, 1) - format.bias - format.fraction_bits);
}

double number_of_float8(DType dtype, uint64_t word)
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    if (dtype == DType::float8e8m0)
        return word == 0xff ? nan : std::ldexp(1.0, int(word) - 127);
    const Float8 format = *float8_of(dtype);
    const int code = int(word & 0x7f);
    const bool is_negative = word >= 0x80;
    if (!format.has_negative_zero && word == 0x80)
        return nan;
    double value = number_of(format, code);
    if (code > format.greatest)
        value = format.has_infinity && code == format.greatest + 1 ? infinity : nan;
    return std::copysign(value, is_negative ? -1.0 : 1.0);
}

// Returns the code of the power of two that a float becomes.
uint64_t e8m0_code(float value, bool saturate, RoundMode mode)
{
    constexpr uint64_t greatest = 0xfe, nan = 0xff;
    if (std::isnan(value) || value < 0)
        return nan;
    if (value < 0x1p-127f)
        return saturate ? 0 : nan;
    if (std::isinf(value))
        return saturate ? greatest : nan;
    int power = std::ilogb(value);
    const float rest = std::ldexp(value, -power);  // from 1 to below 2
    if (mode == RoundMode::up ? rest > 1 : mode == RoundMode::nearest && rest >= 1.5f)
        ++power;
    return power <= 127 ? uint64_t(power + 127) : saturate ? greatest : nan;
}

// Returns the code of the number next to a float, of two the even one, after a look at all codes.
uint64_t float8_code(DType dtype, float value, bool saturate, RoundMode mode)
{
    if (dtype == DType::float8e8m0)
        return e8m0_code(value, saturate, mode);
    const Float8 format = *float8_of(dtype);
    const uint64_t sign = std::signbit(value) ? 0x80 : 0, nan = format.has_negative_zero ? sign | 0x7f : 0x80;
    if (std::isnan(value))
        return nan;
    const double magnitude = std::min(std::fabs(double(value)), 2 * number_of(format, format.greatest + 1));  // no infinity
    int nearest = 0;
    for (int code = 1; code <= format.greatest + 1; ++code) {
        const double distance = std::fabs(number_of(format, code) - magnitude);
        const double before = std::fabs(number_of(format, nearest) - magnitude);
        if (distance < before || (distance == before && code % 2 == 0))
            nearest = code;
    }
    if (nearest > format.greatest)
        return saturate ? sign | uint64_t(format.greatest) : format.has_infinity ? sign | 0x7c : nan;
    return nearest == 0 && !format.has_negative_zero ? 0 : sign | uint64_t(nearest);
}

bool is_float8(DType dtype)
{
    return float8_of(dtype) || dtype == DType::float8e8m0;
}

// Tells whether words stand for floats of 4 or 8 bits.
bool is_small_float(DType dtype)
{
    return is_float8(dtype) || dtype == DType::float4e2m1;
}

double number_of_small_float(DType dtype, uint64_t word)
{
    constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    if (dtype == DType::float4e2m1)
        return std::copysign(magnitudes[word & 7], word >= 8 ? -1.0 : 1.0);
    return number_of_float8(dtype, word);
}

// Returns the code of the float4e2m1 next to a float, of two the even one. A NaN is the zero of the other sign.
uint64_t float4_code(float value)
{
    const uint64_t sign = std::signbit(value) ? 8 : 0;
    if (std::isnan(value))
        return 8 - sign;
    const double magnitude = std::min(std::fabs(double(value)), 8.0);  // a double has the distance of greater ones from none
    uint64_t nearest = 0;
    for (uint64_t code = 1; code < 8; ++code) {
        const double distance = std::fabs(number_of_small_float(DType::float4e2m1, code) - magnitude);
        const double before = std::fabs(number_of_small_float(DType::float4e2m1, nearest) - magnitude);
        if (distance < before || (distance == before && code % 2 == 0))
            nearest = code;
    }
    return sign | nearest;
}

// Tells whether the version has the type.
bool takes(DType dtype, int64_t version)
{
    if (bits(dtype) == 2 || bits(dtype) == 4)
        return version >= (bits(dtype) == 2 ? 25 : dtype == DType::float4e2m1 ? 23 : 21);
    if (is_float8(dtype))
        return version >= (dtype == DType::float8e8m0 ? 24 : 19);
    return is_integer(dtype) || dtype == DType::boolean || (is_real(dtype) && (dtype != DType::bfloat16 || version >= 13));
}

// Converts a double as x86-64 does: to a signed integer of `width` bits, or to the least one where it does not fit.
int64_t truncated(double value, int width)
{
    const double limit = std::ldexp(1.0, width - 1);
    return value >= -limit && value < limit ? int64_t(value) : width == 64 ? INT64_MIN : INT32_MIN;
}

uint64_t integer_of(double value, DType to)
{
    if (to == DType::uint64 && value >= 0x1p63)
        return value < 0x1p64 ? uint64_t(value) : 0;
    const bool wide = bits(to) == 64 || to == DType::uint32;
    return normalized(to, uint64_t(truncated(value, wide ? 64 : 32)));
}

// Converts an integer, which is signed where its type is. It is rounded once: to double, or to float, from which halves are made,
// too.
double real_of(uint64_t word, DType from, DType to)
{
    if (to == DType::float64)
        return is_signed(from) ? double(int64_t(word)) : double(word);
    return is_signed(from) ? double(float(int64_t(word))) : double(float(word));
}

Answer cast_at(const Cast& attributes, const RealTensor& x, DType to, size_t i)
{
    const DType from = x.desc.dtype;
    const auto small_float = [&](double value) {
        return to == DType::float4e2m1
                   ? float4_code(float(value))
                   : float8_code(to, float(value), attributes.saturate.value_or(1) != 0, attributes.round_mode);
    };
    Answer answer;
    if (is_small_float(from) && from == to) {
        answer.word = x.words[i];
        return answer;
    }
    if (is_real(from) || is_small_float(from)) {
        const double value = is_real(from) ? x.values[i] : number_of_small_float(from, x.words[i]);
        if (is_real(to))
            answer.value = value;
        else if (is_small_float(to))
            answer.word = small_float(value);
        else
            answer.word = to == DType::boolean ? uint64_t(value != 0) : integer_of(value, to);
        return answer;
    }
    const uint64_t word = x.words[i];
    if (is_real(to))
        answer.value = real_of(word, from, to);
    else if (is_small_float(to))
        answer.word = small_float(real_of(word, from, DType::float32));
    else
        answer.word = to == DType::boolean ? uint64_t(word != 0) : normalized(to, word);
    return answer;
}

}  // namespace

Result<Resolution> resolve(const Cast& attributes, std::span<const TensorDesc> inputs)
{
    int64_t version = 0;
    for (const int64_t each : versions<Cast>)
        version = each <= attributes.opset ? each : version;
    if (version == 0 || (attributes.saturate && version < 19) || (attributes.round_mode != RoundMode::up && version < 24))
        return refusal("version");
    if (attributes.saturate && *attributes.saturate != 0 && *attributes.saturate != 1)
        return refusal("saturate");
    if (attributes.to < 1 || attributes.to > 26 || !takes(DType(attributes.to), version))
        return refusal("to");
    if (inputs.size() != 1 || !takes(inputs[0].dtype, version))
        return refusal("input");
    if (Result<int64_t> count = element_count(inputs[0]); !count)
        return count.status();
    return Resolution{.output = {DType(attributes.to), inputs[0].dims, inputs[0].layout}};
}

Result<std::vector<Answer>> reference(const Cast& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    if (inputs.size() != 1)
        return refusal("Cast has 1 input");
    const Result<Resolution> resolution = resolve(attributes, {&inputs[0].desc, 1});
    if (!resolution)
        return resolution.status();
    std::vector<Answer> answers;
    for (const int64_t i : sample)
        answers.push_back(cast_at(attributes, inputs[0], resolution->output.dtype, size_t(i)));
    return answers;
}

}  // namespace vkonnx::kit
