// Case files: one labelled problem a line, in ONNX attribute names, for tests and benchmarks alike.
//
//   asymmetric_pads   x=1x3x7x9 kernel_shape=3,2 strides=2,1 pads=0,1,2,0 count_include_pad=1   # why it exists
//
// The file's stem is the operator. `x`, `w`, `b` are input dimensions ("scalar" for none); `b` alone is a bias as long as W
// and group ask for. `type` is the inputs' type (default float), `rules=onnxruntime` the other rule set, `fill` how elements
// are made (see Fill). All other keys are attributes. Text behind '#' is the reason; blank lines and lines of '#' are skipped.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kit/reference.h"

namespace vkonnx::kit {

enum class Fill : uint8_t {
    any,            // no `fill=`: once with integers and once with reals
    integers,       // -4 .. 4: every sum of up to a million products is exact
    reals,          // uniform in [-1, 1), multiples of 2^-23: no denormals
    specials,       // small integers with some Inf, -Inf and NaN among them
    negative_zero,  // X all -0.0, W small positive integers, B -0.0
};

// "integers", ...
std::string_view name(Fill fill);

struct Case {
    std::string name = {};
    std::string why = {};
    std::variant<ConvTranspose, AveragePool, Shape> attributes = {};
    std::vector<TensorDesc> inputs = {};
    Fill fill = Fill::any;
};

// "conv_transpose", "average_pool" or "shape"
std::string_view operator_of(const Case& problem);

// The line again, keys in a fixed order, single spaces, without the reason. Parsing it gives the same case.
std::string to_string(const Case& problem);

// One line of the operator's file. Errors name the key and the word refused.
Result<Case> parse_case(std::string_view operator_name, std::string_view line);

// A whole text; errors name the line's number. Names must be unique.
Result<std::vector<Case>> parse_cases(std::string_view operator_name, std::string_view text);

// A file whose stem is the operator: ".../average_pool.txt".
Result<std::vector<Case>> load_cases(const std::string& path);

// The three lists of this source tree, in the order conv_transpose, average_pool, shape.
Result<std::vector<Case>> load_all_cases();

// The fills that a case asks to be run with.
std::vector<Fill> fills_of(const Case& problem);

// Elements of all inputs, decided by the case's line and the fill alone: equal on every machine. `fill` must not be `any`.
std::vector<HostTensor> fill_inputs(const Case& problem, Fill fill);

// Forwards to the functions of reference.h. Not for the values of Shape.
Result<Resolution> resolve(const Case& problem);
Result<std::vector<Answer>> reference(const Case& problem, std::span<const HostTensor> inputs, std::span<const int64_t> sample);

}  // namespace vkonnx::kit
