// SPDX-License-Identifier: Apache-2.0
// AveragePool as its kernels see it, and which there are.
#pragma once

#include <vector>

#include "plan/choose.h"
#include "plan/gather.h"
#include "plan/pool.h"
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

// average_pool_separable: 2 or 3 axes, large windows that overlap; an axis at a time.
extern const KernelOf<Problem> separable;
// average_pool_sliding: 2 or 3 axes with nothing behind them, windows of 3 x 3 that overlap; down several rows of outputs at
// once.
extern const KernelOf<Problem> sliding;
// average_pool_rows: 1 to 3 axes with nothing behind them, common windows of the last: several outputs of a row at once.
extern const KernelOf<Problem> rows;
// average_pool_channels: 1 to 3 axes with whole quads of elements behind them.
extern const KernelOf<Problem> channels;
// average_pool_runs: 1 to 3 axes with nothing behind them, taps side by side along the last.
extern const KernelOf<Problem> runs;
// average_pool_moving: an only axis with nothing behind it, windows that overlap: several outputs at once, which share most of
// their sums.
extern const KernelOf<Problem> moving;
// average_pool_direct: 1 to 3 axes, all taps of a window in nested loops.
extern const KernelOf<Problem> direct;
// average_pool_nd: any rank, any window.
extern const KernelOf<Problem> nd;

}  // namespace vkonnx::plan::average_pool
