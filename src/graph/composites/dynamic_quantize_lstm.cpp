// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/contrib.h"
#include "graph/composites/quantization.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr Schema::Input dynamic_lstm_inputs[] = {{.name = "X"},
                                                 {.name = "W"},
                                                 {.name = "R"},
                                                 {.name = "B", .option = Option::optional},
                                                 {.name = "sequence_lens", .option = Option::optional},
                                                 {.name = "initial_h", .option = Option::optional},
                                                 {.name = "initial_c", .option = Option::optional},
                                                 {.name = "P", .option = Option::optional},
                                                 {.name = "W_scale"},
                                                 {.name = "W_zero_point"},
                                                 {.name = "R_scale"},
                                                 {.name = "R_zero_point"}};
constexpr Schema::Output dynamic_lstm_outputs[] = {{"Y", Option::optional}, {"Y_h", Option::optional}, {"Y_c", Option::optional}};

// Returns weights (directions, inputs, 4 * hidden_size) as the floats (directions, 4 * hidden_size, inputs) that LSTM takes.
// There is a scale and a zero point for each direction, or for each of its columns.
Operand weights_of(Composer& composer, size_t index, size_t scale, size_t zero, const char* name)
{
    const std::vector<int64_t>& dims = composer.dims(index);
    const TensorDesc& desc = composer.input(index).desc;
    if (!composer.check((desc.dtype == DType::int8 || desc.dtype == DType::uint8) && dims.size() == 3,
                        std::string(name) + " is " + to_string(desc) + ", expected int8 or uint8 with three dimensions"))
        return {};
    const auto spread = [&](size_t parameter, const char* kind) {
        const std::vector<int64_t>& given = composer.dims(parameter);
        const std::vector<int64_t> by_direction = {dims[0]}, by_column = {dims[0], dims[2]};
        composer.check(given == by_direction || given == by_column,
                       std::string(name) + kind + " is " + to_string(composer.input(parameter).desc) + ", expected (" +
                           std::to_string(dims[0]) + ") or (" + std::to_string(dims[0]) + ", " + std::to_string(dims[2]) + ")");
        return Composer::view(composer.input(parameter), {dims[0], 1, given == by_column ? dims[2] : 1});
    };
    const TensorDesc turned_desc = {.dtype = DType::float32, .dims = {dims[0], dims[2], dims[1]}};
    const Operand zeros = spread(zero, "_zero_point"), scales = spread(scale, "_scale");
    if (composer.status() && composer.is_known(index) && composer.is_known(scale) && composer.is_known(zero) &&
        composer.fits(turned_desc)) {
        const std::vector<double> numbers = composer.numbers(index, name);
        const std::vector<double> factors = composer.numbers(scale, name), offsets = composer.numbers(zero, name);
        const auto part = [&](const std::vector<double>& of, int64_t i) {
            const bool is_by_direction = int64_t(of.size()) == dims[0];
            return of[size_t(is_by_direction ? i / dims[1] / dims[2] : i / dims[1])];
        };
        return composer.constant(turned_desc, [&](int64_t i) {
            const int64_t input = i % dims[1], column = i / dims[1] % dims[2], direction = i / dims[1] / dims[2];
            const double number = numbers[size_t((direction * dims[1] + input) * dims[2] + column)];
            return (number - part(offsets, i)) * part(factors, i);
        });
    }
    const Operand differences = centred(composer, composer.input(index), zeros, DType::float32);
    const Operand turned = composer.add(Transpose{.perm = {0, 2, 1}}, {differences});
    const Operand factors = composer.add(Transpose{.perm = {0, 2, 1}}, {scales});
    return composer.add(ElementwiseKind::mul, {turned, factors});
}

}  // namespace

constinit const Schema DynamicQuantizeLSTM::schema = contrib("DynamicQuantizeLSTM", dynamic_lstm_inputs, dynamic_lstm_outputs);

void DynamicQuantizeLSTM::compose(Composer& composer) const
{
    const Operand x = composer.input(0);
    if (!composer.check(x.desc.dtype == DType::float32, "X is " + to_string(x.desc) + ", expected float"))
        return;
    const Quantized q = dynamically_quantized(composer, x);
    const Operand steps = centred(composer, q.elements, q.zero_point, DType::float32);
    const Operand rounded_x = composer.add(ElementwiseKind::mul, {steps, q.scale});
    std::vector<Operand> inputs = {rounded_x, weights_of(composer, 1, 8, 9, "W"), weights_of(composer, 2, 10, 11, "R")};
    for (size_t i = 3; i < 8; ++i)
        inputs.push_back(composer.input_or_nothing(i));
    while (inputs.back().value == Composer::nothing)
        inputs.pop_back();
    LSTM op = lstm;
    op.rounds_h = true;
    op.outputs = composer.wants(2) ? 3 : composer.wants(1) ? 2 : 1;
    const std::vector<Operand> made = composer.add_all(std::move(op), inputs);
    for (size_t i = 0; i < made.size(); ++i)
        composer.set_output(i, made[i]);
}

}  // namespace vkonnx::graph
