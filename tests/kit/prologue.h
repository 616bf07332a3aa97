// PrepareOptions::prologue in the reference's words.
#pragma once

#include "kit/cases.h"

namespace vkonnx::kit {

// Input 3 for a convolution with a prologue: small numbers, with which what becomes of small integers is exact in every type.
// Without elements where it takes none.
RealTensor prologue_numbers(const Case& problem, const Prologue& prologue);

// The inputs as they are given with such numbers.
std::vector<RealTensor> with_numbers(std::vector<RealTensor> inputs, const RealTensor& numbers);

// X as the convolution behind the prologue would read it.
RealTensor after_prologue(const Case& problem, const Prologue& prologue, RealTensor x, const RealTensor& numbers);

}  // namespace vkonnx::kit
