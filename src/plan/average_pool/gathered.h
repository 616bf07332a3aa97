// SPDX-License-Identifier: Apache-2.0
// What both kernels of AveragePool, which gather, have in common.
#pragma once

#include "plan/average_pool/problem.h"
#include "plan/gather.h"

namespace vkonnx::plan::average_pool {

// The problem's half, and the kernel's module; how the kernel goes about it is left to say. Refers to the problem.
Gather gather_of(const Problem& problem, Kernel kernel);

// Its plan, with the problem as a uniform block.
Result<Plan> plan_gathered(const Problem& problem, const Gather& gather);

}  // namespace vkonnx::plan::average_pool
