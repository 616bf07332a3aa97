// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: the operators and their attributes, named as the ONNX operator documents name them.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
// vkonnx.hpp includes it. Operators are plain data, each with one list of its fields. Each family of operators has a header in
// operators/.
//
// An empty list or optional means "not given". Three members that some have are no attributes: `opset` is the model's opset
// import, from which the operator's version follows, the newest that is not newer than it; `rules` says whose answer is wanted;
// `outputs` counts the outputs that are wanted, of operators that have several.
//
// Lists that are attributes in a document's old versions and inputs in its newer ones (axes, starts, pads) are members in all of
// them: they decide dimensions, and so must be known beforehand. Only what is left counts as the operator's inputs.
#ifndef VKONNX_OPERATORS_HPP
#define VKONNX_OPERATORS_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include <vkonnx/export.hpp>
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
#include <vkonnx/operators/scatter.hpp>
#include <vkonnx/operators/shape.hpp>

namespace vkonnx {

// Any of them. Functions take this, and a call passes the struct: infer(ConvTranspose{.strides = {2, 2}}, inputs). It is a struct
// and no alias of the variant because names of functions that take it would hold the name of every operator: tools read no names
// of more than 1,024 letters. The library copies, moves and destroys it, so that a program's sources need not compile each of
// these for every operator.
struct Operator : std::variant<ConvTranspose, AveragePool, Shape, onednn::ConvTranspose, Elementwise, Transpose, Slice, Pad,
                               Concat, Split, DepthToSpace, SpaceToDepth, Expand, Tile, Gather, GatherElements, GatherND,
                               ScatterElements, ScatterND, Conv, Cast, Resize, Gemm, MatMul, GlobalAveragePool, ReduceMean,
                               ReduceSum, Softmax, LogSoftmax, InstanceNormalization, BatchNormalization, LRN, MaxPool,
                               GlobalMaxPool, LayerNormalization, ReduceMax, ReduceMin, ReduceProd, ReduceL1, ReduceL2,
                               ReduceSumSquare, ReduceLogSum, ReduceLogSumExp, ArgMax, ArgMin, CumSum, RNN, GRU, LSTM, Equal,
                               Greater, GreaterOrEqual, Less, LessOrEqual, IsNaN, IsInf, And, Or, Xor, Not, Where, BitwiseAnd,
                               BitwiseOr, BitwiseXor, BitwiseNot, BitShift, TopK, DotProductAttention, BlockQuantizedMatMul> {
    VKONNX_API Operator() noexcept;  // a ConvTranspose without attributes
    template <AlternativeOf<variant> Op>
    Operator(Op op) noexcept : Operator(index_in<Op, variant>, &op)
    {
    }
    VKONNX_API Operator(const Operator& other);
    VKONNX_API Operator(Operator&& other) noexcept;
    VKONNX_API Operator& operator=(const Operator& other);
    VKONNX_API Operator& operator=(Operator&& other) noexcept;
    VKONNX_API ~Operator();

private:
    // Moves *op, which is the struct of this index.
    VKONNX_API Operator(size_t index, void* op) noexcept;
};

template <MaybeConst<Operator> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    std::visit([&](auto& one) { fields(one, visit); }, op);
}

// Each kind of Elementwise counts as an operator of its own.
inline constexpr size_t operator_count = std::variant_size_v<Operator::variant> - 1 + std::size(elementwise_words);

// Returns all operators, with attributes as by default, in the order of Operator. The kinds of Elementwise stand at its place.
VKONNX_API std::span<const Operator, operator_count> every_operator() noexcept;

// Returns "ConvTranspose", for example; oneDNN's bears the same name. An Elementwise bears its kind's.
VKONNX_API std::string_view name(const Operator& op) noexcept;

// Returns the domain: "" is ONNX's own, which model files may also spell "ai.onnx"; the other one is "onednn.graph".
VKONNX_API std::string_view domain(const Operator& op) noexcept;

// Each of these returns the address of a member that is no attribute, to be read or set, or null for an operator without it.
VKONNX_API const int64_t* opset_of(const Operator& op) noexcept;
VKONNX_API int64_t* opset_of(Operator& op) noexcept;
VKONNX_API const Rules* rules_of(const Operator& op) noexcept;
VKONNX_API Rules* rules_of(Operator& op) noexcept;
VKONNX_API const int64_t* outputs_of(const Operator& op) noexcept;
VKONNX_API int64_t* outputs_of(Operator& op) noexcept;

}  // namespace vkonnx

#endif
