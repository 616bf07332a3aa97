#include "cell.h"

#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <vkonnx/onnx.hpp>

#include "kit/onnx_builder.h"
#include "kit/source_path.h"

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
    EXPECT_EQ(types_by_version(kind_of(ConvTranspose())), (Counts{{1, 3}, {11, 3}, {22, 4}}));
    EXPECT_EQ(types_by_version(kind_of(AveragePool())), (Counts{{1, 3}, {7, 3}, {10, 3}, {11, 3}, {19, 3}, {22, 4}}));
    EXPECT_EQ(types_by_version(kind_of(onednn::ConvTranspose())), (Counts{{1, 4}}));
    EXPECT_EQ(types_by_version(kind_of(Shape())),
              (Counts{{1, 15}, {13, 16}, {15, 16}, {19, 20}, {21, 22}, {23, 23}, {24, 24}, {25, 26}}));
}

TEST(Cell, TypesAreTheDocuments)
{
    const std::vector<DType> four = {DType::float32, DType::float16, DType::float64, DType::bfloat16};
    for (const OperatorKind op : {kind_of(ConvTranspose()), kind_of(AveragePool()), kind_of(onednn::ConvTranspose())})
        EXPECT_EQ(types_of(op), four);
    EXPECT_EQ(types_of(kind_of(Shape())).size(), 26u);
    EXPECT_TRUE(has_type({kind_of(ConvTranspose()), 22, DType::bfloat16}));
    EXPECT_FALSE(has_type({kind_of(ConvTranspose()), 11, DType::bfloat16}));
    EXPECT_FALSE(has_type({kind_of(AveragePool()), 19, DType::bfloat16}));
    EXPECT_FALSE(has_type({kind_of(AveragePool()), 22, DType::int32}));
    EXPECT_TRUE(has_type({kind_of(Shape()), 1, DType::string}));
    EXPECT_FALSE(has_type({kind_of(Shape()), 1, DType::bfloat16}));
    EXPECT_TRUE(has_type({kind_of(Shape()), 13, DType::bfloat16}));
    EXPECT_FALSE(has_type({kind_of(Shape()), 24, DType::int2}));
    EXPECT_FALSE(has_type({kind_of(Shape()), 25, DType::undefined}));
}

// Returns the operators that model files may hold: those that the message about an unknown operator lists.
std::set<std::string> operators_of_models(const std::string& domain)
{
    const std::string model = kit::ModelBuilder()
                                  .opset(17)
                                  .input("X", DType::float32, {1})
                                  .node("NoSuchOperator", {"X"}, {"Y"})
                                  .output("Y", DType::float32, {1})
                                  .build();
    const Result<onnx::Model> loaded = onnx::Model::parse(std::as_bytes(std::span(model)));
    EXPECT_TRUE(loaded) << loaded.message();
    if (!loaded)
        return {};
    // The message ends with "... supported are Abs, Add, ..., Where of domain 'ai.onnx', BiasGelu, ... of domain
    // 'com.microsoft', ConvTranspose of domain 'onednn.graph', and BlockQuantizedMatMul, DotProductAttention of domain 'vkonnx'".
    const std::vector<onnx::NamedDesc> x = {{.name = "X", .desc = {DType::float32, {1}}}};
    std::string list(onnx::explain(*loaded, x, Capabilities()).message());
    list.erase(0, list.find("supported are ") + 14);
    const size_t end = list.find(" of domain '" + domain + "'");
    EXPECT_NE(end, std::string::npos) << list;
    list.erase(std::min(end, list.size()));
    if (const size_t other = list.rfind("', "); other != std::string::npos)
        list.erase(0, other + 3);
    if (list.starts_with("and "))
        list.erase(0, 4);
    std::set<std::string> names;
    for (size_t at = 0; at < list.size();) {
        const size_t next = std::min(list.find(", ", at), list.size());
        names.insert(list.substr(at, next - at));
        at = next + 2;
    }
    return names;
}

// A new operator of model files must be added to the table, or to this list of operators that models have and the table has not.
TEST(Cell, EveryOperatorOfModelsIsInTheTable)
{
    const std::set<std::string> without_struct = {"AffineGrid",
                                                  "BitCast",
                                                  "BlackmanWindow",
                                                  "CenterCropPad",
                                                  "DFT",
                                                  "HammingWindow",
                                                  "HannWindow",
                                                  "MelWeightMatrix",
                                                  "STFT",
                                                  "SwiGLU",
                                                  "Attention",
                                                  "CastLike",
                                                  "ConvInteger",
                                                  "DequantizeLinear",
                                                  "DynamicQuantizeLinear",
                                                  "MatMulInteger",
                                                  "QLinearConv",
                                                  "QLinearMatMul",
                                                  "QuantizeLinear",
                                                  "CausalConvWithState",
                                                  "Col2Im",
                                                  "CumProd",
                                                  "DeformConv",
                                                  "MaxUnpool",
                                                  "TensorScatter",
                                                  "Compress",
                                                  "Constant",
                                                  "ConstantOfShape",
                                                  "Dropout",
                                                  "Einsum",
                                                  "EyeLike",
                                                  "Flatten",
                                                  "GlobalLpPool",
                                                  "GridSample",
                                                  "GroupNormalization",
                                                  "Hardmax",
                                                  "If",
                                                  "Loop",
                                                  "LpNormalization",
                                                  "LpPool",
                                                  "MeanVarianceNormalization",
                                                  "NegativeLogLikelihoodLoss",
                                                  "NonMaxSuppression",
                                                  "NonZero",
                                                  "OneHot",
                                                  "RMSNormalization",
                                                  "Range",
                                                  "Reshape",
                                                  "ReverseSequence",
                                                  "RotaryEmbedding",
                                                  "RoiAlign",
                                                  "Scan",
                                                  "Scatter",
                                                  "Shrink",
                                                  "SimplifiedLayerNormalization",
                                                  "Size",
                                                  "SoftmaxCrossEntropyLoss",
                                                  "Squeeze",
                                                  "Trilu",
                                                  "Unique",
                                                  "Unsqueeze",
                                                  "Upsample"};
    std::set<std::string> in_table = without_struct;
    for (const OperatorKind op : all_operators())
        if (op != kind_of(onednn::ConvTranspose()) && op != kind_of(DotProductAttention()) &&
            op != kind_of(BlockQuantizedMatMul())) {
            EXPECT_TRUE(in_table.insert(operator_text(op)).second) << operator_text(op);
        }
    EXPECT_EQ(operators_of_models("ai.onnx"), in_table);
    EXPECT_EQ(operators_of_models("onednn.graph"), std::set<std::string>{"ConvTranspose"});
    EXPECT_EQ(operators_of_models("vkonnx"), (std::set<std::string>{"BlockQuantizedMatMul", "DotProductAttention"}));
}

// Returns the operators in the first column of the tables in docs/operators.md whose first line begins so.
std::multiset<std::string> operators_of_page(const std::string& head)
{
    std::ifstream file(kit::source_path("docs/operators.md"));
    EXPECT_TRUE(file);
    std::multiset<std::string> listed;
    bool is_table = false;
    for (std::string line; std::getline(file, line);) {
        is_table = line.starts_with(head) || (is_table && line.starts_with("|"));
        if (!is_table || line.starts_with(head) || line.starts_with("|---"))
            continue;
        std::string names = line.substr(2, line.find(" |") - 2);
        if (const size_t at = names.find(" of `"); at != std::string::npos)
            names.erase(at);
        for (size_t at = 0; at < names.size();) {
            const size_t next = std::min(names.find(", ", at), names.size());
            listed.insert(names.substr(at, next - at));
            at = next + 2;
        }
    }
    return listed;
}

// The tables of the page have every operator once, but ConvTranspose twice, and the operator that ONNX has not, and the notes are
// about operators that there are.
TEST(Cell, OperatorsPageListsEveryOperator)
{
    const std::set<std::string> all = operators_of_models("ai.onnx");
    std::multiset<std::string> once(all.begin(), all.end());
    once.insert("ConvTranspose");
    once.insert({"BlockQuantizedMatMul", "DotProductAttention"});
    EXPECT_EQ(operators_of_page("| operator |"), once);
    const std::set<std::string> of_microsoft = operators_of_models("com.microsoft");
    EXPECT_EQ(operators_of_page("| operator of com.microsoft |"),
              std::multiset<std::string>(of_microsoft.begin(), of_microsoft.end()));
    const std::multiset<std::string> noted = operators_of_page("| operators |");
    EXPECT_GT(noted.size(), 10u);
    for (const std::string& name : noted)
        EXPECT_TRUE(all.contains(name)) << name;
}

// README.md says how many operators there are, and the number must be right.
TEST(Cell, ReadmeCountsTheOperators)
{
    std::ifstream file(kit::source_path("README.md"));
    ASSERT_TRUE(file);
    bool is_counted = false;
    const std::string counted = "It runs more than a hundred of ONNX's operators and oneDNN Graph's";
    for (std::string line; std::getline(file, line);)
        is_counted = is_counted || line.starts_with(counted);
    EXPECT_TRUE(is_counted) << counted;
    EXPECT_GT(all_operators().size() - 1, 100u);
}

// Returns the operator's version that the library has for an opset, from the beginning of its equation: "ONNX AveragePool-19".
std::string version_of_the_library(const kit::Case& problem)
{
    const Result<Explanation> explained = explain(problem.attributes, problem.inputs, Capabilities());
    if (!explained)
        return "";
    const size_t dash = explained->equation.find('-'), end = explained->equation.find_first_not_of("0123456789", dash + 1);
    return explained->equation.substr(dash + 1, end - dash - 1);
}

// The table comes from the reference. The library must take each of its cells by that version of the document, and no others.
TEST(Cell, TableIsWhatTheLibraryTakes)
{
    for (const OperatorKind op : all_operators()) {
        const kit::Case plain = specimen_of({op});
        const bool has_opset = opset_of(plain.attributes) != nullptr;
        for (int64_t opset = 1; opset <= (has_opset ? newest_opset : 1); ++opset)
            for (int number = 0; number <= int(DType::int2); ++number) {
                const Cell cell = {op, version_at(op, opset), DType(number)};
                const kit::Case specimen = specimen_of({op, opset, cell.dtype});
                const std::string version = version_of_the_library(specimen);
                const std::string expected = has_type(cell) ? std::to_string(cell.version) : "";
                ASSERT_EQ(version, expected) << operator_text(op) << " " << kit::to_string(specimen);
            }
    }
}

TEST(Cell, NodeHasTheNewestVersionOfItsOpset)
{
    const auto cell = cell_of_node("AveragePool", "ai.onnx", 13, DType::float32);
    EXPECT_EQ(cell, (Cell{kind_of(AveragePool()), 11, DType::float32}));
    EXPECT_EQ(cell_of_node("Shape", "", 25, DType::int2), (Cell{kind_of(Shape()), 25, DType::int2}));
    EXPECT_EQ(cell_of_node("Shape", "", 99, DType::int2)->version, 25);
    EXPECT_EQ(cell_of_node("ConvTranspose", "onednn.graph", 1, DType::float16)->op, kind_of(onednn::ConvTranspose()));
    EXPECT_EQ(cell_of_node("ConvTranspose", "", 21, DType::float16), (Cell{kind_of(ConvTranspose()), 11, DType::float16}));
    EXPECT_EQ(cell_of_node("Relu", "", 21, DType::int32),
              (Cell{kind_of(Elementwise{.kind = ElementwiseKind::relu}), 14, DType::int32}));
    EXPECT_FALSE(cell_of_node("Relu", "onednn.graph", 21, DType::float32));
    EXPECT_FALSE(cell_of_node("Multinomial", "", 21, DType::float32));
    EXPECT_FALSE(cell_of_node("AveragePool", "onednn.graph", 1, DType::float32));
    EXPECT_FALSE(cell_of_node("Shape", "", 0, DType::float32));
}

TEST(Cell, NamesAreReadBack)
{
    EXPECT_EQ(cell_name({kind_of(onednn::ConvTranspose()), 1, DType::bfloat16}), "oneDNN_ConvTranspose_1/bfloat16");
    for (const OperatorKind op : all_operators()) {
        EXPECT_EQ(parse_operator(operator_text(op)), op);
        for (const DType dtype : types_of(op))
            EXPECT_EQ(parse_type(name(dtype)), dtype);
    }
    EXPECT_FALSE(parse_operator("Multinomial"));
    EXPECT_FALSE(parse_type("undefined"));
}

}  // namespace
}  // namespace vkonnx::tools
