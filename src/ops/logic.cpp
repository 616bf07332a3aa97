// SPDX-License-Identifier: Apache-2.0
// This file resolves the operators that compare, join truth values, choose and work on bits. Each has a row in a table.
#include "ops/broadcast.h"
#include "ops/move.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using Kind = LogicKind;

// ---- types by version

constexpr Schema::Type equal_types[] = {{DType::boolean, 7},   {DType::int32, 7},    {DType::int64, 7},    {DType::int8, 11},
                                        {DType::int16, 11},    {DType::uint8, 11},   {DType::uint16, 11},  {DType::uint32, 11},
                                        {DType::uint64, 11},   {DType::float32, 11}, {DType::float16, 11}, {DType::float64, 11},
                                        {DType::bfloat16, 13}, {DType::string, 19}};
// `bfloat16` is the first version that has this type.
template <int64_t bfloat16>
constexpr Schema::Type ordered_types[] = {{DType::float32, 7}, {DType::float16, 7}, {DType::float64, 7},
                                          {DType::int8, 9},    {DType::int16, 9},   {DType::int32, 9},
                                          {DType::int64, 9},   {DType::uint8, 9},   {DType::uint16, 9},
                                          {DType::uint32, 9},  {DType::uint64, 9},  {DType::bfloat16, bfloat16}};
constexpr Schema::Type nan_types[] = {{DType::float32, 9}, {DType::float16, 9}, {DType::float64, 9}, {DType::bfloat16, 13}};
constexpr Schema::Type infinity_types[] = {
    {DType::float32, 10}, {DType::float64, 10}, {DType::float16, 20}, {DType::bfloat16, 20}};
constexpr Schema::Type bool_types[] = {{DType::boolean, 1}};
constexpr Schema::Type integer_types[] = {{DType::int8, 18},  {DType::int16, 18},  {DType::int32, 18},  {DType::int64, 18},
                                          {DType::uint8, 18}, {DType::uint16, 18}, {DType::uint32, 18}, {DType::uint64, 18}};
constexpr Schema::Type shifted_types[] = {{DType::uint8, 11}, {DType::uint16, 11}, {DType::uint32, 11}, {DType::uint64, 11},
                                          {DType::int8, 28},  {DType::int16, 28},  {DType::int32, 28},  {DType::int64, 28}};
constexpr Schema::Type chosen_types[] = {
    {DType::float32, 9}, {DType::uint8, 9},     {DType::int8, 9},       {DType::uint16, 9},
    {DType::int16, 9},   {DType::int32, 9},     {DType::int64, 9},      {DType::string, 9},
    {DType::boolean, 9}, {DType::float16, 9},   {DType::float64, 9},    {DType::uint32, 9},
    {DType::uint64, 9},  {DType::complex64, 9}, {DType::complex128, 9}, {DType::bfloat16, 16},
};

// ---- versions, inputs, outputs and attributes

constexpr int64_t equal_versions[] = {7, 11, 13, 19};
constexpr int64_t ordered_versions[] = {7, 9, 13};
constexpr int64_t or_equal_versions[] = {12, 16};
constexpr int64_t nan_versions[] = {9, 13, 20};
constexpr int64_t infinity_versions[] = {10, 20};
constexpr int64_t join_versions[] = {7};
constexpr int64_t not_versions[] = {1};
constexpr int64_t where_versions[] = {9, 16};
constexpr int64_t bitwise_versions[] = {18};
constexpr int64_t shift_versions[] = {11, 28};

template <const auto& types>
constexpr Schema::Input a_and_b[] = {{"A", "T", types}, {"B", "T", types}};
template <const auto& types>
constexpr Schema::Input x[] = {{"X", "T", types}};
constexpr Schema::Input x_and_y[] = {{"X", "T", shifted_types}, {"Y", "T", shifted_types}};
constexpr Schema::Input where_inputs[] = {{"condition", "B", bool_types}, {"X", "T", chosen_types}, {"Y", "T", chosen_types}};

constexpr Schema::Output c[] = {{"C"}};
constexpr Schema::Output z[] = {{"Z"}};
constexpr Schema::Output output[] = {{"output"}};

constexpr Schema::Attribute infinity_attributes[] = {{"detect_negative"}, {"detect_positive"}};
constexpr Schema::Attribute shift_attributes[] = {{"direction"}};

// ---- rows

struct Row {
    Kind kind = {};
    std::string_view expression = {};
    Schema schema = {};
};

// Returns the row of an operator of A and B. If it begins with version 7, older versions broadcast in a way of their own.
constexpr Row binary(Kind kind, std::string_view expression, std::span<const int64_t> versions,
                     std::span<const Schema::Input> inputs)
{
    const bool is_old = versions.front() == 7;
    return {kind,
            expression,
            {.name = name(kind),
             .versions = versions,
             .older = is_old ? "what broadcasts in a way of its own, as older versions do, is not supported" : "",
             .inputs = inputs,
             .outputs = c}};
}

constexpr Row unary(Kind kind, std::string_view expression, std::span<const int64_t> versions,
                    std::span<const Schema::Input> inputs, std::span<const Schema::Attribute> attributes = {})
{
    return {kind,
            expression,
            {.name = name(kind), .versions = versions, .inputs = inputs, .outputs = single_output, .attributes = attributes}};
}

constexpr Row rows[] = {
    binary(Kind::equal, "C = A == B", equal_versions, a_and_b<equal_types>),
    binary(Kind::greater, "C = A > B", ordered_versions, a_and_b<ordered_types<13>>),
    binary(Kind::greater_or_equal, "C = A >= B", or_equal_versions, a_and_b<ordered_types<16>>),
    binary(Kind::less, "C = A < B", ordered_versions, a_and_b<ordered_types<13>>),
    binary(Kind::less_or_equal, "C = A <= B", or_equal_versions, a_and_b<ordered_types<16>>),
    unary(Kind::is_nan, "Y = X is NaN", nan_versions, x<nan_types>),
    unary(Kind::is_inf, "Y = X is an infinity", infinity_versions, x<infinity_types>, infinity_attributes),
    binary(Kind::logical_and, "C = A and B", join_versions, a_and_b<bool_types>),
    binary(Kind::logical_or, "C = A or B", join_versions, a_and_b<bool_types>),
    binary(Kind::logical_xor, "C = either A or B", join_versions, a_and_b<bool_types>),
    unary(Kind::logical_not, "Y = not X", not_versions, x<bool_types>),
    {Kind::where,
     "output = condition ? X : Y",
     {.name = name(Kind::where), .versions = where_versions, .inputs = where_inputs, .outputs = output}},
    binary(Kind::bitwise_and, "C = A & B", bitwise_versions, a_and_b<integer_types>),
    binary(Kind::bitwise_or, "C = A | B", bitwise_versions, a_and_b<integer_types>),
    binary(Kind::bitwise_xor, "C = A ^ B", bitwise_versions, a_and_b<integer_types>),
    unary(Kind::bitwise_not, "Y = ~X", bitwise_versions, x<integer_types>),
    {Kind::bit_shift,
     "Z = X shifted by Y",
     {.name = name(Kind::bit_shift),
      .versions = shift_versions,
      .inputs = x_and_y,
      .outputs = z,
      .attributes = shift_attributes}},
};

constexpr bool is_row_of_each_kind()
{
    for (size_t i = 0; i < std::size(rows); ++i)
        if (rows[i].kind != Kind(i))
            return false;
    return std::size(rows) == std::size(logic_words);
}
static_assert(is_row_of_each_kind());

bool makes_bool(Kind kind)
{
    return kind < Kind::where;
}

Result<LogicGeometry> broadcast_geometry(const Row& row, const Document& document, std::span<const TensorDesc> inputs)
{
    const std::vector<const Schema::Input*> known = inputs_at(row.schema, document.version);
    for (size_t i = 0; i < inputs.size(); ++i) {
        VKONNX_RETURN_IF_ERROR(check_layout(document, join({known[i]->name, ".layout"}), inputs[i].layout));
        VKONNX_RETURN_IF_ERROR(check_tensor(document, known[i]->name, inputs[i]));
        if (inputs[i].dtype == DType::string && row.kind == Kind::equal)
            return document.refuse({known[i]->name, " has type string, which is not compared"}, Code::unsupported);
        VKONNX_RETURN_IF_ERROR(check_movable(document, known[i]->name, inputs[i].dtype));
    }
    const Result<std::vector<int64_t>> dims = broadcast(document, inputs, [&](size_t i) { return std::string(known[i]->name); });
    VKONNX_RETURN_IF_ERROR(dims.status());
    LogicGeometry geometry;
    geometry.kind = row.kind;
    geometry.output = {makes_bool(row.kind) ? DType::boolean : inputs.back().dtype, *dims};
    geometry.equation = join({document.title(), ": ", row.expression});
    for (const TensorDesc& input : inputs) {
        geometry.inputs.emplace_back(aligned(input.dims, dims->size()));
        geometry.types.push_back(input.dtype);
        if (input.layout == Layout::nxc)
            geometry.output.layout = Layout::nxc;
    }
    VKONNX_RETURN_IF_ERROR(check_tensor(document, "the output", geometry.output));
    return geometry;
}

}  // namespace

const Schema& schema_of(LogicKind kind)
{
    return rows[size_t(kind)].schema;
}

template <LogicKind kind>
Result<LogicGeometry> resolve(const Logic<kind>& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    if constexpr (kind == Kind::is_inf) {
        VKONNX_RETURN_IF_ERROR(check_flag(*document, "detect_negative", attributes.detect_negative));
        VKONNX_RETURN_IF_ERROR(check_flag(*document, "detect_positive", attributes.detect_positive));
    }
    if constexpr (kind == Kind::bit_shift)
        if (word_of(Spellings<ShiftDirection>(shift_direction_words), attributes.direction).empty())
            return document->refuse({"direction must be given, as LEFT or RIGHT"});
    Result<LogicGeometry> geometry = broadcast_geometry(rows[size_t(kind)], *document, inputs);
    VKONNX_RETURN_IF_ERROR(geometry.status());
    if constexpr (kind == Kind::is_inf) {
        geometry->detects_negative = attributes.detect_negative.value_or(1) == 1;
        geometry->detects_positive = attributes.detect_positive.value_or(1) == 1;
    }
    if constexpr (kind == Kind::bit_shift) {
        geometry->shifts_right = attributes.direction == ShiftDirection::right;
        geometry->equation += geometry->shifts_right ? " bits to the right" : " bits to the left";
    }
    return geometry;
}
template Result<LogicGeometry> resolve(const Equal&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const Greater&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const GreaterOrEqual&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const Less&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const LessOrEqual&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const IsNaN&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const IsInf&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const And&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const Or&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const Xor&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const Not&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const Where&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const BitwiseAnd&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const BitwiseOr&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const BitwiseXor&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const BitwiseNot&, std::span<const TensorDesc>);
template Result<LogicGeometry> resolve(const BitShift&, std::span<const TensorDesc>);

TensorDesc output_of(const LogicGeometry& geometry)
{
    return geometry.output;
}

}  // namespace vkonnx::ops
