// SPDX-License-Identifier: Apache-2.0
// Shape.
#ifndef VKONNX_OPERATORS_SHAPE_HPP
#define VKONNX_OPERATORS_SHAPE_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Tells the dimensions [start, end) of a tensor.
// - The input is a tensor of any type and rank. No element of it is read, so that the result is known once the Op is prepared.
// - The output is an int64 vector.
// Versions are 1, 13, 15, 19, 21, 23, 24 and 25.
struct Shape {
    static constexpr std::string_view name = "Shape";
    int64_t opset = newest_opset;
    std::optional<int64_t> start = {};  // from version 15
    std::optional<int64_t> end = {};    // from version 15
};

template <MaybeConst<Shape> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("start", op.start);
    visit("end", op.end);
}

}  // namespace vkonnx

#endif
