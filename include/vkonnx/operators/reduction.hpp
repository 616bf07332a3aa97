// SPDX-License-Identifier: Apache-2.0
// ReduceMean and ReduceSum.
#ifndef VKONNX_OPERATORS_REDUCTION_HPP
#define VKONNX_OPERATORS_REDUCTION_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Computes means along `axes`.
// - Input data is a tensor of any rank. Axes count its dimensions as they lie, in any layout.
// - The output has the extent 1 on these axes, or lacks them where keepdims is 0.
// Versions are 1, 11, 13 and 18. In version 18 the axes are an input.
//
// Types are float, float16, double, int32, int64, uint32, uint64, and from version 13 on bfloat16. What the document leaves open
// is answered as ONNX Runtime does on a CPU, but for the last point:
// - The mean of nothing is 0. An axis that is named twice is reduced once.
// - Halves are summed in float and rounded once.
// - The mean of integers is rounded toward zero. Sums of 32-bit integers are exact on the way, and those of 64 bits are computed
//   modulo 2^64. ONNX Runtime adds in double, and ends at the type's ends.
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

// Computes sums along `axes`, and is otherwise like ReduceMean. Versions are 1, 11 and 13. In version 13 the axes are an input.
//
// Integers are computed modulo 2^bits, as everywhere here. ONNX Runtime adds in double, and ends at the type's ends. The sum of
// nothing is 0.
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
