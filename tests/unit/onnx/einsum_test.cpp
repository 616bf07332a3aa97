// This file tests Einsum: the dimensions of its output, which operators compute it, and what is refused.
#include <algorithm>

#include "helpers.h"

namespace vkonnx::onnx {
namespace {

ModelBuilder with_inputs(const std::vector<Dims>& inputs, const std::vector<DType>& types = {})
{
    ModelBuilder model;
    model.opset(17);
    for (size_t i = 0; i < inputs.size(); ++i)
        model.input("x" + std::to_string(i), i < types.size() ? types[i] : DType::float32, {inputs[i].begin(), inputs[i].end()});
    return model;
}

Names names_of(size_t inputs)
{
    Names names;
    for (size_t i = 0; i < inputs; ++i)
        names.push_back("x" + std::to_string(i));
    return names;
}

Result<NodeReport> explain_einsum(const std::string& equation, const std::vector<Dims>& inputs,
                                  const std::vector<DType>& types = {})
{
    const auto nodes =
        explain_file(with_inputs(inputs, types)
                         .node("Einsum", names_of(inputs.size()), {"Y"}, {string_attribute("equation", equation)}, "sum")
                         .output("Y")
                         .build());
    return nodes ? Result(nodes->back()) : nodes.status();
}

// Returns the operators that compute the equation, such as "Transpose MatMul".
std::string operators_of(const std::string& equation, const std::vector<Dims>& inputs, const std::vector<DType>& types = {})
{
    const Result<NodeReport> node = explain_einsum(equation, inputs, types);
    if (!node)
        return std::string(node.message());
    if (node->explanation.kernel == "view")
        return "view";
    std::string operators;
    const std::string& lines = node->explanation.equation;
    for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) {
        const std::string line = lines.substr(at + 1, lines.find('\n', at + 1) - at - 1);
        if (line.starts_with("ONNX "))
            operators += (operators.empty() ? "" : " ") + line.substr(5, line.find('-') - 5);
    }
    return operators;
}

TEST(Einsum, OutputHasTheDimensionsOfItsLabels)
{
    const struct {
        std::string equation;
        std::vector<Dims> inputs;
        Dims output;
    } cases[] = {
        {"ij,jk->ik", {{2, 3}, {3, 4}}, {2, 4}},
        {"ij,jk->ki", {{2, 3}, {3, 4}}, {4, 2}},
        {"ij,jk", {{2, 3}, {3, 4}}, {2, 4}},
        {"ba", {{2, 3}}, {3, 2}},
        {"bA", {{2, 3}}, {3, 2}},
        {"aA,A", {{2, 3}, {3}}, {2}},
        {"ii", {{3, 3}}, {}},
        {"ii->i", {{3, 3}}, {3}},
        {"...ii->i...", {{2, 4, 3, 3}}, {3, 2, 4}},
        {"b...a", {{2, 4, 3}}, {4, 3, 2}},
        {"...,...", {{2, 1}, {1, 3}}, {2, 3}},
        {"...->...", {{2, 3}}, {2, 3}},
        {"i...->i", {{2}}, {2}},
        {"i->i...", {{2}}, {2}},
        {" i j -> j i ", {{2, 3}}, {3, 2}},
        {"", {{}}, {}},
        {",->", {{}, {}}, {}},
        {"ijk->", {{2, 3, 4}}, {}},
        {"btgi,gih->btgh", {{1, 7, 2, 3}, {2, 3, 4}}, {1, 7, 2, 4}},
        {"ij,jk->ik", {{0, 3}, {3, 1}}, {0, 1}},
    };
    for (const auto& [equation, inputs, output] : cases) {
        const Result<NodeReport> node = explain_einsum(equation, inputs);
        ASSERT_TRUE(node) << node.message();
        ASSERT_EQ(node->explanation.outputs.size(), 1u);
        EXPECT_EQ(node->explanation.outputs[0].dims, output) << equation;
    }
}

// Nothing is moved where the batches of MatMul, Gemm's transB or other names for the same memory do.
TEST(Einsum, FewOperatorsComputeIt)
{
    const struct {
        std::string equation;
        std::vector<Dims> inputs;
        std::string operators;
    } cases[] = {
        {"i->i", {{3}}, "view"},
        {"ij->ji", {{1, 3}}, "view"},
        {"...->...", {{2, 3}}, "view"},
        {"ij->ji", {{2, 3}}, "Transpose"},
        {"ij->i", {{2, 3}}, "ReduceSum"},
        {"ij->", {{2, 1}}, "ReduceSum"},
        {"ii->i", {{3, 3}}, "Slice"},
        {"iji->ij", {{3, 2, 3}}, "Transpose Slice"},
        {"ii", {{3, 3}}, "Slice ReduceSum"},
        {"ij,jk->ik", {{2, 3}, {3, 4}}, "MatMul"},
        {"ij,jk->ki", {{2, 3}, {3, 4}}, "MatMul Transpose"},
        {"ij,kj->ik", {{2, 3}, {4, 3}}, "Gemm"},
        {"ij,kj->ki", {{2, 3}, {4, 3}}, "Gemm"},
        {"ij,j->i", {{2, 3}, {3}}, "Gemm"},
        {"ij,i->j", {{2, 3}, {2}}, "MatMul"},
        {"ji,jk->ik", {{3, 2}, {3, 4}}, "Transpose MatMul"},
        {"bhij,bhjd->bhid", {{2, 3, 5, 6}, {2, 3, 6, 4}}, "MatMul"},
        {"bhid,bhjd->bhij", {{2, 3, 5, 4}, {2, 3, 6, 4}}, "Transpose MatMul"},
        {"btgi,gih->btgh", {{1, 1, 4, 5}, {4, 5, 6}}, "MatMul"},
        {"btgi,gih->btgh", {{2, 3, 4, 5}, {4, 5, 6}}, "Transpose MatMul Transpose"},
        {"btgi,gi->btg", {{2, 3, 4, 5}, {4, 5}}, "MatMul"},
        {"...ij,jk->...ik", {{2, 3, 4, 5}, {5, 6}}, "MatMul"},
        {"...ij,...jk->...ik", {{2, 3, 4, 5}, {1, 1, 5, 6}}, "MatMul"},
        {"i,j->ij", {{2}, {3}}, "Mul"},
        {"i,j->ji", {{2}, {3}}, "Mul"},
        {"ijk,l->jl", {{2, 3, 4}, {5}}, "ReduceSum Mul"},
        {"ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}}, "MatMul MatMul"},
    };
    for (const auto& [equation, inputs, operators] : cases)
        EXPECT_EQ(operators_of(equation, inputs), operators) << equation;
}

TEST(Einsum, TypesDecideWhatIsComputedIn)
{
    const auto operators = [](const std::string& equation, const std::vector<Dims>& inputs, DType dtype) {
        return operators_of(equation, inputs, std::vector(inputs.size(), dtype));
    };
    EXPECT_EQ(operators("ij,jk->ik", {{2, 3}, {3, 4}}, DType::float16), "MatMul");
    EXPECT_EQ(operators("ij,j,k->ik", {{2, 3}, {3}, {4}}, DType::float16), "Cast Cast Gemm Cast Mul Cast");
    EXPECT_EQ(operators("ij,jk->ik", {{2, 3}, {3, 4}}, DType::int8), "Cast Cast MatMul Cast");
    EXPECT_EQ(operators("ij->ji", {{2, 3}}, DType::int8), "Transpose");
    EXPECT_EQ(operators("ij,jk->ik", {{2, 3}, {3, 4}}, DType::int64), "MatMul");
}

TEST(Einsum, OfConstantsOnlyProductsAreLeft)
{
    const auto node = explain_file(with_inputs({{2, 2, 4}})
                                       .initializer(float_tensor("W", {2, 9, 4}, std::vector<float>(72, 1)))
                                       .node("Einsum", {"x0", "W"}, {"Y"}, {string_attribute("equation", "bid,bjd->bij")})
                                       .output("Y")
                                       .build());
    ASSERT_TRUE(accepted(node));
    EXPECT_EQ(node->back().explanation.kernel.find(" + "), std::string::npos) << "the host transposes W";
    const auto diagonal = explain_file(with_inputs({{2}})
                                           .initializer(float_tensor("W", {2, 2}, {1, 2, 3, 4}))
                                           .node("Einsum", {"W"}, {"D"}, {string_attribute("equation", "ii->i")})
                                           .node("Mul", {"x0", "D"}, {"Y"})
                                           .output("Y")
                                           .build());
    ASSERT_TRUE(accepted(diagonal));
    EXPECT_EQ(diagonal->front().explanation.kernel, "host");
}

TEST(Einsum, ReportsTellOfAllItsOperators)
{
    const Result<NodeReport> node = explain_einsum("bhid,bhjd->bhij", {{2, 3, 5, 4}, {2, 3, 6, 4}});
    ASSERT_TRUE(node) << node.message();
    const Explanation& all = node->explanation;
    EXPECT_EQ(all.equation.find("ONNX Einsum-12: 'bhid,bhjd->bhij'\n"), 0u) << all.equation;
    const size_t plus = all.kernel.find(" + ");
    ASSERT_NE(plus, std::string::npos) << all.kernel;
    EXPECT_EQ(all.kernel.find("matmul", plus), plus + 3) << all.kernel;
    EXPECT_GE(all.grids.size(), 2u);
    EXPECT_GE(all.pipelines.size(), 2u);
    EXPECT_EQ(all.outputs[0].dims, (Dims{2, 3, 5, 6}));
}

TEST(Einsum, OperatorsOfItAreFusedWithEachOther)
{
    const Result<NodeReport> node = explain_einsum("i,i,i->i", {{7}, {7}, {7}});
    ASSERT_TRUE(node) << node.message();
    EXPECT_TRUE(node->runs());
    EXPECT_FALSE(node->fused_into);
    EXPECT_EQ(node->explanation.grids.size(), 1u);
}

TEST(Einsum, WrongEquationsAreRefused)
{
    const struct {
        std::string equation;
        std::vector<Dims> inputs;
        std::string sentence;
    } cases[] = {
        {"i2->i", {{2, 2}}, "has '2' where it does not belong, expected letters, '...', ',' between the inputs and one '->'"},
        {"i..->i", {{2}}, "has '.' where it does not belong"},
        {"i->i->i", {{2}}, "has '-' where it does not belong"},
        {"i->i,i", {{2}}, "has ',' where it does not belong"},
        {"\u00e9", {{2}}, "has '\\xc3' where it does not belong"},
        {"...i...->...", {{2}}, "has '...' twice in a term, expected once at most"},
        {"ij", {{2, 3}, {3, 4}}, "has 1 terms in front of '->', expected 2, one for each input of the node"},
        {"i,j,k", {{2}, {3}}, "has 3 terms in front of '->', expected 2, one for each input of the node"},
        {"i,", {{2}}, "has 2 terms in front of '->', expected 1, one for each input of the node"},
        {"ij", {{2}}, "has 2 labels for input 0, expected 1, because it is float[2]"},
        {"i,j", {{2}, {3, 4}}, "has 1 labels for input 1, expected 2, because it is float[3,4]"},
        {"...ij", {{2}}, "has 2 labels beside '...' for input 0, expected at most 1, because it is float[2]"},
        {"...i,...j", {{2, 3}, {3}}, "has '...' for 1 axes of input 0 and for 0 of input 1, expected as many in all inputs"},
        {"ij,jk", {{2, 3}, {4, 5}}, "has label 'j' with extent 3 and, in input 1, with extent 4, expected equal ones"},
        {"ij,jk", {{2, 1}, {4, 5}}, "has label 'j' with extent 1 and, in input 1, with extent 4, expected equal ones"},
        {"ii", {{2, 3}}, "has label 'i' with extent 2 and, in input 0, with extent 3, expected equal ones"},
        {"...,...", {{2}, {3}}, "has axis 0 of '...' with extent 2 and, in input 1, with extent 3, expected equal ones or 1"},
        {"i->k", {{2}}, "has label 'k' behind '->', expected only labels that inputs have"},
        {"i->I", {{2}}, "has label 'I' behind '->', expected only labels that inputs have"},
        {"i->ii", {{2}}, "has label 'i' twice behind '->', expected each once"},
        {"...i->i", {{2, 3}}, "has no '...' behind '->', expected one, because it stands for 1 axes of the inputs"},
    };
    for (const auto& [equation, inputs, sentence] : cases) {
        SCOPED_TRACE(equation);
        EXPECT_TRUE(invalid(explain_einsum(equation, inputs), sentence));
        EXPECT_TRUE(invalid(explain_einsum(equation, inputs), "node 'sum': Einsum: equation '"));
    }
}

TEST(Einsum, WrongNodesAreRefused)
{
    EXPECT_TRUE(invalid(explain_einsum("i,i", {{2}, {2}}, {DType::float32, DType::float16}),
                        "equation 'i,i' has input 1 of type float16, expected float, which input 0 is"));
    EXPECT_TRUE(invalid(
        explain_einsum("i", {{2}}, {DType::boolean}),
        "equation 'i' has input 0 of type bool, expected float, double, float16, bfloat16 or an integer of 8 to 64 bits"));
    const auto refused = [](int64_t opset, const Names& inputs, const std::vector<std::string>& attributes) {
        ModelBuilder model = with_inputs({{2}});
        return explain_file(ModelBuilder()
                                .opset(opset)
                                .input("x0", DType::float32, {2})
                                .node("Einsum", inputs, {"Y"}, attributes)
                                .output("Y")
                                .build());
    };
    const std::string equation = string_attribute("equation", "i");
    EXPECT_TRUE(invalid(refused(17, {"x0"}, {}), "Einsum: attribute equation is required"));
    EXPECT_TRUE(invalid(refused(17, {"x0"}, {int_attribute("equation", 1)}), "attribute equation has type"));
    EXPECT_TRUE(invalid(refused(17, {"x0"}, {equation, int_attribute("other", 1)}),
                        "unknown attribute 'other'; expected one of equation"));
    EXPECT_TRUE(invalid(refused(17, {}, {equation}), "Einsum: it has 0 inputs, expected 1 or more"));
    EXPECT_FALSE(refused(11, {"x0"}, {equation}));
    EXPECT_TRUE(accepted(refused(12, {"x0"}, {equation})));
}

// The output would have 65 axes.
TEST(Einsum, RanksAreLimited)
{
    EXPECT_TRUE(accepted(explain_einsum("...,i->...i", {Dims(60, 1), {1}})));
    const auto wide = explain_einsum("...,i->...i", {Dims(64, 1), {2}});
    ASSERT_FALSE(wide);
    EXPECT_NE(wide.message().find("rank 65"), std::string_view::npos) << wide.message();
}

}  // namespace
}  // namespace vkonnx::onnx
