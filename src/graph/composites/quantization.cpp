// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/quantization.h"

#include <algorithm>
#include <numeric>

#include "graph/reals.h"

namespace vkonnx::graph {
namespace {

constexpr int64_t quantization_versions[] = {10, 13, 19, 21, 23, 24, 25, 28};
constexpr Schema::Input quantize_inputs[] = {
    {.name = "x"}, {.name = "y_scale"}, {.name = "y_zero_point", .option = Schema::Option::optional}};
constexpr Schema::Input dequantize_inputs[] = {
    {.name = "x"}, {.name = "x_scale"}, {.name = "x_zero_point", .option = Schema::Option::optional}};
constexpr Schema::Output quantization_outputs[] = {{"y"}};
constexpr int64_t dynamic_quantize_versions[] = {11};
constexpr Schema::Input dynamic_quantize_inputs[] = {{.name = "x"}};
constexpr Schema::Output dynamic_quantize_outputs[] = {{"y"}, {"y_scale"}, {"y_zero_point"}};

struct IntegerRange {
    double least = 0;
    double greatest = 0;
};

std::optional<IntegerRange> quantized_range(DType dtype)
{
    if (dtype == DType::uint8)
        return IntegerRange{0, 255};
    if (dtype == DType::int8)
        return IntegerRange{-128, 127};
    if (dtype == DType::uint16)
        return IntegerRange{0, 65535};
    if (dtype == DType::int16)
        return IntegerRange{-32768, 32767};
    if (dtype == DType::uint4)
        return IntegerRange{0, 15};
    if (dtype == DType::int4)
        return IntegerRange{-8, 7};
    if (dtype == DType::uint2)
        return IntegerRange{0, 3};
    if (dtype == DType::int2)
        return IntegerRange{-2, 1};
    return {};
}

// This struct says how x is divided: for each part there is one scale and one zero point.
//
//   scale of one element                          all of x
//   scale (D_axis)                                each place of the axis
//   scale (D0, .., ceil(D_axis / block_size), ..)  each block of places
struct Granularity {
    int64_t axis = 1;
    int64_t block_size = 0;
};

// Returns a scale or a zero point under dimensions that broadcast to those of x.
Operand spread(Composer& composer, Operand parameter, const Granularity& granularity)
{
    const std::vector<int64_t>& dims = composer.dims(0);
    const std::vector<int64_t> given = parameter.desc.dims;
    if (given.empty() || given == std::vector<int64_t>{1})
        return Composer::view(parameter, {});
    const size_t at = composer.axis(granularity.axis, dims.size());
    if (!composer.status())
        return parameter;
    std::vector<int64_t> wanted(dims.size(), 1);
    wanted[at] = dims[at];
    if (granularity.block_size == 0) {
        composer.check(given == std::vector<int64_t>{dims[at]}, "a scale or zero point is " + to_string(parameter.desc) +
                                                                    ", expected one element, or " + std::to_string(dims[at]) +
                                                                    " along axis " + std::to_string(at));
        return Composer::view(parameter, wanted);
    }
    const int64_t size = granularity.block_size;
    wanted = dims;
    wanted[at] = dims[at] / size + (dims[at] % size != 0 ? 1 : 0);
    if (!composer.check(given == wanted, "a scale or zero point is " + to_string(parameter.desc) + ", expected " +
                                             to_string({.dtype = parameter.desc.dtype, .dims = wanted}) + " by block_size"))
        return parameter;
    const Operand block =
        composer.constant({.dtype = DType::int64, .dims = {dims[at]}}, [=](int64_t i) { return double(i / size); });
    return composer.add(Gather{.axis = int64_t(at)}, {parameter, block});
}

// Returns which element of a scale or zero point belongs to an element of x. `at` is the axis, and `elements` is how many the
// scale has.
int64_t index_of_scale(const std::vector<int64_t>& dims, size_t at, int64_t block_size, int64_t elements, int64_t index)
{
    if (elements == 1)
        return 0;
    const int64_t inner = extent_of(dims, at + 1, dims.size()), place = index / inner % dims[at];
    if (block_size == 0)
        return place;
    const int64_t blocks = (dims[at] - 1) / block_size + 1;
    return (index / inner / dims[at] * blocks + place / block_size) * inner + index % inner;
}

bool check_block_size(Composer& composer, int64_t size)
{
    return composer.check(size >= 0, "block_size = " + std::to_string(size) + " must not be negative");
}

}  // namespace

constinit const Schema QuantizeLinear::schema = {
    .name = "QuantizeLinear", .versions = quantization_versions, .inputs = quantize_inputs, .outputs = quantization_outputs};
constinit const Schema DequantizeLinear::schema = {
    .name = "DequantizeLinear", .versions = quantization_versions, .inputs = dequantize_inputs, .outputs = quantization_outputs};
constinit const Schema DynamicQuantizeLinear::schema = {.name = "DynamicQuantizeLinear",
                                                        .versions = dynamic_quantize_versions,
                                                        .inputs = dynamic_quantize_inputs,
                                                        .outputs = dynamic_quantize_outputs};

Operand quantized(Composer& composer, const Operand& numbers, const std::optional<Operand>& zero_point, DType dtype)
{
    const std::optional<IntegerRange> range = quantized_range(dtype);
    if (!range) {
        composer.fail(Status(Code::unsupported, "its output has type " + std::string(name(dtype)) +
                                                    ", supported are integers of 2 to 16 bits, float4e2m1 and float8"));
        return {};
    }
    const DType wide = numbers.desc.dtype;
    Operand y = composer.add(ElementwiseKind::round, {numbers});
    if (zero_point)
        y = composer.add(ElementwiseKind::add, {y, composer.cast(*zero_point, wide)});
    y = composer.add(ElementwiseKind::max, {y, composer.constant(wide, range->least)});
    y = composer.add(ElementwiseKind::min, {y, composer.constant(wide, range->greatest)});
    return composer.cast(y, dtype);
}

bool is_all_known(const Composer& composer, size_t inputs)
{
    for (size_t i = 0; i < inputs; ++i)
        if (composer.has(i) && !composer.is_known(i))
            return false;
    return true;
}

bool check_one(Composer& composer, size_t input, std::string_view name)
{
    const TensorDesc& desc = composer.input(input).desc;
    const Result<int64_t> count = element_count(desc);
    return composer.check(count && *count == 1, std::string(name) + " is " + to_string(desc) + ", expected one element");
}

Operand with_channels(Composer& composer, const Operand& x, Channels place, bool is_asked)
{
    const size_t rank = x.desc.dims.size();
    if (!is_asked || rank < 3)
        return x;
    std::vector<int64_t> perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    std::rotate(perm.begin() + 1, place == Channels::first ? perm.end() - 1 : perm.begin() + 2, perm.end());
    return composer.add(Transpose{.perm = std::move(perm)}, {x});
}

Operand centred(Composer& composer, const Operand& x, const std::optional<Operand>& zero_point, DType made)
{
    const Operand wide = composer.cast(x, made);
    if (!zero_point || !composer.check(is_broadcast(zero_point->desc.dims, x.desc.dims),
                                       "a zero point is " + to_string(zero_point->desc) +
                                           ", expected dimensions that are broadcast to those of " + to_string(x.desc)))
        return wide;
    return composer.add(ElementwiseKind::sub, {wide, composer.cast(*zero_point, made)});
}

void QuantizeLinear::compose(Composer& composer) const
{
    const Granularity granularity = {axis.value_or(1), block_size.value_or(0)};
    if (!check_block_size(composer, granularity.block_size))
        return;
    const DType given = composer.has(2) ? composer.input(2).desc.dtype : DType::undefined;
    const int64_t number = output_dtype.value_or(0);
    const DType wanted = type_of(number);
    if (!composer.check(number == 0 || wanted != DType::undefined,
                        "output_dtype = " + std::to_string(number) + " is the number of no type") ||
        !composer.check(number == 0 || given == DType::undefined || wanted == given,
                        "output_dtype = " + std::to_string(number) + ", but y_zero_point has type " + std::string(name(given))))
        return;
    const DType made = wanted != DType::undefined ? wanted : given != DType::undefined ? given : DType::uint8;
    std::optional<Operand> zero_point;
    if (composer.has(2))
        zero_point =
            spread(composer, bits(made) < 8 ? composer.cast(composer.input(2), DType::float32) : composer.input(2), granularity);
    const Operand x = composer.cast(composer.input(0), DType::float32);
    const Operand scale = composer.cast(spread(composer, composer.input(1), granularity), DType::float32);
    Operand y = composer.add(ElementwiseKind::div, {x, scale});
    const bool saturates = composer.flag(saturate, "saturate", true);
    if (!is_signed_float8(made) && made != DType::float4e2m1)
        return composer.set_output(0, quantized(composer, y, zero_point, made));
    if (zero_point)
        y = composer.add(ElementwiseKind::add, {y, composer.cast(*zero_point, DType::float32)});
    composer.set_output(0, composer.add(Cast{.to = int64_t(made), .saturate = saturates}, {y}));
}

// Weights that are known are made floats before anything runs, so that they are packed once.
void DequantizeLinear::compose(Composer& composer) const
{
    const Granularity granularity = {axis.value_or(1), block_size.value_or(0)};
    const Operand x = composer.input(0);
    if (!check_block_size(composer, granularity.block_size))
        return;
    const bool is_packed = bits(x.desc.dtype) == 2 || bits(x.desc.dtype) == 4;
    const bool is_small =
        quantized_range(x.desc.dtype) || is_signed_float8(x.desc.dtype) || is_packed;  // a float holds its numbers
    if (x.desc.dtype != DType::int32 && !is_small)
        return composer.fail(
            Status(Code::unsupported, "x has type " + std::string(name(x.desc.dtype)) +
                                          ", supported are integers of 2 to 16 bits, int32, float4e2m1 and float8"));
    const DType wide = is_small ? DType::float32 : DType::int32;
    std::optional<Operand> zero_point;
    if (composer.has(2))
        zero_point = spread(composer, is_packed ? composer.cast(composer.input(2), wide) : composer.input(2), granularity);
    const Operand scale = spread(composer, composer.input(1), granularity);
    const DType made = output_dtype.value_or(0) != 0 ? type_of(*output_dtype) : scale.desc.dtype;
    if (!composer.check(is_real(made), output_dtype.value_or(0) != 0
                                           ? "output_dtype = " + std::to_string(*output_dtype) + ", expected that of floats"
                                           : "x_scale is " + to_string(scale.desc) + ", expected floats"))
        return;
    const TensorDesc desc = {.dtype = made, .dims = x.desc.dims};
    if (is_all_known(composer, 3) && quantized_range(x.desc.dtype) && !is_packed && composer.fits(desc)) {
        const std::vector<double> numbers = composer.numbers(0, "x"), scales = composer.numbers(1, "x_scale");
        const std::vector<double> zeros = zero_point ? composer.numbers(2, "x_zero_point") : std::vector<double>{0};
        const bool has_parts = scales.size() != 1 || zeros.size() != 1;
        const size_t at = has_parts ? composer.axis(granularity.axis, desc.dims.size()) : 0;
        const auto of = [&](const std::vector<double>& parameter, int64_t i) {
            return parameter[size_t(index_of_scale(desc.dims, at, granularity.block_size, int64_t(parameter.size()), i))];
        };
        return composer.set_output(
            0, composer.constant(desc, [&](int64_t i) { return (numbers[size_t(i)] - of(zeros, i)) * of(scales, i); }));
    }
    const Operand difference = composer.cast(centred(composer, x, zero_point, wide), DType::float32);
    const Operand y = composer.add(ElementwiseKind::mul, {difference, composer.cast(scale, DType::float32)});
    composer.set_output(0, composer.cast(y, made));
}

// The range of x, with 0 in it, becomes that of uint8. Where x is nothing but zeros the scale is 1, as in ONNX Runtime.
Quantized dynamically_quantized(Composer& composer, const Operand& x)
{
    const Operand zero = composer.constant(DType::float32, 0);
    const Operand greatest = composer.add(ElementwiseKind::max, {composer.add(ReduceMax{.keepdims = 0}, {x}), zero});
    const Operand least = composer.add(ElementwiseKind::min, {composer.add(ReduceMin{.keepdims = 0}, {x}), zero});
    const Operand range = composer.add(ElementwiseKind::sub, {greatest, least});
    const Operand step = composer.add(ElementwiseKind::div, {range, composer.constant(DType::float32, 255)});
    const Operand is_zero = composer.add(Equal(), {range, zero});
    const Operand scale = composer.add(Where(), {is_zero, composer.constant(DType::float32, 1), step});
    const Operand below = composer.add(ElementwiseKind::div, {composer.add(ElementwiseKind::sub, {zero, least}), scale});
    const Operand zero_point = quantized(composer, below, {}, DType::uint8);
    return {quantized(composer, composer.add(ElementwiseKind::div, {x, scale}), zero_point, DType::uint8), scale, zero_point};
}

void DynamicQuantizeLinear::compose(Composer& composer) const
{
    const Operand x = composer.input(0);
    if (!composer.check(x.desc.dtype == DType::float32, "x is " + to_string(x.desc) + ", expected float"))
        return;
    const Quantized y = dynamically_quantized(composer, x);
    composer.set_output(0, y.elements);
    composer.set_output(1, y.scale);
    composer.set_output(2, y.zero_point);
}

}  // namespace vkonnx::graph
