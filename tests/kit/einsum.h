// This header has the reference of Einsum, an operator that only model files have.
#pragma once

#include <string_view>

#include "kit/reference.h"

namespace vkonnx::kit {

struct EinsumAnswers {
    TensorDesc output = {};
    std::vector<Answer> elements = {};  // all of them
};

// Computes an equation that fits its inputs. For each output element it adds the products of all places that its labels leave, in
// higher precision. All inputs have the same type, of floats with values, or of integers with words.
EinsumAnswers reference_einsum(std::string_view equation, std::span<const RealTensor> inputs);

}  // namespace vkonnx::kit
