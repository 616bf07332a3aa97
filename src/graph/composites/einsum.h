// SPDX-License-Identifier: Apache-2.0
// This file turns an Einsum into operators that compute it: Transpose, Slice, ReduceSum, Mul, MatMul, Gemm and Cast.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace vkonnx::graph {

struct EinsumInput {
    TensorDesc desc = {};
    bool is_known = false;  // before anything runs, so that moving its elements costs nothing
};

// A value is an input of the Einsum or, numbered behind the inputs, what a call makes. An operand reads it as a tensor of these
// dimensions.
struct EinsumOperand {
    size_t value = 0;
    std::vector<int64_t> dims = {};
};

struct EinsumCall {
    Operator op = {};
    std::vector<EinsumOperand> inputs = {};
};

struct EinsumCalls {
    std::vector<EinsumCall> calls = {};  // in the order they run. Each makes one value
    EinsumOperand output = {};
};

// Inputs are joined pairwise, from left to right. A pair that has labels to sum over is a product of matrices, in batches where
// other labels are in both, and any other pair is a product of elements. Before that each input loses, in this order, its axes of
// extent 1, all but the diagonal of labels that it has several times, and labels that only it has and the output has not.
//
// Halves are computed as floats, and rounded once, where several operators would round. Integers of 8 and 16 bits are computed as
// 32 bits, of which the lowest are right. An error is one sentence that has the equation in it.
Result<EinsumCalls> einsum_calls(std::string_view equation, std::span<const EinsumInput> inputs);

}  // namespace vkonnx::graph
