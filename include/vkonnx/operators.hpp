// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: the operators and their attributes, named as the ONNX operator documents name them.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
// Included by vkonnx.hpp. Plain data, and one list of the fields of each operator: nothing here calls the library. Each family of
// operators has a header in operators/.
//
// An empty list or optional means "not given". Three members that some have are no attributes: `opset` is the model's opset
// import, from which the operator's version follows, the newest that is not newer than it; `rules` says whose answer is wanted;
// `outputs` counts the outputs that are wanted, of operators that have several.
//
// Lists that are attributes in a document's old versions and inputs in its newer ones (axes, starts, pads) are members in all of
// them: they decide dimensions, and so must be known beforehand. Only what is left counts as the operator's inputs.
#ifndef VKONNX_OPERATORS_HPP
#define VKONNX_OPERATORS_HPP

#include <type_traits>
#include <variant>

#include <vkonnx/operators/convolution.hpp>
#include <vkonnx/operators/elementwise.hpp>
#include <vkonnx/operators/logic.hpp>
#include <vkonnx/operators/matrices.hpp>
#include <vkonnx/operators/movement.hpp>
#include <vkonnx/operators/normalization.hpp>
#include <vkonnx/operators/pooling.hpp>
#include <vkonnx/operators/recurrent.hpp>
#include <vkonnx/operators/reduction.hpp>
#include <vkonnx/operators/resize.hpp>
#include <vkonnx/operators/shape.hpp>

namespace vkonnx {

// Any of them. Functions take this, and a call passes the struct: infer(ConvTranspose{.strides = {2, 2}}, inputs). It is a struct
// and no alias of the variant because names of functions that take it would hold the name of every operator: tools read no names
// of more than 1,024 letters.
struct Operator
    : std::variant<ConvTranspose, AveragePool, Shape, onednn::ConvTranspose, Elementwise, Transpose, Slice, Pad, Concat, Split,
                   DepthToSpace, SpaceToDepth, Expand, Tile, Gather, GatherElements, GatherND, Conv, Cast, Resize, Gemm, MatMul,
                   GlobalAveragePool, ReduceMean, ReduceSum, Softmax, InstanceNormalization, BatchNormalization, LRN, MaxPool,
                   GlobalMaxPool, LayerNormalization, ReduceMax, ReduceMin, ReduceProd, ReduceL1, ReduceL2, ReduceSumSquare,
                   ReduceLogSum, ReduceLogSumExp, RNN, GRU, LSTM, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, IsNaN, IsInf,
                   And, Or, Xor, Not, Where, BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot, BitShift> {
    using variant::variant;
};

template <MaybeConst<Operator> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    std::visit([&](auto& one) { fields(one, visit); }, op);
}

// "ConvTranspose"; oneDNN's bears the same name. An Elementwise bears its kind's.
inline std::string_view name(const Operator& op) noexcept
{
    if (op.valueless_by_exception())
        return {};
    return std::visit(
        [](const auto& one) -> std::string_view {
            if constexpr (requires { one.kind; })
                return name(one.kind);
            else
                return one.name;
        },
        op);
}

// "" is ONNX's own, which model files may also spell "ai.onnx"; "onednn.graph".
inline std::string_view domain(const Operator& op) noexcept
{
    if (op.valueless_by_exception())
        return {};
    return std::visit(
        [](const auto& one) -> std::string_view {
            if constexpr (requires { one.domain; })
                return one.domain;
            else
                return {};
        },
        op);
}

// What is no attribute, to be read or set; null for an operator that has none.
template <MaybeConst<Operator> Op>
auto opset_of(Op& op) -> std::conditional_t<std::is_const_v<Op>, const int64_t*, int64_t*>
{
    return std::visit(
        [](auto& one) -> std::conditional_t<std::is_const_v<Op>, const int64_t*, int64_t*> {
            if constexpr (requires { one.opset; })
                return &one.opset;
            else
                return nullptr;
        },
        op);
}

template <MaybeConst<Operator> Op>
auto rules_of(Op& op) -> std::conditional_t<std::is_const_v<Op>, const Rules*, Rules*>
{
    return std::visit(
        [](auto& one) -> std::conditional_t<std::is_const_v<Op>, const Rules*, Rules*> {
            if constexpr (requires { one.rules; })
                return &one.rules;
            else
                return nullptr;
        },
        op);
}

template <MaybeConst<Operator> Op>
auto outputs_of(Op& op) -> std::conditional_t<std::is_const_v<Op>, const int64_t*, int64_t*>
{
    return std::visit(
        [](auto& one) -> std::conditional_t<std::is_const_v<Op>, const int64_t*, int64_t*> {
            if constexpr (requires { one.outputs; })
                return &one.outputs;
            else
                return nullptr;
        },
        op);
}

}  // namespace vkonnx

#endif
