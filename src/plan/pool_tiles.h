// SPDX-License-Identifier: Apache-2.0
// What kernels of pools of several outputs an invocation share (shared/pool_tiles.h).
#pragma once

#include "plan/pool.h"
#include "plan/tiles.h"
#include "shared/pool_tiles.h"

namespace vkonnx::plan {

// Whether a window has taps beyond the input, or padding.
bool is_clipped(const PoolProblem& pool);

// Axes that the rank lacks stand in front.
push::PoolTiled tiled_of(const PoolProblem& pool, int64_t tiles_of_row);

// How many iterations nested loops over the kernel of the axes before the last take, if the loop within
// them takes `last`.
int64_t loops_before_last(const PoolProblem& pool, int64_t last);

// Returns the outputs of these tiles. A tile is `each` outputs of a row, or what is left of it.
Range outputs_of_row_tiles(const Range& tiles, int64_t row, int64_t each);

// The constant `shifted`: whether tiles of so many outputs of a row begin amid quads of X. As stores_quads, which compilers of
// GPUs aren't told either.
bool shifts(const ops::Axis& last, int64_t each, const Capabilities& capabilities);

}  // namespace vkonnx::plan
