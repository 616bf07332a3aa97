// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: the operators and their attributes, named as the ONNX operator documents name them.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
// Included by vkonnx.hpp. Plain data, and one list of the fields of each operator: nothing here calls the library.
//
// An empty list or optional means "not given". Three members that some have are no attributes: `opset` is the model's opset
// import, from which the operator's version follows, the newest that is not newer than it; `rules` says whose answer is wanted;
// `outputs` counts the outputs that are wanted, of operators that have several.
//
// Lists that are attributes in a document's old versions and inputs in its newer ones (axes, starts, pads) are members in all of
// them: they decide dimensions, and so must be known beforehand. Only what is left counts as the operator's inputs.
#ifndef VKONNX_OPERATORS_HPP
#define VKONNX_OPERATORS_HPP

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

// Which answer ConvTranspose, AveragePool and MaxPool give where ONNX Runtime differs from their documents: `specification` the
// documents', `onnxruntime` the one of ONNX Runtime in these points and no others:
// - ConvTranspose with an auto_pad beside pads, which the documents forbid, and newer releases of ONNX Runtime, too: auto_pad
//   counts, and with VALID the pads.
// - ConvTranspose with SAME_UPPER or SAME_LOWER is no longer than its taps reach.
// - ConvTranspose of version 1 has the later versions' limit of output_padding, and their halves of the pads that follow from
//   output_shape.
// - AveragePool and MaxPool with VALID heed ceil_mode.
//
// Elsewhere both rules give the documents' answer, also where ONNX Runtime 1.32 gives another on a CPU:
// - It finds the pads of SAME_UPPER and SAME_LOWER of a dilated pool from the kernel without its dilations.
// - Its Resize with align_corners and scales takes the output's extent for the length, not the product of extent and scale.
// - Its Slice with a negative step takes an end of 2^31 - 1 or 2^63 - 1 for one before the first element.
// - The greatest of nothing but -Inf is the lowest finite number by its GlobalMaxPool, and by its MaxPool along one axis or three
//   without Indices.
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

// Spatial axes that ConvTranspose, AveragePool and MaxPool accept: 1 to 6.
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

// Inputs X (N, C, D1..Dn), W (M, C/group, k1..kn) and optionally B (M); output Y (N, M, O1..On), X and Y in X's layout.
// Versions 1, 11, 22. Taps beside the input are skipped, not multiplied by zeros.
struct Conv {
    static constexpr std::string_view name = "Conv";
    int64_t opset = newest_opset;
    AutoPad auto_pad = AutoPad::notset;
    std::vector<int64_t> kernel_shape = {};  // n, inferred from W when not given
    std::vector<int64_t> strides = {};       // n
    std::vector<int64_t> dilations = {};     // n
    std::vector<int64_t> pads = {};          // 2n: all begins, then all ends
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

// Input X (N, C, D1..Dn); outputs Y (N, C, O1..On), the greatest element of each window, and Indices (int64, likewise), the
// number of that element in X, both in X's layout. Versions 1, 8, 10, 11, 12, 22. Types: float, float16, double, from version 12
// on int8 and uint8, from 22 on bfloat16. Elements are compared and copied by their bits: all devices give the same.
//
// What the document leaves open is as by ONNX Runtime 1.32 where that gives Indices; of windows with a NaN its answers without
// them differ from this and, by the number of axes, from each other. Padding is never chosen. Of equal elements the first in the
// window is, its last axis fastest; a NaN only where the first is one. A window that lies in padding altogether gives the lowest
// finite number and the index -1. Indices count X's elements in the order (N, C, D1..Dn), whatever the layout; with storage_order
// = 1 those of a channel in the order Dn..D1.
struct MaxPool {
    static constexpr std::string_view name = "MaxPool";
    int64_t opset = newest_opset;
    Rules rules = Rules::specification;
    AutoPad auto_pad = AutoPad::notset;
    std::vector<int64_t> kernel_shape = {};     // n, required
    std::vector<int64_t> strides = {};          // n
    std::vector<int64_t> dilations = {};        // n, from version 10
    std::vector<int64_t> pads = {};             // 2n: all begins, then all ends
    std::optional<int64_t> ceil_mode = {};      // 0 or 1, from version 10
    std::optional<int64_t> storage_order = {};  // 0 or 1, from version 8
    int64_t outputs = 1;                        // that are wanted: 1, from version 8 on up to 2
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
// shaders/elementwise.glsl.
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
                                                                  {ElementwiseKind::log, "Log"}};

// Those that PrepareOptions::epilogue takes.
inline constexpr ElementwiseKind epilogue_kinds[] = {
    ElementwiseKind::relu, ElementwiseKind::leaky_relu,   ElementwiseKind::clip,       ElementwiseKind::sigmoid,
    ElementwiseKind::tanh, ElementwiseKind::hard_sigmoid, ElementwiseKind::hard_swish,
};

// Whether PrepareOptions::epilogue takes the kind.
constexpr bool may_be_epilogue(ElementwiseKind kind) noexcept
{
    for (const ElementwiseKind one : epilogue_kinds)
        if (one == kind)
            return true;
    return false;
}

// Those that Prologue takes.
inline constexpr ElementwiseKind prologue_kinds[] = {ElementwiseKind::identity, ElementwiseKind::relu, ElementwiseKind::prelu};

// Another elementwise operator on each element that those before it made, in the same dispatch: of any kind but Identity and Sum,
// by its newest document, of the types of that; Pow of floats only.
struct ElementwiseStep {
    ElementwiseKind kind = ElementwiseKind::identity;
    std::optional<float> alpha = {};  // as Elementwise has it for the kind
    std::optional<float> beta = {};
    std::optional<float> min = {};  // Clip's bounds are attributes here: the type's ends, where not given
    std::optional<float> max = {};
    // The other operand of PRelu, Add, Sub, Mul, Div, Min, Max and Pow, where that is a number, which becomes a float where
    // halves are computed; of integers, this and Clip's bounds are whole and of their type. Else the operand is the next input.
    std::optional<double> number = {};
    bool swapped = false;  // of those: what was made before is the second operand, as in number - x
};

inline constexpr size_t max_elementwise_steps = 6;

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
// - Zeros are equal: Relu of -0.0 is -0.0.
// - Halves are computed in float and rounded once at the end, Sum of many, too.
// Min and Max of zeros of both signs are the first one; by ONNX Runtime that depends on the type and on the place in the tensor.
//
// Sigmoid, Tanh, Exp and Log are within 1 unit in the last place of a float of the exact value, Elu within 3, the same bits on
// every device that rounds to nearest; so is Pow of floats, with the special cases of C's pow. They take no doubles. Sqrt is as
// the device has it, and rounded to nearest even with PrepareOptions::reproducible.
//
// From version 12 on Pow takes exponents of any type but double. Of an integer to an integer, also where only the exponent's
// value is one, the power is computed modulo 2^bits; to a negative one it is what is left of the fraction, 0 for 0. To other
// exponents it is the float's, truncated toward zero, the nearest number of the type where that has none so large, 0 for NaN.
// - Integers are computed modulo 2^bits: so Neg and Abs of the least number of a type are itself, and so is its quotient by -1.
//   Other quotients are rounded toward zero. ONNX Runtime fails where an integer is divided by 0; here that is 0.
//
// `then` are operators on what those before them made, an element at a time, in the same dispatch. They are no attribute of the
// document, so that fields() has none of them: models get such chains by themselves. Behind the operator's own inputs follows the
// other operand of each step that has one which is no number, in this order: all have the type of the first, and the output the
// dimensions to which all are broadcast. With steps there are at most 3 inputs. An operator whose own second operand is a number
// is a step behind Identity. Between steps nothing is rounded to a half: halves are computed in float and rounded once, at the
// end.
struct Elementwise {
    int64_t opset = newest_opset;
    ElementwiseKind kind = ElementwiseKind::identity;
    std::optional<float> alpha = {};         // LeakyRelu (0.01), HardSigmoid (0.2), Elu (1)
    std::optional<float> beta = {};          // HardSigmoid (0.5)
    std::optional<float> min = {};           // Clip until version 6; later ones have inputs instead
    std::optional<float> max = {};           // likewise
    std::vector<ElementwiseStep> then = {};  // at most max_elementwise_steps
};

// Input data; output transposed: axis i of it is axis perm[i] of data. Versions 1, 13, 21, 23, 24, 25.
//
// This operator and the next five only move elements, of any type of their documents that has 8, 16, 32 or 64 bits, bit for bit.
struct Transpose {
    static constexpr std::string_view name = "Transpose";
    int64_t opset = newest_opset;
    std::vector<int64_t> perm = {};  // every axis once; in reverse order when not given
};

// Input data; output: from its axes[i] the elements starts[i], starts[i] + steps[i], ..., before ends[i]. Versions 1, 10, 11, 13.
struct Slice {
    static constexpr std::string_view name = "Slice";
    int64_t opset = newest_opset;
    std::vector<int64_t> starts = {};  // required; negative ones, and those of ends, count from behind the last, and are clamped
    std::vector<int64_t> ends = {};    // required
    std::vector<int64_t> axes = {};    // the first ones when not given; negative ones count from behind the last
    std::vector<int64_t> steps = {};   // from version 10; not 0
};

enum class PadMode : uint8_t { constant, reflect, edge, wrap };

inline constexpr Spelling<PadMode> pad_mode_words[] = {
    {PadMode::constant, "constant"}, {PadMode::reflect, "reflect"}, {PadMode::edge, "edge"}, {PadMode::wrap, "wrap"}};

// Inputs data and, from version 11, optionally constant_value, one element of data's type; output: data with elements added at
// the ends of its axes, or taken away where a pad is negative. Versions 2, 11, 13, 18, 19, 21, 23, 24, 25.
//
// As ONNX Runtime does it, negative pads take away first: what is reflected, repeated or wrapped around is what they left.
// `reflect` adds no more at an end than what lies before the element there.
struct Pad {
    static constexpr std::string_view name = "Pad";
    int64_t opset = newest_opset;
    PadMode mode = PadMode::constant;  // wrap from version 19
    std::vector<int64_t> pads = {};    // required: all begins, then all ends, of the axes
    std::vector<int64_t> axes = {};    // from version 18, each once; all when not given
    std::optional<float> value = {};   // version 2: what constant_value is later
};

// Inputs: 1 to 254 tensors of one type, with the same extents on all axes but one; output: one behind the other along that axis.
// Versions 4, 11, 13.
struct Concat {
    static constexpr std::string_view name = "Concat";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // required; a negative one counts from behind the last, in every version
};

// Input: a tensor; outputs: its parts along the axis, 1 to 254 of them. Versions 2, 11, 13, 18.
//
// Parts are as long as `split` says. Else there are `num_outputs`, or before version 18 `outputs`, which must divide the axis
// before version 18; from it on the last parts are shorter where they do not.
struct Split {
    static constexpr std::string_view name = "Split";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // 0; a negative one counts from behind the last
    std::vector<int64_t> split = {};
    std::optional<int64_t> num_outputs = {};  // from version 18, where exactly one of it and split is given
    int64_t outputs = 0;                      // 0: as the attributes say
};

enum class DepthToSpaceMode : uint8_t { dcr, crd };

inline constexpr Spelling<DepthToSpaceMode> depth_to_space_mode_words[] = {{DepthToSpaceMode::dcr, "DCR"},
                                                                           {DepthToSpaceMode::crd, "CRD"}};

// Input (N, C, H, W); output (N, C / blocksize^2, H * blocksize, W * blocksize). Versions 1, 11, 13, 28.
struct DepthToSpace {
    static constexpr std::string_view name = "DepthToSpace";
    int64_t opset = newest_opset;
    std::optional<int64_t> blocksize = {};          // required
    DepthToSpaceMode mode = DepthToSpaceMode::dcr;  // from version 11
};

// How Cast rounds to float8e8m0.
enum class RoundMode : uint8_t { up, down, nearest };

inline constexpr Spelling<RoundMode> round_mode_words[] = {
    {RoundMode::up, "up"}, {RoundMode::down, "down"}, {RoundMode::nearest, "nearest"}};

// Input: a tensor of bool, float16, bfloat16, float, double or an integer of 8 to 64 bits, of any rank; output: its elements in
// another of these types, or the same. Versions 6, 9, 13, 19, 21, 23, 24, 25, 28; bfloat16 from version 13 on. Other types of the
// documents are refused.
//
// Floats are rounded to nearest even, beyond the greatest number to infinity, and to integers toward zero. Of integers that do
// not fit, the low bits count. What is not 0 is true, NaN, too. What the documents leave open is answered as ONNX Runtime does on
// a CPU, an x86-64; all devices give the same bits:
// - Whatever becomes a float16 or bfloat16 is rounded to a float first: so doubles may be rounded twice.
// - A float becomes an integer of up to 32 bits, but uint32, by way of int32, and others by way of int64: where that can't hold
//   it, or it is NaN, that is its least number, of which the low bits count. So 300.0 is 44 as uint8, -1.0 is the greatest number
//   of unsigned types, and 3e9 and NaN are 0 as int16. Of uint64 the numbers from 2^63 on are right, too, and 0 from 2^64 on.
//   ONNX Runtime 1.32 converts floats to uint32 by this rule only where it converts them one by one. Where it converts several at
//   once, numbers from 2^32 on become 0, and NaN and numbers below -2^31 become 2^31.
// - A NaN stays one, with its sign, and is quiet. A Cast to the input's own type copies bits.
struct Cast {
    static constexpr std::string_view name = "Cast";
    int64_t opset = newest_opset;
    int64_t to = 0;                        // a DType's number, required
    std::optional<int64_t> saturate = {};  // 0 or 1, from version 19: of float8 types, of no account here
    RoundMode round_mode = RoundMode::up;  // from version 24: of float8e8m0, of no account here
};

enum class ResizeMode : uint8_t { nearest, linear, cubic };

inline constexpr Spelling<ResizeMode> resize_mode_words[] = {
    {ResizeMode::nearest, "nearest"}, {ResizeMode::linear, "linear"}, {ResizeMode::cubic, "cubic"}};

enum class CoordinateTransformationMode : uint8_t {
    half_pixel,
    half_pixel_symmetric,  // from version 19
    pytorch_half_pixel,
    align_corners,
    asymmetric,
    tf_crop_and_resize,
    tf_half_pixel_for_nn,  // in version 11 only
};

inline constexpr Spelling<CoordinateTransformationMode> coordinate_transformation_mode_words[] = {
    {CoordinateTransformationMode::half_pixel, "half_pixel"},
    {CoordinateTransformationMode::half_pixel_symmetric, "half_pixel_symmetric"},
    {CoordinateTransformationMode::pytorch_half_pixel, "pytorch_half_pixel"},
    {CoordinateTransformationMode::align_corners, "align_corners"},
    {CoordinateTransformationMode::asymmetric, "asymmetric"},
    {CoordinateTransformationMode::tf_crop_and_resize, "tf_crop_and_resize"},
    {CoordinateTransformationMode::tf_half_pixel_for_nn, "tf_half_pixel_for_nn"}};

enum class NearestMode : uint8_t { round_prefer_floor, round_prefer_ceil, floor, ceil };

inline constexpr Spelling<NearestMode> nearest_mode_words[] = {{NearestMode::round_prefer_floor, "round_prefer_floor"},
                                                               {NearestMode::round_prefer_ceil, "round_prefer_ceil"},
                                                               {NearestMode::floor, "floor"},
                                                               {NearestMode::ceil, "ceil"}};

enum class KeepAspectRatioPolicy : uint8_t { stretch, not_larger, not_smaller };

inline constexpr Spelling<KeepAspectRatioPolicy> keep_aspect_ratio_policy_words[] = {
    {KeepAspectRatioPolicy::stretch, "stretch"},
    {KeepAspectRatioPolicy::not_larger, "not_larger"},
    {KeepAspectRatioPolicy::not_smaller, "not_smaller"}};

// Input X of any rank but 0; output Y of X's rank, type and layout. Versions 10, 11, 13, 18, 19; version 10 is asymmetric, and
// its nearest element is that below, where an axis shrinks that above. `roi`, `scales` and `sizes` are inputs of the documents,
// of which exactly one of the last two is given; they have an entry for each of `axes`, or for each axis of X, roi two.
//
// Nearest copies elements of any type that has 8, 16, 32 or 64 bits, bit for bit. Linear and cubic compute float16, bfloat16,
// float and double, along up to 6 axes that change; linear without antialias also uint8, int8 and int32, along up to 3, whose
// results are rounded toward zero.
//
// Coordinates and weights are floats, computed in the order of ONNX Runtime's operations on a CPU, which decides ties. What the
// documents leave open is answered as it does:
// - Beyond the ends of X stand its first and last elements.
// - Scales, and quotients of sizes and extents, are floats; out of scales, an extent is the product's floor, whatever roi is.
// - An axis whose scale is 1 stays as it is, but where tf_crop_and_resize crops it.
// - Where tf_crop_and_resize looks beyond the first or last element on an axis, the result is extrapolation_value.
// - What is at most a millionth from halfway is halfway, for both modes that round.
// Where that runtime and the documents' own tests differ, these count: align_corners takes the product of extent and scale for
// the length where scales are given, and an antialiasing filter that reaches beyond the ends keeps all of its weights.
struct Resize {
    static constexpr std::string_view name = "Resize";
    int64_t opset = newest_opset;
    ResizeMode mode = ResizeMode::nearest;
    CoordinateTransformationMode coordinate_transformation_mode = CoordinateTransformationMode::half_pixel;  // from version 11
    NearestMode nearest_mode = NearestMode::round_prefer_floor;                                              // likewise
    std::vector<int64_t> axes = {};                 // from version 18; negative ones count from the back
    std::vector<int64_t> sizes = {};                // from version 11
    std::vector<float> scales = {};                 // above 0
    std::vector<float> roi = {};                    // from version 11, of tf_crop_and_resize: all starts (0), then all ends (1)
    std::optional<float> cubic_coeff_a = {};        // -0.75, from version 11
    std::optional<int64_t> exclude_outside = {};    // 0 or 1, from version 11
    std::optional<float> extrapolation_value = {};  // 0, from version 11
    std::optional<int64_t> antialias = {};          // 0 or 1, from version 18
    KeepAspectRatioPolicy keep_aspect_ratio_policy = KeepAspectRatioPolicy::stretch;  // of sizes, from version 18
};

// Inputs A (M, K), or (K, M) with transA, B (K, N), or (N, K) with transB, and from version 11 optionally C, which is broadcast
// to (M, N); output Y = alpha * A' * B' + beta * C (M, N), where C is not read if beta is 0. Versions 7, 9, 11, 13. Of integers
// alpha and beta are whole, and all is computed modulo 2^bits. Where K is 0, Y is beta * C, or +0 without it.
struct Gemm {
    static constexpr std::string_view name = "Gemm";
    int64_t opset = newest_opset;
    std::optional<float> alpha = {};     // 1
    std::optional<float> beta = {};      // 1
    std::optional<int64_t> transA = {};  // 0 or 1
    std::optional<int64_t> transB = {};  // 0 or 1
};

// Inputs A (..., M, K) and B (..., K, N), whose axes in front are broadcast; output Y (..., M, N). A of one axis is a row, B of
// one axis a column, and Y lacks that axis. Any rank. Versions 1, 9, 13. Integers are computed modulo 2^bits.
struct MatMul {
    static constexpr std::string_view name = "MatMul";
    int64_t opset = newest_opset;
};

// Input X (N, C, D1..Dn), n at least 1; output Y (N, C, 1..1), both in X's layout: the mean of a channel's elements, 0 where
// there are none. Versions 1, 22.
struct GlobalAveragePool {
    static constexpr std::string_view name = "GlobalAveragePool";
    int64_t opset = newest_opset;
};

// GlobalMaxPool gives the greatest element where GlobalAveragePool gives the mean. Versions 1, 22. A NaN is never the greatest,
// which is ONNX Runtime's rule, too. Where there is no element but NaN it gives -Inf; ONNX Runtime 1.32 gives the lowest finite
// number.
struct GlobalMaxPool {
    static constexpr std::string_view name = "GlobalMaxPool";
    int64_t opset = newest_opset;
};

// Input: data of any rank; output: the means of its elements along `axes`, whose extents become 1 (keepdims) or are left out.
// Axes count the dimensions as they lie, in any layout. Versions 1, 11, 13, 18; in version 18 the axes are an input.
//
// Types: float, float16, double, int32, int64, uint32, uint64, and bfloat16 from version 13. What the document leaves open is
// answered as ONNX Runtime does on a CPU:
// - The mean of nothing is 0. An axis that is named twice is reduced once.
// - Halves are summed in float and rounded once.
// - The mean of integers is rounded toward zero. Sums of 32 bits are exact on the way, those of 64 are computed modulo 2^64;
//   ONNX Runtime adds in double, and ends at the type's ends.
struct ReduceMean {
    static constexpr std::string_view name = "ReduceMean";
    int64_t opset = newest_opset;
    std::vector<int64_t> axes = {};                    // all where none is given; negative ones from version 11
    std::optional<int64_t> keepdims = {};              // 0 or 1 (1)
    std::optional<int64_t> noop_with_empty_axes = {};  // 0 or 1 (0), from version 18: 1 reduces nothing where no axis is given
};

// As ReduceMean, but their sums. Versions 1, 11, 13, from which on the axes are an input. Integers are computed modulo 2^bits, as
// everywhere here; ONNX Runtime adds in double, and ends at the type's ends. The sum of nothing is 0.
struct ReduceSum {
    static constexpr std::string_view name = "ReduceSum";
    int64_t opset = newest_opset;
    std::vector<int64_t> axes = {};
    std::optional<int64_t> keepdims = {};
    std::optional<int64_t> noop_with_empty_axes = {};  // from version 13
};

// Input of any rank from 1 on; output: e^x / sum of e^x along `axis`, computed by the difference from the greatest of a row.
// Versions 1, 11 take the input as a matrix, `axis` (1) being the first dimension of its rows; version 13 one axis (-1), the
// others as they lie. Types float, float16, bfloat16 from version 13; of doubles there is no exponential function.
//
// As by ONNX Runtime on a CPU, a row with NaN or Inf, and one of nothing but -Inf, is NaN; -Inf beside numbers becomes 0. A
// result of n elements, d below the greatest, is within (d + n + 16) units of 2^-24 of the exact value, relative to it; denormals
// may be flushed.
struct Softmax {
    static constexpr std::string_view name = "Softmax";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // negative from version 11
};

// Inputs X (N, C, D1..Dn), n at least 1, scale (C) and B (C), all of one type; output in X's layout (X - mean) / sqrt(variance +
// epsilon) * scale + B, mean and variance being those of the elements of a channel of an instance. Versions 1, 6, 22. The mean is
// subtracted before anything is squared, so that nothing cancels. Halves are computed in float and rounded once.
struct InstanceNormalization {
    static constexpr std::string_view name = "InstanceNormalization";
    int64_t opset = newest_opset;
    std::optional<float> epsilon = {};  // 1e-5
};

// Inputs X (N, C, D1..Dn) (or (N), of one channel), scale (C), B (C), mean (C), var (C); output Y = (X - mean) / sqrt(var +
// epsilon) * scale + B in X's layout. Versions 7, 9, 14, 15; the ones before them trained by default, and are refused.
//
// With training_mode = 1 mean and variance are those of X's channels, and two more outputs may be wanted: running_mean = mean *
// momentum + X's mean * (1 - momentum), and running_var likewise. Those of an X without elements are NaN, as by ONNX Runtime.
//
// Types: float, float16, double and, from version 14 on, bfloat16. From 14 on mean and var may have another than X, from 15 on
// scale and B, too; but doubles are together with doubles only. Halves are computed in float and rounded once.
struct BatchNormalization {
    static constexpr std::string_view name = "BatchNormalization";
    int64_t opset = newest_opset;
    std::optional<float> epsilon = {};          // 1e-5
    std::optional<float> momentum = {};         // 0.9
    std::optional<int64_t> spatial = {};        // 0 or 1 (1), in version 7: with 0 scale, B, mean and var are (C, D1..Dn)
    std::optional<int64_t> training_mode = {};  // 0 or 1 (0), from version 14
    int64_t outputs = 1;                        // that are wanted: 1, with training_mode = 1 up to 3
};

// Input X (N, C, D1..Dn), n from 0 on; output Y = X / (bias + alpha / size * square_sum) ^ beta in X's layout, square_sum being
// that of floor((size - 1) / 2) channels before the element's, its own, and ceil((size - 1) / 2) behind it. Versions 1, 13. Types
// float, float16, bfloat16 from version 13; of doubles there is no power. Halves are computed in float and rounded once.
//
// ONNX Runtime takes 4 dimensions and odd sizes only; here any are as in the document.
struct LRN {
    static constexpr std::string_view name = "LRN";
    int64_t opset = newest_opset;
    std::optional<float> alpha = {};   // 0.0001
    std::optional<float> beta = {};    // 0.75
    std::optional<float> bias = {};    // 1
    std::optional<int64_t> size = {};  // required
};

// Inputs X of any rank from 1 on, Scale and optionally B, all of one type; output Y = (X - Mean) * InvStdDev * Scale + B. Mean
// and InvStdDev = 1 / sqrt(variance + epsilon) are those of the elements along X's axes from `axis` to its last, as they lie in
// memory. Scale and B have one element for each of these, in the same order, or one element for all. Version 17.
//
// Two more outputs may be wanted, Mean and InvStdDev, floats whose dimensions are X's with 1 from `axis` on; not of doubles. The
// mean is subtracted before anything is squared, so that nothing cancels. Of no elements, Mean is 0, as ReduceMean's is, and
// InvStdDev is 1 / sqrt(epsilon). Halves are computed in float and rounded once, whereas the document's function rounds between
// the product and the sum. Types: float, float16, double, bfloat16.
struct LayerNormalization {
    static constexpr std::string_view name = "LayerNormalization";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};        // -1; negative numbers count from behind the last axis
    std::optional<float> epsilon = {};       // 1e-5
    std::optional<int64_t> stash_type = {};  // 1: the type of Mean and InvStdDev is float; another is not supported
    int64_t outputs = 1;                     // that are wanted: 1 to 3
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
using Operator =
    std::variant<ConvTranspose, AveragePool, Shape, onednn::ConvTranspose, Elementwise, Transpose, Slice, Pad, Concat, Split,
                 DepthToSpace, Conv, Cast, Resize, Gemm, MatMul, GlobalAveragePool, ReduceMean, ReduceSum, Softmax,
                 InstanceNormalization, BatchNormalization, LRN, MaxPool, GlobalMaxPool, LayerNormalization>;

// ---------------------------------------------------------------------------------------------------------- fields

template <class T, class Of>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Of>;

// fields(op, visit) calls visit(name, member) for each attribute, in the order of the struct, with the document's name: members
// are std::vector<int64_t>, std::vector<float>, std::optional<int64_t>, std::optional<float> and int64_t. One that is a word
// comes as visit(name, member, words), with the Spellings of its enum. Whatever reads, prints or compares attributes is such a
// visitor, so that each is named only here.

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

template <MaybeConst<Conv> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(auto_pad_words));
    visit("kernel_shape", op.kernel_shape);
    visit("strides", op.strides);
    visit("dilations", op.dilations);
    visit("pads", op.pads);
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

template <MaybeConst<MaxPool> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("auto_pad", op.auto_pad, Spellings<AutoPad>(auto_pad_words));
    visit("kernel_shape", op.kernel_shape);
    visit("strides", op.strides);
    visit("dilations", op.dilations);
    visit("pads", op.pads);
    visit("ceil_mode", op.ceil_mode);
    visit("storage_order", op.storage_order);
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

template <MaybeConst<Transpose> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("perm", op.perm);
}

template <MaybeConst<Slice> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("starts", op.starts);
    visit("ends", op.ends);
    visit("axes", op.axes);
    visit("steps", op.steps);
}

template <MaybeConst<Pad> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("mode", op.mode, Spellings<PadMode>(pad_mode_words));
    visit("pads", op.pads);
    visit("axes", op.axes);
    visit("value", op.value);
}

template <MaybeConst<Concat> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
}

template <MaybeConst<Split> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
    visit("split", op.split);
    visit("num_outputs", op.num_outputs);
}

template <MaybeConst<DepthToSpace> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("blocksize", op.blocksize);
    visit("mode", op.mode, Spellings<DepthToSpaceMode>(depth_to_space_mode_words));
}

template <MaybeConst<Cast> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("to", op.to);
    visit("saturate", op.saturate);
    visit("round_mode", op.round_mode, Spellings<RoundMode>(round_mode_words));
}

template <MaybeConst<Resize> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("mode", op.mode, Spellings<ResizeMode>(resize_mode_words));
    visit("coordinate_transformation_mode", op.coordinate_transformation_mode,
          Spellings<CoordinateTransformationMode>(coordinate_transformation_mode_words));
    visit("nearest_mode", op.nearest_mode, Spellings<NearestMode>(nearest_mode_words));
    visit("axes", op.axes);
    visit("sizes", op.sizes);
    visit("scales", op.scales);
    visit("roi", op.roi);
    visit("cubic_coeff_a", op.cubic_coeff_a);
    visit("exclude_outside", op.exclude_outside);
    visit("extrapolation_value", op.extrapolation_value);
    visit("antialias", op.antialias);
    visit("keep_aspect_ratio_policy", op.keep_aspect_ratio_policy,
          Spellings<KeepAspectRatioPolicy>(keep_aspect_ratio_policy_words));
}

template <MaybeConst<Gemm> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("alpha", op.alpha);
    visit("beta", op.beta);
    visit("transA", op.transA);
    visit("transB", op.transB);
}

template <MaybeConst<MatMul> Op, class Visitor>
void fields(Op&, Visitor&&)
{
}

template <MaybeConst<GlobalAveragePool> Op, class Visitor>
void fields(Op&, Visitor&&)
{
}

template <MaybeConst<GlobalMaxPool> Op, class Visitor>
void fields(Op&, Visitor&&)
{
}

template <MaybeConst<ReduceMean> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axes", op.axes);
    visit("keepdims", op.keepdims);
    visit("noop_with_empty_axes", op.noop_with_empty_axes);
}

template <MaybeConst<ReduceSum> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axes", op.axes);
    visit("keepdims", op.keepdims);
    visit("noop_with_empty_axes", op.noop_with_empty_axes);
}

template <MaybeConst<Softmax> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
}

template <MaybeConst<InstanceNormalization> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("epsilon", op.epsilon);
}

template <MaybeConst<BatchNormalization> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("epsilon", op.epsilon);
    visit("momentum", op.momentum);
    visit("spatial", op.spatial);
    visit("training_mode", op.training_mode);
}

template <MaybeConst<LRN> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("alpha", op.alpha);
    visit("beta", op.beta);
    visit("bias", op.bias);
    visit("size", op.size);
}

template <MaybeConst<LayerNormalization> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
    visit("epsilon", op.epsilon);
    visit("stash_type", op.stash_type);
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
