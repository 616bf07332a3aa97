// Where a result belongs in the table of conformance: an operator, a version of its document, and a type.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <compare>

namespace vkonnx::tools {

enum class OperatorKind : uint8_t { conv_transpose, average_pool, onednn_conv_transpose, shape };

inline constexpr std::array<OperatorKind, 4> all_operators = {OperatorKind::conv_transpose, OperatorKind::average_pool,
                                                              OperatorKind::onednn_conv_transpose, OperatorKind::shape};

struct Cell {
    OperatorKind op = OperatorKind::conv_transpose;
    int64_t version = 1;
    DType dtype = DType::float32;  // of the inputs

    friend auto operator<=>(const Cell&, const Cell&) = default;
};

// "ConvTranspose", "AveragePool", "oneDNN ConvTranspose", "Shape"
std::string_view operator_text(OperatorKind op);

// The versions of the operator's document, oldest first.
std::span<const int64_t> versions_of(OperatorKind op);

// The one that a model with this opset import means: the newest that is not newer; 0 where there is none.
int64_t version_at(OperatorKind op, int64_t opset);

// The types that any of its versions has, in the order of their numbers.
std::vector<DType> types_of(OperatorKind op);

// Whether the operator's document lists the type in this version. For oneDNN's dialect double counts, too, which SEMANTICS adds.
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
