// This file tests what is refused of DotProductAttention, what is told of it, and which kernel it gets.
#include <gtest/gtest.h>

#include "expect.h"
#include "ops/geometry.h"

namespace vkonnx::ops {
namespace {

const TensorDesc q = f32({2, 6, 5, 8}), k = f32({2, 3, 7, 8}), v = f32({2, 3, 7, 4});

const OperatorRefusal attention_refusals[] = {
    {DotProductAttention{}, {q, k}, "DotProductAttention: expects 3 or 4 inputs, but 2 are given"},
    {DotProductAttention{.opset = 0}, {q, k, v}, "DotProductAttention: opset = 0 must be at least 1"},
    {DotProductAttention{},
     {{DType::float64, q.dims}, {DType::float64, k.dims}, {DType::float64, v.dims}},
     "DotProductAttention: Q has type double, in which there is no such function: float32, float16 and bfloat16 have it"},
    {DotProductAttention{}, {f32({5, 8}), k, v}, "DotProductAttention: Q = float[5,8] must have 3 or 4 dimensions"},
    {DotProductAttention{},
     {f32({2, 5, 48}), k, v},
     "DotProductAttention: q_num_heads must be given, because Q = float[2,5,48] has 3 dimensions"},
    {DotProductAttention{.q_num_heads = 5},
     {f32({2, 5, 48}), k, v},
     "DotProductAttention: Q = float[2,5,48] must have a multiple of q_num_heads = 5 elements in a row"},
    {DotProductAttention{.q_num_heads = 0}, {q, k, v}, "DotProductAttention: q_num_heads = 0 must be at least 1"},
    {DotProductAttention{.kv_num_heads = 2},
     {q, k, v},
     "DotProductAttention: kv_num_heads = 2 must be the 3 heads of K = float[2,3,7,8]"},
    {DotProductAttention{}, {q, f32({1, 3, 7, 8}), v}, "DotProductAttention: K has 1 batches, but Q has 2"},
    {DotProductAttention{}, {q, k, f32({1, 3, 7, 4})}, "DotProductAttention: V has 1 batches, but Q has 2"},
    {DotProductAttention{}, {q, f32({2, 3, 7, 4}), v}, "DotProductAttention: K has 4 elements for a key, but Q has 8"},
    {DotProductAttention{}, {q, k, f32({2, 3, 6, 4})}, "DotProductAttention: V has 6 keys, but K has 7"},
    {DotProductAttention{}, {q, k, f32({2, 6, 7, 4})}, "DotProductAttention: V has 6 heads, but K has 3"},
    {DotProductAttention{},
     {q, f32({2, 4, 7, 8}), f32({2, 4, 7, 4})},
     "DotProductAttention: the 6 heads of Q must be a multiple of the 4 of K"},
    {DotProductAttention{},
     {q, k, v, f32({5, 6})},
     "DotProductAttention: bias = float[5,6] is not broadcast to the scores, float[2,6,5,7]"},
    {DotProductAttention{},
     {q, k, v, f32({1, 2, 6, 5, 7})},
     "DotProductAttention: bias = float[1,2,6,5,7] is not broadcast to the scores, float[2,6,5,7]"},
};

TEST(DotProductAttention, RefusesInOneSentence)
{
    for (const OperatorRefusal& refusal : attention_refusals)
        expect_refused(refusal);
}

// A bias that is left out may stand at its place all the same.
TEST(DotProductAttention, BiasMayBeLeftOut)
{
    const std::vector<TensorDesc> left_out = {q, k, v, {DType::undefined, {}}};
    for (const char* device : {"minimum", "amd-navi21"}) {
        const Result<Explanation> explained = explain(DotProductAttention{}, left_out, *Capabilities::preset(device));
        const Result<Explanation> plain = explain(DotProductAttention{}, std::vector{q, k, v}, *Capabilities::preset(device));
        ASSERT_TRUE(explained && plain) << explained.message() << plain.message();
        EXPECT_EQ(explained->pipelines, plain->pipelines);
    }
}

TEST(DotProductAttention, TellsWhatIsComputed)
{
    EXPECT_EQ(resolve(DotProductAttention{.scale = 0.5f}, std::vector{q, k, v, f32({7})})->equation,
              "vkonnx DotProductAttention-1: Y = softmax(0.500000 * Q * K^T + bias) * V for 2 batches of 6 heads: 5 queries of 8 "
              "elements, 7 keys, values of 4");
    EXPECT_EQ(resolve(DotProductAttention{.q_num_heads = 6}, std::vector{f32({2, 5, 48}), k, v})->output, f32({2, 5, 24}));
}

// GPUs go over tiles of keys, whatever the number of keys. Where registers or the sizes do not allow that, an element is computed
// at a time.
TEST(DotProductAttention, GoesOverTiles)
{
    const auto kernel = [](const char* device, int64_t size, int64_t value_size, const DotProductAttention& op = {}) {
        const std::vector<TensorDesc> inputs = {f32({1, 8, 512, size}), f32({1, 8, 512, size}), f32({1, 8, 512, value_size})};
        return explain(op, inputs, *Capabilities::preset(device))->kernel;
    };
    EXPECT_EQ(kernel("amd-navi21", 64, 64), "dot_product_attention_tiles_f32");
    EXPECT_EQ(kernel("amd-navi21", 128, 128), "dot_product_attention_tiles_f32");
    EXPECT_EQ(kernel("mali-g610", 128, 96), "dot_product_attention_tiles_f32");
    EXPECT_EQ(kernel("mali-g610", 128, 128), "dot_product_attention_f32");
    EXPECT_EQ(kernel("amd-navi21", 132, 64), "dot_product_attention_f32");
    EXPECT_EQ(kernel("amd-navi21", 15, 15), "dot_product_attention_tiles_f32");
}

}  // namespace
}  // namespace vkonnx::ops
