// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: the operators and their attributes, named as the ONNX operator documents name them.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
// Included by vkonnx.hpp. Plain data, and one list of the fields of each operator: nothing here calls the library.
//
// An empty list or optional means "not given". Two members that some have are no attributes: `opset` is the model's opset import,
// from which the operator's version follows, the newest that is not newer than it; `rules` says whose answer is wanted.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace vkonnx {

// ----------------------------------------------------------------------------------------------------------- words

// How a document spells a value.
template <class Value>
struct Spelling {
    Value value;
    std::string_view word;
};

template <class Value>
using Spellings = std::span<const Spelling<Value>>;

// "" for a number that is no value.
template <class Value>
constexpr std::string_view word_of(Spellings<Value> spellings, std::type_identity_t<Value> value) noexcept
{
    for (const Spelling<Value>& one : spellings)
        if (one.value == value)
            return one.word;
    return {};
}

// Empty for a text that is no word.
template <class Value>
constexpr std::optional<Value> value_of(Spellings<Value> spellings, std::string_view word) noexcept
{
    for (const Spelling<Value>& one : spellings)
        if (one.word == word)
            return one.value;
    return {};
}

enum class AutoPad : uint8_t { notset, same_upper, same_lower, valid };

inline constexpr Spelling<AutoPad> auto_pad_words[] = {{AutoPad::notset, "NOTSET"},
                                                       {AutoPad::same_upper, "SAME_UPPER"},
                                                       {AutoPad::same_lower, "SAME_LOWER"},
                                                       {AutoPad::valid, "VALID"}};

// Which answer to give where ONNX Runtime differs from the operator's document.
enum class Rules : uint8_t { specification, onnxruntime };

inline constexpr Spelling<Rules> rules_words[] = {{Rules::specification, "specification"}, {Rules::onnxruntime, "onnxruntime"}};

// Where the channels of a tensor with spatial axes lie. The words are oneDNN Graph's.
enum class Layout : uint8_t {
    ncx,  // (N, C, D1, ..., Dn): ONNX's own
    nxc,  // (N, D1, ..., Dn, C): channels last
};

inline constexpr Spelling<Layout> layout_words[] = {{Layout::nxc, "NXC"}, {Layout::ncx, "NCX"}};

// ------------------------------------------------------------------------------------------------------- operators

inline constexpr int64_t newest_opset = 28;

// Spatial axes that ConvTranspose and AveragePool accept: 1 to 6.
inline constexpr size_t max_spatial_axes = 6;

// Inputs X (N, C, D1..Dn), W (C, M/group, k1..kn) and optionally B (M); output Y (N, M, O1..On), X and Y in X's layout.
// Versions 1, 11, 22.
struct ConvTranspose {
    static constexpr std::string_view name = "ConvTranspose";
    int64_t opset = newest_opset;
    Rules rules = Rules::specification;
    AutoPad auto_pad = AutoPad::notset;
    std::vector<int64_t> kernel_shape = {};    // n, inferred from W when not given
    std::vector<int64_t> strides = {};         // n
    std::vector<int64_t> dilations = {};       // n
    std::vector<int64_t> pads = {};            // 2n: all begins, then all ends
    std::vector<int64_t> output_padding = {};  // n
    std::vector<int64_t> output_shape = {};    // n, or n + 2 with N and M in front
    int64_t group = 1;
};

// Input X (N, C, D1..Dn); output Y (N, C, O1..On), both in X's layout. Versions 1, 7, 10, 11, 19, 22.
struct AveragePool {
    static constexpr std::string_view name = "AveragePool";
    int64_t opset = newest_opset;
    Rules rules = Rules::specification;
    AutoPad auto_pad = AutoPad::notset;
    std::vector<int64_t> kernel_shape = {};         // n, required
    std::vector<int64_t> strides = {};              // n
    std::vector<int64_t> dilations = {};            // n, from version 19
    std::vector<int64_t> pads = {};                 // 2n: all begins, then all ends
    std::optional<int64_t> ceil_mode = {};          // 0 or 1, from version 10
    std::optional<int64_t> count_include_pad = {};  // 0 or 1, from version 7
};

// Input: a tensor of any type and rank; output: its dimensions [start, end) as an int64 vector. Versions 1, 13, 15, 19, 21,
// 23, 24, 25. The input is never read: the result is known once the Op is prepared.
struct Shape {
    static constexpr std::string_view name = "Shape";
    int64_t opset = newest_opset;
    std::optional<int64_t> start = {};  // from version 15
    std::optional<int64_t> end = {};    // from version 15
};

// The operators that compute each element of their output from the elements of the inputs that stand at its place. One enumerator
// and one row of words each: what they take is a row in src/ops/elementwise.cpp, what they compute an expression in
// shaders/elementwise.comp.
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
                                                                  {ElementwiseKind::reciprocal, "Reciprocal"}};

// Those that PrepareOptions::epilogue takes.
inline constexpr ElementwiseKind epilogue_kinds[] = {
    ElementwiseKind::relu,    ElementwiseKind::leaky_relu, ElementwiseKind::clip,
    ElementwiseKind::sigmoid, ElementwiseKind::tanh,       ElementwiseKind::hard_swish,
};

// Whether PrepareOptions::epilogue takes the kind.
constexpr bool may_be_epilogue(ElementwiseKind kind) noexcept
{
    for (const ElementwiseKind one : epilogue_kinds)
        if (one == kind)
            return true;
    return false;
}

// Inputs as the document of `kind` lists them, all of one type but Pow's exponents; Clip's min and max may be left out by a
// TensorDesc of DType::undefined. The output has their type and the dimensions to which they are broadcast: aligned at their
// ends, an extent of 1, or none, stands for any. Any rank, and any number of inputs up to 254 for Sum, Min and Max.
//
// Versions are the documents' from opset 7 on, and at opset 6 those that opset 7 still has; older ones broadcast in a way of
// their own, and are refused. An attribute that the kind, or its version, does not have must not be given.
//
// Identity copies elements of any type that has 8, 16, 32 or 64 bits, bit for bit. Doubles are computed as such by all kinds
// here.
//
// What the documents leave open is answered as ONNX Runtime does on a CPU:
// - Min and Max of a NaN and anything are NaN. Relu, LeakyRelu, PRelu, Clip, HardSigmoid and HardSwish of NaN are NaN.
// - Clip takes the lesser of max and what min made of the element: where min is greater than max, all is max. A bound that is
//   NaN bounds nothing, and one that is not given is the type's least or greatest finite number, so that infinities end there.
// - Zeros are equal: Relu of -0.0 is -0.0, Min and Max of zeros of both signs are the first one.
// - Halves are computed in float and rounded once at the end, Sum of many, too.
//
// Sigmoid, Tanh and Exp are within 1 unit in the last place of a float of the exact value, Elu within 3, the same bits on every
// device that rounds to nearest; so is Pow of floats, with the special cases of C's pow. They take no doubles. Sqrt is as the
// device has it, and rounded to nearest even with PrepareOptions::reproducible.
//
// From version 12 on Pow takes exponents of any type but double. Of an integer to an integer, also where only the exponent's
// value is one, the power is computed modulo 2^bits; to a negative one it is what is left of the fraction, 0 for 0. To other
// exponents it is the float's, truncated toward zero, the nearest number of the type where that has none so large, 0 for NaN.
// - Integers are computed modulo 2^bits: so Neg and Abs of the least number of a type are itself, and so is its quotient by -1.
//   Other quotients are rounded toward zero. ONNX Runtime fails where an integer is divided by 0; here that is 0.
struct Elementwise {
    int64_t opset = newest_opset;
    ElementwiseKind kind = ElementwiseKind::identity;
    std::optional<float> alpha = {};  // LeakyRelu (0.01), HardSigmoid (0.2), Elu (1)
    std::optional<float> beta = {};   // HardSigmoid (0.5)
    std::optional<float> min = {};    // Clip until version 6; later ones have inputs instead
    std::optional<float> max = {};    // likewise
};

namespace onednn {

inline constexpr Spelling<AutoPad> auto_pad_words[] = {{AutoPad::notset, "None"},
                                                       {AutoPad::same_upper, "SAME_UPPER"},
                                                       {AutoPad::same_lower, "SAME_LOWER"},
                                                       {AutoPad::valid, "VALID"}};

// How a filter lies: spatial extents X, input channels I, output channels of a group O, outermost first.
enum class FilterFormat : uint8_t { xio, oix, iox };

inline constexpr Spelling<FilterFormat> filter_format_words[] = {
    {FilterFormat::xio, "XIO"}, {FilterFormat::oix, "OIX"}, {FilterFormat::iox, "IOX"}};

// ConvTranspose-1 of oneDNN Graph, in its own words: the same sum as ONNX's, other sizes. In model files, nodes of the domain
// onednn.graph. Inputs X, W (filter_format) and optionally B (OC); output Y. `data_format` says how the dimensions of X and Y
// are to be read; their TensorDesc::layout doesn't count, and that of the output is `data_format`.
struct ConvTranspose {
    static constexpr std::string_view domain = "onednn.graph";
    static constexpr std::string_view name = "ConvTranspose";
    std::vector<int64_t> strides = {};         // n, required
    std::vector<int64_t> pads_begin = {};      // n, required, also with an auto_pad, which overrides them
    std::vector<int64_t> pads_end = {};        // n, required
    std::vector<int64_t> dilations = {};       // n, required
    AutoPad auto_pad = AutoPad::notset;        // "None"
    std::vector<int64_t> output_padding = {};  // n
    int64_t groups = 1;
    Layout data_format = Layout::nxc;
    FilterFormat filter_format = FilterFormat::xio;
};

}  // namespace onednn

// Any of them. Functions take this, and a call passes the struct: infer(ConvTranspose{.strides = {2, 2}}, inputs).
using Operator = std::variant<ConvTranspose, AveragePool, Shape, onednn::ConvTranspose, Elementwise>;

// ---------------------------------------------------------------------------------------------------------- fields

template <class T, class Of>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Of>;

// fields(op, visit) calls visit(name, member) for each attribute, in the order of the struct, with the document's name: members
// are std::vector<int64_t>, std::optional<int64_t>, std::optional<float> and int64_t. One that is a word comes as
// visit(name, member, words), with the Spellings of its enum. Whatever reads, prints or compares attributes is such a visitor, so
// that each is named only here.

template <MaybeConst<ConvTranspose> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(auto_pad_words));
    visit("kernel_shape", op.kernel_shape);
    visit("strides", op.strides);
    visit("dilations", op.dilations);
    visit("pads", op.pads);
    visit("output_padding", op.output_padding);
    visit("output_shape", op.output_shape);
    visit("group", op.group);
}

template <MaybeConst<AveragePool> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(auto_pad_words));
    visit("kernel_shape", op.kernel_shape);
    visit("strides", op.strides);
    visit("dilations", op.dilations);
    visit("pads", op.pads);
    visit("ceil_mode", op.ceil_mode);
    visit("count_include_pad", op.count_include_pad);
}

template <MaybeConst<Shape> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("start", op.start);
    visit("end", op.end);
}

template <MaybeConst<onednn::ConvTranspose> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("strides", op.strides);
    visit("pads_begin", op.pads_begin);
    visit("pads_end", op.pads_end);
    visit("dilations", op.dilations);
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(onednn::auto_pad_words));
    visit("output_padding", op.output_padding);
    visit("groups", op.groups);
    visit("data_format", op.data_format, Spellings<Layout>(layout_words));
    visit("filter_format", op.filter_format, Spellings<onednn::FilterFormat>(onednn::filter_format_words));
}

template <MaybeConst<Elementwise> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("alpha", op.alpha);
    visit("beta", op.beta);
    visit("min", op.min);
    visit("max", op.max);
}

template <MaybeConst<Operator> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    std::visit([&](auto& one) { fields(one, visit); }, op);
}

// "Relu"; "" for a number that is no kind.
constexpr std::string_view name(ElementwiseKind kind) noexcept
{
    return word_of(Spellings<ElementwiseKind>(elementwise_words), kind);
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

}  // namespace vkonnx
