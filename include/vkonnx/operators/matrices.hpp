// SPDX-License-Identifier: Apache-2.0
// Gemm, MatMul, BlockQuantizedMatMul and DotProductAttention.
#ifndef VKONNX_OPERATORS_MATRICES_HPP
#define VKONNX_OPERATORS_MATRICES_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Computes Y = alpha * A' * B' + beta * C.
// - Input A has the dimensions (M, K), or (K, M) with transA. A' is (M, K).
// - Input B has the dimensions (K, N), or (N, K) with transB. B' is (K, N).
// - Input C is broadcast to (M, N). It may be left out from version 11 on, and is not read where beta is 0.
// - Output Y has the dimensions (M, N). Where K is 0, it is beta * C, or +0 without C.
// Versions are 7, 9, 11 and 13. Of integers alpha and beta must be whole numbers, and everything is computed modulo 2^bits.
struct Gemm {
    static constexpr std::string_view name = "Gemm";
    int64_t opset = newest_opset;
    std::optional<float> alpha = {};     // 1
    std::optional<float> beta = {};      // 1
    std::optional<int64_t> transA = {};  // 0 or 1
    std::optional<int64_t> transB = {};  // 0 or 1
};

template <MaybeConst<Gemm> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("alpha", op.alpha);
    visit("beta", op.beta);
    visit("transA", op.transA);
    visit("transB", op.transB);
}

// Computes the product of two matrices, or of many.
// - Input A has the dimensions (..., M, K). One of a single axis is a row, and Y then lacks the axis M.
// - Input B has the dimensions (..., K, N). One of a single axis is a column, and Y then lacks the axis N.
// - Output Y has the dimensions (..., M, N). The axes in front are those to which A's and B's are broadcast.
// Any rank is taken. Versions are 1, 9 and 13. Integers are computed modulo 2^bits.
struct MatMul {
    static constexpr std::string_view name = "MatMul";
    int64_t opset = newest_opset;
};

template <MaybeConst<MatMul> Op, class Visitor>
void fields(Op&, Visitor&&)
{
}

// Computes Y = A * W^T, where the elements of W are integers of a few bits in memory, as those of quantized language models are.
// A row of W is in blocks, and each block has a scale and a zero point of its own:
//
//   W[n][k] = (integer[n][k] - zero_point[n][k / block_size]) * scale[n][k / block_size]
//
// Model files have it as MatMulNBits of com.microsoft. It is an operator of vkonnx's own because it takes less: it has no bias,
// no order of columns and no zero points of floats.
// - Input A has the dimensions (..., M, K). One of a single axis is a row, and Y then lacks the axis M.
// - Input B has the dimensions (N, blocks, block_size * bits / 8), and is of bytes. The first integer of a byte is in its lowest
//   bits. There are ceil(K / block_size) blocks; what is behind K in the last one does not count.
// - Input scales has the dimensions (N, blocks), and A's type.
// - Input zero_points has the dimensions (N, ceil(blocks * bits / 8)), and is of bytes, in which they lie as integers do in B. It
//   may be left out, and is 2^(bits - 1) then.
// - Output Y has the dimensions (..., M, N), and A's type.
//
// There is one version, 1. Types are float, float16 and bfloat16. Halves are computed in float and rounded once. A sum of nothing
// but zeros of either sign is +0, and so is one of nothing.
struct BlockQuantizedMatMul {
    static constexpr std::string_view name = "BlockQuantizedMatMul";
    static constexpr std::string_view domain = "vkonnx";
    int64_t opset = newest_opset;
    std::optional<int64_t> bits = {};        // 4; or 2 or 8
    std::optional<int64_t> block_size = {};  // required: a power of 2, at least 16
};

template <MaybeConst<BlockQuantizedMatMul> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("bits", op.bits);
    visit("block_size", op.block_size);
}

// Computes softmax(scale * Q * K^T + bias) * V for each head: the heart of ONNX's Attention, which older models spell out with
// MatMul and Softmax. The products of queries and keys are never in memory as a whole. It is an operator of vkonnx's own: ONNX
// has none for it.
// - Input Q has the dimensions (batch, q_num_heads, queries, size), or (batch, queries, q_num_heads * size).
// - Input K has the dimensions (batch, kv_num_heads, keys, size), or (batch, keys, kv_num_heads * size).
// - Input V has the dimensions (batch, kv_num_heads, keys, value size), or (batch, keys, kv_num_heads * value size).
// - Input bias has dimensions that are broadcast to (batch, q_num_heads, queries, keys). It may be left out.
// - Output Y has the dimensions (batch, q_num_heads, queries, value size), or (batch, queries, q_num_heads * value size) where Q
//   has three.
// Each of Q, K and V may have three or four dimensions. q_num_heads is a multiple of kv_num_heads, and so many heads of Q, one
// behind the other, read the same head of K and V.
//
// There is one version, 1. Types are float, float16 and bfloat16. Halves are computed in float and rounded once. A row of the
// softmax is what Softmax makes of it, NaN where all is -Inf. Where there are no keys at all, Y is 0.
struct DotProductAttention {
    static constexpr std::string_view name = "DotProductAttention";
    static constexpr std::string_view domain = "vkonnx";
    int64_t opset = newest_opset;
    std::optional<float> scale = {};           // 1 / sqrt(size)
    std::optional<int64_t> q_num_heads = {};   // required where Q has three dimensions
    std::optional<int64_t> kv_num_heads = {};  // required where K or V has three dimensions
};

template <MaybeConst<DotProductAttention> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("scale", op.scale);
    visit("q_num_heads", op.q_num_heads);
    visit("kv_num_heads", op.kv_num_heads);
}

}  // namespace vkonnx

#endif
