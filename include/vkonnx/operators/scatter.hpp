// SPDX-License-Identifier: Apache-2.0
// ScatterElements and ScatterND, which put updates into a tensor, at places that indices tell.
#ifndef VKONNX_OPERATORS_SCATTER_HPP
#define VKONNX_OPERATORS_SCATTER_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// This tells what becomes of an element that an update is for: the update itself, or what is computed of both.
enum class ScatterReduction : uint8_t { none, add, mul, max, min };

inline constexpr Spelling<ScatterReduction> scatter_reduction_words[] = {{ScatterReduction::none, "none"},
                                                                         {ScatterReduction::add, "add"},
                                                                         {ScatterReduction::mul, "mul"},
                                                                         {ScatterReduction::max, "max"},
                                                                         {ScatterReduction::min, "min"}};

// Copies data, and puts an update at the place of each index: at the coordinates of the index, but for those along one axis,
// where it is the index.
// - Input data is a tensor with at least one axis.
// - Input indices is int32 or int64, and has as many axes as data. Those other than `axis` are no longer than data's. A negative
//   index counts from behind the last.
// - Input updates has the type of data and the dimensions of indices.
// - The output has the type, the dimensions and the layout of data.
// Versions are 11, 13, 16 and 18.
//
// Several updates of one element are taken in the order of their indices, row-major. So the last one is left with
// ScatterReduction::none, and sums and products have the same bits on every run. Without a reduction, elements of every type of
// the document with 8, 16, 32 or 64 bits keep every bit. With one they are floating-point numbers, integers, which wrap around,
// or bools: "or" is the sum and the maximum of bools, and "and" their product and minimum. Sums and products of halves are
// rounded once. The maximum and the minimum of a NaN and anything are NaN, as of Max and Min.
//
// The document leaves open what an index beyond the axis does. On a device, its update is left out, and no other memory is read
// or written. vkonnx::evaluate, which knows the indices before anything runs, refuses it.
struct ScatterElements {
    static constexpr std::string_view name = "ScatterElements";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};                     // 0; a negative one counts from behind the last
    ScatterReduction reduction = ScatterReduction::none;  // add and mul from version 16, max and min from 18
};

template <MaybeConst<ScatterElements> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
    visit("reduction", op.reduction, Spellings<ScatterReduction>(scatter_reduction_words));
}

// Copies data, and puts slices of updates at coordinates that indices tell, along the first axes at once.
// - Input data is a tensor with at least one axis.
// - Input indices is int64, with at least one axis. What lies along its last axis is one index, a coordinate of data for each of
//   the first axes, as far as there are coordinates. A negative one counts from behind the last.
// - Input updates has the type of data, and the dimensions of indices without the last, then those of data that an index has no
//   coordinates for.
// - The output has the type, the dimensions and the layout of data.
// Versions are 11, 13, 16 and 18. What is said of several updates, of types and of indices beyond an axis is as for
// ScatterElements.
struct ScatterND {
    static constexpr std::string_view name = "ScatterND";
    int64_t opset = newest_opset;
    ScatterReduction reduction = ScatterReduction::none;  // add and mul from version 16, max and min from 18
};

template <MaybeConst<ScatterND> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("reduction", op.reduction, Spellings<ScatterReduction>(scatter_reduction_words));
}

}  // namespace vkonnx

#endif
