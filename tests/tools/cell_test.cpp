#include "cell.h"

#include <map>

#include <gtest/gtest.h>

namespace vkonnx::tools {
namespace {

std::map<int64_t, size_t> types_by_version(OperatorKind op)
{
    std::map<int64_t, size_t> counts;
    for (const Cell& cell : cells_of(op))
        ++counts[cell.version];
    return counts;
}

TEST(Cell, EveryVersionHasTheTypesOfItsDocument)
{
    using Counts = std::map<int64_t, size_t>;
    EXPECT_EQ(types_by_version(OperatorKind::conv_transpose), (Counts{{1, 3}, {11, 3}, {22, 4}}));
    EXPECT_EQ(types_by_version(OperatorKind::average_pool), (Counts{{1, 3}, {7, 3}, {10, 3}, {11, 3}, {19, 3}, {22, 4}}));
    EXPECT_EQ(types_by_version(OperatorKind::onednn_conv_transpose), (Counts{{1, 4}}));
    EXPECT_EQ(types_by_version(OperatorKind::shape),
              (Counts{{1, 15}, {13, 16}, {15, 16}, {19, 20}, {21, 22}, {23, 23}, {24, 24}, {25, 26}}));
}

TEST(Cell, TypesAreTheDocuments)
{
    const std::vector<DType> four = {DType::float32, DType::float16, DType::float64, DType::bfloat16};
    for (const OperatorKind op : {OperatorKind::conv_transpose, OperatorKind::average_pool, OperatorKind::onednn_conv_transpose})
        EXPECT_EQ(types_of(op), four);
    EXPECT_EQ(types_of(OperatorKind::shape).size(), 26u);
    EXPECT_TRUE(has_type({OperatorKind::conv_transpose, 22, DType::bfloat16}));
    EXPECT_FALSE(has_type({OperatorKind::conv_transpose, 11, DType::bfloat16}));
    EXPECT_FALSE(has_type({OperatorKind::average_pool, 19, DType::bfloat16}));
    EXPECT_FALSE(has_type({OperatorKind::average_pool, 22, DType::int32}));
    EXPECT_TRUE(has_type({OperatorKind::shape, 1, DType::string}));
    EXPECT_FALSE(has_type({OperatorKind::shape, 1, DType::bfloat16}));
    EXPECT_TRUE(has_type({OperatorKind::shape, 13, DType::bfloat16}));
    EXPECT_FALSE(has_type({OperatorKind::shape, 24, DType::int2}));
    EXPECT_FALSE(has_type({OperatorKind::shape, 25, DType::undefined}));
}

TEST(Cell, NodeHasTheNewestVersionOfItsOpset)
{
    const auto cell = cell_of_node("AveragePool", "ai.onnx", 13, DType::float32);
    EXPECT_EQ(cell, (Cell{OperatorKind::average_pool, 11, DType::float32}));
    EXPECT_EQ(cell_of_node("Shape", "", 25, DType::int2), (Cell{OperatorKind::shape, 25, DType::int2}));
    EXPECT_EQ(cell_of_node("Shape", "", 99, DType::int2)->version, 25);
    EXPECT_EQ(cell_of_node("ConvTranspose", "onednn.graph", 1, DType::float16)->op, OperatorKind::onednn_conv_transpose);
    EXPECT_EQ(cell_of_node("ConvTranspose", "", 21, DType::float16), (Cell{OperatorKind::conv_transpose, 11, DType::float16}));
    EXPECT_FALSE(cell_of_node("Relu", "", 21, DType::float32));
    EXPECT_FALSE(cell_of_node("AveragePool", "onednn.graph", 1, DType::float32));
    EXPECT_FALSE(cell_of_node("Shape", "", 0, DType::float32));
}

TEST(Cell, NamesAreReadBack)
{
    EXPECT_EQ(cell_name({OperatorKind::onednn_conv_transpose, 1, DType::bfloat16}), "oneDNN_ConvTranspose_1/bfloat16");
    for (const OperatorKind op : all_operators) {
        EXPECT_EQ(parse_operator(operator_text(op)), op);
        for (const DType dtype : types_of(op))
            EXPECT_EQ(parse_type(name(dtype)), dtype);
    }
    EXPECT_FALSE(parse_operator("Relu"));
    EXPECT_FALSE(parse_type("undefined"));
}

}  // namespace
}  // namespace vkonnx::tools
