// SPDX-License-Identifier: Apache-2.0
// Elementwise operators: a row each of what its documents say.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "ops/attributes.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t first_opset = 7;   // with broadcasting as it is now: what it replaced is not here
constexpr size_t most_inputs = 254;  // a plan numbers tensors by a byte

// An attribute that a kind has, up to a version.
struct Attribute {
    std::string_view name = {};
    int64_t until = std::numeric_limits<int64_t>::max();
};

enum class Shapes : uint8_t { one, broadcast, broadcast_to_first, scalars };

using Types = std::span<const TypeSince>;
using Versions = std::span<const int64_t>;

struct Row {
    ElementwiseKind kind = {};
    Versions versions = {};  // from the one that opset 7 means
    Types types = {};
    Types exponents = {};  // of the second input, from the version on that has the first of them; else as the first input
    // Of the inputs. The last name stands for all that may follow, with their number, where `most` is more than there are names.
    std::array<std::string_view, 3> inputs = {};
    size_t least = 1;
    size_t most = 1;
    Shapes shapes = Shapes::one;
    std::array<Attribute, 2> attributes = {};
    std::array<float, 2> numbers = {};  // of the expression; an attribute of its place, where given, replaces one
    std::string_view expression = {};
    int64_t broadcasts_from = 0;  // older versions take equal shapes only
};

// ---- types by version

constexpr TypeSince identity_types[] = {
    {DType::float32, 1},     {DType::uint8, 1},           {DType::int8, 1},          {DType::uint16, 1},
    {DType::int16, 1},       {DType::int32, 1},           {DType::int64, 1},         {DType::boolean, 1},
    {DType::float16, 1},     {DType::float64, 1},         {DType::uint32, 1},        {DType::uint64, 1},
    {DType::complex64, 1},   {DType::bfloat16, 13},       {DType::float8e4m3fn, 19}, {DType::float8e4m3fnuz, 19},
    {DType::float8e5m2, 19}, {DType::float8e5m2fnuz, 19}, {DType::float8e8m0, 24},
};

constexpr TypeSince relu_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                    {DType::int8, 14},   {DType::int16, 14},  {DType::int32, 14},  {DType::int64, 14}};
constexpr TypeSince leaky_relu_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 16}};
constexpr TypeSince prelu_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 16},
                                     {DType::uint32, 9},  {DType::uint64, 9},  {DType::int32, 9},   {DType::int64, 9}};
constexpr TypeSince hard_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 22}};
constexpr TypeSince neg_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                   {DType::int8, 1},    {DType::int16, 1},   {DType::int32, 1},   {DType::int64, 1}};
constexpr TypeSince abs_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                   {DType::int8, 1},    {DType::int16, 1},   {DType::int32, 1},   {DType::int64, 1},
                                   {DType::uint8, 1},   {DType::uint16, 1},  {DType::uint32, 1},  {DType::uint64, 1}};
constexpr TypeSince arithmetic_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                          {DType::int8, 14},   {DType::int16, 14},  {DType::int32, 1},   {DType::int64, 1},
                                          {DType::uint8, 14},  {DType::uint16, 14}, {DType::uint32, 1},  {DType::uint64, 1}};
constexpr TypeSince sum_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13}};
// Clip's, too
constexpr TypeSince extremum_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13},
                                        {DType::int8, 12},   {DType::int16, 12},  {DType::int32, 12},  {DType::int64, 12},
                                        {DType::uint8, 12},  {DType::uint16, 12}, {DType::uint32, 12}, {DType::uint64, 12}};

// Double is the documents', too, but has no such functions in GLSL.
constexpr TypeSince function_types[] = {{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 13}};
constexpr TypeSince elu_types[] = {{DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 22}};
constexpr TypeSince pow_types[] = {
    {DType::float32, 1}, {DType::float16, 1}, {DType::bfloat16, 13}, {DType::int32, 12}, {DType::int64, 12}};
constexpr TypeSince exponent_types[] = {{DType::float32, 12}, {DType::float16, 12}, {DType::bfloat16, 15}, {DType::int8, 12},
                                        {DType::int16, 12},   {DType::int32, 12},   {DType::int64, 12},    {DType::uint8, 12},
                                        {DType::uint16, 12},  {DType::uint32, 12},  {DType::uint64, 12}};
constexpr TypeSince sqrt_types[] = {{DType::float32, 1}, {DType::float64, 1}, {DType::float16, 1}, {DType::bfloat16, 13}};

// ---- rows

constexpr int64_t identity_versions[] = {1, 13, 14, 16, 19, 21, 23, 24, 25};
constexpr int64_t relu_versions[] = {6, 13, 14};
constexpr int64_t leaky_relu_versions[] = {6, 16};
constexpr int64_t prelu_versions[] = {7, 9, 16};
constexpr int64_t clip_versions[] = {6, 11, 12, 13};
constexpr int64_t hard_sigmoid_versions[] = {6, 22};
constexpr int64_t hard_swish_versions[] = {14, 22};
constexpr int64_t sign_versions[] = {6, 13};  // and those of functions
constexpr int64_t elu_versions[] = {6, 22};
constexpr int64_t pow_versions[] = {7, 12, 13, 15};
constexpr int64_t arithmetic_versions[] = {7, 13, 14};
constexpr int64_t sum_versions[] = {6, 8, 13};
constexpr int64_t extremum_versions[] = {6, 8, 12, 13};

constexpr Row unary(ElementwiseKind kind, Versions versions, Types types, std::string_view expression,
                    std::string_view input = "X")
{
    return {.kind = kind, .versions = versions, .types = types, .inputs = {input}, .expression = expression};
}

constexpr Row binary(ElementwiseKind kind, std::string_view expression)
{
    return {.kind = kind,
            .versions = arithmetic_versions,
            .types = arithmetic_types,
            .inputs = {"A", "B"},
            .least = 2,
            .most = 2,
            .shapes = Shapes::broadcast,
            .expression = expression};
}

constexpr Row variadic(ElementwiseKind kind, Versions versions, Types types, std::string_view expression)
{
    return {.kind = kind,
            .versions = versions,
            .types = types,
            .inputs = {"data_"},
            .most = most_inputs,
            .shapes = Shapes::broadcast,
            .expression = expression,
            .broadcasts_from = 8};
}

constexpr Row with(Row row, std::array<Attribute, 2> attributes, std::array<float, 2> numbers)
{
    row.attributes = attributes;
    row.numbers = numbers;
    return row;
}

constexpr Row rows[] = {
    unary(ElementwiseKind::identity, identity_versions, identity_types, "output = input", "input"),
    unary(ElementwiseKind::relu, relu_versions, relu_types, "Y = max(0, X)"),
    with(unary(ElementwiseKind::leaky_relu, leaky_relu_versions, leaky_relu_types, "Y = X < 0 ? alpha * X : X"), {{{"alpha"}}},
         {0.01f}),
    {.kind = ElementwiseKind::prelu,
     .versions = prelu_versions,
     .types = prelu_types,
     .inputs = {"X", "slope"},
     .least = 2,
     .most = 2,
     .shapes = Shapes::broadcast_to_first,
     .expression = "Y = X < 0 ? slope * X : X"},
    {.kind = ElementwiseKind::clip,
     .versions = clip_versions,
     .types = extremum_types,
     .inputs = {"input", "min", "max"},
     .most = 3,
     .shapes = Shapes::scalars,
     .attributes = {{{"min", 6}, {"max", 6}}},
     .expression = "output = min(max(input, min), max)"},
    with(unary(ElementwiseKind::hard_sigmoid, hard_sigmoid_versions, hard_types, "Y = max(0, min(1, alpha * X + beta))"),
         {{{"alpha"}, {"beta"}}}, {0.2f, 0.5f}),
    with(unary(ElementwiseKind::hard_swish, hard_swish_versions, hard_types, "Y = X * max(0, min(1, X / 6 + 0.5))"), {},
         {1.0f / 6, 0.5f}),
    unary(ElementwiseKind::neg, sign_versions, neg_types, "Y = -X"),
    unary(ElementwiseKind::abs, sign_versions, abs_types, "Y = |X|"),
    binary(ElementwiseKind::add, "C = A + B"),
    binary(ElementwiseKind::sub, "C = A - B"),
    binary(ElementwiseKind::mul, "C = A * B"),
    binary(ElementwiseKind::div, "C = A / B"),
    variadic(ElementwiseKind::sum, sum_versions, sum_types, "sum = data_0 + data_1 + ..."),
    variadic(ElementwiseKind::min, extremum_versions, extremum_types, "min = min(data_0, data_1, ...)"),
    variadic(ElementwiseKind::max, extremum_versions, extremum_types, "max = max(data_0, data_1, ...)"),
    unary(ElementwiseKind::sigmoid, sign_versions, function_types, "Y = 1 / (1 + exp(-X))"),
    unary(ElementwiseKind::tanh, sign_versions, function_types, "output = tanh(input)", "input"),
    with(unary(ElementwiseKind::elu, elu_versions, elu_types, "Y = X < 0 ? alpha * (exp(X) - 1) : X"), {{{"alpha"}}}, {1}),
    unary(ElementwiseKind::exp, sign_versions, function_types, "output = exp(input)", "input"),
    unary(ElementwiseKind::sqrt, sign_versions, sqrt_types, "Y = sqrt(X)"),
    {.kind = ElementwiseKind::pow,
     .versions = pow_versions,
     .types = pow_types,
     .exponents = exponent_types,
     .inputs = {"X", "Y"},
     .least = 2,
     .most = 2,
     .shapes = Shapes::broadcast,
     .expression = "Z = X ^ Y"},
    unary(ElementwiseKind::reciprocal, sign_versions, sqrt_types, "Y = 1 / X"),
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

bool is_variadic(const Row& row)
{
    return row.most > row.inputs.size();
}

std::string input_name(const Row& row, size_t index)
{
    return is_variadic(row) ? "data_" + std::to_string(index) : std::string(row.inputs[index]);
}

Result<Document> document_for(const Row& row, int64_t opset)
{
    const std::string_view op = vkonnx::name(row.kind);
    const int64_t oldest = row.versions.front();
    if (opset >= 1 && opset < oldest && oldest <= first_opset)
        return Status(Code::unsupported, join({op, ": opset = ", opset, " must be at least ", oldest,
                                               ": what broadcasts in a way of its own, as older versions do, is not supported"}));
    if (opset >= 1 && opset < oldest)
        return Status(Code::invalid_argument,
                      join({op, ": opset = ", opset, " must be at least ", oldest, ", the version in which the operator came"}));
    return document_of(op, row.versions, opset);
}

// The greatest finite number; an infinity stands for an integer's.
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

Status check_attribute(const Document& document, const Row& row, std::string_view name)
{
    for (const Attribute& attribute : row.attributes) {
        if (attribute.name != name)
            continue;
        if (document.version <= attribute.until)
            return {};
        return document.refuse({name, " must not be given: it is an attribute until version ", attribute.until, ", and opset ",
                                document.opset, " means version ", document.version});
    }
    return document.refuse({name, " must not be given: the operator has no such attribute"});
}

Status check_attributes(const Document& document, const Row& row, const Elementwise& attributes)
{
    Status status;
    fields(attributes, [&](std::string_view name, const std::optional<float>& value) {
        if (value && status)
            status = check_attribute(document, row, name);
    });
    return status;
}

// The numbers of the expression.
std::array<double, 2> numbers_of(const Row& row, const Elementwise& attributes, DType dtype)
{
    std::array<double, 2> numbers = {row.numbers[0], row.numbers[1]};
    if (row.shapes == Shapes::scalars)
        numbers = {-greatest(dtype), greatest(dtype)};
    fields(attributes, [&](std::string_view name, const std::optional<float>& value) {
        for (size_t i = 0; i < numbers.size(); ++i)
            if (value && row.attributes[i].name == name)
                numbers[i] = *value;
    });
    return numbers;
}

Status check_count(const Document& document, const Row& row, size_t count)
{
    // Clip's bounds were attributes before they became inputs
    const size_t most = row.shapes == Shapes::scalars && document.version <= row.attributes[0].until ? row.least : row.most;
    if (most <= row.least + 1)
        return check_input_count(document, count, row.least, most);
    if (count >= row.least && count <= most)
        return {};
    return document.refuse({"expects ", int64_t(row.least), " to ", int64_t(most), " inputs, but ", int64_t(count), " are given"},
                           is_variadic(row) && count > most ? Code::unsupported : Code::invalid_argument);
}

// Every kind of floating-point numbers has doubles in its document.
Status check_double(const Document& document, Types types, std::string_view input, DType dtype)
{
    const auto takes = [&](DType type) {
        return std::any_of(types.begin(), types.end(), [&](const TypeSince& entry) { return entry.dtype == type; });
    };
    if (dtype != DType::float64 || takes(DType::float64) || !takes(DType::float32))
        return {};
    return document.refuse({input, " has type double, in which there is no such function: float32, float16 and bfloat16 have it"},
                           Code::unsupported);
}

Status check_inputs(const Document& document, const Row& row, std::span<const TensorDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(check_count(document, row, inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const TensorDesc& input = inputs[i];
        const std::string name = input_name(row, i);
        if (input.dtype == DType::undefined) {
            if (i == 0 || row.shapes != Shapes::scalars)
                return document.refuse({name, " is not given (DType::undefined), but it is no optional input"});
            continue;
        }
        const bool exponent = i > 0 && !row.exponents.empty() && document.version >= row.exponents.front().version;
        const Types types = exponent ? row.exponents : row.types;
        VKONNX_RETURN_IF_ERROR(check_double(document, types, name, input.dtype));
        VKONNX_RETURN_IF_ERROR(check_type(document, name, input.dtype, types));
        if (!exponent && input.dtype != inputs[0].dtype)
            return document.refuse({name, " has type ", vkonnx::name(input.dtype), ", but it must have ", input_name(row, 0),
                                    "'s, ", vkonnx::name(inputs[0].dtype)});
        VKONNX_RETURN_IF_ERROR(check_layout(document, name + ".layout", input.layout));
        VKONNX_RETURN_IF_ERROR(check_tensor(document, name, input));
    }
    return {};
}

// The dimensions with as many 1s in front as make them `rank`.
std::vector<int64_t> aligned(const std::vector<int64_t>& dims, size_t rank)
{
    std::vector<int64_t> result(rank - std::min(rank, dims.size()), 1);
    result.insert(result.end(), dims.begin(), dims.end());
    return result;
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

// The output's dimensions, once each input is broadcast to them; `name_of` gives one's name.
template <class Names>
Result<std::vector<int64_t>> broadcast(const Document& document, std::span<const TensorDesc> inputs, const Names& name_of)
{
    size_t rank = 0;
    for (const TensorDesc& input : inputs)
        rank = std::max(rank, input.dims.size());
    std::vector<int64_t> dims(rank, 1);
    std::vector<size_t> from(rank, 0);  // the input that each extent is of
    for (size_t i = 0; i < inputs.size(); ++i) {
        const size_t missing = rank - inputs[i].dims.size();
        for (size_t a = missing; a < rank; ++a) {
            const int64_t extent = inputs[i].dims[a - missing];
            if (extent == 1 || extent == dims[a])
                continue;
            if (dims[a] != 1)
                return document.refuse({name_of(i), " has extent ", extent, " on axis ", int64_t(a), " of the output, where ",
                                        name_of(from[a]), " has ", dims[a], "; extents must be equal, or 1"});
            dims[a] = extent;
            from[a] = i;
        }
    }
    return dims;
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

// ---- steps behind the first operator

constexpr size_t most_inputs_of_chains = 3;  // that are bound at once on every device

// Those that Elementwise::then takes: with one operand, or two.
bool may_be_step(ElementwiseKind kind)
{
    return kind != ElementwiseKind::identity && kind != ElementwiseKind::sum && row_of(kind);
}

bool has_other(const Row& row)
{
    return row.shapes == Shapes::broadcast || row.shapes == Shapes::broadcast_to_first;
}

bool takes_input(const ElementwiseStep& step)
{
    return may_be_step(step.kind) && has_other(*row_of(step.kind)) && !step.number;
}

size_t count_operands(const Elementwise& attributes)
{
    return size_t(std::count_if(attributes.then.begin(), attributes.then.end(), takes_input));
}

std::string step_name(size_t index)
{
    return join({"then[", int64_t(index), "]"});
}

// As the operator of its own that it would be, of the newest document; Clip's bounds are no attributes of that.
Elementwise operator_of(const ElementwiseStep& step)
{
    Elementwise op;
    op.kind = step.kind;
    op.alpha = step.alpha;
    op.beta = step.beta;
    op.min = step.min;
    op.max = step.max;
    return op;
}

bool is_unsigned(DType dtype)
{
    return dtype == DType::uint8 || dtype == DType::uint16 || dtype == DType::uint32 || dtype == DType::uint64;
}

bool is_integer(DType dtype)
{
    return is_unsigned(dtype) || dtype == DType::int8 || dtype == DType::int16 || dtype == DType::int32 || dtype == DType::int64;
}

std::string text_of(double number)
{
    std::array<char, 40> text = {};
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

// Of integers: whole, and one that the type has.
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
    fields(op, [&](std::string_view name, const std::optional<float>& value) {
        const auto named = [&](const Attribute& attribute) { return attribute.name == name; };
        if (!value || !status)
            return;
        const std::string what = join({step_is, ".", name});
        if (std::none_of(row.attributes.begin(), row.attributes.end(), named))
            status = document.refuse({what, " must not be given: ", kind, " has no such attribute"});
        else
            status = check_step_number(document, what, dtype, *value);
    });
    if (!status)
        return status;
    if (!has_other(row) && (step.number || step.swapped))
        return document.refuse(
            {step_is, step.number ? ".number" : ".swapped", " must not be given: ", kind, " has no second operand"});
    return check_step_number(document, step_is + ".number", dtype, step.number);
}

// By its newest document, of floats alone in Pow.
Status check_step_type(const Document& document, const std::string& step_is, const Row& row, DType dtype)
{
    const auto is_type = [&](const TypeSince& entry) { return entry.dtype == dtype; };
    const bool takes =
        std::any_of(row.types.begin(), row.types.end(), is_type) && !(row.kind == ElementwiseKind::pow && is_integer(dtype));
    if (takes)
        return {};
    return document.refuse({step_is, ".kind = ", vkonnx::name(row.kind), " has no ", vkonnx::name(dtype),
                            ", the type of what it is to be computed of"},
                           dtype == DType::float64 ? Code::unsupported : Code::invalid_argument);
}

Status check_steps(const Document& document, const Elementwise& attributes, std::span<const TensorDesc> inputs)
{
    if (attributes.then.size() > max_elementwise_steps)
        return document.refuse(
            {"then has ", int64_t(attributes.then.size()), " steps, which must be at most ", int64_t(max_elementwise_steps)});
    for (size_t i = 0; i < attributes.then.size(); ++i) {
        const ElementwiseKind kind = attributes.then[i].kind;
        if (may_be_step(kind))
            continue;
        const std::string word = row_of(kind) ? std::string(vkonnx::name(kind)) : std::to_string(int(kind));
        return document.refuse({step_name(i), ".kind = ", word, " must be one of ElementwiseKind but Identity and Sum"});
    }
    if (!attributes.then.empty() && inputs.size() > most_inputs_of_chains)
        return document.refuse({"then is not empty, so that at most ", int64_t(most_inputs_of_chains),
                                " inputs are expected, but ", int64_t(inputs.size()), " are given"});
    const size_t operands = count_operands(attributes);
    if (inputs.size() <= operands && operands > 0)
        return document.refuse({"then has ", int64_t(operands),
                                operands == 1 ? " step with an input of its own" : " steps with an input of their own",
                                ", behind the operator's, but ", int64_t(inputs.size()),
                                inputs.size() == 1 ? " input is given" : " inputs are given"});
    return {};
}

// The inputs behind the operator's own, and what their steps make of the type.
Status check_operands(const Document& document, const Row& row, const Elementwise& attributes, std::span<const TensorDesc> inputs)
{
    const DType dtype = inputs[0].dtype;
    size_t next = inputs.size() - count_operands(attributes);
    for (size_t i = 0; i < attributes.then.size(); ++i) {
        const ElementwiseStep& step = attributes.then[i];
        const Row& own = *row_of(step.kind);
        VKONNX_RETURN_IF_ERROR(check_step_type(document, step_name(i), own, dtype));
        VKONNX_RETURN_IF_ERROR(check_step_attributes(document, step_name(i), own, step, dtype));
        if (!takes_input(step))
            continue;
        const TensorDesc& input = inputs[next++];
        const std::string name = step_name(i) + "'s input";
        if (input.dtype != dtype)
            return document.refuse({name, " has type ", vkonnx::name(input.dtype), ", but it must have ", input_name(row, 0),
                                    "'s, ", vkonnx::name(dtype)});
        VKONNX_RETURN_IF_ERROR(check_layout(document, name + ".layout", input.layout));
        VKONNX_RETURN_IF_ERROR(check_tensor(document, name, input));
    }
    return {};
}

// What the operator's own output, of these dimensions, becomes by the inputs of steps.
Result<std::vector<int64_t>> chained_dims(const Document& document, const Elementwise& attributes, std::vector<int64_t> dims,
                                          std::span<const TensorDesc> operands)
{
    std::vector<TensorDesc> all;
    all.push_back({DType::undefined, std::move(dims)});
    all.insert(all.end(), operands.begin(), operands.end());
    std::vector<std::string> names = {"what the operator makes"};
    for (size_t i = 0; i < attributes.then.size(); ++i)
        if (takes_input(attributes.then[i]))
            names.push_back(step_name(i) + "'s input");
    return broadcast(document, all, [&](size_t i) { return names[i]; });
}

// "ONNX Mul-14: C = A * B, where B = 0.5"
std::string equation_of(const ElementwiseStep& step, const Row& row, std::optional<size_t> input)
{
    const Result<Document> document = document_for(row, newest_opset);
    if (!has_other(row))
        return join({document->title(), ": ", row.expression});
    return join({document->title(), ": ", row.expression, ", where ", input_name(row, step.swapped ? 0 : 1), " is ",
                 input ? "input " + std::to_string(*input) : text_of(*step.number)});
}

void add_steps(const Elementwise& attributes, ElementwiseGeometry& geometry)
{
    size_t next = geometry.own_inputs;
    for (const ElementwiseStep& step : attributes.then) {
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
        geometry.then.push_back(link);
    }
}

}  // namespace

Result<ElementwiseGeometry> resolve(const Elementwise& attributes, std::span<const TensorDesc> inputs)
{
    const Row* row = row_of(attributes.kind);
    if (!row)
        return Status(Code::invalid_argument,
                      join({"Elementwise: kind = ", int64_t(attributes.kind), " must be one of ElementwiseKind"}));
    const Result<Document> document = document_for(*row, attributes.opset);
    if (!document)
        return document.status();
    VKONNX_RETURN_IF_ERROR(check_attributes(*document, *row, attributes));
    VKONNX_RETURN_IF_ERROR(check_steps(*document, attributes, inputs));
    const auto own = inputs.first(inputs.size() - count_operands(attributes));
    VKONNX_RETURN_IF_ERROR(check_inputs(*document, *row, own));
    VKONNX_RETURN_IF_ERROR(check_operands(*document, *row, attributes, inputs));
    Result<std::vector<int64_t>> dims = output_dims(*document, *row, own);
    if (dims && own.size() < inputs.size())
        dims = chained_dims(*document, attributes, std::move(*dims), inputs.subspan(own.size()));
    if (!dims)
        return dims.status();
    ElementwiseGeometry geometry = {.kind = row->kind,
                                    .dtype = inputs[0].dtype,
                                    .dims = std::move(*dims),
                                    .exponent = row->exponents.empty() ? DType::undefined : inputs[1].dtype,
                                    .variadic = is_variadic(*row),
                                    .numbers = numbers_of(*row, attributes, inputs[0].dtype),
                                    .own_inputs = own.size()};
    for (const TensorDesc& input : inputs) {
        const size_t index = geometry.inputs.size();
        const bool one = row->shapes == Shapes::scalars && index > 0 && index < own.size();  // of any rank
        geometry.inputs.push_back(input.dtype == DType::undefined
                                      ? std::nullopt
                                      : std::optional(aligned(one ? std::vector<int64_t>() : input.dims, geometry.dims.size())));
        if (input.layout == Layout::nxc)
            geometry.layout = Layout::nxc;
    }
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "the output", output_of(geometry)));
    geometry.equation = join({document->title(), ": ", row->expression});
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
    // Clip's bounds are attributes here in every version: there are no inputs
    Elementwise operators_own = *attributes;
    if (attributes->kind == ElementwiseKind::clip)
        operators_own.min = operators_own.max = std::nullopt;
    Result<ElementwiseGeometry> geometry = resolve(operators_own, {&output, 1});
    if (!geometry)
        return Status(geometry.code(), join({op, ": PrepareOptions::epilogue: ", geometry.message()}));
    Epilogue epilogue = {.kind = attributes->kind,
                         .numbers = numbers_of(*row_of(attributes->kind), *attributes, output.dtype),
                         .equation = std::move(geometry->equation)};
    for (const ElementwiseStep& step : attributes->then) {
        const bool multiplies = step.kind == ElementwiseKind::mul && !epilogue.factor && !epilogue.addend;
        if (!multiplies && !(step.kind == ElementwiseKind::add && !epilogue.addend))
            return Status(Code::invalid_argument, join({op, ": PrepareOptions::epilogue: then has ", vkonnx::name(step.kind),
                                                        ", but it must be a Mul, an Add or both in this order, by numbers"}));
        (multiplies ? epilogue.factor : epilogue.addend) = step.number;
    }
    return epilogue;
}

TensorDesc output_of(const ElementwiseGeometry& geometry)
{
    return {geometry.dtype, geometry.dims, geometry.layout};
}

Signature signature_of(const Elementwise& attributes)
{
    const Row* row = row_of(attributes.kind);
    if (!row)
        return {};
    Signature signature = {.least_inputs = row->least, .most_inputs = row->most};
    if (is_variadic(*row))
        signature.inputs = {"data_0"};
    else
        signature.inputs.assign(row->inputs.begin(), row->inputs.begin() + ptrdiff_t(row->most));
    for (const Attribute& attribute : row->attributes)
        if (!attribute.name.empty())
            signature.attributes.push_back(attribute.name);
    if (!attributes.then.empty()) {  // whose inputs have no names of their own
        signature.least_inputs += count_operands(attributes);
        signature.most_inputs = std::min(signature.most_inputs + count_operands(attributes), most_inputs_of_chains);
    }
    return signature;
}

}  // namespace vkonnx::ops
