// SPDX-License-Identifier: Apache-2.0
#include "plan/average_pool/problem.h"

#include <algorithm>

namespace vkonnx::plan::average_pool {

using ops::Axis;

push::AveragePoolAxis push_axis(const Axis& axis)
{
    return {uint32_t(axis.in),       uint32_t(axis.out),   uint32_t(axis.kernel), uint32_t(axis.stride),
            uint32_t(axis.dilation), uint32_t(axis.begin), uint32_t(axis.end),    0};
}

int64_t inputs_of(const PoolProblem& pool)
{
    int64_t volume = pool.outer * pool.inner;
    for (const Axis& axis : pool.axes)
        volume *= axis.in;
    return volume;
}

Range read_by(const PoolProblem& pool, const Range& outputs, const TapBox& box)
{
    std::array<int64_t, 2 + max_spatial_axes> dims = {pool.outer};
    for (size_t a = 0; a < pool.axes.size(); ++a)
        dims[a + 1] = pool.axes[a].out;
    dims[pool.axes.size() + 1] = pool.inner;
    const Bounds bounds = bounds_of(outputs, std::span(dims).first(pool.axes.size() + 2));
    int64_t first = bounds[0].first;
    int64_t last = bounds[0].end() - 1;
    for (size_t a = 0; a < pool.axes.size(); ++a) {
        const Axis& axis = pool.axes[a];
        const Range& windows = bounds[a + 1];
        const int64_t low = windows.first * axis.stride - axis.begin + box.begin[a] * axis.dilation;
        const int64_t high = (windows.end() - 1) * axis.stride - axis.begin + (box.end[a] - 1) * axis.dilation;
        if (high < 0 || low >= axis.in)
            return {};
        first = first * axis.in + std::max<int64_t>(low, 0);
        last = last * axis.in + std::min(high, axis.in - 1);
    }
    const Range& inner = bounds[pool.axes.size() + 1];
    first = first * pool.inner + inner.first;
    last = last * pool.inner + inner.end() - 1;
    return {first, last - first + 1};
}

}  // namespace vkonnx::plan::average_pool
