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

// Returns a node with other inputs. Those that are still left out are named by `without`.
CompositeNode with_inputs(CompositeNode node, const std::map<size_t, CompositeInput>& others)
{
    for (const auto& [input, other] : others) {
        for (size_t i = node.inputs.size(); i <= input; ++i) {
            node.inputs.push_back({{1}});
            node.without.push_back("x" + std::to_string(i));
        }
        node.inputs[input] = other;
        std::erase(node.without, "x" + std::to_string(input));
    }
    return node;
}

// Few rows are multiplied by the integers as they lie. More rows, and what BlockQuantizedMatMul lacks, make floats of them.
TEST(Composites, PackedWeightsStayAsTheyAreForFewRows)
{
    const CompositeNode packed = {.op_type = "MatMulNBits",
                                  .inputs = {{{3, 40}}, {{5, 2, 16}, DType::uint8}, {{5, 2}}},
                                  .attributes = {int_attribute("K", 40), int_attribute("N", 5), int_attribute("block_size", 32)}};
    const CompositeInput zeros = {{5}, DType::uint8}, real_zeros = {{5, 2}}, order = {{40}, DType::int32}, bias = {{5}};
    const auto parts = [&](const std::map<size_t, CompositeInput>& others) { return parts_of(with_inputs(packed, others)); };
    EXPECT_EQ(parts({}), "BlockQuantizedMatMul");
    EXPECT_EQ(parts({{0, {{2, 8, 40}}}}), "BlockQuantizedMatMul");
    EXPECT_EQ(parts({{5, bias}}), "BlockQuantizedMatMul Add");
    EXPECT_EQ(parts({{2, {{5, 2}, DType::float16}}}), "Cast BlockQuantizedMatMul");
    const std::string floats = "BitShift BitwiseAnd Cast";
    // The device of these tests binds 4 buffers, and zero points are the fifth.
    for (const auto& others : {std::map<size_t, CompositeInput>{{0, {{17, 40}}}}, {{3, real_zeros}}, {{4, order}}, {{3, zeros}}})
        EXPECT_TRUE(parts(others).starts_with(floats)) << parts(others);
}

TEST(Composites, WrongGroupQueryAttentionIsRefused)
{
    const auto total = [](int32_t keys) {
        return CompositeInput{.tensor =
                                  kit::raw_tensor("x6", {.dtype = DType::int32, .dims = {}}, std::as_bytes(std::span(&keys, 1)))};
    };
    const auto node = [&](const std::map<size_t, CompositeInput>& others, std::vector<std::string> attributes = {},
                          const Names& outputs = {"y0"}, const Names& without = {}, int64_t heads = 4) {
        attributes.push_back(int_attribute("num_heads", heads));
        attributes.push_back(int_attribute("kv_num_heads", 2));
        return with_inputs(
            {.op_type = "GroupQueryAttention",
             .inputs = {{{2, 1, 16}}, {{2, 1, 8}}, {{2, 1, 8}}, {{2, 2, 5, 4}}, {{2, 2, 5, 4}}, {{2}, DType::int32}, total(6)},
             .attributes = std::move(attributes),
             .outputs = outputs,
             .without = without},
            others);
    };
    const CompositeInput table = {{9, 2}};
    EXPECT_TRUE(explain_composite(node({}))) << explain_composite(node({})).message();
    EXPECT_TRUE(explain_composite(node({{7, table}, {8, table}, {9, {{2, 1}, DType::int64}}}, {int_attribute("do_rotary", 1)})));
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {node({}, {}, {"y0"}, {}, 3),
         "GroupQueryAttention: num_heads = 3 must be a multiple of kv_num_heads = 2, and both must be above 0"},
        {node({}, {int_attribute("local_window_size", 0)}), "local_window_size = 0 must be -1, or above 0 with causal = 1"},
        {node({}, {int_attribute("local_window_size", 2), int_attribute("causal", 0)}),
         "local_window_size = 2 must be -1, or above 0 with causal = 1"},
        {node({}, {int_attribute("qk_output", 3)}), "qk_output = 3 must be from 0 to 2"},
        {node({}, {}, {"y0", "", "", "y3"}), "the output output_qk has no meaning with qk_output = 0"},
        {node({{0, {{2, 16}}}}), "query is float[2,16], expected three dimensions"},
        {node({{1, {{2, 2, 8}}}}), "key is float[2,2,8], expected floats of the dimensions float[2,1,8]"},
        {node({}, {}, {"y0"}, {"x2"}), "key and value must be given together"},
        {node({}, {}, {"y0"}, {"x4"}), "past_key and past_value must be given together"},
        {node({{4, {{2, 2, 6, 4}}}}), "past_value is float[2,2,6,4], expected floats of the dimensions float[2,2,5,4]"},
        {node({{5, {{3}, DType::int32}}}), "seqlens_k is int32[3], expected int32[2]"},
        {node({{6, total(7)}}), "total_sequence_length = 7 must be from 1, the new keys, to 6, with those of the past"},
        {node({}, {int_attribute("do_rotary", 1)}), "do_rotary = 1 needs cos_cache and sin_cache"},
        {node({{7, {{9, 3}}}, {8, {{9, 3}}}}, {int_attribute("do_rotary", 1)}),
         "cos_cache has 3 columns, expected from 1 to half of the size of a head, 4"},
        {node({{7, table}, {8, table}, {9, {{2}, DType::int64}}}, {int_attribute("do_rotary", 1)}),
         "position_ids is int64[2], expected int64[2,1]"},
        {node({{10, {{2, 4, 2, 6}}}}), "attention_bias is float[2,4,2,6], expected dimensions that are broadcast to those of"},
        {node({{11, {{2}}}}), "head_sink is float[2], expected floats of the dimensions float[4]"},
        {node({{14, {{4}}}}), "q_norm_weight and k_norm_weight must be given together"},
        {node({{14, {{4}}}, {15, {{8}}}}), "k_norm_weight is float[8], expected floats of the dimensions float[4]"},
    };
    for (const auto& [one, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(one), sentence)) << sentence;
    EXPECT_TRUE(unsupported(explain_composite(node({}, {int_attribute("sliding_window_cache", 1)})),
                            "sliding_window_cache = 1 is not supported"));
    EXPECT_TRUE(unsupported(explain_composite(node({{12, {{1}}}})), "quantized caches are not supported"));
    EXPECT_TRUE(unsupported(explain_composite(node({{6, {{}, DType::int32}}})),
                            "total_sequence_length ('x6') is known only when running"));
}

TEST(Composites, WrongProjectedAttentionIsRefused)
{
    const auto node = [](const std::map<size_t, CompositeInput>& others, std::vector<std::string> attributes = {},
                         int64_t heads = 2, const Names& outputs = {"y0"}) {
        attributes.push_back(int_attribute("num_heads", heads));
        return with_inputs({.op_type = "Attention",
                            .inputs = {{{2, 3, 5}}, {{5, 24}}},
                            .attributes = std::move(attributes),
                            .outputs = outputs,
                            .is_microsoft = true},
                           others);
    };
    EXPECT_TRUE(explain_composite(node({{2, {{24}}}}))) << explain_composite(node({})).message();
    const std::string sizes = ints_attribute("qkv_hidden_sizes", {8, 8, 12});
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {node({}, {}, 0), "Attention: num_heads = 0 must be above 0"},
        {node({{0, {{2, 5}}}}), "input is float[2,5], expected three dimensions"},
        {node({{1, {{24}}}}), "weights is float[24], expected two dimensions"},
        {node({{1, {{6, 24}}}}), "weights is float[6,24], expected floats of the dimensions float[5,24]"},
        {node({}, {}, 3), "the columns of weights, 24, are divided into 8, 8 and 8, expected all of them"},
        {node({}, {sizes}), "the columns of weights, 24, are divided into 8, 8 and 12, expected all of them"},
        {node({{2, {{23}}}}), "bias is float[23], expected floats of the dimensions float[24]"},
        {node({{3, {{2, 4}, DType::int32}}}),
         "mask_index is int32[2,4], expected int32[2], two such lists, or int32[2], with 3 keys behind it or with 3 queries"},
        {node({{4, {{2, 2, 2, 4, 3}}}}), "past is float[2,2,2,4,3], expected floats of the dimensions float[2,2,2,4,4]"},
        {node({{1, {{5, 28}}}}, {sizes}, 2, {"y0", "y1"}), "qkv_hidden_sizes must be equal where present has keys and values"},
        {node({{5, {{2, 2, 3, 4}}}}), "attention_bias is float[2,2,3,4], expected dimensions that are broadcast to those of"},
    };
    for (const auto& [one, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(one), sentence)) << sentence;
    EXPECT_TRUE(unsupported(explain_composite(node({}, {int_attribute("do_rotary", 1)})), "do_rotary = 1 is not supported"));
    EXPECT_TRUE(unsupported(explain_composite(node({{6, {{1}, DType::int32}}})),
                            "past_sequence_length, by which pasts share memory, is not supported"));
}

TEST(Composites, WrongQuantizedAttentionIsRefused)
{
    const auto node = [](const std::map<size_t, CompositeInput>& others, std::vector<std::string> attributes = {},
                         int64_t heads = 2) {
        attributes.push_back(int_attribute("num_heads", heads));
        return with_inputs({.op_type = "QAttention",
                            .inputs = {{{2, 3, 5}, DType::uint8}, {{5, 24}, DType::int8}, {{24}}, {{}}, {{}}},
                            .attributes = std::move(attributes)},
                           others);
    };
    EXPECT_TRUE(explain_composite(node({}))) << explain_composite(node({})).message();
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {node({{0, {{2, 3, 5}}}}), "QAttention: input is float[2,3,5], expected int8 or uint8"},
        {node({{1, {{5, 24}}}}), "weight is float[5,24], expected int8 or uint8"},
        {node({}, {}, 0), "num_heads = 0 must be above 0"},
        {node({{0, {{2, 5}, DType::uint8}}}), "input is uint8[2,5], expected three dimensions"},
        {node({{1, {{24}, DType::int8}}}), "weight is int8[24], expected two dimensions"},
        {node({{1, {{6, 24}, DType::int8}}}), "weight is int8[6,24], expected 5 rows, and as many columns for"},
        {node({{1, {{5, 25}, DType::int8}}}), "weight is int8[5,25], expected 5 rows, and as many columns for queries, keys"},
        {node({}, {}, 3), "queries, keys and values, a multiple of num_heads = 3"},
        {node({}, {}, INT64_MAX), "a multiple of num_heads = 9223372036854775807"},
        {node({{2, {{23}}}}), "bias is float[23], expected floats of the dimensions float[24]"},
        {node({{3, {{2}}}}), "input_scale is float[2], expected one element"},
        {node({{4, {{2}}}}), "weight_scale is float[2], expected one element, or 24"},
        {node({{6, {{3}, DType::uint8}}}), "input_zero_point is uint8[3], expected one element"},
        {node({{7, {{3}, DType::int8}}}), "weight_zero_point is int8[3], expected one element, or 24"},
        {node({{8, {{2, 2, 2, 4, 3}}}}), "past is float[2,2,2,4,3], expected floats of the dimensions float[2,2,2,4,4]"},
    };
    for (const auto& [one, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(one), sentence)) << sentence;
    EXPECT_TRUE(unsupported(explain_composite(node({}, {int_attribute("do_rotary", 1)})), "do_rotary = 1 is not supported"));
    EXPECT_TRUE(unsupported(explain_composite(node({}, {int_attribute("past_present_share_buffer", 1)})),
                            "past_present_share_buffer = 1, by which pasts share memory, is not supported"));
}

TEST(Composites, WrongEmbeddingsAreRefused)
{
    const auto rotary = [](const std::map<size_t, CompositeInput>& others, const std::vector<std::string>& attributes = {}) {
        return with_inputs({.op_type = "RotaryEmbedding",
                            .inputs = {{{2, 3, 16}}, {{2, 3}, DType::int64}, {{9, 4}}, {{9, 4}}},
                            .attributes = attributes,
                            .is_microsoft = true},
                           others);
    };
    const auto embed = [](const std::map<size_t, CompositeInput>& others, const Names& without = {"x1", "x4"}) {
        return with_inputs(
            {.op_type = "EmbedLayerNormalization",
             .inputs = {{{2, 3}, DType::int32}, {{2, 3}, DType::int32}, {{7, 4}}, {{5, 4}}, {{2, 4}}, {{4}}, {{4}}},
             .without = without},
            others);
    };
    const auto gather = [](const std::map<size_t, CompositeInput>& others, const std::vector<std::string>& attributes = {}) {
        return with_inputs({.op_type = "GatherBlockQuantized",
                            .inputs = {{{5, 16}, DType::uint8}, {{3}, DType::int64}, {{5, 2}}},
                            .attributes = attributes.empty() ? std::vector{int_attribute("block_size", 16)} : attributes},
                           others);
    };
    for (const CompositeNode& right : {rotary({}), embed({}), gather({})})
        EXPECT_TRUE(explain_composite(right)) << explain_composite(right).message();
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {rotary({{0, {{6, 16}}}}), "RotaryEmbedding: input is float[6,16], expected three or four dimensions"},
        {rotary({{1, {{3}, DType::int64}}}), "position_ids is int64[3], expected int64[1] or int64[2,3]"},
        {rotary({{2, {{4}}}}), "cos_cache is float[4], expected two dimensions"},
        {rotary({{3, {{9, 3}}}}), "sin_cache is float[9,3], expected floats of the dimensions float[9,4]"},
        {rotary({{0, {{2, 3, 12}}}}), "input is float[2,3,12], expected a multiple of 8 along the last axis"},
        {rotary({}, {int_attribute("num_heads", 4)}), "cos_cache has 4 columns, expected half of the size of a head, 4"},
        {rotary({}, {int_attribute("rotary_embedding_dim", 6)}),
         "rotary_embedding_dim = 6 must be 0 or twice the columns of cos_cache, 8"},
        {rotary({}, {int_attribute("rotary_embedding_dim", 8)}), "rotary_embedding_dim needs num_heads with three dimensions"},
        {embed({{0, {{2, 3}, DType::int64}}}),
         "EmbedLayerNormalization: input_ids is int64[2,3], expected int32 with two dimensions"},
        {embed({}, {"x1"}), "segment_ids and segment_embedding must be given together"},
        {embed({{3, {{5, 3}}}}), "position_embedding is float[5,3], expected floats of the dimensions float[5,4]"},
        {embed({{3, {{2, 4}}}}), "position_embedding is float[2,4], expected a row for each of the 3 places"},
        {embed({{6, {{3}}}}), "beta is float[3], expected floats of the dimensions float[4]"},
        {embed({{7, {{1, 3}, DType::int32}}}), "mask is int32[1,3], expected int32[2,3]"},
        {embed({{8, {{2, 2}, DType::int32}}}), "position_ids is int32[2,2], expected int32[2,3]"},
        {gather({{0, {{5, 16}, DType::int8}}}),
         "GatherBlockQuantized: data is int8[5,16], expected int4, uint4, uint8, float4e2m1 or float8"},
        {gather({}, {int_attribute("bits", 3)}), "bits = 3 must be 2, 4 or 8"},
        {gather({}, {int_attribute("block_size", 0)}), "block_size = 0 must be a power of 2 from 16 to 65536"},
        {gather({}, {int_attribute("gather_axis", 1), int_attribute("block_size", 16)}),
         "gather_axis = 1 and quantize_axis = 1 must be the first and the last axis of data of type uint8"},
        {gather({}, {int_attribute("quantize_axis", 2), int_attribute("block_size", 16)}),
         "quantize_axis = 2 must be from -2 to 1"},
        {gather({{2, {{5, 3}}}}), "scales is float[5,3], expected float[5,2]"},
        {gather({{2, {{1, 2}}}}), "scales is float[1,2], expected float[5,2]"},
        {gather({{3, {{5, 2}, DType::uint8}}}), "zero_points is uint8[5,2], expected uint8[5,1]"},
        {gather({{0, {{5, 32}, DType::float8e5m2}}, {3, {{5, 2}, DType::float8e5m2}}}),
         "zero_points is float8e5m2[5,2], expected none beside data of floats"},
    };
    for (const auto& [one, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(one), sentence)) << sentence;
    EXPECT_TRUE(unsupported(explain_composite(rotary({}, {int_attribute("is_packed_batching", 1)})),
                            "is_packed_batching = 1 is not supported"));
}

}  // namespace
}  // namespace vkonnx::onnx
