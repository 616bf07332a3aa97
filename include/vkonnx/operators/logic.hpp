// SPDX-License-Identifier: Apache-2.0
// The operators that compare elements, join truth values, choose between tensors, and work on the bits of integers.
#ifndef VKONNX_OPERATORS_LOGIC_HPP
#define VKONNX_OPERATORS_LOGIC_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// A LogicKind tells what is made of the elements at one place. Each kind has an enumerator, a word and a struct: what it takes is
// a row in src/ops/logic.cpp, how it is computed a branch in shaders/operators/logic/logic.comp.
enum class LogicKind : uint8_t {
    equal,
    greater,
    greater_or_equal,
    less,
    less_or_equal,
    is_nan,
    is_inf,
    logical_and,
    logical_or,
    logical_xor,
    logical_not,
    where,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    bitwise_not,
    bit_shift,
};

inline constexpr Spelling<LogicKind> logic_words[] = {{LogicKind::equal, "Equal"},
                                                      {LogicKind::greater, "Greater"},
                                                      {LogicKind::greater_or_equal, "GreaterOrEqual"},
                                                      {LogicKind::less, "Less"},
                                                      {LogicKind::less_or_equal, "LessOrEqual"},
                                                      {LogicKind::is_nan, "IsNaN"},
                                                      {LogicKind::is_inf, "IsInf"},
                                                      {LogicKind::logical_and, "And"},
                                                      {LogicKind::logical_or, "Or"},
                                                      {LogicKind::logical_xor, "Xor"},
                                                      {LogicKind::logical_not, "Not"},
                                                      {LogicKind::where, "Where"},
                                                      {LogicKind::bitwise_and, "BitwiseAnd"},
                                                      {LogicKind::bitwise_or, "BitwiseOr"},
                                                      {LogicKind::bitwise_xor, "BitwiseXor"},
                                                      {LogicKind::bitwise_not, "BitwiseNot"},
                                                      {LogicKind::bit_shift, "BitShift"}};

// Returns "Equal", for example, and "" for a number that is no kind.
constexpr std::string_view name(LogicKind kind) noexcept
{
    return word_of(Spellings<LogicKind>(logic_words), kind);
}

// Inputs are of any rank, and are broadcast to one another in every direction. The output has the dimensions to which all are
// broadcast, and its layout is NXC where an input's is. Versions are the documents' from opset 7 on: older ones broadcast in a
// way of their own.
//
// - Equal, Greater, GreaterOrEqual, Less and LessOrEqual compare two tensors of one type, and give bool: Equal of bool, int32
//   and int64, from version 11 on of all integers and floats, too; the others of float, float16 and double, and from version 9 on
//   of all integers. bfloat16 comes with version 13, or 16 of those whose names end with OrEqual. Strings are not compared.
//   Floats compare as in IEEE 754: zeros of both signs are equal, and a NaN is equal to nothing, and neither less nor greater.
//   Denormals keep their values, whatever the device does with them in arithmetic.
// - IsNaN takes float, float16, double, and from version 13 on bfloat16, and gives bool. So does IsInf, but float16 and bfloat16
//   only from version 20 on. The types float8 of version 20 are not supported.
// - And, Or, Xor and Not take bool and give bool.
// - Where takes a bool, condition, and two tensors of one type that has 8, 16, 32 or 64 bits. Where condition is true, the
//   output has X's element, and Y's elsewhere, with every bit of it.
// - BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot take integers.
//
// A byte of a bool input that is not 0 is true, whatever it is. Results are 0 and 1.
template <LogicKind computed>
struct Logic {
    static constexpr LogicKind logic = computed;
    static constexpr std::string_view name = vkonnx::name(computed);
    int64_t opset = newest_opset;
};

template <>
struct Logic<LogicKind::is_inf> {
    static constexpr LogicKind logic = LogicKind::is_inf;
    static constexpr std::string_view name = vkonnx::name(logic);
    int64_t opset = newest_opset;
    std::optional<int64_t> detect_negative = {};  // 0 or 1 (1): whether -Inf counts
    std::optional<int64_t> detect_positive = {};  // 0 or 1 (1): whether +Inf counts
};

enum class ShiftDirection : uint8_t { none, left, right };

inline constexpr Spelling<ShiftDirection> shift_direction_words[] = {{ShiftDirection::left, "LEFT"},
                                                                     {ShiftDirection::right, "RIGHT"}};

// Shifts the bits of X by Y, an unsigned integer type each, and from version 28 on any. What comes in is 0, or copies of the sign
// where a negative number is shifted to the right. As version 28 says, and as it holds for all versions here: if Y is negative,
// or as many as X's bits or more, nothing of X is left but that: -1 for a negative X to the right, else 0.
template <>
struct Logic<LogicKind::bit_shift> {
    static constexpr LogicKind logic = LogicKind::bit_shift;
    static constexpr std::string_view name = vkonnx::name(logic);
    int64_t opset = newest_opset;
    ShiftDirection direction = ShiftDirection::none;  // required: left or right
};

using Equal = Logic<LogicKind::equal>;
using Greater = Logic<LogicKind::greater>;
using GreaterOrEqual = Logic<LogicKind::greater_or_equal>;
using Less = Logic<LogicKind::less>;
using LessOrEqual = Logic<LogicKind::less_or_equal>;
using IsNaN = Logic<LogicKind::is_nan>;
using IsInf = Logic<LogicKind::is_inf>;
using And = Logic<LogicKind::logical_and>;
using Or = Logic<LogicKind::logical_or>;
using Xor = Logic<LogicKind::logical_xor>;
using Not = Logic<LogicKind::logical_not>;
using Where = Logic<LogicKind::where>;
using BitwiseAnd = Logic<LogicKind::bitwise_and>;
using BitwiseOr = Logic<LogicKind::bitwise_or>;
using BitwiseXor = Logic<LogicKind::bitwise_xor>;
using BitwiseNot = Logic<LogicKind::bitwise_not>;
using BitShift = Logic<LogicKind::bit_shift>;

// This concept is any of these structs, also a const one.
template <class Op>
concept LogicOperator = requires
{
    std::remove_const_t<Op>::logic;
};

template <LogicOperator Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    if constexpr (std::remove_const_t<Op>::logic == LogicKind::is_inf) {
        visit("detect_negative", op.detect_negative);
        visit("detect_positive", op.detect_positive);
    }
    if constexpr (std::remove_const_t<Op>::logic == LogicKind::bit_shift)
        visit("direction", op.direction, Spellings<ShiftDirection>(shift_direction_words));
}

}  // namespace vkonnx

#endif
