// SPDX-License-Identifier: Apache-2.0
// Softmax, InstanceNormalization, BatchNormalization, LRN and LayerNormalization.
#ifndef VKONNX_OPERATORS_NORMALIZATION_HPP
#define VKONNX_OPERATORS_NORMALIZATION_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Input of any rank from 1 on; output: e^x / sum of e^x along `axis`, computed by the difference from the greatest of a row.
// Versions 1, 11 take the input as a matrix, `axis` (1) being the first dimension of its rows; version 13 one axis (-1), the
// others as they lie. Types float, float16, bfloat16 from version 13; of doubles there is no exponential function.
//
// As by ONNX Runtime on a CPU, a row with NaN or Inf, and one of nothing but -Inf, is NaN; -Inf beside numbers becomes 0. A
// result of n elements, d below the greatest, is within (d + n + 16) units of 2^-24 of the exact value, relative to it; denormals
// may be flushed.
struct Softmax {
    static constexpr std::string_view name = "Softmax";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // negative from version 11
};

template <MaybeConst<Softmax> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
}

// Inputs X (N, C, D1..Dn), n at least 1, scale (C) and B (C), all of one type; output in X's layout (X - mean) / sqrt(variance +
// epsilon) * scale + B, mean and variance being those of the elements of a channel of an instance. Versions 1, 6, 22. The mean is
// subtracted before anything is squared, so that nothing cancels. Halves are computed in float and rounded once.
struct InstanceNormalization {
    static constexpr std::string_view name = "InstanceNormalization";
    int64_t opset = newest_opset;
    std::optional<float> epsilon = {};  // 1e-5
};

template <MaybeConst<InstanceNormalization> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("epsilon", op.epsilon);
}

// Inputs X (N, C, D1..Dn) (or (N), of one channel), scale (C), B (C), mean (C), var (C); output Y = (X - mean) / sqrt(var +
// epsilon) * scale + B in X's layout. Versions 7, 9, 14, 15; the ones before them trained by default, and are refused.
//
// With training_mode = 1 mean and variance are those of X's channels, and two more outputs may be wanted: running_mean = mean *
// momentum + X's mean * (1 - momentum), and running_var likewise. Those of an X without elements are NaN, as by ONNX Runtime.
//
// Types: float, float16, double and, from version 14 on, bfloat16. From 14 on mean and var may have another than X, from 15 on
// scale and B, too; but doubles are together with doubles only. Halves are computed in float and rounded once.
struct BatchNormalization {
    static constexpr std::string_view name = "BatchNormalization";
    int64_t opset = newest_opset;
    std::optional<float> epsilon = {};          // 1e-5
    std::optional<float> momentum = {};         // 0.9
    std::optional<int64_t> spatial = {};        // 0 or 1 (1), in version 7: with 0 scale, B, mean and var are (C, D1..Dn)
    std::optional<int64_t> training_mode = {};  // 0 or 1 (0), from version 14
    int64_t outputs = 1;                        // that are wanted: 1, with training_mode = 1 up to 3
};

template <MaybeConst<BatchNormalization> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("epsilon", op.epsilon);
    visit("momentum", op.momentum);
    visit("spatial", op.spatial);
    visit("training_mode", op.training_mode);
}

// Input X (N, C, D1..Dn), n from 0 on; output Y = X / (bias + alpha / size * square_sum) ^ beta in X's layout, square_sum being
// that of floor((size - 1) / 2) channels before the element's, its own, and ceil((size - 1) / 2) behind it. Versions 1, 13. Types
// float, float16, bfloat16 from version 13; of doubles there is no power. Halves are computed in float and rounded once.
//
// ONNX Runtime takes 4 dimensions and odd sizes only; here any are as in the document.
struct LRN {
    static constexpr std::string_view name = "LRN";
    int64_t opset = newest_opset;
    std::optional<float> alpha = {};   // 0.0001
    std::optional<float> beta = {};    // 0.75
    std::optional<float> bias = {};    // 1
    std::optional<int64_t> size = {};  // required
};

template <MaybeConst<LRN> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("alpha", op.alpha);
    visit("beta", op.beta);
    visit("bias", op.bias);
    visit("size", op.size);
}

// Inputs X of any rank from 1 on, Scale and optionally B, all of one type; output Y = (X - Mean) * InvStdDev * Scale + B. Mean
// and InvStdDev = 1 / sqrt(variance + epsilon) are those of the elements along X's axes from `axis` to its last, as they lie in
// memory. Scale and B have one element for each of these, in the same order, or one element for all. Version 17.
//
// Two more outputs may be wanted, Mean and InvStdDev, floats whose dimensions are X's with 1 from `axis` on; not of doubles. The
// mean is subtracted before anything is squared, so that nothing cancels. Of no elements, Mean is 0, as ReduceMean's is, and
// InvStdDev is 1 / sqrt(epsilon). Halves are computed in float and rounded once, whereas the document's function rounds between
// the product and the sum. Types: float, float16, double, bfloat16.
struct LayerNormalization {
    static constexpr std::string_view name = "LayerNormalization";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};        // -1; negative numbers count from behind the last axis
    std::optional<float> epsilon = {};       // 1e-5
    std::optional<int64_t> stash_type = {};  // 1: the type of Mean and InvStdDev is float; another is not supported
    int64_t outputs = 1;                     // that are wanted: 1 to 3
};

template <MaybeConst<LayerNormalization> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
    visit("epsilon", op.epsilon);
    visit("stash_type", op.stash_type);
}

}  // namespace vkonnx

#endif
