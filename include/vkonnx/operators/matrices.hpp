// SPDX-License-Identifier: Apache-2.0
// Gemm and MatMul.
#ifndef VKONNX_OPERATORS_MATRICES_HPP
#define VKONNX_OPERATORS_MATRICES_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Inputs A (M, K), or (K, M) with transA, B (K, N), or (N, K) with transB, and from version 11 optionally C, which is broadcast
// to (M, N); output Y = alpha * A' * B' + beta * C (M, N), where C is not read if beta is 0. Versions 7, 9, 11, 13. Of integers
// alpha and beta are whole, and all is computed modulo 2^bits. Where K is 0, Y is beta * C, or +0 without it.
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

// Inputs A (..., M, K) and B (..., K, N), whose axes in front are broadcast; output Y (..., M, N). A of one axis is a row, B of
// one axis a column, and Y lacks that axis. Any rank. Versions 1, 9, 13. Integers are computed modulo 2^bits.
struct MatMul {
    static constexpr std::string_view name = "MatMul";
    int64_t opset = newest_opset;
};

template <MaybeConst<MatMul> Op, class Visitor>
void fields(Op&, Visitor&&)
{
}

}  // namespace vkonnx

#endif
