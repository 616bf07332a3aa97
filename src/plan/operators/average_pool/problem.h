// SPDX-License-Identifier: Apache-2.0
// This file describes AveragePool to its kernels, and lists the kernels.
#pragma once

#include <vector>

#include "plan/core/choose.h"
#include "plan/engines/gather.h"
#include "plan/engines/pool.h"
#include "plan/engines/taps.h"

namespace vkonnx::plan::average_pool {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // where it is 0, the members below are not used
    DType dtype = DType::float32;
    bool count_include_pad = false;
    PoolProblem pool = {};           // with merged axes
    std::vector<TapAxis> taps = {};  // the taps of these axes, which bound the kernels' loops
};

// average_pool_separable takes 2 or 3 axes and large windows that overlap. It sums along one axis at a time.
extern const KernelOf<Problem> separable;
// average_pool_sliding takes 2 or 3 axes with nothing behind them, and windows of 3 x 3 that overlap. It goes down several rows
// of outputs at once.
extern const KernelOf<Problem> sliding;
// average_pool_rows takes 1 to 3 axes with nothing behind them, and common windows of the last axis. It computes several outputs
// of a row at once.
extern const KernelOf<Problem> rows;
// average_pool_channels takes 1 to 3 axes with whole quads of elements behind them.
extern const KernelOf<Problem> channels;
// average_pool_runs takes 1 to 3 axes with nothing behind them, and taps that lie side by side along the last axis.
extern const KernelOf<Problem> runs;
// average_pool_moving takes a single axis with nothing behind it, and windows that overlap. It computes several outputs at once,
// which share most of their sums.
extern const KernelOf<Problem> moving;
// average_pool_direct takes 1 to 3 axes, and adds all taps of a window in nested loops.
extern const KernelOf<Problem> direct;
// average_pool_nd takes any rank and any window.
extern const KernelOf<Problem> nd;

}  // namespace vkonnx::plan::average_pool
