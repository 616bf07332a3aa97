// SPDX-License-Identifier: Apache-2.0
// What the plans of AveragePool and MaxPool have in common: what refuses a problem, and the block that describes it to kernels.
#pragma once

#include <string_view>
#include <vector>

#include "plan/gather.h"
#include "plan/merge.h"
#include "plan/taps.h"
#include "shared/pool.h"

namespace vkonnx::plan {

// All tensors, windows and the numbers on the way to them can be counted by kernels.
Status check_countable(std::string_view op, const ops::PoolGeometry& geometry);

// Its axes', for bounding loops.
std::vector<TapAxis> taps_of(const PoolProblem& pool);

push::PoolAxis push_axis(const ops::Axis& axis);
push::PoolProblem block_of(const PoolProblem& pool);

// Elements of X.
int64_t inputs_of(const PoolProblem& pool);

// The range of X that a box of the windows of these outputs reads, conservatively.
Range read_by(const PoolProblem& pool, const Range& outputs, const TapBox& box);

}  // namespace vkonnx::plan
