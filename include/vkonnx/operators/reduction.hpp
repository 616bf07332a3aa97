// SPDX-License-Identifier: Apache-2.0
// ReduceMean and ReduceSum.
#ifndef VKONNX_OPERATORS_REDUCTION_HPP
#define VKONNX_OPERATORS_REDUCTION_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Input: data of any rank; output: the means of its elements along `axes`, whose extents become 1 (keepdims) or are left out.
// Axes count the dimensions as they lie, in any layout. Versions 1, 11, 13, 18; in version 18 the axes are an input.
//
// Types: float, float16, double, int32, int64, uint32, uint64, and bfloat16 from version 13. What the document leaves open is
// answered as ONNX Runtime does on a CPU:
// - The mean of nothing is 0. An axis that is named twice is reduced once.
// - Halves are summed in float and rounded once.
// - The mean of integers is rounded toward zero. Sums of 32 bits are exact on the way, those of 64 are computed modulo 2^64;
//   ONNX Runtime adds in double, and ends at the type's ends.
struct ReduceMean {
    static constexpr std::string_view name = "ReduceMean";
    int64_t opset = newest_opset;
    std::vector<int64_t> axes = {};                    // all where none is given; negative ones from version 11
    std::optional<int64_t> keepdims = {};              // 0 or 1 (1)
    std::optional<int64_t> noop_with_empty_axes = {};  // 0 or 1 (0), from version 18: 1 reduces nothing where no axis is given
};

template <MaybeConst<ReduceMean> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axes", op.axes);
    visit("keepdims", op.keepdims);
    visit("noop_with_empty_axes", op.noop_with_empty_axes);
}

// As ReduceMean, but their sums. Versions 1, 11, 13, from which on the axes are an input. Integers are computed modulo 2^bits, as
// everywhere here; ONNX Runtime adds in double, and ends at the type's ends. The sum of nothing is 0.
struct ReduceSum {
    static constexpr std::string_view name = "ReduceSum";
    int64_t opset = newest_opset;
    std::vector<int64_t> axes = {};
    std::optional<int64_t> keepdims = {};
    std::optional<int64_t> noop_with_empty_axes = {};  // from version 13
};

template <MaybeConst<ReduceSum> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axes", op.axes);
    visit("keepdims", op.keepdims);
    visit("noop_with_empty_axes", op.noop_with_empty_axes);
}

}  // namespace vkonnx

#endif
