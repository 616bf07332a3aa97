// A case file has one labelled problem in each line, in ONNX attribute names, for tests and benchmarks alike.
//
//   asymmetric_pads   x=1x3x7x9 kernel_shape=3,2 strides=2,1 pads=0,1,2,0 count_include_pad=1   # why it exists
//
// The file's stem is the operator. `x`, `w`, `b` are input dimensions as in memory ("scalar" for none); `b` alone is a bias as
// long as W and group ask for. Inputs of elementwise and of most operators that only move elements are `a`, `b`, ... up to `p`;
// one that is left out before the last is not given. Inputs of other operators have their ONNX names in lower case, such as
// `scale`. `type` is the inputs' type (default float, or the last in the ONNX document where it has no float). An input to which
// the document gives a type of its own has a key for it, `scale_type`, which is needed where it is not usual_type. For
// elementwise, `op` is the operator's name, and `steps` are the steps behind it, with commas between them. A step is a kind's
// name, and behind colons the other operand where it is a number, and attributes: `Mul:0.5`, `Clip:min=0:max=6`. Where the result
// so far is the second operand, the kind stands behind the first one, `1:Sub`, or behind a colon where that is an input, `:Sub`.
// `exponent` is the type of Pow's second input where it differs, `layout=NXC` is X's layout (default NCX; oneDNN's dialect has
// data_format instead), `rules=onnxruntime` is the other rule set, and `fill` tells how elements are made (see Fill). All other
// keys are attributes. Text behind '#' is the reason; blank lines and lines of '#' are skipped.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "kit/operators.h"

namespace vkonnx::kit {

// A fill tells how elements are made. All elements are numbers of the inputs' type.
enum class Fill : uint8_t {
    any,            // no `fill=`: once with integers and once with reals
    integers,       // -4 .. 4: every sum of up to a million products is exact
    reals,          // integers: any, often an end of their range; else uniform in [-1, 1), multiples of 2^-23 (float16 2^-10,
                    // bfloat16 2^-7, double 2^-52): no denormals
    specials,       // small integers with some Inf, -Inf and NaN among them
    positive,       // 1 .. 4: sums grow past the integers of a half, where ties must go to the even one
    negative_zero,  // X is all -0.0, W small positive integers, B -0.0
    large,          // X and B 4 .. 7 times 2^13, W 1 or -1: a sum of two is beyond float16, and sums of floats stay exact
    denormals,      // X and B mostly denormals, W 1 or -1: any of them, and results, may be flushed to zero, or not
};

// Returns the fill's word in case files, such as "integers".
std::string_view name(Fill fill);

struct Case {
    std::string name = {};
    std::string why = {};
    Operator attributes = {};
    std::vector<TensorDesc> inputs = {};
    Fill fill = Fill::any;
};

// Returns the stem of the operator's file in tests/cases, such as "conv_transpose".
std::string_view operator_of(const Case& problem);

// Returns the line again, with keys in a fixed order and single spaces, without the reason. Parsing it gives the same case.
std::string to_string(const Case& problem);

// Reads one line of the operator's file. Errors name the key and the word that were refused.
Result<Case> parse_case(std::string_view operator_name, std::string_view line);

// Reads a whole text. Errors name the line's number. Names must be unique.
Result<std::vector<Case>> parse_cases(std::string_view operator_name, std::string_view text);

// Reads a file whose stem is the operator: ".../average_pool.txt".
Result<std::vector<Case>> load_cases(const std::string& path);

// Reads the case lists of this source tree, in the order of Operator's alternatives.
Result<std::vector<Case>> load_all_cases();

// Returns the fills that a case asks to be run with.
std::vector<Fill> fills_of(const Case& problem);

// Makes the elements of all inputs. Only the case's line and the fill decide them, so that they are equal on every machine.
// `fill` must not be `any`.
std::vector<RealTensor> fill_inputs(const Case& problem, Fill fill);

// Returns the list attributes, so that a caller can change them. They have one entry for each spatial axis; pads have two, and
// output_shape may have N and M in front.
std::vector<std::vector<int64_t>*> lists_of(Case& problem);

// These two forward to the functions of reference.h. They are not for the values of Shape.
Result<Resolution> resolve(const Case& problem);
Result<std::vector<Answer>> reference(const Case& problem, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output = 0);

// Returns the type of an input for which a line names none: that of the first input, or else the last one in the ONNX document.
DType usual_type(const Operator& op, size_t input, DType first);

// Tells whether the operator only moves elements, so that their bits count, whatever their type.
bool moves_elements(const Operator& op);

}  // namespace vkonnx::kit
