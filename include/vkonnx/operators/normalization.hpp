// SPDX-License-Identifier: Apache-2.0
// Softmax, LogSoftmax, InstanceNormalization, BatchNormalization, LRN and LayerNormalization.
#ifndef VKONNX_OPERATORS_NORMALIZATION_HPP
#define VKONNX_OPERATORS_NORMALIZATION_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Computes e^x / sum of e^x along `axis`, from the differences to the greatest element of a row. The input has any rank from 1
// on. Versions 1 and 11 take it as a matrix, and `axis` (1) is the first dimension of the matrix's rows. Version 13 reduces one
// axis (-1) and leaves the others as they lie. As in ONNX Runtime, every version takes a negative axis. Types are float, float16,
// and from version 13 on bfloat16. There is no exponential function of doubles.
//
// As in ONNX Runtime on a CPU, a row with a NaN or an Inf is NaN, and so is one of nothing but -Inf. A -Inf beside numbers
// becomes 0. In a row of n elements the result of one that is d below the greatest has a relative error of at most (d + n + 16) *
// 2^-24. Denormals may be flushed to zero.
struct Softmax {
    static constexpr std::string_view name = "Softmax";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // a negative one counts from behind the last
};

template <MaybeConst<Softmax> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
}

// Computes the logarithm of what Softmax computes: x - greatest - log(sum of e^(x - greatest)) along `axis`. Versions, the axis,
// types and rows with a NaN or an Inf are as Softmax has them, but a -Inf beside numbers stays -Inf. In a row of n elements the
// result y has an error of at most (2 |y| + n + 16) * 2^-24.
struct LogSoftmax {
    static constexpr std::string_view name = "LogSoftmax";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // a negative one counts from behind the last
};

template <MaybeConst<LogSoftmax> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
}

// Computes (X - mean) / sqrt(variance + epsilon) * scale + B. Mean and variance are those of each channel of each instance.
// - Input X has the dimensions (N, C, D1..Dn), with n at least 1.
// - Inputs scale and B have the dimension (C) and X's type.
// - The output has X's dimensions and layout.
// Versions are 1, 6 and 22. The mean is subtracted before anything is squared, so that nothing cancels. Halves are computed in
// float and rounded once.
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

// Computes Y = (X - mean) / sqrt(var + epsilon) * scale + B.
// - Input X has the dimensions (N, C, D1..Dn), or (N) with a single channel.
// - Inputs scale, B, mean and var have the dimension (C).
// - Output Y has X's dimensions and layout.
// Versions are 7, 9, 14 and 15. Older ones trained by default, and are refused.
//
// With training_mode = 1 mean and variance are those of X's channels, and two more outputs may be wanted: running_mean = mean *
// momentum + X's mean * (1 - momentum), and running_var, which is computed likewise. Where X has no elements, they are NaN, as in
// ONNX Runtime.
//
// Types are float, float16, double, and from version 14 on bfloat16. From version 14 on mean and var may have another type than
// X, and from 15 on scale and B, too. But doubles go together with doubles only. Halves are computed in float and rounded once.
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

// Computes Y = X / (bias + alpha / size * square_sum) ^ beta. An element's square_sum is the sum of squares at its place in its
// own channel, in the floor((size - 1) / 2) channels before it and in the ceil((size - 1) / 2) channels behind it.
// - Input X has the dimensions (N, C, D1..Dn), with n from 0 on.
// - Output Y has X's dimensions and layout.
// Versions are 1 and 13. Types are float, float16, and from version 13 on bfloat16. There is no power of doubles. Halves are
// computed in float and rounded once. ONNX Runtime takes only 4 dimensions and odd sizes. Here any are taken, as in the document.
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

// Computes Y = (X - Mean) * InvStdDev * Scale + B. Mean and InvStdDev = 1 / sqrt(variance + epsilon) are those of the elements
// along X's axes from `axis` to the last one, as they lie in memory.
// - Input X has any rank from 1 on.
// - Inputs Scale and B have one element for each of these elements, in the same order, or one for all, and X's type. B may be
//   left out.
// - Outputs Mean and InvStdDev may be wanted beside Y, but not of doubles. They are floats, with X's dimensions but 1 from `axis`
//   on.
// The version is 17. Types are float, float16, double and bfloat16.
//
// The mean is subtracted before anything is squared, so that nothing cancels. Where there are no elements, Mean is 0, as that of
// ReduceMean is, and InvStdDev is 1 / sqrt(epsilon). Halves are computed in float and rounded once, whereas the document's
// function rounds between the product and the sum.
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
