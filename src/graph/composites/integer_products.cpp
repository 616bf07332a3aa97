// SPDX-License-Identifier: Apache-2.0
// This file has products of integers of 8 bits: MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv.
//
// They are computed by the engine of floats, which is fast on every device, and are exact all the same: whole numbers are added
// without an error, in any order, as long as no sum reaches 2^24. Differences x - zero_point are from -255 to 255. Where there
// are too many terms for that, a difference d is divided into high * 16 + low, of which each is from -15 to 15, and the products
// are added as int32.
//
//   terms      products of floats
//   258        a * b                                        255 * 255 * 258 < 2^24
//   4386       a * high(b), a * low(b)                      255 *  15 * 4386 < 2^24
//   74565      the four of high(a), low(a), high(b), low(b)  15 *  15 * 74565 < 2^24
#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/composites/quantization.h"

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

constexpr int64_t sums_without_error = int64_t(1) << 24;

using Product = std::function<Operand(const Operand&, const Operand&)>;

// This struct is a factor: x - zero_point, of 8 bits each.
struct Factor {
    Operand x = {};
    std::optional<Operand> zero_point = {};
};

// These are the two parts of differences, as floats. Where they are not divided, `low` is all of them.
struct Digits {
    std::optional<Operand> high = {};
    Operand low = {};
};

Digits digits_of(Composer& composer, const Factor& factor, bool divided)
{
    if (!divided)
        return {{}, centred(composer, factor.x, factor.zero_point, DType::float32)};
    const Operand differences = centred(composer, factor.x, factor.zero_point, DType::int32);
    const Operand base = composer.constant(DType::int32, 16);
    const Operand high = composer.add(ElementwiseKind::div, {differences, base});
    const Operand low = composer.add(ElementwiseKind::sub, {differences, composer.add(ElementwiseKind::mul, {high, base})});
    return {composer.cast(high, DType::float32), composer.cast(low, DType::float32)};
}

// Returns the product as whole floats, or as int32 where one of the factors is divided. Each of its elements is a sum of so many
// terms.
Operand exact_product(Composer& composer, const Factor& a, const Factor& b, int64_t terms, const Product& product)
{
    const bool b_is_divided = terms > (sums_without_error - 1) / (255 * 255),
               a_is_divided = terms > (sums_without_error - 1) / (255 * 15);
    if (terms > (sums_without_error - 1) / (15 * 15)) {
        composer.fail(Status(Code::unsupported, "each element is a sum of " + std::to_string(terms) +
                                                    " products, supported are " +
                                                    std::to_string((sums_without_error - 1) / (15 * 15))));
        return {};
    }
    const Digits x = digits_of(composer, a, a_is_divided), y = digits_of(composer, b, b_is_divided);
    if (!y.high)
        return product(x.low, y.low);
    const Operand base = composer.constant(DType::int32, 16);
    const auto whole = [&](const Operand& first, const Operand& second) {
        return composer.cast(product(first, second), DType::int32);
    };
    const auto joined = [&](const Operand& high, const Operand& low) {
        return composer.add(ElementwiseKind::add, {composer.add(ElementwiseKind::mul, {high, base}), low});
    };
    const auto with_all_of_b = [&](const Operand& digit) { return joined(whole(digit, *y.high), whole(digit, y.low)); };
    const Operand low = with_all_of_b(x.low);
    return x.high ? joined(with_all_of_b(*x.high), low) : low;
}

bool check_bytes(Composer& composer, size_t input, const char* name)
{
    const TensorDesc& desc = composer.input(input).desc;
    return composer.check(desc.dtype == DType::int8 || desc.dtype == DType::uint8,
                          std::string(name) + " is " + to_string(desc) + ", expected int8 or uint8");
}

// Returns a scale or zero point of the rows of A or, as it is, of the columns of B. One of several elements and one axis is a
// column of as many.
Operand of_rows(const Operand& parameter)
{
    const std::vector<int64_t>& dims = parameter.desc.dims;
    if (dims == std::vector<int64_t>{1})
        return Composer::view(parameter, {});
    return dims.size() == 1 ? Composer::view(parameter, {dims[0], 1}) : parameter;
}

Operand of_columns(const Operand& parameter)
{
    return parameter.desc.dims == std::vector<int64_t>{1} ? Composer::view(parameter, {}) : parameter;
}

// Returns a scale or zero point of output channels under dimensions that broadcast to those of W or of Y.
Operand of_channels(Composer& composer, const Operand& parameter, int64_t channels, size_t axes)
{
    const std::vector<int64_t>& dims = parameter.desc.dims;
    if (dims.empty() || dims == std::vector<int64_t>{1})
        return Composer::view(parameter, {});
    composer.check(dims == std::vector<int64_t>{channels}, "a scale or zero point of w is " + to_string(parameter.desc) +
                                                               ", expected one element, or " + std::to_string(channels));
    std::vector<int64_t> spread(axes, 1);
    spread[0] = channels;
    return Composer::view(parameter, spread);
}

bool check_one(Composer& composer, size_t input, const char* name)
{
    const TensorDesc& desc = composer.input(input).desc;
    const Result<int64_t> count = element_count(desc);
    return composer.check(count && *count == 1, std::string(name) + " is " + to_string(desc) + ", expected one element");
}

// Returns A * B of inputs `a` and `b`, without their zero points.
Operand integer_matmul(Composer& composer, size_t a, size_t b, std::optional<size_t> a_zero, std::optional<size_t> b_zero)
{
    const std::vector<int64_t>& dims = composer.dims(a);
    if (!composer.check(!dims.empty(), "A has no axis"))
        return {};
    std::optional<Operand> a_zeros, b_zeros;
    if (a_zero)
        a_zeros = of_rows(composer.input(*a_zero));
    if (b_zero)
        b_zeros = of_columns(composer.input(*b_zero));
    return exact_product(composer, {composer.input(a), a_zeros}, {composer.input(b), b_zeros}, dims.back(),
                         [&](const Operand& x, const Operand& y) {
                             return composer.add(MatMul(), {x, y});
                         });
}

// Returns the convolution of x with w, without their zero points.
Operand integer_conv(Composer& composer, const Conv& conv, size_t x, size_t w, std::optional<size_t> x_zero,
                     std::optional<size_t> w_zero)
{
    const std::vector<int64_t>& dims = composer.dims(w);
    if (!composer.check(dims.size() >= 3, "w is " + to_string(composer.input(w).desc) + ", expected three dimensions or more") ||
        (x_zero && !check_one(composer, *x_zero, "x_zero_point")))
        return {};
    std::optional<Operand> x_zeros, w_zeros;
    if (x_zero)
        x_zeros = Composer::view(composer.input(*x_zero), {});
    if (w_zero)
        w_zeros = of_channels(composer, composer.input(*w_zero), dims[0], dims.size());
    return exact_product(composer, {composer.input(x), x_zeros}, {composer.input(w), w_zeros}, extent_of(dims, 1, dims.size()),
                         [&](const Operand& inputs, const Operand& weights) {
                             return composer.add(conv, {inputs, weights});
                         });
}

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

// Returns sums, in units of x_scale * w_scale, as numbers in units of y_scale.
Operand rescaled(Composer& composer, const Operand& sums, const Operand& x_scale, const Operand& w_scale, const Operand& y_scale)
{
    const auto wide = [&](const Operand& scale) { return composer.cast(scale, DType::float32); };
    const Operand product = composer.add(ElementwiseKind::mul, {wide(x_scale), wide(w_scale)});
    const Operand factor = composer.add(ElementwiseKind::div, {product, wide(y_scale)});
    return composer.add(ElementwiseKind::mul, {composer.cast(sums, DType::float32), factor});
}

std::optional<size_t> if_given(const Composer& composer, size_t input)
{
    return composer.has(input) ? std::optional(input) : std::nullopt;
}

}  // namespace

constinit const Schema MatMulInteger::schema = {
    .name = "MatMulInteger", .versions = integer_versions, .inputs = matmul_integer_inputs, .outputs = matmul_integer_outputs};
constinit const Schema ConvInteger::schema = {
    .name = "ConvInteger", .versions = integer_versions, .inputs = conv_integer_inputs, .outputs = integer_outputs};
constinit const Schema QLinearMatMul::schema = {
    .name = "QLinearMatMul", .versions = qlinear_matmul_versions, .inputs = qlinear_matmul_inputs, .outputs = integer_outputs};
constinit const Schema QLinearConv::schema = {
    .name = "QLinearConv", .versions = integer_versions, .inputs = qlinear_conv_inputs, .outputs = integer_outputs};

void MatMulInteger::compose(Composer& composer) const
{
    if (check_bytes(composer, 0, "A") && check_bytes(composer, 1, "B"))
        composer.set_output(
            0, composer.cast(integer_matmul(composer, 0, 1, if_given(composer, 2), if_given(composer, 3)), DType::int32));
}

void ConvInteger::compose(Composer& composer) const
{
    if (check_bytes(composer, 0, "x") && check_bytes(composer, 1, "w"))
        composer.set_output(
            0, composer.cast(integer_conv(composer, conv, 0, 1, if_given(composer, 2), if_given(composer, 3)), DType::int32));
}

void QLinearMatMul::compose(Composer& composer) const
{
    if (!check_bytes(composer, 0, "a") || !check_bytes(composer, 3, "b") || !check_one(composer, 6, "y_scale") ||
        !check_one(composer, 7, "y_zero_point"))
        return;
    const Operand sums = integer_matmul(composer, 0, 3, 2, 5);
    const Operand y = rescaled(composer, sums, of_rows(composer.input(1)), of_columns(composer.input(4)),
                               Composer::view(composer.input(6), {}));
    const Operand zero_point = Composer::view(composer.input(7), {});
    composer.set_output(0, quantized(composer, y, zero_point, zero_point.desc.dtype));
}

void QLinearConv::compose(Composer& composer) const
{
    if (!check_bytes(composer, 0, "x") || !check_bytes(composer, 3, "w") || !check_one(composer, 1, "x_scale") ||
        !check_one(composer, 6, "y_scale") || !check_one(composer, 7, "y_zero_point"))
        return;
    Operand sums = integer_conv(composer, conv, 0, 3, 2, 5);
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
        rescaled(composer, sums, Composer::view(composer.input(1), {}),
                 of_channels(composer, composer.input(4), dims[0], dims.size() - 1), Composer::view(composer.input(6), {}));
    const Operand zero_point = Composer::view(composer.input(7), {});
    composer.set_output(0, quantized(composer, y, zero_point, zero_point.desc.dtype));
}

}  // namespace vkonnx::graph
