// SPDX-License-Identifier: Apache-2.0
// What both kernels of ConvTranspose that gather have in common.
#pragma once

#include "plan/conv_transpose/problem.h"
#include "plan/gather.h"

namespace vkonnx::plan::conv_transpose {

// The problem's half, and the kernel's module; how the kernel goes about it is left to say. Refers to the problem.
Gather gather_of(const Problem& problem, Kernel kernel);

// Its plan, with the problem as a uniform block.
Result<Plan> plan_gathered(const Problem& problem, const Gather& gather);

}  // namespace vkonnx::plan::conv_transpose
