// SPDX-License-Identifier: Apache-2.0
// This file holds what conv_transpose_direct and conv_transpose_nd share. Both use the gather protocol.
#pragma once

#include "plan/engines/gather.h"
#include "plan/operators/conv_transpose/problem.h"

namespace vkonnx::plan::conv_transpose {

// Returns a gather with all that follows from the problem and the kernel's module. The caller fills in how the kernel computes
// it. The result refers to the problem.
Gather gather_of(const Problem& problem, Kernel kernel);

// Returns the plan of the gather, with the problem as its uniform block.
Result<Plan> plan_gathered(const Problem& problem, const Gather& gather);

}  // namespace vkonnx::plan::conv_transpose
