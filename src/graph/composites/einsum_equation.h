// SPDX-License-Identifier: Apache-2.0
// This file reads the equation of an Einsum, such as "bij,bjk->bik", and ties its labels to the axes of the inputs.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vkonnx::graph {

// A label names axes of the same extent. It is a letter's ASCII value or, below all letters, the place of one of the axes that
// "..." stands for.
using Labels = std::vector<int>;

struct Equation {
    std::vector<Labels> inputs = {};      // of each input, a label for each axis
    Labels output = {};                   // a label for each axis of the output
    std::map<int, int64_t> extents = {};  // of each label. An axis of "..." may have the extent 1 in some inputs all the same
};

// Returns the start of each sentence about an equation.
std::string about(std::string_view equation);

// Reads an equation for inputs of these dimensions. An error is one sentence that has the equation in it.
Result<Equation> read_equation(std::string_view equation, std::span<const TensorDesc> inputs);

}  // namespace vkonnx::graph
