// SPDX-License-Identifier: Apache-2.0
// AveragePool, MaxPool, GlobalAveragePool and GlobalMaxPool.
#ifndef VKONNX_OPERATORS_POOLING_HPP
#define VKONNX_OPERATORS_POOLING_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Input X (N, C, D1..Dn); output Y (N, C, O1..On), both in X's layout. Versions 1, 7, 10, 11, 19, 22.
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

// Input X (N, C, D1..Dn); outputs Y (N, C, O1..On), the greatest element of each window, and Indices (int64, likewise), the
// number of that element in X, both in X's layout. Versions 1, 8, 10, 11, 12, 22. Types: float, float16, double, from version 12
// on int8 and uint8, from 22 on bfloat16. Elements are compared and copied by their bits: all devices give the same.
//
// What the document leaves open is as by ONNX Runtime 1.32 where that gives Indices; of windows with a NaN its answers without
// them differ from this and, by the number of axes, from each other. Padding is never chosen. Of equal elements the first in the
// window is, its last axis fastest; a NaN only where the first is one. A window that lies in padding altogether gives the lowest
// finite number and the index -1. Indices count X's elements in the order (N, C, D1..Dn), whatever the layout; with storage_order
// = 1 those of a channel in the order Dn..D1.
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

// Input X (N, C, D1..Dn), n at least 1; output Y (N, C, 1..1), both in X's layout: the mean of a channel's elements, 0 where
// there are none. Versions 1, 22.
struct GlobalAveragePool {
    static constexpr std::string_view name = "GlobalAveragePool";
    int64_t opset = newest_opset;
};

template <MaybeConst<GlobalAveragePool> Op, class Visitor>
void fields(Op&, Visitor&&)
{
}

// GlobalMaxPool gives the greatest element where GlobalAveragePool gives the mean. Versions 1, 22. A NaN is never the greatest,
// which is ONNX Runtime's rule, too. Where there is no element but NaN it gives -Inf; ONNX Runtime 1.32 gives the lowest finite
// number.
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
