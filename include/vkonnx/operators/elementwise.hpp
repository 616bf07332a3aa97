// SPDX-License-Identifier: Apache-2.0
// The operators that compute each element by itself, and Cast.
#ifndef VKONNX_OPERATORS_ELEMENTWISE_HPP
#define VKONNX_OPERATORS_ELEMENTWISE_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// These are the operators that compute each element of their output from the elements of the inputs that stand at its place. Each
// has one enumerator and one row of words: what they take is a row in src/ops/elementwise.cpp, what they compute an expression in
// shaders/operators/elementwise/elementwise.glsl.
enum class ElementwiseKind : uint8_t {
    identity,
    relu,
    leaky_relu,
    prelu,
    clip,
    hard_sigmoid,
    hard_swish,
    neg,
    abs,
    add,
    sub,
    mul,
    div,
    sum,
    min,
    max,
    sigmoid,
    tanh,
    elu,
    exp,
    sqrt,
    pow,
    reciprocal,
    log,
    sign,
    floor,
    ceil,
    round,
    erf,
    thresholded_relu,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    asinh,
    acosh,
    atanh,
    softplus,
    softsign,
    mish,
    selu,
    celu,
    gelu,
    swish,
    mean,
    mod,
};

inline constexpr Spelling<ElementwiseKind> elementwise_words[] = {{ElementwiseKind::identity, "Identity"},
                                                                  {ElementwiseKind::relu, "Relu"},
                                                                  {ElementwiseKind::leaky_relu, "LeakyRelu"},
                                                                  {ElementwiseKind::prelu, "PRelu"},
                                                                  {ElementwiseKind::clip, "Clip"},
                                                                  {ElementwiseKind::hard_sigmoid, "HardSigmoid"},
                                                                  {ElementwiseKind::hard_swish, "HardSwish"},
                                                                  {ElementwiseKind::neg, "Neg"},
                                                                  {ElementwiseKind::abs, "Abs"},
                                                                  {ElementwiseKind::add, "Add"},
                                                                  {ElementwiseKind::sub, "Sub"},
                                                                  {ElementwiseKind::mul, "Mul"},
                                                                  {ElementwiseKind::div, "Div"},
                                                                  {ElementwiseKind::sum, "Sum"},
                                                                  {ElementwiseKind::min, "Min"},
                                                                  {ElementwiseKind::max, "Max"},
                                                                  {ElementwiseKind::sigmoid, "Sigmoid"},
                                                                  {ElementwiseKind::tanh, "Tanh"},
                                                                  {ElementwiseKind::elu, "Elu"},
                                                                  {ElementwiseKind::exp, "Exp"},
                                                                  {ElementwiseKind::sqrt, "Sqrt"},
                                                                  {ElementwiseKind::pow, "Pow"},
                                                                  {ElementwiseKind::reciprocal, "Reciprocal"},
                                                                  {ElementwiseKind::log, "Log"},
                                                                  {ElementwiseKind::sign, "Sign"},
                                                                  {ElementwiseKind::floor, "Floor"},
                                                                  {ElementwiseKind::ceil, "Ceil"},
                                                                  {ElementwiseKind::round, "Round"},
                                                                  {ElementwiseKind::erf, "Erf"},
                                                                  {ElementwiseKind::thresholded_relu, "ThresholdedRelu"},
                                                                  {ElementwiseKind::sin, "Sin"},
                                                                  {ElementwiseKind::cos, "Cos"},
                                                                  {ElementwiseKind::tan, "Tan"},
                                                                  {ElementwiseKind::asin, "Asin"},
                                                                  {ElementwiseKind::acos, "Acos"},
                                                                  {ElementwiseKind::atan, "Atan"},
                                                                  {ElementwiseKind::sinh, "Sinh"},
                                                                  {ElementwiseKind::cosh, "Cosh"},
                                                                  {ElementwiseKind::asinh, "Asinh"},
                                                                  {ElementwiseKind::acosh, "Acosh"},
                                                                  {ElementwiseKind::atanh, "Atanh"},
                                                                  {ElementwiseKind::softplus, "Softplus"},
                                                                  {ElementwiseKind::softsign, "Softsign"},
                                                                  {ElementwiseKind::mish, "Mish"},
                                                                  {ElementwiseKind::selu, "Selu"},
                                                                  {ElementwiseKind::celu, "Celu"},
                                                                  {ElementwiseKind::gelu, "Gelu"},
                                                                  {ElementwiseKind::swish, "Swish"},
                                                                  {ElementwiseKind::mean, "Mean"},
                                                                  {ElementwiseKind::mod, "Mod"}};

// Returns "Relu", for example, and "" for a number that is no kind.
constexpr std::string_view name(ElementwiseKind kind) noexcept
{
    return word_of(Spellings<ElementwiseKind>(elementwise_words), kind);
}

// This tells how Gelu is computed: by the error function, or by the hyperbolic tangent that its document has for it.
enum class GeluApproximation : uint8_t { none, tanh };

inline constexpr Spelling<GeluApproximation> gelu_approximation_words[] = {{GeluApproximation::none, "none"},
                                                                           {GeluApproximation::tanh, "tanh"}};

// These are the kinds that PrepareOptions::epilogue takes.
inline constexpr ElementwiseKind epilogue_kinds[] = {
    ElementwiseKind::relu, ElementwiseKind::leaky_relu,   ElementwiseKind::clip,       ElementwiseKind::sigmoid,
    ElementwiseKind::tanh, ElementwiseKind::hard_sigmoid, ElementwiseKind::hard_swish,
};

// Tells whether PrepareOptions::epilogue takes the kind.
constexpr bool may_be_epilogue(ElementwiseKind kind) noexcept
{
    for (const ElementwiseKind one : epilogue_kinds)
        if (one == kind)
            return true;
    return false;
}

// These are the kinds that Prologue takes.
inline constexpr ElementwiseKind prologue_kinds[] = {ElementwiseKind::identity, ElementwiseKind::relu, ElementwiseKind::prelu};

// An elementwise operator that is applied, in the same dispatch, to each element that the operators before it have made. It may
// have any kind but Identity, Sum, Mean and Mod. It follows its newest document, and takes the types of that, Pow only floats.
struct ElementwiseStep {
    ElementwiseKind kind = ElementwiseKind::identity;
    std::optional<float> alpha = {};  // as Elementwise has it for the kind
    std::optional<float> beta = {};
    std::optional<float> min = {};  // Clip's bounds are attributes here: the type's ends, where not given
    std::optional<float> max = {};
    // The other operand of PRelu, Add, Sub, Mul, Div, Min, Max and Pow, where that is a number, which becomes a float where
    // halves are computed; of integers, this and Clip's bounds are whole and of their type. Else the operand is the next input.
    std::optional<double> number = {};
    bool swapped = false;             // of those: what was made before is the second operand, as in number - x
    std::optional<float> gamma = {};  // as Elementwise has it for the kind
    GeluApproximation approximate = GeluApproximation::none;
};

inline constexpr size_t max_elementwise_steps = 6;

// Computes each element of the output from the elements of the inputs that stand at its place.
// - The inputs are those that the document of `kind` lists, all of one type but for Pow's exponents. Sum, Mean, Min and Max take
//   up to 254. Clip's min and max may be left out by a TensorDesc of DType::undefined.
// - The output has their type, and the dimensions to which they are broadcast. Dimensions are aligned at their ends, and an
//   extent of 1, or a missing one, stands for any extent.
// Any rank is taken. Versions are the documents' from opset 7 on, and at opset 6 those that opset 7 still has. Older ones
// broadcast in a way of their own, and are refused. An attribute that the kind, or its version, does not have must not be given.
//
// Types are those of the documents. Identity copies elements of any type that has 8, 16, 32 or 64 bits, and keeps every bit.
// Doubles are computed as doubles. Sigmoid, Tanh, Elu, Exp, Log, Erf, Pow, Mod and the kinds from Sin to Swish take no
// doubles, and Erf takes no integers. Halves are computed in float and rounded once at the end, also by a Sum or Mean of many.
//
// What the documents leave open is answered as ONNX Runtime does on a CPU:
// - Min and Max of a NaN and anything are NaN. Relu, LeakyRelu, PRelu, Clip, HardSigmoid and HardSwish of NaN are NaN.
// - Clip gives the lesser of max and what min made of the element. So where min is greater than max, every element becomes max. A
//   bound that is NaN bounds nothing. One that is not given is the type's least or greatest finite number, so that infinities end
//   there.
// - Zeros of both signs count as equal: Relu of -0.0 is -0.0.
// - Sign of a NaN is that NaN, and Sign of a zero that zero. Floor, Ceil and Round keep the sign of what becomes a zero.
// - The kinds from Sin to Swish make a NaN of a NaN, and of what their function has no value for: Sin, Cos and Tan of an
// infinity, Asin
//   and Acos of numbers beyond 1 and -1, Acosh of numbers below 1, and Atanh of numbers beyond 1 and -1, at which it is infinite.
//   They also make a NaN where their formulas multiply an infinity by 0, or divide infinities: Softsign of both infinities, Mish
//   and Gelu of -Inf, and Swish of an infinity, where alpha times it is not above 0. Odd functions keep the sign of a zero.
// Min and Max of zeros of both signs are an exception: they give the first zero; ONNX Runtime's depends on type and place.
//
// Integers are computed modulo 2^bits. So Neg and Abs of the least number of a type give that number, and so does its quotient by
// -1. Other quotients are rounded toward zero. A quotient by 0 is 0, whereas ONNX Runtime fails.
//
// Mod is what Div leaves, and has the sign of B, or with fmod = 1 that of A, also where it is a zero of floats. Of integers and a
// B that is 0 it is 0, whereas ONNX Runtime fails. With fmod = 1, which floats need before version 28, that of floats is exact,
// as C's fmod: A is left where B is infinite, and NaN comes of an infinite A and of a B that is 0. Without it, B is added once
// where the signs differ, and the sum is rounded.
//
// Functions of floats are within so many units in the last place of a float of the exact value, the sines, cosines and tangents
// of numbers of any size, too: Sigmoid, Tanh, Exp, Log, Erf, Pow, the trigonometric and hyperbolic functions and their inverses,
// Softplus, Softsign and Mish 1, Swish 2, Elu and Celu 3 (Celu of an alpha above 0), Selu 4 and Gelu 6. All devices that round to
// nearest give the same bits. Pow has the special cases of C's pow. Sqrt, Reciprocal, Div and the division of Mean are as the
// device has them, and rounded to nearest even with PrepareOptions::reproducible.
//
// Pow takes exponents of any type but double from version 12 on. What an integer to some power is depends on the exponent:
//
//   exponent                                   result
//   a whole number from 0 on, of any type      the power modulo 2^bits
//   a whole number below 0, of any type        1 / the power without its fraction, and 0 for the base 0
//   any other number, or a NaN                 the power as a float, rounded toward zero: where the type has none so
//                                              large, its nearest number, and 0 where it is NaN
//
// `steps` are no attribute of a document, so that fields() does not visit them. Sessions make such chains by themselves. The
// inputs of the steps stand behind the operator's own, in the order of the steps: one for each step that has another operand,
// unless that is a number. All have the type of the first input, and the output has the dimensions to which all are broadcast.
// With steps there are at most 3 inputs. An operator whose own second operand is a number is a step behind Identity. Nothing is
// rounded to a half between steps.
struct Elementwise {
    int64_t opset = newest_opset;
    ElementwiseKind kind = ElementwiseKind::identity;
    // LeakyRelu (0.01), HardSigmoid (0.2), Elu, ThresholdedRelu, Celu and Swish (1), Selu (1.6732632)
    std::optional<float> alpha = {};
    std::optional<float> beta = {};   // HardSigmoid (0.5)
    std::optional<float> min = {};    // Clip until version 6; later ones have inputs instead
    std::optional<float> max = {};    // likewise
    std::optional<float> gamma = {};  // Selu (1.050701)
    GeluApproximation approximate = GeluApproximation::none;
    std::optional<int64_t> fmod = {};         // Mod (0): 0 or 1
    std::vector<ElementwiseStep> steps = {};  // at most max_elementwise_steps
};

template <MaybeConst<Elementwise> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("alpha", op.alpha);
    visit("beta", op.beta);
    visit("min", op.min);
    visit("max", op.max);
    visit("gamma", op.gamma);
    visit("approximate", op.approximate, Spellings<GeluApproximation>(gelu_approximation_words));
    visit("fmod", op.fmod);
}

// This tells how Cast rounds to float8e8m0.
enum class RoundMode : uint8_t { up, down, nearest };

inline constexpr Spelling<RoundMode> round_mode_words[] = {
    {RoundMode::up, "up"}, {RoundMode::down, "down"}, {RoundMode::nearest, "nearest"}};

// Input: a tensor of bool, floats of 4 to 64 bits or integers of 2 to 64 bits, of any rank; output: its elements in one of these
// types that has 8 bits or more. Versions 6, 9, 13, 19, 21, 23, 24, 25, 28; bfloat16 from version 13 on, float8 types from 19,
// integers of 4 bits from 21, float4e2m1 from 23, float8e8m0 from 24, and integers of 2 bits from 25. Strings are refused, and
// outputs of less than 8 bits.
//
// Floats are rounded to nearest even, beyond the greatest number to infinity, and to integers toward zero. Of integers that do
// not fit, the low bits count. What is not 0 is true, NaN, too. What the documents leave open is answered as ONNX Runtime does on
// a CPU, an x86-64; all devices give the same bits:
// - Whatever becomes a float of 8 or 16 bits is rounded to a float first: so doubles may be rounded twice.
// - A float becomes an integer of up to 32 bits, but uint32, by way of int32, and others by way of int64: where that can't hold
//   it, or it is NaN, that is its least number, of which the low bits count. So 300.0 is 44 as uint8, -1.0 is the greatest number
//   of unsigned types, and 3e9 and NaN are 0 as int16. Of uint64 the numbers from 2^63 on are right, too, and 0 from 2^64 on.
//   ONNX Runtime 1.32 converts floats to uint32 by this rule only where it converts them one by one. Where it converts several at
//   once, numbers from 2^32 on become 0, and NaN and numbers below -2^31 become 2^31.
// - A NaN stays one, with its sign where the type has several, and is quiet. A Cast to the input's own type copies bits.
// - Where a type of 8 bits has no such number, the result is the nearest it has if `saturate` is 1, also of infinities; else it
// is
//   an infinity, of float8e5m2, or a NaN. Numbers below 0 have a NaN as float8e8m0, whatever `saturate` is.
struct Cast {
    static constexpr std::string_view name = "Cast";
    int64_t opset = newest_opset;
    int64_t to = 0;                        // a DType's number, required
    std::optional<int64_t> saturate = {};  // 0 or 1 (1), from version 19: of float8 types
    RoundMode round_mode = RoundMode::up;  // from version 24: of float8e8m0
};

template <MaybeConst<Cast> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("to", op.to);
    visit("saturate", op.saturate);
    visit("round_mode", op.round_mode, Spellings<RoundMode>(round_mode_words));
}

}  // namespace vkonnx

#endif
