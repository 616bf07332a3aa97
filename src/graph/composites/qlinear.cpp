// SPDX-License-Identifier: Apache-2.0
// This file has the operators of com.microsoft that take integers of 8 bits and give such: numbers are made of them, computed
// with, and rounded. Products of matrices and convolutions are in integer_products.cpp.
//
//   y = round(f((x - x_zero_point) * x_scale) / y_scale) + y_zero_point
#include "graph/composites/contrib.h"
#include "graph/composites/microsoft_quantization.h"
#include "graph/composites/quantization.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr Schema::Input microsoft_quantize_inputs[] = {
    {.name = "x"}, {.name = "y_scale"}, {.name = "y_zero_point", .option = Option::optional}};
constexpr Schema::Input microsoft_dequantize_inputs[] = {
    {.name = "x"}, {.name = "x_scale"}, {.name = "x_zero_point", .option = Option::optional}};
constexpr Schema::Input qlinear_unary_inputs[] = {{.name = "X"},
                                                  {.name = "X_scale"},
                                                  {.name = "X_zero_point", .option = Option::optional},
                                                  {.name = "Y_scale"},
                                                  {.name = "Y_zero_point", .option = Option::optional}};
constexpr Schema::Input qlinear_binary_inputs[] = {{.name = "A"},
                                                   {.name = "A_scale"},
                                                   {.name = "A_zero_point", .option = Option::optional},
                                                   {.name = "B"},
                                                   {.name = "B_scale"},
                                                   {.name = "B_zero_point", .option = Option::optional},
                                                   {.name = "C_scale"},
                                                   {.name = "C_zero_point", .option = Option::optional}};
constexpr Schema::Input qlinear_concat_inputs[] = {
    {.name = "Y_scale"}, {.name = "Y_zero_point"}, {.name = "inputs", .option = Option::variadic}};
constexpr Schema::Input qlinear_where_inputs[] = {{.name = "condition"},    {.name = "X"},       {.name = "x_scale"},
                                                  {.name = "x_zero_point"}, {.name = "Y"},       {.name = "y_scale"},
                                                  {.name = "y_zero_point"}, {.name = "z_scale"}, {.name = "z_zero_point"}};

// This struct says how integers stand for numbers. Without a zero point it is 0.
struct Parameters {
    Operand scale = {};  // a float
    std::optional<Operand> zero_point = {};
};

// Returns what input `at`, a scale, and the one behind it, a zero point, say about integers of a type. After an error it is
// nothing.
std::optional<Parameters> parameters_at(Composer& composer, size_t at, DType dtype)
{
    const std::string scale = "input " + std::to_string(at) + ", a scale,";
    const std::string zero_point = "input " + std::to_string(at + 1) + ", a zero point,";
    if (!composer.check_floats(at, scale) || !check_one(composer, at, scale))
        return {};
    Parameters made = {.scale = composer.cast(Composer::view(composer.input(at), {}), DType::float32)};
    if (!composer.has(at + 1))
        return made;
    const TensorDesc& desc = composer.input(at + 1).desc;
    if (!composer.check(desc.dtype == dtype, zero_point + " is " + to_string(desc) + ", expected " + std::string(name(dtype))) ||
        !check_one(composer, at + 1, zero_point))
        return {};
    made.zero_point = Composer::view(composer.input(at + 1), {});
    return made;
}

// Returns (q - zero_point) * scale as floats. The scale is input `scale`, and the zero point is the one behind it. q is the input
// in front of it, perhaps with its axes in another order.
Operand dequantized(Composer& composer, const Operand& q, size_t scale)
{
    if (!composer.check(is_byte(q.desc.dtype),
                        "input " + std::to_string(scale - 1) + " is " + to_string(q.desc) + ", expected int8 or uint8"))
        return {};
    const std::optional<Parameters> parameters = parameters_at(composer, scale, q.desc.dtype);
    if (!parameters)
        return {};
    return composer.add(ElementwiseKind::mul, {centred(composer, q, parameters->zero_point, DType::float32), parameters->scale});
}

// Returns floats as integers of the type, by the scale that is input `scale` and the zero point behind it.
Operand requantized(Composer& composer, const Operand& numbers, size_t scale, DType dtype)
{
    const std::optional<Parameters> parameters = parameters_at(composer, scale, dtype);
    if (!parameters)
        return {};
    return quantized(composer, composer.add(ElementwiseKind::div, {numbers, parameters->scale}), parameters->zero_point, dtype);
}

// Computes an elementwise operator of inputs X, X_scale, X_zero_point, Y_scale and Y_zero_point.
void compose_unary(Composer& composer, const Elementwise& op)
{
    const Operand x = composer.input(0);
    composer.set_output(0, requantized(composer, composer.add(op, {dequantized(composer, x, 1)}), 3, x.desc.dtype));
}

// Computes an elementwise operator of inputs A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale and C_zero_point.
void compose_binary(Composer& composer, ElementwiseKind kind)
{
    const Operand a = composer.input(0), b = composer.input(3);
    if (!composer.check(a.desc.dtype == b.desc.dtype,
                        "B is " + to_string(b.desc) + ", expected " + std::string(name(a.desc.dtype)) + ", the type of A"))
        return;
    const Operand y = composer.add(kind, {dequantized(composer, a, 1), dequantized(composer, b, 4)});
    composer.set_output(0, requantized(composer, y, 6, a.desc.dtype));
}

}  // namespace

constinit const Schema MicrosoftQuantizeLinear::schema = contrib("QuantizeLinear", microsoft_quantize_inputs);
constinit const Schema MicrosoftDequantizeLinear::schema = contrib("DequantizeLinear", microsoft_dequantize_inputs);
constinit const Schema QLinearAdd::schema = contrib("QLinearAdd", qlinear_binary_inputs);
constinit const Schema QLinearMul::schema = contrib("QLinearMul", qlinear_binary_inputs);
constinit const Schema QLinearSigmoid::schema = contrib("QLinearSigmoid", qlinear_unary_inputs);
constinit const Schema QLinearLeakyRelu::schema = contrib("QLinearLeakyRelu", qlinear_unary_inputs);
constinit const Schema QLinearSoftmax::schema = contrib("QLinearSoftmax", qlinear_unary_inputs);
constinit const Schema QLinearConcat::schema = contrib("QLinearConcat", qlinear_concat_inputs);
constinit const Schema QLinearWhere::schema = contrib("QLinearWhere", qlinear_where_inputs);
constinit const Schema QLinearAveragePool::schema = contrib("QLinearAveragePool", qlinear_unary_inputs);
constinit const Schema QLinearGlobalAveragePool::schema = contrib("QLinearGlobalAveragePool", qlinear_unary_inputs);

void MicrosoftQuantizeLinear::compose(Composer& composer) const
{
    QuantizeLinear{.axis = axis}.compose(composer);
}

void MicrosoftDequantizeLinear::compose(Composer& composer) const
{
    DequantizeLinear{.axis = axis}.compose(composer);
}

void QLinearAdd::compose(Composer& composer) const
{
    compose_binary(composer, ElementwiseKind::add);
}

void QLinearMul::compose(Composer& composer) const
{
    compose_binary(composer, ElementwiseKind::mul);
}

void QLinearSigmoid::compose(Composer& composer) const
{
    compose_unary(composer, {.kind = ElementwiseKind::sigmoid});
}

void QLinearLeakyRelu::compose(Composer& composer) const
{
    compose_unary(composer, {.kind = ElementwiseKind::leaky_relu, .alpha = alpha.value_or(0.01f)});
}

void QLinearSoftmax::compose(Composer& composer) const
{
    if (!composer.check(opset.has_value(), "opset is missing, expected the one whose Softmax it is"))
        return;
    const Operand x = composer.input(0);
    const std::vector<int64_t>& dims = composer.dims(0);
    const bool is_old = *opset < 13;
    const size_t at = composer.axis(axis.value_or(-1), dims.size());
    Operand numbers = dequantized(composer, x, 1);
    if (is_old)
        numbers = Composer::view(numbers, {extent_of(dims, 0, at), extent_of(dims, at, dims.size())});
    const Operand y = composer.add(Softmax{.axis = is_old ? 1 : int64_t(at)}, {numbers});
    composer.set_output(0, requantized(composer, Composer::view(y, dims), 3, x.desc.dtype));
}

// The inputs behind the first two are a tensor, its scale and its zero point, as often as there are tensors.
void QLinearConcat::compose(Composer& composer) const
{
    const size_t given = composer.inputs() - 2;
    if (!composer.check(axis.has_value(), "axis is missing, expected the one along which tensors are joined") ||
        !composer.check(given % 3 == 0, "there are " + std::to_string(given) +
                                            " inputs behind Y_zero_point, expected 3 for each tensor: it, its scale and its zero "
                                            "point"))
        return;
    std::vector<Operand> parts;
    for (size_t i = 2; i < composer.inputs(); i += 3)
        parts.push_back(dequantized(composer, composer.input(i), i + 1));
    const Operand y = composer.add(Concat{.axis = axis}, std::move(parts));
    composer.set_output(0, requantized(composer, y, 0, composer.input(1).desc.dtype));
}

void QLinearWhere::compose(Composer& composer) const
{
    const Operand x = dequantized(composer, composer.input(1), 2), y = dequantized(composer, composer.input(4), 5);
    const Operand z = composer.add(Where(), {composer.input(0), x, y});
    composer.set_output(0, requantized(composer, z, 7, composer.input(1).desc.dtype));
}

void QLinearAveragePool::compose(Composer& composer) const
{
    const bool is_last = composer.flag(channels_last, "channels_last");
    const Operand x = composer.input(0);
    const Operand y = composer.add(pool, {dequantized(composer, with_channels(composer, x, Channels::first, is_last), 1)});
    composer.set_output(0, with_channels(composer, requantized(composer, y, 3, x.desc.dtype), Channels::last, is_last));
}

void QLinearGlobalAveragePool::compose(Composer& composer) const
{
    const bool is_last = composer.flag(channels_last, "channels_last");
    const Operand x = composer.input(0);
    const Operand y =
        composer.add(GlobalAveragePool(), {dequantized(composer, with_channels(composer, x, Channels::first, is_last), 1)});
    composer.set_output(0, with_channels(composer, requantized(composer, y, 3, x.desc.dtype), Channels::last, is_last));
}

}  // namespace vkonnx::graph
