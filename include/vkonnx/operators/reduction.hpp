// SPDX-License-Identifier: Apache-2.0
// The operators that reduce a tensor along axes: ReduceMean, ReduceSum, ReduceMax and others, ArgMax and ArgMin, TopK, and
// CumSum, which adds up along one.
#ifndef VKONNX_OPERATORS_REDUCTION_HPP
#define VKONNX_OPERATORS_REDUCTION_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// A ReductionKind tells what becomes of the elements x that are reduced to one. Each kind has an enumerator, a word and a struct:
// what it takes is a row in src/ops/reduction.cpp, how it is computed one in src/plan/operators/reduction/reduction.cpp.
enum class ReductionKind : uint8_t {
    mean,         // the sum of x, divided by their number
    sum,          // of x
    max,          // the greatest x
    min,          // the least x
    prod,         // the product of x
    l1,           // the sum of |x|
    l2,           // the square root of the sum of x^2
    sum_square,   // the sum of x^2
    log_sum,      // the natural logarithm of the sum of x
    log_sum_exp,  // the natural logarithm of the sum of e^x
};

inline constexpr Spelling<ReductionKind> reduction_words[] = {
    {ReductionKind::mean, "ReduceMean"},      {ReductionKind::sum, "ReduceSum"},
    {ReductionKind::max, "ReduceMax"},        {ReductionKind::min, "ReduceMin"},
    {ReductionKind::prod, "ReduceProd"},      {ReductionKind::l1, "ReduceL1"},
    {ReductionKind::l2, "ReduceL2"},          {ReductionKind::sum_square, "ReduceSumSquare"},
    {ReductionKind::log_sum, "ReduceLogSum"}, {ReductionKind::log_sum_exp, "ReduceLogSumExp"}};

// Returns "ReduceMean", for example, and "" for a number that is no kind.
constexpr std::string_view name(ReductionKind kind) noexcept
{
    return word_of(Spellings<ReductionKind>(reduction_words), kind);
}

// Reduces a tensor along `axes` to one element for each place on the others. All kinds have the same attributes.
// - Input data is a tensor of any rank. Axes count its dimensions as they lie, in any layout.
// - The output has the extent 1 on these axes, or lacks them where keepdims is 0.
// Versions are the documents', the newest one 13 of ReduceSum, 20 of ReduceMax and ReduceMin, 28 of ReduceLogSum and
// ReduceLogSumExp, and 18 of the others. From version 18 on, of ReduceSum from 13, the axes are an input.
//
// Types are float, float16, double, int32, int64, uint32, uint64, and from version 13 on bfloat16. ReduceMax and ReduceMin also
// take int8 and uint8 from version 12 on, and bool from 20, whose true is greater than false. ReduceL2, ReduceLogSum and
// ReduceLogSumExp take no integers here, and the latter two no doubles.
//
// Halves are computed in float and rounded once. Integers are computed modulo 2^bits, as everywhere here, whereas ONNX Runtime
// adds in double, and ends at the type's ends.
//
// What the documents leave open is answered as ONNX Runtime does on a CPU, but for the last three points:
// - Of nothing, a mean, a sum, ReduceL1, ReduceL2 and ReduceSumSquare are 0, ReduceProd is 1, ReduceMax, ReduceLogSum and
//   ReduceLogSumExp are -Inf, and ReduceMin is +Inf; ReduceMax and ReduceMin of integers are the type's least and greatest
//   number, and of bool false and true. The newest documents say so, and it holds for all versions.
// - An axis that is named twice is reduced once. An axis may be negative in any version, and counts from the back then, although
//   the documents say so only from version 11 on.
// - Where no axis is reduced, everything else is done: ReduceL1 gives |x|, ReduceL2, too, and ReduceLogSum the logarithm.
// - ReduceLogSumExp subtracts the greatest element before it takes powers, so that none overflows. It is +Inf where an element is
//   +Inf, and -Inf where all are -Inf. The squares of ReduceL2 and ReduceSumSquare overflow where a float does.
// - The mean of integers is rounded toward zero. Sums of 32-bit integers are exact on the way, and those of 64 bits are computed
//   modulo 2^64.
// - ReduceMax and ReduceMin of a NaN and anything are NaN, as in NumPy, which the documents liken them to. ONNX Runtime's are NaN
//   where the first element is, and else depend on where it stands. Of zeros of both signs either may be the result.
// - A product of floats may pass numbers that a float can't hold, in an order that depends on the shape: its result is Inf, 0 or
//   NaN then, where another order has a number.
//
// Logarithms and powers are within 1 unit in the last place of a float, and have the same bits on all devices that round to
// nearest. The root of ReduceL2 is as the device has it, and rounded to nearest even with PrepareOptions::reproducible.
template <ReductionKind computed>
struct Reduce {
    static constexpr ReductionKind reduction = computed;
    static constexpr std::string_view name = vkonnx::name(computed);
    int64_t opset = newest_opset;
    std::vector<int64_t> axes = {};        // all where none is given
    std::optional<int64_t> keepdims = {};  // 0 or 1 (1)
    // 0 or 1 (0), from version 18, of ReduceSum from 13: 1 reduces nothing where no axis is given
    std::optional<int64_t> noop_with_empty_axes = {};
};

using ReduceMean = Reduce<ReductionKind::mean>;
using ReduceSum = Reduce<ReductionKind::sum>;
using ReduceMax = Reduce<ReductionKind::max>;
using ReduceMin = Reduce<ReductionKind::min>;
using ReduceProd = Reduce<ReductionKind::prod>;
using ReduceL1 = Reduce<ReductionKind::l1>;
using ReduceL2 = Reduce<ReductionKind::l2>;
using ReduceSumSquare = Reduce<ReductionKind::sum_square>;
using ReduceLogSum = Reduce<ReductionKind::log_sum>;
using ReduceLogSumExp = Reduce<ReductionKind::log_sum_exp>;

// This concept is any of these structs, also a const one.
template <class Op>
concept Reduction = requires
{
    requires std::is_same_v<decltype(Op::reduction), const ReductionKind>;
};

template <Reduction Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axes", op.axes);
    visit("keepdims", op.keepdims);
    visit("noop_with_empty_axes", op.noop_with_empty_axes);
}

// Tells where along one axis the greatest element lies, as a number from 0 on, for each place on the other axes.
// - Input data is a tensor with at least one axis. The axis is counted as the dimensions lie, in any layout.
// - Output reduced is int64. It has the extent 1 on the axis, or lacks it where keepdims is 0.
// Versions are 1, 11, 12 and 13. Types are float, float16, double and all integers, and from version 13 on bfloat16.
//
// Zeros of both signs are equal. Of equal elements the first counts, or the last where select_last_index is 1.
//
// What the document leaves open is answered as ONNX Runtime does on a CPU:
// - A NaN in front of all other elements is the answer, and any other NaN is passed over. Where data has only the one axis, ONNX
//   Runtime's answer depends on how its instructions meet a NaN, and here it does not.
// - An axis without elements is refused where the output has elements.
// - The axis may be negative in any version, and counts from the back then, although the document says so only from version 11
//   on.
struct ArgMax {
    static constexpr std::string_view name = "ArgMax";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};               // 0; a negative one counts from behind the last, in every version
    std::optional<int64_t> keepdims = {};           // 0 or 1 (1)
    std::optional<int64_t> select_last_index = {};  // 0 or 1 (0), from version 12
};

// ArgMin is ArgMax with the least element in place of the greatest.
struct ArgMin {
    static constexpr std::string_view name = "ArgMin";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};
    std::optional<int64_t> keepdims = {};
    std::optional<int64_t> select_last_index = {};
};

// This concept is either of these structs, also a const one.
template <class Op>
concept ArgExtreme = MaybeConst<Op, ArgMax> || MaybeConst<Op, ArgMin>;

template <ArgExtreme Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
    visit("keepdims", op.keepdims);
    visit("select_last_index", op.select_last_index);
}

// Adds up the elements of a tensor along one axis: each element of the output is the sum of the input's from the first one up to
// its place. Versions are 11 and 14.
// - Input x is a tensor with at least one axis, of float, double, int32, int64, uint32 or uint64, and from version 14 on also of
//   float16 or bfloat16. The axis is counted as the dimensions lie, in any layout.
// - Input axis of the document is a member here, because it must be known beforehand.
// - Output y is like x.
//
// Halves are computed in float and rounded once. Integers are computed modulo 2^bits. Elements of long axes are added in blocks,
// and then the sums of those, in an order that depends on the axis alone, so that devices that round to nearest give the same
// bits. ONNX Runtime adds one element after the other on a CPU, and so rounds otherwise.
struct CumSum {
    static constexpr std::string_view name = "CumSum";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};       // required; a negative one counts from behind the last
    std::optional<int64_t> exclusive = {};  // 0 or 1 (0); 1: without the element at the place itself, so that the first sum is 0
    std::optional<int64_t> reverse = {};    // 0 or 1 (0); 1: from the last element down to the place
};

template <MaybeConst<CumSum> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
    visit("exclusive", op.exclusive);
    visit("reverse", op.reverse);
}

// Finds the k greatest or least elements of each row along an axis, and where they are in it.
// - Input X is a tensor with at least one axis. The axis is counted as the dimensions lie, in any layout.
// - Output Values has X's type, and output Indices is int64. Both have X's dimensions but for the extent k on the axis. Where
//   `outputs` is 1, Indices is left out.
// Versions are 1, 10, 11 and 24. Types are float, float16 and double, from version 11 on all integers, and from version 24 on
// bfloat16. In model files, k is the input K from version 10 on.
//
// The element that is wanted most comes first. Of equal elements the one with the lower index comes first. Zeros of both signs
// are equal.
//
// What the document leaves open:
// - A NaN counts as greater than all numbers, as PyTorch has it. Several are equal.
// - Elements are in order also where sorted is 0, which leaves their order open.
// - The axis may be negative in any version.
struct TopK {
    static constexpr std::string_view name = "TopK";
    int64_t opset = newest_opset;
    std::optional<int64_t> k = {};        // required; from 0 to the axis's extent
    std::optional<int64_t> axis = {};     // the last one (-1); a negative one counts from behind the last
    std::optional<int64_t> largest = {};  // 1 for the greatest, 0 for the least elements (1), from version 11
    std::optional<int64_t> sorted = {};   // 0 or 1 (1), from version 11
    int64_t outputs = 2;                  // that are wanted, 1 or 2
};

template <MaybeConst<TopK> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("k", op.k);
    visit("axis", op.axis);
    visit("largest", op.largest);
    visit("sorted", op.sorted);
}

}  // namespace vkonnx

#endif
