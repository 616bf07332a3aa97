// This file computes the operators that compare, join truth values, choose and work on bits, as their documents define them.
// Floats are doubles, which have every number of theirs, and all else is words.
#include <algorithm>
#include <cmath>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Kind = LogicKind;
using Dims = std::vector<int64_t>;

bool compares(Kind kind)
{
    return kind == Kind::equal || kind == Kind::greater || kind == Kind::greater_or_equal || kind == Kind::less ||
           kind == Kind::less_or_equal;
}

bool joins_bools(Kind kind)
{
    return kind == Kind::logical_and || kind == Kind::logical_or || kind == Kind::logical_xor || kind == Kind::logical_not;
}

size_t inputs_of(Kind kind)
{
    const bool one = kind == Kind::is_nan || kind == Kind::is_inf || kind == Kind::logical_not || kind == Kind::bitwise_not;
    return one ? 1 : kind == Kind::where ? 3 : 2;
}

// Tells whether the document of the version lists the type for input i.
bool takes(Kind kind, size_t i, DType dtype, int64_t version)
{
    const bool is_signed_integer = is_integer(dtype) && is_signed(dtype);
    switch (kind) {
    case Kind::equal:
        if (version < 11)
            return dtype == DType::boolean || dtype == DType::int32 || dtype == DType::int64;
        return dtype == DType::boolean || is_integer(dtype) || (is_real(dtype) && (dtype != DType::bfloat16 || version >= 13));
    case Kind::greater:
    case Kind::less:
        return (is_integer(dtype) && version >= 9) || (is_real(dtype) && (dtype != DType::bfloat16 || version >= 13));
    case Kind::greater_or_equal:
    case Kind::less_or_equal:
        return is_integer(dtype) || (is_real(dtype) && (dtype != DType::bfloat16 || version >= 16));
    case Kind::is_nan:
        return is_real(dtype) && (dtype != DType::bfloat16 || version >= 13);
    case Kind::is_inf:
        return dtype == DType::float32 || dtype == DType::float64 || (is_real(dtype) && version >= 20);
    case Kind::bitwise_and:
    case Kind::bitwise_or:
    case Kind::bitwise_xor:
    case Kind::bitwise_not:
        return is_integer(dtype);
    case Kind::bit_shift:
        return is_integer(dtype) && (!is_signed_integer || version >= 28);
    case Kind::where:
        if (i == 0)
            return dtype == DType::boolean;
        return dtype == DType::boolean || is_integer(dtype) || dtype == DType::complex64 ||
               (is_real(dtype) && (dtype != DType::bfloat16 || version >= 16));
    default:
        return dtype == DType::boolean;
    }
}

// Returns the extent of an axis, counted from the last one; 1 where there are no more.
int64_t from_the_end(const Dims& dims, size_t i)
{
    return i < dims.size() ? dims[dims.size() - 1 - i] : 1;
}

Result<TensorDesc> broadcast(std::span<const TensorDesc> inputs)
{
    TensorDesc output;
    size_t rank = 0;
    for (const TensorDesc& input : inputs)
        rank = std::max(rank, input.dims.size());
    for (size_t i = rank; i-- > 0;) {
        int64_t extent = 1;
        for (const TensorDesc& input : inputs) {
            const int64_t own = from_the_end(input.dims, i);
            if (own != 1 && extent != 1 && own != extent)
                return refusal("shapes that do not broadcast");
            if (own != 1)
                extent = own;
        }
        output.dims.push_back(extent);
    }
    for (const TensorDesc& input : inputs)
        if (input.layout == Layout::nxc)
            output.layout = Layout::nxc;
    return output;
}

template <class Op>
Result<Resolution> resolution(const Op& op, std::span<const TensorDesc> inputs)
{
    constexpr Kind kind = Op::logic;
    int64_t version = 0;
    for (const int64_t each : versions_of(kind))
        version = each <= op.opset ? each : version;
    if (version == 0 || inputs.size() != inputs_of(kind))
        return refusal("version or number of inputs");
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!takes(kind, i, inputs[i].dtype, version) || (i > 0 && inputs[i].dtype != inputs.back().dtype) ||
            (i > 0 && kind != Kind::where && inputs[i].dtype != inputs[0].dtype))
            return refusal("type");
        if (inputs[i].layout != Layout::ncx && inputs[i].layout != Layout::nxc)
            return refusal("layout");
        if (Result<int64_t> count = element_count(inputs[i]); !count)
            return count.status();
    }
    if constexpr (kind == Kind::is_inf)
        for (const std::optional<int64_t>& flag : {op.detect_negative, op.detect_positive})
            if (flag && *flag != 0 && *flag != 1)
                return refusal("flag");
    if constexpr (kind == Kind::bit_shift)
        if (op.direction != ShiftDirection::left && op.direction != ShiftDirection::right)
            return refusal("direction");
    Result<TensorDesc> output = broadcast(inputs);
    if (!output)
        return output.status();
    const bool is_bool = compares(kind) || joins_bools(kind) || kind == Kind::is_nan || kind == Kind::is_inf;
    output->dtype = is_bool ? DType::boolean : inputs.back().dtype;
    if (Result<int64_t> count = element_count(*output); !count)
        return count.status();
    return Resolution{.output = std::move(*output)};
}

// Returns the place in a tensor that belongs to an element of the output.
size_t place_of(const Dims& dims, const Dims& output, int64_t element)
{
    int64_t place = 0;
    int64_t stride = 1;
    for (size_t i = 0; i < output.size(); ++i) {
        const int64_t coordinate = element % from_the_end(output, i);
        element /= from_the_end(output, i);
        if (from_the_end(dims, i) != 1)
            place += coordinate * stride;
        stride *= from_the_end(dims, i);
    }
    return size_t(place);
}

template <class Number>
bool compared(Kind kind, Number a, Number b)
{
    switch (kind) {
    case Kind::greater:
        return a > b;
    case Kind::greater_or_equal:
        return a >= b;
    case Kind::less:
        return a < b;
    case Kind::less_or_equal:
        return a <= b;
    default:
        return a == b;
    }
}

bool compared_words(Kind kind, DType dtype, uint64_t a, uint64_t b)
{
    if (dtype == DType::boolean)
        return compared(kind, a != 0, b != 0);
    return is_signed(dtype) ? compared(kind, int64_t(a), int64_t(b)) : compared(kind, a, b);
}

// Shifts a word by looking up each bit of the result.
uint64_t shifted(DType dtype, uint64_t x, uint64_t y, bool right)
{
    const int width = int(bits(dtype));
    const bool is_sane = is_signed(dtype) ? int64_t(y) >= 0 && int64_t(y) < width : y < uint64_t(width);
    const bool negative = is_signed(dtype) && int64_t(x) < 0;
    uint64_t result = 0;
    for (int i = 0; i < width; ++i) {
        const int64_t from = !is_sane ? -1 : right ? i + int64_t(y) : i - int64_t(y);
        const bool bit = from < 0 ? right && negative : from >= width ? negative : (x >> from & 1) != 0;
        result |= uint64_t(bit) << i;
    }
    return normalized(dtype, result);
}

uint64_t joined_words(Kind kind, DType dtype, uint64_t a, uint64_t b)
{
    switch (kind) {
    case Kind::logical_and:
        return uint64_t(a != 0 && b != 0);
    case Kind::logical_or:
        return uint64_t(a != 0 || b != 0);
    case Kind::logical_xor:
        return uint64_t((a != 0) != (b != 0));
    case Kind::logical_not:
        return uint64_t(a == 0);
    case Kind::bitwise_and:
        return normalized(dtype, a & b);
    case Kind::bitwise_or:
        return normalized(dtype, a | b);
    case Kind::bitwise_xor:
        return normalized(dtype, a ^ b);
    case Kind::bitwise_not:
        return normalized(dtype, ~a);
    default:
        return uint64_t(compared_words(kind, dtype, a, b));
    }
}

template <class Op>
uint64_t answer(const Op& op, std::span<const RealTensor> inputs, const Dims& dims, int64_t element)
{
    constexpr Kind kind = Op::logic;
    const auto place = [&](size_t i) { return place_of(inputs[i].desc.dims, dims, element); };
    const DType dtype = inputs[0].desc.dtype;
    if constexpr (kind == Kind::where) {
        const size_t chosen = inputs[0].words[place(0)] != 0 ? 1 : 2;
        return inputs[chosen].words[place(chosen)];
    } else if constexpr (kind == Kind::is_nan) {
        return uint64_t(std::isnan(inputs[0].values[place(0)]));
    } else if constexpr (kind == Kind::is_inf) {
        const double value = inputs[0].values[place(0)];
        return uint64_t(std::isinf(value) && (value < 0 ? op.detect_negative : op.detect_positive).value_or(1) == 1);
    } else if constexpr (kind == Kind::bit_shift) {
        return shifted(dtype, inputs[0].words[place(0)], inputs[1].words[place(1)], op.direction == ShiftDirection::right);
    } else {
        const size_t second = inputs.size() - 1;
        if (is_real(dtype))
            return uint64_t(compared(kind, inputs[0].values[place(0)], inputs[second].values[place(second)]));
        return joined_words(kind, dtype, inputs[0].words[place(0)], inputs[second].words[place(second)]);
    }
}

}  // namespace

Versions versions_of(LogicKind kind)
{
    static constexpr int64_t equal[] = {7, 11, 13, 19};
    static constexpr int64_t ordered[] = {7, 9, 13};
    static constexpr int64_t or_equal[] = {12, 16};
    static constexpr int64_t nan[] = {9, 13, 20};
    static constexpr int64_t infinity[] = {10, 20};
    static constexpr int64_t where[] = {9, 16};
    static constexpr int64_t bitwise[] = {18};
    static constexpr int64_t shift[] = {11, 28};
    static constexpr int64_t first[] = {1};
    static constexpr int64_t seventh[] = {7};
    switch (kind) {
    case Kind::equal:
        return equal;
    case Kind::greater:
    case Kind::less:
        return ordered;
    case Kind::greater_or_equal:
    case Kind::less_or_equal:
        return or_equal;
    case Kind::is_nan:
        return nan;
    case Kind::is_inf:
        return infinity;
    case Kind::where:
        return where;
    case Kind::bit_shift:
        return shift;
    case Kind::logical_not:
        return first;
    case Kind::logical_and:
    case Kind::logical_or:
    case Kind::logical_xor:
        return seventh;
    default:
        return bitwise;
    }
}

template <LogicKind kind>
Result<Resolution> resolve(const Logic<kind>& attributes, std::span<const TensorDesc> inputs)
{
    return resolution(attributes, inputs);
}

template <LogicKind kind>
Result<std::vector<Answer>> reference(const Logic<kind>& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    const Result<Resolution> resolved = resolve(attributes, descs);
    if (!resolved)
        return resolved.status();
    std::vector<Answer> answers(sample.size());
    for (size_t i = 0; i < sample.size(); ++i)
        answers[i].word = answer(attributes, inputs, resolved->output.dims, sample[i]);
    return answers;
}

#define VKONNX_INSTANTIATE(Op)                                                                                                   \
    template Result<Resolution> resolve(const Op&, std::span<const TensorDesc>);                                                 \
    template Result<std::vector<Answer>> reference(const Op&, std::span<const RealTensor>, std::span<const int64_t>);
VKONNX_INSTANTIATE(Equal)
VKONNX_INSTANTIATE(Greater)
VKONNX_INSTANTIATE(GreaterOrEqual)
VKONNX_INSTANTIATE(Less)
VKONNX_INSTANTIATE(LessOrEqual)
VKONNX_INSTANTIATE(IsNaN)
VKONNX_INSTANTIATE(IsInf)
VKONNX_INSTANTIATE(And)
VKONNX_INSTANTIATE(Or)
VKONNX_INSTANTIATE(Xor)
VKONNX_INSTANTIATE(Not)
VKONNX_INSTANTIATE(Where)
VKONNX_INSTANTIATE(BitwiseAnd)
VKONNX_INSTANTIATE(BitwiseOr)
VKONNX_INSTANTIATE(BitwiseXor)
VKONNX_INSTANTIATE(BitwiseNot)
VKONNX_INSTANTIATE(BitShift)

}  // namespace vkonnx::kit
