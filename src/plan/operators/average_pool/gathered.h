// SPDX-License-Identifier: Apache-2.0
// This file holds what average_pool_direct and average_pool_nd share. Both use the gather protocol.
#pragma once

#include "plan/engines/gather.h"
#include "plan/operators/average_pool/problem.h"

namespace vkonnx::plan::average_pool {

// Returns a gather with all that follows from the problem and the kernel's module. The caller fills in how the kernel computes
// it. The result refers to the problem.
Gather gather_of(const Problem& problem, Kernel kernel);

// Returns the plan of the gather, with the problem as its uniform block.
Result<Plan> plan_gathered(const Problem& problem, const Gather& gather);

}  // namespace vkonnx::plan::average_pool
