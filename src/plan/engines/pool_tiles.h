// SPDX-License-Identifier: Apache-2.0
// This file has what the kernels of pools share that compute several outputs in an invocation
// (shaders/engines/pool/pool_tiles.h).
#pragma once

#include "plan/engines/pool.h"
#include "plan/engines/tiles.h"
#include "shaders/engines/pool/pool_tiles.h"

namespace vkonnx::plan {

// Tells whether a window has taps beyond the input.
bool is_clipped(const PoolProblem& pool);

// Returns the uniform block of the kernels. Axes that the rank lacks stand in front.
push::PoolTiled tiled_of(const PoolProblem& pool, int64_t tiles_of_row);

// Returns how many iterations nested loops over the kernel of the axes before the last take, if the loop within them takes
// `last`.
int64_t loops_before_last(const PoolProblem& pool, int64_t last);

// Returns the outputs of these tiles. A tile is `each` outputs of a row, or what is left of it.
Range outputs_of_row_tiles(const Range& tiles, int64_t row, int64_t each);

// Returns the constant `shifted`: whether tiles of so many outputs of a row may begin amid quads of X. It is always true for
// GPUs, whose compilers aren't told the extents either (see stores_quads).
bool shifts(const ops::Axis& last, int64_t each, const Capabilities& capabilities);

}  // namespace vkonnx::plan
