// SPDX-License-Identifier: Apache-2.0
// AveragePool as its kernels see it, and which there are.
#pragma once

#include <vector>

#include "plan/choose.h"
#include "plan/merge.h"
#include "plan/taps.h"

namespace vkonnx::plan::average_pool {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    Number number = Number::f32;
    int64_t outputs = 0;  // the rest is of no account where there are none
    DType dtype = DType::float32;
    bool count_include_pad = false;
    PoolProblem pool = {};           // with merged axes
    std::vector<TapAxis> taps = {};  // its axes', for bounding loops
};

// average_pool_direct: 1 to 3 axes, all taps of a window in nested loops.
extern const KernelOf<Problem> direct;
// average_pool_nd: any rank, any window.
extern const KernelOf<Problem> nd;

}  // namespace vkonnx::plan::average_pool
