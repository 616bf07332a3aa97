// This header computes PrepareOptions::prologue for the reference.
#pragma once

#include "kit/cases.h"

namespace vkonnx::kit {

// Returns input 3 of a convolution with a prologue: small numbers, so that results from small integers are exact in every type.
// It has no elements where the prologue takes none.
RealTensor prologue_numbers(const Case& problem, const Prologue& prologue);

// Returns the inputs with these numbers added, as the operator is given them.
std::vector<RealTensor> with_numbers(std::vector<RealTensor> inputs, const RealTensor& numbers);

// Returns X as the convolution behind the prologue reads it.
RealTensor after_prologue(const Case& problem, const Prologue& prologue, RealTensor x, const RealTensor& numbers);

}  // namespace vkonnx::kit
