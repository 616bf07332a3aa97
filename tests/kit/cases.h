// Case files: one labelled problem a line, in ONNX attribute names, for tests and benchmarks alike.
//
//   asymmetric_pads   x=1x3x7x9 kernel_shape=3,2 strides=2,1 pads=0,1,2,0 count_include_pad=1   # why it exists
//
// The file's stem is the operator. `x`, `w`, `b` are input dimensions as in memory ("scalar" for none); `b` alone is a bias as
// long as W and group ask for. Inputs of elementwise and of most operators that only move elements are `a`, `b`, ... up to `p`;
// one that is left out before the last is not given. Those of other operators have the document's names in lower case, `scale`.
// `type` is the inputs' type (default float, or the last that the document has where it has no float). An input to which the
// document gives a type of its own has a key for it, `scale_type`, which is needed where it is not usual_type. Of elementwise,
// `op` is the operator's name, and `steps` are the steps behind it, with commas between them: a kind's name, then with colons the
// other operand where it is a number, and attributes, `Mul:0.5`, `Clip:min=0:max=6`. Where what was made before is the second
// operand, the kind stands behind the first one, `1:Sub`, or behind a colon where that is an input, `:Sub`. `exponent` is the
// type of Pow's second input where it is another, `layout=NXC` X's layout (default NCX; oneDNN's dialect has data_format
// instead), `rules=onnxruntime` the other rule set, `fill` how elements are made (see Fill). All other keys are attributes. Text
// behind '#' is the reason; blank lines and lines of '#' are skipped.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "kit/operators.h"

namespace vkonnx::kit {

// All elements are numbers of the inputs' type.
enum class Fill : uint8_t {
    any,            // no `fill=`: once with integers and once with reals
    integers,       // -4 .. 4: every sum of up to a million products is exact
    reals,          // of integers any, the ends of their range often; else uniform in [-1, 1), multiples of 2^-23 (float16 2^-10,
                    // bfloat16 2^-7, double 2^-52): no denormals
    specials,       // small integers with some Inf, -Inf and NaN among them
    positive,       // 1 .. 4: sums grow past the integers of a half, where ties must go to the even one
    negative_zero,  // X all -0.0, W small positive integers, B -0.0
    large,          // X and B 4 .. 7 times 2^13, W 1 or -1: two of them are beyond float16, and sums of floats stay exact
    denormals,      // X and B mostly denormals, W 1 or -1: any of them, and results, may be flushed to zero, or not
};

// "integers", ...
std::string_view name(Fill fill);

struct Case {
    std::string name = {};
    std::string why = {};
    Operator attributes = {};
    std::vector<TensorDesc> inputs = {};
    Fill fill = Fill::any;
};

// "conv_transpose", "average_pool", ...: a file of tests/cases
std::string_view operator_of(const Case& problem);

// The line again, keys in a fixed order, single spaces, without the reason. Parsing it gives the same case.
std::string to_string(const Case& problem);

// One line of the operator's file. Errors name the key and the word refused.
Result<Case> parse_case(std::string_view operator_name, std::string_view line);

// A whole text; errors name the line's number. Names must be unique.
Result<std::vector<Case>> parse_cases(std::string_view operator_name, std::string_view text);

// A file whose stem is the operator: ".../average_pool.txt".
Result<std::vector<Case>> load_cases(const std::string& path);

// The lists of this source tree, in the order of Operator's alternatives.
Result<std::vector<Case>> load_all_cases();

// The fills that a case asks to be run with.
std::vector<Fill> fills_of(const Case& problem);

// Elements of all inputs, decided by the case's line and the fill alone: equal on every machine. `fill` must not be `any`.
std::vector<RealTensor> fill_inputs(const Case& problem, Fill fill);

// The list attributes, to be changed. Their entries are one a spatial axis; pads hold two, output_shape N and M in front or not.
std::vector<std::vector<int64_t>*> lists_of(Case& problem);

// Forwards to the functions of reference.h. Not for the values of Shape.
Result<Resolution> resolve(const Case& problem);
Result<std::vector<Answer>> reference(const Case& problem, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output = 0);

// The type of an input for which a line says no other: that of the first input, or else the last one of the document's.
DType usual_type(const Operator& op, size_t input, DType first);

// Whether the operator's elements count by their bits, whatever their type: it only moves them.
bool moves_elements(const Operator& op);

}  // namespace vkonnx::kit
