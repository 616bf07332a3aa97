// This file computes Cast as its documents define it, and as ONNX Runtime does where they do not, in C++'s own integers and
// floating-point numbers.
#include <cmath>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

bool takes(DType dtype, int64_t version)
{
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

Answer cast_at(const RealTensor& x, DType to, size_t i)
{
    const DType from = x.desc.dtype;
    Answer answer;
    if (is_real(from)) {
        const double value = x.values[i];
        if (is_real(to))
            answer.value = value;
        else
            answer.word = to == DType::boolean ? uint64_t(value != 0) : integer_of(value, to);
        return answer;
    }
    const uint64_t word = x.words[i];
    if (is_real(to))
        answer.value = real_of(word, from, to);
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
        answers.push_back(cast_at(inputs[0], resolution->output.dtype, size_t(i)));
    return answers;
}

}  // namespace vkonnx::kit
