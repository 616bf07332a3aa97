// SPDX-License-Identifier: Apache-2.0
// Gemm and MatMul.
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

}  // namespace vkonnx

#endif
