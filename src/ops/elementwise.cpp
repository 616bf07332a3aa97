// SPDX-License-Identifier: Apache-2.0
// This file resolves elementwise operators. A table has a row for each of them, with what its documents say.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "ops/broadcast.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

// This text says why versions are refused that opset 7 no longer has.
constexpr std::string_view older_broadcast = "what broadcasts in a way of its own, as older versions do, is not supported";

enum class Shapes : uint8_t { one, broadcast, broadcast_to_first, scalars };

using Types = std::span<const Schema::Type>;
using Versions = std::span<const int64_t>;

struct Row {
    ElementwiseKind kind = {};
    Versions versions = {};  // from the version that opset 7 means on
    std::string_view older = {};
    std::span<const Schema::Input> inputs = {};
    std::span<const Schema::Output> outputs = {};
    std::span<const Schema::Attribute> attributes = {};
    Shapes shapes = Shapes::one;
    std::array<float, 2> numbers = {};  // in the expression; a given attribute replaces the number at its own place
    std::string_view expression = {};
    int64_t broadcasts_from = 0;  // older versions take equal shapes only
    bool non_negative = false;    // see Schema::non_negative
};

// ---- types by version

constexpr Schema::Type identity_types[] = {
    {DType::float32, 1},     {DType::uint8, 1},           {DType::int8, 1},          {DType::uint16, 1},
    {DType::int16, 1},       {DType::int32, 1},           {DType::int64, 1},         {DType::boolean, 1},
    {DType::float16, 1},     {DType::float64, 1},         {DType::uint32, 1},        {DType::uint64, 1},
    {DType::complex64, 1},   {DType::bfloat16, 13},       {DType::float8e4m3fn, 19}, {DType::float8e4m3fnuz, 19},
    {DType::float8e5m2, 19}, {DType::float8e5m2fnuz, 19}, {DType::float8e8m0, 24},
};

constexpr Schema::Type relu_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                       {DType::int8, 14},   {DType::int16, 14},  {DType::int32, 14},  {DType::int64, 14}};
constexpr Schema::Type leaky_relu_types[] = {
    {DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 16}};
constexpr Schema::Type prelu_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 16},
                                        {DType::uint32, 9},  {DType::uint64, 9},  {DType::int32, 9},   {DType::int64, 9}};
constexpr Schema::Type hard_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 22}};
constexpr Schema::Type neg_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                      {DType::int8, 1},    {DType::int16, 1},   {DType::int32, 1},   {DType::int64, 1}};
constexpr Schema::Type abs_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                      {DType::int8, 1},    {DType::int16, 1},   {DType::int32, 1},   {DType::int64, 1},
                                      {DType::uint8, 1},   {DType::uint16, 1},  {DType::uint32, 1},  {DType::uint64, 1}};
constexpr Schema::Type arithmetic_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                             {DType::int8, 14},   {DType::int16, 14},  {DType::int32, 1},   {DType::int64, 1},
                                             {DType::uint8, 14},  {DType::uint16, 14}, {DType::uint32, 1},  {DType::uint64, 1}};
constexpr Schema::Type sum_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13}};
// These are the types of Max, Min and Clip.
constexpr Schema::Type extremum_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                           {DType::int8, 12},   {DType::int16, 12},  {DType::int32, 12},  {DType::int64, 12},
                                           {DType::uint8, 12},  {DType::uint16, 12}, {DType::uint32, 12}, {DType::uint64, 12}};

constexpr Schema::Type elu_types[] = {{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 22}};
constexpr Schema::Type gelu_types[] = {{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 1}};
constexpr Schema::Type celu_types[] = {{DType::float32, 1}, {DType::float16, 28}, {DType::bfloat16, 28}};
constexpr Schema::Type pow_types[] = {
    {DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 13}, {DType::int32, 12}, {DType::int64, 12}};
constexpr Schema::Type exponent_types[] = {{DType::float32, 12}, {DType::float16, 12}, {DType::bfloat16, 15}, {DType::int8, 12},
                                           {DType::int16, 12},   {DType::int32, 12},   {DType::int64, 12},    {DType::uint8, 12},
                                           {DType::uint16, 12},  {DType::uint32, 12},  {DType::uint64, 12}};
constexpr Schema::Type modulo_types[] = {{DType::float32, 10}, {DType::float16, 10}, {DType::bfloat16, 13}, {DType::int8, 10},
                                         {DType::int16, 10},   {DType::int32, 10},   {DType::int64, 10},    {DType::uint8, 10},
                                         {DType::uint16, 10},  {DType::uint32, 10},  {DType::uint64, 10}};
constexpr Schema::Type sqrt_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13}};

// ---- rows

constexpr int64_t identity_versions[] = {1, 13, 14, 16, 19, 21, 23, 24, 25};
constexpr int64_t relu_versions[] = {6, 13, 14};
constexpr int64_t leaky_relu_versions[] = {6, 16};
constexpr int64_t prelu_versions[] = {7, 9, 16};
constexpr int64_t clip_versions[] = {6, 11, 12, 13};
constexpr int64_t hard_sigmoid_versions[] = {6, 22};
constexpr int64_t hard_swish_versions[] = {14, 22};
constexpr int64_t sign_versions[] = {6, 13};        // also of functions such as Tanh
constexpr int64_t later_sign_versions[] = {9, 13};  // of Sign and Erf
constexpr int64_t round_versions[] = {11, 22};
constexpr int64_t thresholded_relu_versions[] = {10, 22};
constexpr int64_t elu_versions[] = {6, 22};  // also of Selu
constexpr int64_t trigonometric_versions[] = {7, 22};
constexpr int64_t hyperbolic_versions[] = {9, 22};
constexpr int64_t soft_versions[] = {1, 22};
constexpr int64_t mish_versions[] = {18, 22};
constexpr int64_t celu_versions[] = {12, 28};
constexpr int64_t gelu_versions[] = {20};
constexpr int64_t swish_versions[] = {24};
constexpr int64_t pow_versions[] = {7, 12, 13, 15};
constexpr int64_t mod_versions[] = {10, 13, 28};
constexpr int64_t arithmetic_versions[] = {7, 13, 14};
constexpr int64_t sum_versions[] = {6, 8, 13};
constexpr int64_t extremum_versions[] = {6, 8, 12, 13};

// ---- inputs, outputs and attributes

template <const auto& types>
constexpr Schema::Input x[] = {{"X", "T", types}};
template <const auto& types>
constexpr Schema::Input input[] = {{"input", "T", types}};
template <const auto& types>
constexpr Schema::Input any_number[] = {{"data_0", "T", types, Schema::Option::variadic}};
constexpr Schema::Input a_and_b[] = {{"A", "T", arithmetic_types}, {"B", "T", arithmetic_types}};
constexpr Schema::Input mod_inputs[] = {{"A", "T", modulo_types}, {"B", "T", modulo_types}};
constexpr Schema::Input prelu_inputs[] = {{"X", "T", prelu_types}, {"slope", "T", prelu_types}};
constexpr Schema::Input clip_inputs[] = {
    {"input", "T", extremum_types},
    {.name = "min", .type_constraint = "T", .types = extremum_types, .option = Schema::Option::optional, .since = 11},
    {.name = "max", .type_constraint = "T", .types = extremum_types, .option = Schema::Option::optional, .since = 11}};
constexpr Schema::Input pow_inputs[] = {{"X", "T", pow_types},
                                        {.name = "Y", .type_constraint = "T", .types = pow_types, .until = 11},
                                        {.name = "Y", .type_constraint = "T1", .types = exponent_types, .since = 12}};

constexpr Schema::Output y[] = {{"Y"}};
constexpr Schema::Output output[] = {{"output"}};
constexpr Schema::Output c[] = {{"C"}};
constexpr Schema::Output z[] = {{"Z"}};
constexpr Schema::Output sum[] = {{"sum"}};
constexpr Schema::Output mean[] = {{"mean"}};
constexpr Schema::Output min[] = {{"min"}};
constexpr Schema::Output max[] = {{"max"}};

constexpr Schema::Attribute alpha[] = {{"alpha"}};
constexpr Schema::Attribute alpha_and_beta[] = {{"alpha"}, {"beta"}};
constexpr Schema::Attribute alpha_and_gamma[] = {{"alpha"}, {"gamma"}};
constexpr Schema::Attribute approximate[] = {{"approximate"}};
constexpr Schema::Attribute fmod[] = {{"fmod"}};
constexpr Schema::Attribute bounds[] = {{"min", 6, 6}, {"max", 6, 6}};

// ---- rows

// Returns the row of an operator with one input and one output: X and Y, or `input` and `output`.
constexpr Row unary(ElementwiseKind kind, Versions versions, std::span<const Schema::Input> inputs, std::string_view expression)
{
    const bool is_x = inputs.front().name == "X";
    return {.kind = kind,
            .versions = versions,
            .older = versions.front() > 1 && versions.front() <= 7 ? older_versions : "",
            .inputs = inputs,
            .outputs = is_x ? std::span<const Schema::Output>(y) : std::span<const Schema::Output>(output),
            .expression = expression};
}

constexpr Row binary(ElementwiseKind kind, std::string_view expression)
{
    return {.kind = kind,
            .versions = arithmetic_versions,
            .older = older_broadcast,
            .inputs = a_and_b,
            .outputs = c,
            .shapes = Shapes::broadcast,
            .expression = expression};
}

constexpr Row variadic(ElementwiseKind kind, Versions versions, std::span<const Schema::Input> inputs,
                       std::span<const Schema::Output> outputs, std::string_view expression)
{
    return {.kind = kind,
            .versions = versions,
            .older = older_broadcast,
            .inputs = inputs,
            .outputs = outputs,
            .shapes = Shapes::broadcast,
            .expression = expression,
            .broadcasts_from = 8};
}

constexpr Row with(Row row, std::span<const Schema::Attribute> attributes, std::array<float, 2> numbers)
{
    row.attributes = attributes;
    row.numbers = numbers;
    return row;
}

// Returns the row of an operator whose results are never below 0.
constexpr Row non_negative(Row row)
{
    row.non_negative = true;
    return row;
}

constexpr Row rows[] = {
    unary(ElementwiseKind::identity, identity_versions, input<identity_types>, "output = input"),
    non_negative(unary(ElementwiseKind::relu, relu_versions, x<relu_types>, "Y = max(0, X)")),
    with(unary(ElementwiseKind::leaky_relu, leaky_relu_versions, x<leaky_relu_types>, "Y = X < 0 ? alpha * X : X"), alpha,
         {0.01f}),
    {.kind = ElementwiseKind::prelu,
     .versions = prelu_versions,
     .older = older_broadcast,
     .inputs = prelu_inputs,
     .outputs = y,
     .shapes = Shapes::broadcast_to_first,
     .expression = "Y = X < 0 ? slope * X : X"},
    {.kind = ElementwiseKind::clip,
     .versions = clip_versions,
     .older = older_versions,
     .inputs = clip_inputs,
     .outputs = output,
     .attributes = bounds,
     .shapes = Shapes::scalars,
     .expression = "output = min(max(input, min), max)"},
    non_negative(
        with(unary(ElementwiseKind::hard_sigmoid, hard_sigmoid_versions, x<hard_types>, "Y = max(0, min(1, alpha * X + beta))"),
             alpha_and_beta, {0.2f, 0.5f})),
    with(unary(ElementwiseKind::hard_swish, hard_swish_versions, x<hard_types>, "Y = X * max(0, min(1, X / 6 + 0.5))"), {},
         {1.0f / 6, 0.5f}),
    unary(ElementwiseKind::neg, sign_versions, x<neg_types>, "Y = -X"),
    non_negative(unary(ElementwiseKind::abs, sign_versions, x<abs_types>, "Y = |X|")),
    binary(ElementwiseKind::add, "C = A + B"),
    binary(ElementwiseKind::sub, "C = A - B"),
    binary(ElementwiseKind::mul, "C = A * B"),
    binary(ElementwiseKind::div, "C = A / B"),
    variadic(ElementwiseKind::sum, sum_versions, any_number<sum_types>, sum, "sum = data_0 + data_1 + ..."),
    variadic(ElementwiseKind::min, extremum_versions, any_number<extremum_types>, min, "min = min(data_0, data_1, ...)"),
    variadic(ElementwiseKind::max, extremum_versions, any_number<extremum_types>, max, "max = max(data_0, data_1, ...)"),
    non_negative(unary(ElementwiseKind::sigmoid, sign_versions, x<function_types>, "Y = 1 / (1 + exp(-X))")),
    unary(ElementwiseKind::tanh, sign_versions, input<function_types>, "output = tanh(input)"),
    with(unary(ElementwiseKind::elu, elu_versions, x<elu_types>, "Y = X < 0 ? alpha * (exp(X) - 1) : X"), alpha, {1}),
    non_negative(unary(ElementwiseKind::exp, sign_versions, input<function_types>, "output = exp(input)")),
    unary(ElementwiseKind::sqrt, sign_versions, x<sqrt_types>, "Y = sqrt(X)"),
    {.kind = ElementwiseKind::pow,
     .versions = pow_versions,
     .older = older_broadcast,
     .inputs = pow_inputs,
     .outputs = z,
     .shapes = Shapes::broadcast,
     .expression = "Z = X ^ Y"},
    unary(ElementwiseKind::reciprocal, sign_versions, x<sqrt_types>, "Y = 1 / X"),
    unary(ElementwiseKind::log, sign_versions, input<function_types>, "output = log(input)"),
    unary(ElementwiseKind::sign, later_sign_versions, input<abs_types>, "output = sign(input)"),
    unary(ElementwiseKind::floor, sign_versions, x<sqrt_types>, "Y = floor(X)"),
    unary(ElementwiseKind::ceil, sign_versions, x<sqrt_types>, "Y = ceil(X)"),
    unary(ElementwiseKind::round, round_versions, x<hard_types>, "Y = round(X)"),
    unary(ElementwiseKind::erf, later_sign_versions, input<function_types>, "output = erf(input)"),
    with(unary(ElementwiseKind::thresholded_relu, thresholded_relu_versions, x<hard_types>, "Y = X > alpha ? X : 0"), alpha, {1}),
    unary(ElementwiseKind::sin, trigonometric_versions, input<elu_types>, "output = sin(input)"),
    unary(ElementwiseKind::cos, trigonometric_versions, input<elu_types>, "output = cos(input)"),
    unary(ElementwiseKind::tan, trigonometric_versions, input<elu_types>, "output = tan(input)"),
    unary(ElementwiseKind::asin, trigonometric_versions, input<elu_types>, "output = asin(input)"),
    non_negative(unary(ElementwiseKind::acos, trigonometric_versions, input<elu_types>, "output = acos(input)")),
    unary(ElementwiseKind::atan, trigonometric_versions, input<elu_types>, "output = atan(input)"),
    unary(ElementwiseKind::sinh, hyperbolic_versions, input<elu_types>, "output = sinh(input)"),
    non_negative(unary(ElementwiseKind::cosh, hyperbolic_versions, input<elu_types>, "output = cosh(input)")),
    unary(ElementwiseKind::asinh, hyperbolic_versions, input<elu_types>, "output = asinh(input)"),
    non_negative(unary(ElementwiseKind::acosh, hyperbolic_versions, input<elu_types>, "output = acosh(input)")),
    unary(ElementwiseKind::atanh, hyperbolic_versions, input<elu_types>, "output = atanh(input)"),
    non_negative(unary(ElementwiseKind::softplus, soft_versions, x<elu_types>, "Y = log(exp(X) + 1)")),
    unary(ElementwiseKind::softsign, soft_versions, input<elu_types>, "output = input / (1 + |input|)"),
    unary(ElementwiseKind::mish, mish_versions, x<elu_types>, "Y = X * tanh(log(exp(X) + 1))"),
    with(unary(ElementwiseKind::selu, elu_versions, x<elu_types>, "Y = gamma * (X > 0 ? X : alpha * (exp(X) - 1))"),
         alpha_and_gamma, {1.67326319217681884765625f, 1.05070102214813232421875f}),
    with(unary(ElementwiseKind::celu, celu_versions, x<celu_types>, "Y = X > 0 ? X : alpha * (exp(X / alpha) - 1)"), alpha, {1}),
    with(unary(ElementwiseKind::gelu, gelu_versions, x<gelu_types>, "Y = X * Phi(X), of the normal distribution"), approximate,
         {0}),
    with(unary(ElementwiseKind::swish, swish_versions, x<gelu_types>, "Y = X / (1 + exp(-alpha * X))"), alpha, {1}),
    variadic(ElementwiseKind::mean, sum_versions, any_number<sum_types>, mean, "mean = (data_0 + data_1 + ...) / inputs"),
    {.kind = ElementwiseKind::mod,
     .versions = mod_versions,
     .inputs = mod_inputs,
     .outputs = c,
     .attributes = fmod,
     .shapes = Shapes::broadcast,
     .expression = "C = A mod B"},
};

constexpr bool is_row_of_each_kind()
{
    for (size_t i = 0; i < std::size(rows); ++i)
        if (rows[i].kind != ElementwiseKind(i))
            return false;
    return std::size(rows) == std::size(elementwise_words);
}
static_assert(is_row_of_each_kind());

const Row* row_of(ElementwiseKind kind)
{
    const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) { return each.kind == kind; });
    return row == std::end(rows) ? nullptr : &*row;
}

template <size_t... kind>
constexpr std::array<Schema, sizeof...(kind)> schemas_of(std::index_sequence<kind...>)
{
    return {Schema{.name = elementwise_words[kind].word,
                   .versions = rows[kind].versions,
                   .older = rows[kind].older,
                   .inputs = rows[kind].inputs,
                   .outputs = rows[kind].outputs,
                   .attributes = rows[kind].attributes,
                   .non_negative = rows[kind].non_negative}...};
}
constexpr auto schemas = schemas_of(std::make_index_sequence<std::size(rows)>());

// Returns the input's name in the newest document, for sentences about all versions.
std::string input_name(const Row& row, size_t index)
{
    return ops::input_name(inputs_at(schemas[size_t(row.kind)], row.versions.back()), index);
}

// Returns the greatest finite number of a type, or infinity for an integer type.
double greatest(DType dtype)
{
    switch (dtype) {
    case DType::float32:
        return std::numeric_limits<float>::max();
    case DType::float64:
        return std::numeric_limits<double>::max();
    case DType::float16:
        return 65504;
    case DType::bfloat16:
        return 0x1.fep127;
    default:
        return std::numeric_limits<double>::infinity();
    }
}

// Returns the number that an expression has for an attribute that is given. A word counts as its enumerator's number.
double number_of(const std::optional<float>& value)
{
    return *value;
}

double number_of(const std::optional<int64_t>& value)
{
    return double(*value);
}

double number_of(GeluApproximation value)
{
    return double(value);
}

// Returns the expression's numbers, by given attributes or the row.
std::array<double, 2> numbers_of(const Row& row, const Elementwise& attributes, DType dtype)
{
    std::array<double, 2> numbers = {row.numbers[0], row.numbers[1]};
    if (row.shapes == Shapes::scalars)
        numbers = {-greatest(dtype), greatest(dtype)};
    fields(attributes, [&](std::string_view name, const auto& value, const auto&...) {
        for (size_t i = 0; i < row.attributes.size(); ++i)
            if (is_given(value) && row.attributes[i].name == name)
                numbers[i] = number_of(value);
    });
    return numbers;
}

Status check_tensors(const Document& document, const Row& row, std::span<const TensorDesc> inputs)
{
    const std::vector<const Schema::Input*> known = inputs_at(schemas[size_t(row.kind)], document.version);
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].dtype == DType::undefined)
            continue;
        const std::string name = ops::input_name(known, i);
        VKONNX_RETURN_IF_ERROR(check_layout(document, name + ".layout", inputs[i].layout));
        VKONNX_RETURN_IF_ERROR(check_tensor(document, name, inputs[i]));
    }
    return {};
}

Status check_equal_shapes(const Document& document, const Row& row, std::span<const TensorDesc> inputs)
{
    for (size_t i = 1; i < inputs.size(); ++i)
        if (inputs[i].dims != inputs[0].dims)
            return document.refuse({input_name(row, i), " = ", to_string(inputs[i]), " must have the dimensions of ",
                                    input_name(row, 0), " = ", to_string(inputs[0]), ": version ", document.version,
                                    " does not broadcast, as version ", row.broadcasts_from, " does"});
    return {};
}

Status check_one_way(const Document& document, const Row& row, std::span<const TensorDesc> inputs)
{
    const std::vector<int64_t>& dims = inputs[0].dims;
    for (size_t i = 1; i < inputs.size(); ++i) {
        const std::string name = input_name(row, i);
        if (inputs[i].dims.size() > dims.size())
            return document.refuse({name, " has rank ", int64_t(inputs[i].dims.size()), ", which must not be more than ",
                                    input_name(row, 0), "'s, ", int64_t(dims.size()), ": it is broadcast to it"});
        const std::vector<int64_t> own = aligned(inputs[i].dims, dims.size());
        for (size_t a = 0; a < dims.size(); ++a)
            if (own[a] != dims[a] && own[a] != 1)
                return document.refuse({name, " has extent ", own[a], " on axis ", int64_t(a), " of ", input_name(row, 0),
                                        ", which must be its ", dims[a], ", or 1"});
    }
    return {};
}

Status check_scalars(const Document& document, const Row& row, std::span<const TensorDesc> inputs)
{
    for (size_t i = 1; i < inputs.size(); ++i)
        if (inputs[i].dtype != DType::undefined && *element_count(inputs[i]) != 1)
            return document.refuse({input_name(row, i), " = ", to_string(inputs[i]), " must be a scalar"});
    return {};
}

Result<std::vector<int64_t>> output_dims(const Document& document, const Row& row, std::span<const TensorDesc> inputs)
{
    Status status;
    switch (row.shapes) {
    case Shapes::one:
        return inputs[0].dims;
    case Shapes::broadcast:
        if (document.version < row.broadcasts_from)
            status = check_equal_shapes(document, row, inputs);
        return status ? broadcast(document, inputs, [&](size_t i) { return input_name(row, i); }) : status;
    case Shapes::broadcast_to_first:
        status = check_one_way(document, row, inputs);
        break;
    case Shapes::scalars:
        status = check_scalars(document, row, inputs);
        break;
    }
    return status ? Result(inputs[0].dims) : status;
}

Status check_approximation(const Document& document, const std::string& what, GeluApproximation approximate)
{
    if (word_of(Spellings<GeluApproximation>(gelu_approximation_words), approximate).empty())
        return document.refuse({what, " = ", int64_t(approximate), " must be one of GeluApproximation"});
    return {};
}

bool is_unsigned(DType dtype)
{
    return dtype == DType::uint8 || dtype == DType::uint16 || dtype == DType::uint32 || dtype == DType::uint64;
}

bool is_integer(DType dtype)
{
    return is_unsigned(dtype) || dtype == DType::int8 || dtype == DType::int16 || dtype == DType::int32 || dtype == DType::int64;
}

// Checks the attribute of Mod, which must be 1 for floats before version 28.
Status check_fmod(const Document& document, const Elementwise& attributes, DType dtype)
{
    VKONNX_RETURN_IF_ERROR(check_flag(document, "fmod", attributes.fmod));
    if (attributes.kind != ElementwiseKind::mod || document.version >= 28 || attributes.fmod.value_or(0) == 1 ||
        is_integer(dtype))
        return {};
    return document.refuse({"fmod = 0 must be 1 for type ", vkonnx::name(dtype), " before version 28"});
}

std::string_view expression_of(const Row& row, GeluApproximation approximate)
{
    return approximate == GeluApproximation::tanh ? "Y = X / 2 * (1 + tanh(sqrt(2 / pi) * (X + 0.044715 * X ^ 3)))"
                                                  : row.expression;
}

// ---- steps behind the first operator

// Tells whether Elementwise::steps takes the kind.
bool may_be_step(ElementwiseKind kind)
{
    return kind != ElementwiseKind::identity && kind != ElementwiseKind::sum && kind != ElementwiseKind::mean &&
           kind != ElementwiseKind::mod && row_of(kind);
}

bool has_other(const Row& row)
{
    return row.shapes == Shapes::broadcast || row.shapes == Shapes::broadcast_to_first;
}

bool takes_input(const ElementwiseStep& step)
{
    return may_be_step(step.kind) && has_other(*row_of(step.kind)) && !step.number;
}

std::string step_name(size_t index)
{
    return join({"steps[", int64_t(index), "]"});
}

// Returns the operator that the step would be by itself, in its newest version. Clip's bounds are no attributes there.
Elementwise operator_of(const ElementwiseStep& step)
{
    Elementwise op;
    op.kind = step.kind;
    op.alpha = step.alpha;
    op.beta = step.beta;
    op.min = step.min;
    op.max = step.max;
    op.gamma = step.gamma;
    op.approximate = step.approximate;
    return op;
}

std::string text_of(double number)
{
    std::array<char, 40> text = {};
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

// Tells whether an integer type has the number, which must be whole.
bool has_number(DType dtype, double number)
{
    const int width = int(bits(dtype));
    const double end = std::ldexp(1.0, is_unsigned(dtype) ? width : width - 1);
    const double least = is_unsigned(dtype) ? 0 : -end;
    return number >= least && number < end && number == std::trunc(number);
}

Status check_step_number(const Document& document, const std::string& what, DType dtype, std::optional<double> number)
{
    if (!number || !is_integer(dtype) || has_number(dtype, *number))
        return {};
    return document.refuse({what, " = ", text_of(*number), " must be a whole number that ", vkonnx::name(dtype), " has"});
}

Status check_step_attributes(const Document& document, const std::string& step_is, const Row& row, const ElementwiseStep& step,
                             DType dtype)
{
    const std::string_view kind = vkonnx::name(step.kind);
    const Elementwise op = operator_of(step);
    Status status;
    fields(op, [&](std::string_view name, const auto& value, const auto&...) {
        const auto named = [&](const Schema::Attribute& attribute) { return attribute.name == name; };
        if (!is_given(value) || !status)
            return;
        const std::string what = join({step_is, ".", name});
        if (std::none_of(row.attributes.begin(), row.attributes.end(), named))
            status = document.refuse({what, " must not be given: ", kind, " has no such attribute"});
        else
            status = check_step_number(document, what, dtype, number_of(value));
    });
    if (!status)
        return status;
    VKONNX_RETURN_IF_ERROR(check_approximation(document, step_is + ".approximate", step.approximate));
    if (!has_other(row) && (step.number || step.swapped))
        return document.refuse(
            {step_is, step.number ? ".number" : ".swapped", " must not be given: ", kind, " has no second operand"});
    return check_step_number(document, step_is + ".number", dtype, step.number);
}

// Checks that the step's kind takes the type in its newest version. Pow takes only floats here.
Status check_step_type(const Document& document, const std::string& step_is, const Row& row, DType dtype)
{
    const auto is_type = [&](const Schema::Type& type) { return type.dtype == dtype; };
    const std::span types = row.inputs.front().types;
    const bool takes =
        std::any_of(types.begin(), types.end(), is_type) && !(row.kind == ElementwiseKind::pow && is_integer(dtype));
    if (takes)
        return {};
    return document.refuse({step_is, ".kind = ", vkonnx::name(row.kind), " has no ", vkonnx::name(dtype),
                            ", the type of what it is to be computed of"},
                           dtype == DType::float64 ? Code::unsupported : Code::invalid_argument);
}

Status check_steps(const Document& document, const Elementwise& attributes, std::span<const TensorDesc> inputs)
{
    if (attributes.steps.size() > max_elementwise_steps)
        return document.refuse(
            {"steps has ", int64_t(attributes.steps.size()), " entries, which must be at most ", int64_t(max_elementwise_steps)});
    for (size_t i = 0; i < attributes.steps.size(); ++i) {
        const ElementwiseKind kind = attributes.steps[i].kind;
        if (may_be_step(kind))
            continue;
        const std::string word = row_of(kind) ? std::string(vkonnx::name(kind)) : std::to_string(int(kind));
        return document.refuse(
            {step_name(i), ".kind = ", word, " must be one of ElementwiseKind but Identity, Sum, Mean and Mod"});
    }
    if (!attributes.steps.empty() && inputs.size() > most_inputs_of_chains)
        return document.refuse({"steps is not empty, so that at most ", int64_t(most_inputs_of_chains),
                                " inputs are expected, but ", int64_t(inputs.size()), " are given"});
    const size_t operands = count_operands(attributes);
    if (inputs.size() <= operands && operands > 0)
        return document.refuse({"steps has ", int64_t(operands),
                                operands == 1 ? " step with an input of its own" : " steps with an input of their own",
                                ", behind the operator's, but ", int64_t(inputs.size()),
                                inputs.size() == 1 ? " input is given" : " inputs are given"});
    return {};
}

// Checks each step, the type it is computed in, and the inputs behind the operator's own.
Status check_operands(const Document& document, const Row& row, const Elementwise& attributes, std::span<const TensorDesc> inputs)
{
    const DType dtype = inputs[0].dtype;
    size_t next = inputs.size() - count_operands(attributes);
    for (size_t i = 0; i < attributes.steps.size(); ++i) {
        const ElementwiseStep& step = attributes.steps[i];
        const Row& own = *row_of(step.kind);
        VKONNX_RETURN_IF_ERROR(check_step_type(document, step_name(i), own, dtype));
        VKONNX_RETURN_IF_ERROR(check_step_attributes(document, step_name(i), own, step, dtype));
        if (!takes_input(step))
            continue;
        const TensorDesc& input = inputs[next++];
        const std::string name = step_name(i) + "'s input";
        if (input.dtype != dtype)
            return document.refuse({name, " has type ", vkonnx::name(input.dtype), ", but must have ", input_name(row, 0),
                                    "'s type ", vkonnx::name(dtype)});
        VKONNX_RETURN_IF_ERROR(check_layout(document, name + ".layout", input.layout));
        VKONNX_RETURN_IF_ERROR(check_tensor(document, name, input));
    }
    return {};
}

// Returns the dimensions of the result of all steps. The operator's own output has `dims`, and inputs of steps can broadcast it.
Result<std::vector<int64_t>> chained_dims(const Document& document, const Elementwise& attributes, std::vector<int64_t> dims,
                                          std::span<const TensorDesc> operands)
{
    std::vector<TensorDesc> all;
    all.push_back({DType::undefined, std::move(dims)});
    all.insert(all.end(), operands.begin(), operands.end());
    std::vector<std::string> names = {"what the operator makes"};
    for (size_t i = 0; i < attributes.steps.size(); ++i)
        if (takes_input(attributes.steps[i]))
            names.push_back(step_name(i) + "'s input");
    return broadcast(document, all, [&](size_t i) { return names[i]; });
}

// Returns a text such as "ONNX Mul-14: C = A * B, where B is 0.5".
std::string equation_of(const ElementwiseStep& step, const Row& row, std::optional<size_t> input)
{
    const Result<Document> document = document_of(schemas[size_t(row.kind)], newest_opset);
    if (!has_other(row))
        return join({document->title(), ": ", expression_of(row, step.approximate)});
    return join({document->title(), ": ", row.expression, ", where ", input_name(row, step.swapped ? 0 : 1), " is ",
                 input ? "input " + std::to_string(*input) : text_of(*step.number)});
}

void add_steps(const Elementwise& attributes, ElementwiseGeometry& geometry)
{
    size_t next = geometry.own_inputs;
    for (const ElementwiseStep& step : attributes.steps) {
        const Row& row = *row_of(step.kind);
        ElementwiseLink link;
        link.kind = step.kind;
        link.numbers = numbers_of(row, operator_of(step), geometry.dtype);
        link.swapped = step.swapped;
        if (step.number)
            link.numbers[0] = *step.number;
        if (takes_input(step))
            link.input = next++;
        geometry.equation += "\nthen " + equation_of(step, row, link.input);
        geometry.steps.push_back(link);
    }
}

}  // namespace

const Schema& schema_of(const Elementwise& attributes)
{
    return schemas[size_t(attributes.kind)];
}

size_t count_operands(const Elementwise& attributes)
{
    return size_t(std::count_if(attributes.steps.begin(), attributes.steps.end(), takes_input));
}

Result<ElementwiseGeometry> resolve(const Elementwise& attributes, std::span<const TensorDesc> inputs)
{
    const Row* row = row_of(attributes.kind);
    if (!row)
        return Status(Code::invalid_argument,
                      join({"Elementwise: kind = ", int64_t(attributes.kind), " must be one of ElementwiseKind"}));
    const Result<Document> document = document_of(attributes);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_approximation(*document, "approximate", attributes.approximate));
    VKONNX_RETURN_IF_ERROR(check_steps(*document, attributes, inputs));
    const auto own = inputs.first(inputs.size() - count_operands(attributes));
    VKONNX_RETURN_IF_ERROR(check_inputs(*document, schema_of(attributes), own));
    VKONNX_RETURN_IF_ERROR(check_tensors(*document, *row, own));
    VKONNX_RETURN_IF_ERROR(check_fmod(*document, attributes, own[0].dtype));
    VKONNX_RETURN_IF_ERROR(check_operands(*document, *row, attributes, inputs));
    Result<std::vector<int64_t>> dims = output_dims(*document, *row, own);
    if (dims && own.size() < inputs.size())
        dims = chained_dims(*document, attributes, std::move(*dims), inputs.subspan(own.size()));
    VKONNX_RETURN_IF_ERROR(dims.status());
    ElementwiseGeometry geometry = {.kind = row->kind,
                                    .dtype = inputs[0].dtype,
                                    .dims = std::move(*dims),
                                    .exponent = row->kind == ElementwiseKind::pow ? inputs[1].dtype : DType::undefined,
                                    .variadic = row->inputs.front().option == Schema::Option::variadic,
                                    .numbers = numbers_of(*row, attributes, inputs[0].dtype),
                                    .own_inputs = own.size()};
    if (row->kind == ElementwiseKind::mean)
        geometry.numbers[0] = double(own.size());
    for (const TensorDesc& input : inputs) {
        const size_t index = geometry.inputs.size();
        const bool one = row->shapes == Shapes::scalars && index > 0 && index < own.size();  // a scalar may have any rank
        geometry.inputs.push_back(input.dtype == DType::undefined
                                      ? std::nullopt
                                      : std::optional(aligned(one ? std::vector<int64_t>() : input.dims, geometry.dims.size())));
        if (input.layout == Layout::nxc)
            geometry.layout = Layout::nxc;
    }
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "the output", output_of(geometry)));
    geometry.equation = join({document->title(), ": ", expression_of(*row, attributes.approximate)});
    add_steps(attributes, geometry);
    return geometry;
}

Result<Epilogue> resolve_epilogue(std::string_view op, const std::optional<Elementwise>& attributes, const TensorDesc& output)
{
    if (!attributes)
        return Epilogue{};
    const std::string_view kind = vkonnx::name(attributes->kind);
    if (!kind.empty() && !may_be_epilogue(attributes->kind))
        return Status(Code::invalid_argument, join({op, ": PrepareOptions::epilogue = ", kind,
                                                    " must be Relu, LeakyRelu, Clip, Sigmoid, Tanh, HardSigmoid or HardSwish"}));
    // Clip's bounds are attributes here in every version, because an epilogue has no inputs.
    Elementwise operators_own = *attributes;
    if (attributes->kind == ElementwiseKind::clip)
        operators_own.min = operators_own.max = std::nullopt;
    Result<ElementwiseGeometry> geometry = resolve(operators_own, {&output, 1});
    if (!geometry)
        return Status(geometry.code(), join({op, ": PrepareOptions::epilogue: ", geometry.message()}));
    Epilogue epilogue = {.kind = attributes->kind,
                         .numbers = numbers_of(*row_of(attributes->kind), *attributes, output.dtype),
                         .equation = std::move(geometry->equation)};
    for (const ElementwiseStep& step : attributes->steps) {
        const bool multiplies = step.kind == ElementwiseKind::mul && !epilogue.factor && !epilogue.addend;
        if (!multiplies && !(step.kind == ElementwiseKind::add && !epilogue.addend))
            return Status(Code::invalid_argument, join({op, ": PrepareOptions::epilogue: steps has ", vkonnx::name(step.kind),
                                                        ", but it must be a Mul, an Add or both in this order, by numbers"}));
        (multiplies ? epilogue.factor : epilogue.addend) = step.number;
    }
    return epilogue;
}

TensorDesc output_of(const ElementwiseGeometry& geometry)
{
    return {geometry.dtype, geometry.dims, geometry.layout};
}

}  // namespace vkonnx::ops
