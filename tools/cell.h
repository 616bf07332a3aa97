// Where a result belongs in the table of conformance: an operator, a version of its document, and a type.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <compare>

#include "kit/cases.h"

namespace vkonnx::tools {

// An operator as the table names it: an alternative of Operator, where each kind of Elementwise is an operator by itself.
struct OperatorKind {
    uint8_t alternative = 0;                           // its place in Operator
    ElementwiseKind kind = ElementwiseKind::identity;  // of no account where that is no Elementwise

    friend auto operator<=>(const OperatorKind&, const OperatorKind&) = default;
};

// What an operator is, whatever its attributes.
OperatorKind kind_of(const Operator& op);

// Every operator that there is, in the order of Operator and of elementwise_words.
const std::vector<OperatorKind>& all_operators();

struct Cell {
    OperatorKind op = {};
    int64_t version = 1;
    DType dtype = DType::float32;  // of the first input

    friend auto operator<=>(const Cell&, const Cell&) = default;
};

// "ConvTranspose", "Relu", "oneDNN ConvTranspose"
std::string operator_text(OperatorKind op);

// The versions of the operator's document, oldest first.
std::span<const int64_t> versions_of(OperatorKind op);

// The one that a model with this opset import means: the newest that is not newer; 0 where there is none.
int64_t version_at(OperatorKind op, int64_t opset);

// A small problem of the cell, which is right if the version has the type.
kit::Case specimen_of(const Cell& cell);

// The types that any of its versions has, in the order of their numbers.
std::vector<DType> types_of(OperatorKind op);

// Whether the operator takes the type in this version, by the documents as the reference knows them. For oneDNN's dialect double
// counts, too, which the library adds.
bool has_type(const Cell& cell);

// The columns and rows of an operator: every version with every type that it has.
std::vector<Cell> cells_of(OperatorKind op);

// The cell of a model's node, from its opset import; none for an operator that the table does not have.
std::optional<Cell> cell_of_node(std::string_view op_type, std::string_view domain, int64_t opset, DType dtype);

// Their numbers in a name that --gtest_filter can pick: "oneDNN_ConvTranspose_1/bfloat16".
std::string cell_name(const Cell& cell);

// From operator_text and vkonnx::name.
std::optional<OperatorKind> parse_operator(std::string_view text);
std::optional<DType> parse_type(std::string_view text);

}  // namespace vkonnx::tools
