// SPDX-License-Identifier: Apache-2.0
// This file has the operators that multiply integers of 8 bits: MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv, and
// QGemm, MatMulIntegerToFloat, DynamicQuantizeMatMul and another QLinearConv of com.microsoft.
#include <algorithm>
#include <cmath>

#include "graph/composites/contrib.h"
#include "graph/composites/integer_products.h"
#include "graph/composites/microsoft_quantization.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr int64_t integer_versions[] = {10};
constexpr Schema::Input matmul_integer_inputs[] = {{.name = "A"},
                                                   {.name = "B"},
                                                   {.name = "a_zero_point", .option = Option::optional},
                                                   {.name = "b_zero_point", .option = Option::optional}};
constexpr Schema::Output matmul_integer_outputs[] = {{"Y"}};
constexpr Schema::Input conv_integer_inputs[] = {{.name = "x"},
                                                 {.name = "w"},
                                                 {.name = "x_zero_point", .option = Option::optional},
                                                 {.name = "w_zero_point", .option = Option::optional}};
constexpr Schema::Output integer_outputs[] = {{"y"}};
constexpr int64_t qlinear_matmul_versions[] = {10, 21};
constexpr Schema::Input qlinear_matmul_inputs[] = {{.name = "a"},       {.name = "a_scale"},     {.name = "a_zero_point"},
                                                   {.name = "b"},       {.name = "b_scale"},     {.name = "b_zero_point"},
                                                   {.name = "y_scale"}, {.name = "y_zero_point"}};
constexpr Schema::Input qlinear_conv_inputs[] = {
    {.name = "x"},       {.name = "x_scale"},      {.name = "x_zero_point"},
    {.name = "w"},       {.name = "w_scale"},      {.name = "w_zero_point"},
    {.name = "y_scale"}, {.name = "y_zero_point"}, {.name = "B", .option = Option::optional}};
constexpr Schema::Input qgemm_inputs[] = {{.name = "A"},
                                          {.name = "a_scale"},
                                          {.name = "a_zero_point"},
                                          {.name = "B"},
                                          {.name = "b_scale"},
                                          {.name = "b_zero_point"},
                                          {.name = "C", .option = Option::optional},
                                          {.name = "y_scale", .option = Option::optional},
                                          {.name = "y_zero_point", .option = Option::optional}};
constexpr Schema::Input matmul_to_float_inputs[] = {{.name = "A"},
                                                    {.name = "B"},
                                                    {.name = "a_scale"},
                                                    {.name = "b_scale"},
                                                    {.name = "a_zero_point", .option = Option::optional},
                                                    {.name = "b_zero_point", .option = Option::optional},
                                                    {.name = "bias", .option = Option::optional}};
constexpr Schema::Input dynamic_quantize_matmul_inputs[] = {{.name = "A"},
                                                            {.name = "B"},
                                                            {.name = "b_scale"},
                                                            {.name = "b_zero_point", .option = Option::optional},
                                                            {.name = "bias", .option = Option::optional}};

// Returns sums, of so many terms each, with the bias of their channel. It is added as a float where a float holds the result
// whatever x is, and else as int32.
Operand with_bias(Composer& composer, const Operand& sums, size_t input, int64_t terms)
{
    const Operand& bias = composer.input(input);
    const auto spread = [&](const Operand& numbers) {
        return of_channels(composer, numbers, sums.desc.dims[1], sums.desc.dims.size() - 1);
    };
    if (sums.desc.dtype == DType::float32 && composer.is_known(input)) {
        const std::vector<double> numbers = composer.numbers(input, "B");
        const bool fits = std::all_of(numbers.begin(), numbers.end(), [&](double number) {
            return double(terms) * 255 * 255 + std::abs(number) < double(sums_without_error);
        });
        if (fits)
            return composer.add(ElementwiseKind::add,
                                {sums, spread(composer.constant({.dtype = DType::float32, .dims = bias.desc.dims},
                                                                [&](int64_t i) { return numbers[size_t(i)]; }))});
    }
    return composer.add(ElementwiseKind::add, {composer.cast(sums, DType::int32), spread(bias)});
}

// Returns sums, in units of a_scale * b_scale, as floats in units of y_scale, or of 1 where there is none.
Operand scaled(Composer& composer, const Operand& sums, const Operand& a_scale, const Operand& b_scale,
               const std::optional<Operand>& y_scale = {})
{
    const auto wide = [&](const Operand& scale) { return composer.cast(scale, DType::float32); };
    Operand factor = composer.add(ElementwiseKind::mul, {wide(a_scale), wide(b_scale)});
    if (y_scale)
        factor = composer.add(ElementwiseKind::div, {factor, wide(*y_scale)});
    composer.check(is_broadcast(factor.desc.dims, sums.desc.dims), "the scales make " + to_string(factor.desc) +
                                                                       ", expected dimensions that are broadcast to those of " +
                                                                       to_string(sums.desc));
    return composer.add(ElementwiseKind::mul, {composer.cast(sums, DType::float32), factor});
}

// Returns floats with a bias, an input whose dimensions are broadcast to theirs, if that is given.
Operand biased(Composer& composer, const Operand& y, size_t bias)
{
    if (!composer.status() || !composer.has(bias) || !composer.check_broadcast(bias, "bias", y.desc))
        return y;
    return composer.add(ElementwiseKind::add, {y, composer.cast(composer.input(bias), DType::float32)});
}

// Returns a matrix, with its axes exchanged if the attribute asks for it.
Operand matrix_of(Composer& composer, size_t input, const char* name, bool transposed)
{
    const Operand x = composer.input(input);
    composer.check(x.desc.dims.size() == 2, std::string(name) + " is " + to_string(x.desc) + ", expected two dimensions");
    return transposed ? composer.add(Transpose{.perm = {1, 0}}, {x}) : x;
}

// Checks that a scale or zero point of B has one element, or one for each column.
bool check_columns(Composer& composer, size_t input, const std::string& name, int64_t columns)
{
    const TensorDesc& desc = composer.input(input).desc;
    const Result<int64_t> count = element_count(desc);
    return composer.check((count && *count == 1) || desc.dims == std::vector<int64_t>{columns},
                          name + " is " + to_string(desc) + ", expected one element, or " + std::to_string(columns));
}

// Computes QLinearConv. The channels of x and y lie behind the other axes if `channels_last` says so.
void compose_qlinear_conv(Composer& composer, const Conv& conv, bool channels_last)
{
    if (!check_bytes(composer, 0, "x") || !check_bytes(composer, 3, "w") || !check_one(composer, 1, "x_scale") ||
        !check_one(composer, 2, "x_zero_point") || !check_one(composer, 6, "y_scale") || !check_one(composer, 7, "y_zero_point"))
        return;
    const Factor x = {with_channels(composer, composer.input(0), Channels::first, channels_last), composer.input(2)};
    Operand sums = integer_conv(composer, conv, x, factor_of(composer, 3, 5));
    const std::vector<int64_t>& dims = composer.dims(3);
    if (!composer.status())
        return;
    if (composer.has(8)) {
        if (!composer.check(composer.input(8).desc.dtype == DType::int32,
                            "B is " + to_string(composer.input(8).desc) + ", expected int32"))
            return;
        sums = with_bias(composer, sums, 8, extent_of(dims, 1, dims.size()));
    }
    const Operand y =
        scaled(composer, sums, Composer::view(composer.input(1), {}),
               of_channels(composer, composer.input(4), dims[0], dims.size() - 1), Composer::view(composer.input(6), {}));
    const Operand zero_point = Composer::view(composer.input(7), {});
    composer.set_output(
        0, with_channels(composer, quantized(composer, y, zero_point, zero_point.desc.dtype), Channels::last, channels_last));
}

// Makes output 0 of a scaled product, in the type of the scale of B.
void compose_scaled_product(Composer& composer, const Factor& a, const Operand& a_scale, const ProductInputs& inputs)
{
    const Operand y = scaled_product(composer, a, a_scale, inputs);
    composer.set_output(0, composer.cast(y, composer.input(inputs.b_scale).desc.dtype));
}

}  // namespace

bool check_bytes(Composer& composer, size_t input, std::string_view name)
{
    const TensorDesc& desc = composer.input(input).desc;
    return composer.check(is_byte(desc.dtype), std::string(name) + " is " + to_string(desc) + ", expected int8 or uint8");
}

Factor factor_of(const Composer& composer, size_t x, size_t zero_point)
{
    return {composer.input(x), composer.has(zero_point) ? std::optional(composer.input(zero_point)) : std::nullopt};
}

Operand scaled_product(Composer& composer, const Factor& a, const Operand& a_scale, const ProductInputs& inputs)
{
    const std::vector<int64_t>& dims = composer.dims(inputs.b);
    const int64_t columns = dims.size() < 2 ? 1 : dims.back();
    const std::string scale = inputs.b_name + "_scale", zero_point = inputs.b_name + "_zero_point";
    if (!composer.check_floats(inputs.b_scale, scale) || !check_columns(composer, inputs.b_scale, scale, columns) ||
        (composer.has(inputs.b_zero_point) && !check_columns(composer, inputs.b_zero_point, zero_point, columns)))
        return a.x;
    const Operand sums = integer_matmul(composer, a, factor_of(composer, inputs.b, inputs.b_zero_point));
    return biased(composer, scaled(composer, sums, a_scale, of_columns(composer.input(inputs.b_scale))), inputs.bias);
}

constinit const Schema MatMulInteger::schema = {
    .name = "MatMulInteger", .versions = integer_versions, .inputs = matmul_integer_inputs, .outputs = matmul_integer_outputs};
constinit const Schema ConvInteger::schema = {
    .name = "ConvInteger", .versions = integer_versions, .inputs = conv_integer_inputs, .outputs = integer_outputs};
constinit const Schema QLinearMatMul::schema = {
    .name = "QLinearMatMul", .versions = qlinear_matmul_versions, .inputs = qlinear_matmul_inputs, .outputs = integer_outputs};
constinit const Schema QLinearConv::schema = {
    .name = "QLinearConv", .versions = integer_versions, .inputs = qlinear_conv_inputs, .outputs = integer_outputs};
constinit const Schema MicrosoftQLinearConv::schema = contrib("QLinearConv", qlinear_conv_inputs);
constinit const Schema QGemm::schema = contrib("QGemm", qgemm_inputs);
constinit const Schema MatMulIntegerToFloat::schema = contrib("MatMulIntegerToFloat", matmul_to_float_inputs);
constinit const Schema DynamicQuantizeMatMul::schema = contrib("DynamicQuantizeMatMul", dynamic_quantize_matmul_inputs);

void MatMulInteger::compose(Composer& composer) const
{
    if (check_bytes(composer, 0, "A") && check_bytes(composer, 1, "B"))
        composer.set_output(
            0, composer.cast(integer_matmul(composer, factor_of(composer, 0, 2), factor_of(composer, 1, 3)), DType::int32));
}

void ConvInteger::compose(Composer& composer) const
{
    if (check_bytes(composer, 0, "x") && check_bytes(composer, 1, "w") &&
        (!composer.has(2) || check_one(composer, 2, "x_zero_point")))
        composer.set_output(
            0, composer.cast(integer_conv(composer, conv, factor_of(composer, 0, 2), factor_of(composer, 1, 3)), DType::int32));
}

void QLinearMatMul::compose(Composer& composer) const
{
    if (!check_bytes(composer, 0, "a") || !check_bytes(composer, 3, "b") || !check_one(composer, 6, "y_scale") ||
        !check_one(composer, 7, "y_zero_point"))
        return;
    const Operand sums = integer_matmul(composer, factor_of(composer, 0, 2), factor_of(composer, 3, 5));
    const Operand y =
        scaled(composer, sums, of_rows(composer.input(1)), of_columns(composer.input(4)), Composer::view(composer.input(6), {}));
    const Operand zero_point = Composer::view(composer.input(7), {});
    composer.set_output(0, quantized(composer, y, zero_point, zero_point.desc.dtype));
}

void QLinearConv::compose(Composer& composer) const
{
    compose_qlinear_conv(composer, conv, false);
}

void MicrosoftQLinearConv::compose(Composer& composer) const
{
    compose_qlinear_conv(composer, conv, composer.flag(channels_last, "channels_last"));
}

// Computes alpha * a_scale * b_scale * ((A' - a_zero_point) * (B' - b_zero_point) + C), where A' and B' are transposed as the
// attributes say. It is rounded if there is a y_scale.
void QGemm::compose(Composer& composer) const
{
    const bool is_rounded = composer.has(7);
    if (!check_bytes(composer, 0, "A") || !check_bytes(composer, 3, "B") || !check_one(composer, 1, "a_scale") ||
        !check_one(composer, 2, "a_zero_point") ||
        !composer.check(is_rounded == composer.has(8), "of y_scale and y_zero_point one is given, expected both or none"))
        return;
    const Factor a = {matrix_of(composer, 0, "A", composer.flag(transA, "transA")), composer.input(2)};
    const Factor b = {matrix_of(composer, 3, "B", composer.flag(transB, "transB")), composer.input(5)};
    if (!composer.status() || !check_columns(composer, 4, "b_scale", b.x.desc.dims[1]) ||
        !check_columns(composer, 5, "b_zero_point", b.x.desc.dims[1]))
        return;
    Operand sums = integer_matmul(composer, a, b);
    if (composer.has(6)) {
        const TensorDesc& c = composer.input(6).desc;
        if (!composer.check(c.dtype == DType::int32, "C is " + to_string(c) + ", expected int32") ||
            !composer.check_broadcast(6, "C", sums.desc))
            return;
        sums = composer.add(ElementwiseKind::add, {composer.cast(sums, DType::int32), composer.input(6)});
    }
    Operand a_scale = Composer::view(composer.input(1), {});
    if (alpha.value_or(1) != 1)
        a_scale = composer.add(ElementwiseKind::mul, {a_scale, composer.constant(DType::float32, *alpha)});
    const Operand b_scale = of_columns(composer.input(4));
    if (!is_rounded)
        return composer.set_output(0, scaled(composer, sums, a_scale, b_scale));
    if (!check_one(composer, 7, "y_scale") || !check_one(composer, 8, "y_zero_point"))
        return;
    const Operand y = scaled(composer, sums, a_scale, b_scale, Composer::view(composer.input(7), {}));
    const Operand zero_point = Composer::view(composer.input(8), {});
    composer.set_output(0, quantized(composer, y, zero_point, zero_point.desc.dtype));
}

// Computes a_scale * b_scale * (A - a_zero_point) * (B - b_zero_point) + bias.
void MatMulIntegerToFloat::compose(Composer& composer) const
{
    if (!check_bytes(composer, 0, "A") || !check_bytes(composer, 1, "B") || !check_one(composer, 2, "a_scale") ||
        (composer.has(4) && !check_one(composer, 4, "a_zero_point")))
        return;
    compose_scaled_product(composer, factor_of(composer, 0, 4), Composer::view(composer.input(2), {}), {1, 3, 5, 6, "b"});
}

// Computes the same of A rounded as by DynamicQuantizeLinear.
void DynamicQuantizeMatMul::compose(Composer& composer) const
{
    const Operand a = composer.input(0);
    if (!composer.check(a.desc.dtype == DType::float32, "A is " + to_string(a.desc) + ", expected float") ||
        !check_bytes(composer, 1, "B"))
        return;
    const Quantized q = dynamically_quantized(composer, a);
    compose_scaled_product(composer, {q.elements, q.zero_point}, q.scale, {1, 2, 3, 4, "b"});
}

}  // namespace vkonnx::graph
