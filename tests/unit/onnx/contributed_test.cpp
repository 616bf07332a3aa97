// This file tests what is refused of composites that com.microsoft has, and of operators before opset 7.
#include <map>

#include "composite_node.h"

namespace vkonnx::onnx {
namespace {

TEST(Composites, BroadcastingOfOldIsThatOfItsAttributes)
{
    const std::string repeats = int_attribute("broadcast", 1);
    const auto at = [&](const std::string& op, const Dims& a, const Dims& b, const std::vector<std::string>& attributes,
                        int64_t opset = 6) {
        const DType dtype = op == "And" ? DType::boolean : DType::float32;
        return CompositeNode{.op_type = op, .inputs = {{a, dtype}, {b, dtype}}, .attributes = attributes, .opset = opset};
    };
    const auto gemm = [&](const Dims& c, const std::vector<std::string>& attributes) {
        return CompositeNode{.op_type = "Gemm", .inputs = {{{2, 3}}, {{3, 4}}, {c}}, .attributes = attributes, .opset = 6};
    };
    const std::string consumed = ints_attribute("consumed_inputs", {0, 0});
    for (const CompositeNode& right :
         {at("Add", {2, 3, 4}, {2, 3, 4}, {}), at("Add", {2, 3, 4}, {4}, {repeats}), at("Add", {2, 3, 4}, {1}, {repeats}),
          at("Sub", {2, 3, 4}, {2, 3}, {repeats, int_attribute("axis", 0)}),
          at("Pow", {2, 3, 4}, {3}, {repeats, int_attribute("axis", -2)}), at("Mul", {2, 3}, {2, 3}, {consumed}, 1),
          at("And", {2, 3}, {3}, {repeats}, 1), at("PRelu", {2, 3, 4}, {3}, {}), at("PRelu", {2, 3, 4}, {1}, {}),
          gemm({2, 4}, {}), gemm({4}, {repeats}), gemm({4}, {repeats, int_attribute("transA", 0)})})
        EXPECT_TRUE(explain_composite(right)) << right.op_type << ": " << explain_composite(right).message();
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {at("Add", {2, 3, 4}, {4}, {}), "Add: input 1 is float[4], expected the dimensions of float[2,3,4], since broadcast = 0"},
        {at("Add", {2, 3, 4}, {3}, {repeats}),
         "Add: input 1 is float[3], expected the dimensions of float[2,3,4] from axis 2 on"},
        {at("Add", {4}, {2, 4}, {repeats}), "Add: input 1 is float[2,4], expected the dimensions of float[4] from axis 0 on"},
        {at("Div", {2, 3, 4}, {3, 4}, {repeats, int_attribute("axis", 2)}),
         "Div: input 1 is float[3,4], expected the dimensions"},
        {at("Mul", {2, 3}, {3}, {repeats, int_attribute("axis", 2)}), "Mul: axis = 2 must be from -2 to 1"},
        {at("Mul", {2, 3}, {3}, {int_attribute("broadcast", 2)}), "Mul: broadcast = 2 must be 0 or 1"},
        {at("Mul", {2, 3}, {2, 3}, {consumed}), "consumed_inputs"},
        {at("PRelu", {2, 3, 4}, {4}, {}),
         "PRelu: slope is float[4], expected one element, or one for each channel of float[2,3,4]"},
        {gemm({4}, {}), "Gemm: C is float[4], expected the dimensions of float[2,4], since broadcast = 0"},
        {{.op_type = "Gemm", .inputs = {{{2, 3, 1}}, {{3, 4}}, {{4}}}, .opset = 6},
         "Gemm: A is float[2,3,1] and B float[3,4], expected two dimensions of both"},
        {{.op_type = "Gemm", .inputs = {{{2, 3}}, {{3, 4}}}, .opset = 6}, "Gemm: it has 2 inputs, expected 3 at opset 6"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << sentence;
    EXPECT_EQ(parts_of(at("Add", {2, 3, 4}, {4}, {repeats})), "Add");
}

TEST(Composites, WrongQuantizedNodesOfMicrosoftAreRefused)
{
    const CompositeInput bytes = {{2, 3}, DType::uint8}, scale = {{}}, zero = {{}, DType::uint8};
    const auto with = [](std::string op, std::vector<CompositeInput> inputs, const std::map<size_t, CompositeInput>& others,
                         const std::vector<std::string>& attributes = {}, const Names& without = {}) {
        for (const auto& [input, other] : others)
            inputs[input] = other;
        return CompositeNode{.op_type = std::move(op), .inputs = std::move(inputs), .attributes = attributes, .without = without};
    };
    const auto sum = [&](const std::map<size_t, CompositeInput>& others) {
        return with("QLinearAdd", {bytes, scale, zero, bytes, scale, zero, scale, zero}, others);
    };
    const auto softmax = [&](const std::vector<std::string>& attributes) {
        return with("QLinearSoftmax", {bytes, scale, zero, scale, zero}, {}, attributes);
    };
    const auto gemm = [&](const std::map<size_t, CompositeInput>& others, const Names& without = {}) {
        return with("QGemm",
                    {bytes, scale, zero, {{3, 4}, DType::int8}, scale, {{}, DType::int8}, {{4}, DType::int32}, scale, zero},
                    others, {}, without);
    };
    const auto product = [&](const std::map<size_t, CompositeInput>& others) {
        return with("MatMulIntegerToFloat", {bytes, {{3, 4}, DType::int8}, scale, {{4}}, zero, {{4}, DType::int8}, {{4}}},
                    others);
    };
    for (const CompositeNode& right : {sum({}), gemm({}), product({}), softmax({int_attribute("opset", 13)})})
        EXPECT_TRUE(explain_composite(right)) << explain_composite(right).message();
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {sum({{0, {{2, 3}, DType::int32}}, {3, {{2, 3}, DType::int32}}}),
         "QLinearAdd: input 0 is int32[2,3], expected int8 or uint8"},
        {sum({{3, {{2, 3}, DType::int8}}}), "QLinearAdd: B is int8[2,3], expected uint8, the type of A"},
        {sum({{1, {{3}}}}), "input 1, a scale, is float[3], expected one element"},
        {sum({{4, {{}, DType::int32}}}), "input 4, a scale, is int32[], expected float"},
        {sum({{5, {{}, DType::int8}}}), "input 5, a zero point, is int8[], expected uint8"},
        {sum({{7, {{2}, DType::uint8}}}), "input 7, a zero point, is uint8[2], expected one element"},
        {softmax({}), "QLinearSoftmax: opset is missing, expected the one whose Softmax it is"},
        {softmax({int_attribute("opset", 13), int_attribute("axis", 2)}), "axis = 2 must be from -2 to 1"},
        {with("QLinearConcat", {scale, zero, bytes, scale, zero}, {}),
         "QLinearConcat: axis is missing, expected the one along which tensors are joined"},
        {with("QLinearConcat", {scale, zero, bytes, scale}, {}, {int_attribute("axis", 0)}),
         "there are 2 inputs behind Y_zero_point, expected 3 for each tensor"},
        {with("QLinearGlobalAveragePool", {{{1, 2, 3}, DType::uint8}, scale, zero, scale, zero}, {},
              {int_attribute("channels_last", 2)}),
         "QLinearGlobalAveragePool: channels_last = 2 must be 0 or 1"},
        {gemm({{0, {{1, 2, 3}, DType::uint8}}}), "QGemm: A is uint8[1,2,3], expected two dimensions"},
        {gemm({{3, {{3, 4}, DType::int16}}}), "B is int16[3,4], expected int8 or uint8"},
        {gemm({{1, {{2}}}}), "a_scale is float[2], expected one element"},
        {gemm({{4, {{3}}}}), "b_scale is float[3], expected one element, or 4"},
        {gemm({{5, {{2}, DType::int8}}}), "b_zero_point is int8[2], expected one element, or 4"},
        {gemm({{6, {{4}}}}), "C is float[4], expected int32"},
        {gemm({{6, {{3, 4}, DType::int32}}}), "C is int32[3,4], expected dimensions that are broadcast to those of"},
        {gemm({}, {"x8"}), "of y_scale and y_zero_point one is given, expected both or none"},
        {product({{3, {{2, 4}}}}), "MatMulIntegerToFloat: b_scale is float[2,4], expected one element, or 4"},
        {product({{5, {{3}, DType::int8}}}), "b_zero_point is int8[3], expected one element, or 4"},
        {product({{6, {{3}}}}), "bias is float[3], expected dimensions that are broadcast to those of float[2,4]"},
        {with("MatMulInteger", {bytes, {{3, 1}, DType::int8}, {{5, 1}, DType::uint8}}, {}),
         "MatMulInteger: a zero point is uint8[5,1], expected dimensions that are broadcast to those of uint8[2,3]"},
        {with("QLinearMatMul", {bytes, scale, zero, {{3, 1}, DType::int8}, {{4}}, {{}, DType::int8}, scale, zero}, {}),
         "QLinearMatMul: the scales make float[4], expected dimensions that are broadcast to those of float[2,1]"},
        {with("DynamicQuantizeMatMul", {{{2, 3}, DType::float16}, {{3, 4}, DType::int8}, scale}, {}),
         "DynamicQuantizeMatMul: A is float16[2,3], expected float"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << sentence;
}

TEST(Composites, WrongMultiHeadAttentionIsRefused)
{
    const auto node = [](const std::map<size_t, CompositeInput>& others, int64_t heads = 2, const Names& outputs = {"y0"},
                         Names without = {"x3", "x4", "x5", "x6", "x7", "x8", "x9"}) {
        CompositeNode made = {.op_type = "MultiHeadAttention",
                              .inputs = {{{2, 3, 8}}, {{2, 4, 8}}, {{2, 4, 12}}},
                              .attributes = {int_attribute("num_heads", heads)},
                              .outputs = outputs};
        for (const auto& [input, other] : others) {
            made.inputs.resize(std::max(made.inputs.size(), input + 1), {{1}});
            made.inputs[input] = other;
            std::erase(without, "x" + std::to_string(input));
        }
        made.without = std::move(without);
        return made;
    };
    EXPECT_TRUE(explain_composite(node({}))) << explain_composite(node({})).message();
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {node({}, 0), "MultiHeadAttention: num_heads = 0 must be above 0"},
        {node({}, 3), "query is float[2,3,8], expected floats of the dimensions float[2,3,6]"},
        {node({{0, {{2, 3}}}}), "query is float[2,3], expected 3 dimensions and a key, or 5"},
        {node({{1, {{2, 4, 6}}}}), "key is float[2,4,6], expected floats of the dimensions float[2,4,8]"},
        {node({{1, {{2, 2, 4, 4}}}}), "key is float[2,2,4,4], expected 3 or 4 dimensions, and a value of as many"},
        {node({{1, {{2, 4, 2, 2, 4}}}}), "value must not be given beside a key of 5 dimensions, which has it"},
        {node({{0, {{2, 3, 2, 3, 4}}}}), "key and value must not be given beside a query of 5 dimensions, which has them"},
        {node({{3, {{27}}}}), "bias is float[27], expected floats of the dimensions float[28]"},
        {node({{4, {{2, 4}, DType::int64}}}), "key_padding_mask is int64[2,4], expected int32[2], with 4 keys behind it"},
        {node({{4, {{8}, DType::int32}}}), "key_padding_mask is int32[8], expected int32[2]"},
        {node({{5, {{2, 2, 3, 5}}}}), "attention_bias is float[2,2,3,5], expected dimensions that are broadcast to those of"},
        {node({{6, {{2, 2, 5, 4}}}}), "past_key and past_value must be given together"},
        {node({{6, {{2, 2, 5, 4}}}, {7, {{2, 2, 4, 6}}}}), "past_value is float[2,2,4,6], expected floats of the dimensions"},
    };
    for (const auto& [one, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(one), sentence)) << sentence;
    EXPECT_TRUE(unsupported(explain_composite(node({}, 2, {"y0", "", "", "y3"})), "the output qk is not supported"));
    EXPECT_TRUE(unsupported(explain_composite(node({{8, {{1}, DType::int32}}})),
                            "past_sequence_length and cache_indirection, by which pasts share memory, are not supported"));
}

}  // namespace
}  // namespace vkonnx::onnx
