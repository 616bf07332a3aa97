// SPDX-License-Identifier: Apache-2.0
// AveragePool, MaxPool, GlobalAveragePool and GlobalMaxPool.
#ifndef VKONNX_OPERATORS_POOLING_HPP
#define VKONNX_OPERATORS_POOLING_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Computes the mean of each window of X.
// - Input X has the dimensions (N, C, D1..Dn), with n from 1 to 6.
// - Output Y has the dimensions (N, C, O1..On).
// Both are in X's layout. Versions are 1, 7, 10, 11, 19 and 22.
struct AveragePool {
    static constexpr std::string_view name = "AveragePool";
    int64_t opset = newest_opset;
    Rules rules = Rules::specification;
    AutoPad auto_pad = AutoPad::notset;
    std::vector<int64_t> kernel_shape = {};         // n, required
    std::vector<int64_t> strides = {};              // n
    std::vector<int64_t> dilations = {};            // n, from version 19
    std::vector<int64_t> pads = {};                 // 2n: all begins, then all ends
    std::optional<int64_t> ceil_mode = {};          // 0 or 1, from version 10
    std::optional<int64_t> count_include_pad = {};  // 0 or 1, from version 7
};

template <MaybeConst<AveragePool> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(auto_pad_words));
    visit("kernel_shape", op.kernel_shape);
    visit("strides", op.strides);
    visit("dilations", op.dilations);
    visit("pads", op.pads);
    visit("ceil_mode", op.ceil_mode);
    visit("count_include_pad", op.count_include_pad);
}

// Finds the greatest element of each window of X.
// - Input X has the dimensions (N, C, D1..Dn), with n from 1 to 6.
// - Output Y has the dimensions (N, C, O1..On) and holds the greatest elements.
// - Output Indices has the same dimensions and the type int64. It holds the number of each of these elements in X.
// All are in X's layout. Versions are 1, 8, 10, 11, 12 and 22. Types are float, float16 and double, from version 12 on also int8
// and uint8, and from 22 on also bfloat16. Elements are compared and copied by their bits, so that all devices give the same
// ones.
//
// What the document leaves open is answered as ONNX Runtime 1.32 does where it gives Indices. Without them its answers for
// windows with a NaN are others, which also depend on the number of axes. These are the answers here:
// - Padding is never chosen.
// - Of equal elements the first one in the window is chosen, where the window's last axis counts fastest.
// - A NaN is chosen only where it is the first element.
// - A window that lies in padding altogether gives the lowest finite number and the index -1.
// - Indices count X's elements in the order (N, C, D1..Dn), whatever the layout is. With storage_order = 1 they count those of a
//   channel in the order Dn..D1.
struct MaxPool {
    static constexpr std::string_view name = "MaxPool";
    int64_t opset = newest_opset;
    Rules rules = Rules::specification;
    AutoPad auto_pad = AutoPad::notset;
    std::vector<int64_t> kernel_shape = {};     // n, required
    std::vector<int64_t> strides = {};          // n
    std::vector<int64_t> dilations = {};        // n, from version 10
    std::vector<int64_t> pads = {};             // 2n: all begins, then all ends
    std::optional<int64_t> ceil_mode = {};      // 0 or 1, from version 10
    std::optional<int64_t> storage_order = {};  // 0 or 1, from version 8
    int64_t outputs = 1;                        // that are wanted: 1, from version 8 on up to 2
};

template <MaybeConst<MaxPool> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(auto_pad_words));
    visit("kernel_shape", op.kernel_shape);
    visit("strides", op.strides);
    visit("dilations", op.dilations);
    visit("pads", op.pads);
    visit("ceil_mode", op.ceil_mode);
    visit("storage_order", op.storage_order);
}

// Computes the mean of each channel.
// - Input X has the dimensions (N, C, D1..Dn), with n at least 1.
// - Output Y has the dimensions (N, C, 1..1).
// Both are in X's layout. The mean of a channel without elements is 0. Versions are 1 and 22.
struct GlobalAveragePool {
    static constexpr std::string_view name = "GlobalAveragePool";
    int64_t opset = newest_opset;
};

template <MaybeConst<GlobalAveragePool> Op, class Visitor>
void fields(Op&, Visitor&&)
{
}

// Finds the greatest element of each channel. Inputs, outputs and versions are those of GlobalAveragePool.
//
// A NaN is never the greatest element, which is ONNX Runtime's rule, too. Where a channel has no element but NaN, the answer is
// -Inf. ONNX Runtime 1.32 gives the lowest finite number there.
struct GlobalMaxPool {
    static constexpr std::string_view name = "GlobalMaxPool";
    int64_t opset = newest_opset;
};

template <MaybeConst<GlobalMaxPool> Op, class Visitor>
void fields(Op&, Visitor&&)
{
}

}  // namespace vkonnx

#endif
