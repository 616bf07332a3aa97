// This header names the cells of the table of conformance: an operator, a version of its document, and a type.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <compare>

#include "kit/cases.h"

namespace vkonnx::tools {

// An operator kind is an operator as the table names it: an alternative of Operator, where each kind of Elementwise is an
// operator by itself.
struct OperatorKind {
    uint8_t alternative = 0;                           // its place in Operator
    ElementwiseKind kind = ElementwiseKind::identity;  // of no account for other alternatives than Elementwise

    friend auto operator<=>(const OperatorKind&, const OperatorKind&) = default;
};

// Returns the kind of an operator, whatever its attributes are.
OperatorKind kind_of(const Operator& op);

// Returns every operator that there is, in the order of Operator and of elementwise_words.
const std::vector<OperatorKind>& all_operators();

struct Cell {
    OperatorKind op = {};
    int64_t version = 1;
    DType dtype = DType::float32;  // of the first input

    friend auto operator<=>(const Cell&, const Cell&) = default;
};

// Returns "ConvTranspose", "Relu" or "oneDNN ConvTranspose", for example.
std::string operator_text(OperatorKind op);

// Returns the versions of the operator's document, oldest first.
std::span<const int64_t> versions_of(OperatorKind op);

// Returns the version that a model with this opset import means: the newest one that is not newer, or 0 where there is none.
int64_t version_at(OperatorKind op, int64_t opset);

// Returns a small problem of the cell, which is right if the version has the type.
kit::Case specimen_of(const Cell& cell);

// Returns the types that any version of the operator has, in the order of their numbers.
std::vector<DType> types_of(OperatorKind op);

// Tells whether the operator takes the type in this version, by the documents as the reference knows them. For oneDNN's operator
// double counts, too, which the library adds.
bool has_type(const Cell& cell);

// Returns the columns and rows of an operator: every version with every type that it has.
std::vector<Cell> cells_of(OperatorKind op);

// Returns the cell of a model's node, by its opset import, or nothing for an operator that the table does not have.
std::optional<Cell> cell_of_node(std::string_view op_type, std::string_view domain, int64_t opset, DType dtype);

// Returns the cell in a name that --gtest_filter can pick, such as "oneDNN_ConvTranspose_1/bfloat16".
std::string cell_name(const Cell& cell);

// These read what operator_text and vkonnx::name give.
std::optional<OperatorKind> parse_operator(std::string_view text);
std::optional<DType> parse_type(std::string_view text);

}  // namespace vkonnx::tools
