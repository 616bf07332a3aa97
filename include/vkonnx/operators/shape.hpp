// SPDX-License-Identifier: Apache-2.0
// Shape.
#ifndef VKONNX_OPERATORS_SHAPE_HPP
#define VKONNX_OPERATORS_SHAPE_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Input: a tensor of any type and rank; output: its dimensions [start, end) as an int64 vector. Versions 1, 13, 15, 19, 21,
// 23, 24, 25. The input is never read: the result is known once the Op is prepared.
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
