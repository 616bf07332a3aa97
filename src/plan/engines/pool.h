// SPDX-License-Identifier: Apache-2.0
// This file has what the plans of AveragePool and MaxPool share: the check that refuses a problem, and the block that describes
// it to kernels.
#pragma once

#include <string_view>
#include <vector>

#include "plan/engines/gather.h"
#include "plan/engines/merge.h"
#include "plan/engines/taps.h"
#include "shaders/engines/pool/pool.h"

namespace vkonnx::plan {

// Checks that kernels can count all tensors and windows, and the numbers on the way to them.
Status check_countable(std::string_view op, const ops::PoolGeometry& geometry);

// Returns the taps of each axis, for bounding loops.
std::vector<TapAxis> taps_of(const PoolProblem& pool);

push::PoolAxis push_axis(const ops::Axis& axis);
push::PoolProblem block_of(const PoolProblem& pool);

// Returns the number of elements of X.
int64_t inputs_of(const PoolProblem& pool);

// Returns a range of X that holds all that a box of the windows of these outputs reads.
Range read_by(const PoolProblem& pool, const Range& outputs, const TapBox& box);

}  // namespace vkonnx::plan
