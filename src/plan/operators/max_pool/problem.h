// SPDX-License-Identifier: Apache-2.0
// This file defines MaxPool as its kernels see it, and declares these kernels.
#pragma once

#include <vector>

#include "plan/core/choose.h"
#include "plan/engines/pool.h"

namespace vkonnx::plan::max_pool {

inline constexpr const char* op = "MaxPool";

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::MaxPoolGeometry& geometry;
    ComputeType compute_type = ComputeType::u32;  // as wide as the elements, whose bits it carries
    int64_t outputs = 0;                          // elements of Y; the rest does not count where there are none
    PoolProblem pool = {};                        // with merged axes, unless they are needed for Indices
    std::vector<TapAxis> taps = {};
};

inline bool has_indices(const ops::MaxPoolGeometry& geometry)
{
    return geometry.outputs > 1;
}

inline uint32_t width_of(const Problem& problem)
{
    return bits(problem.geometry.dtype) / 8;
}

// max_pool_rows takes 1 to 3 axes with nothing behind them, common windows of the last axis, and no Indices. It computes several
// outputs of a row at once.
extern const KernelOf<Problem> rows;
// max_pool takes any rank and any window, a box of its taps at a time. It finds the elements, and then where in X each of them
// is.
extern const KernelOf<Problem> any_rank;

}  // namespace vkonnx::plan::max_pool
