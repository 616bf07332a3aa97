// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/pool.h"

#include <algorithm>

#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"
#include "return_if_error.h"

namespace vkonnx::plan {

using ops::Axis;

Status check_countable(std::string_view op, const ops::PoolGeometry& g)
{
    TensorDesc x{g.dtype, {g.batch, g.channels}};
    for (const Axis& axis : g.axes)
        x.dims.push_back(axis.in);
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "input X", x));
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "output Y", output_of(g)));
    int64_t window = 1;
    for (size_t a = 0; a < g.axes.size(); ++a) {
        const Axis& axis = g.axes[a];
        // Every number that a kernel forms along the axis lies below one of these.
        for (const int64_t number : {axis.begin, axis.end, axis.in + axis.begin + axis.end, axis.stride, axis.dilated_kernel()})
            VKONNX_RETURN_IF_ERROR(check_spatial(op, a, number));
        if (axis.kernel > index_limit / window)
            return Status(Code::unsupported,
                          std::string(op) + ": kernel_shape spans more than the 2147483647 taps that kernels can count");
        window *= axis.kernel;
    }
    return {};
}

std::vector<TapAxis> taps_of(const PoolProblem& pool)
{
    std::vector<TapAxis> taps;
    for (const Axis& axis : pool.axes)
        taps.push_back({axis.kernel, 1, std::min(axis.kernel, divide_up(axis.in, axis.dilation))});
    return taps;
}

push::PoolProblem block_of(const PoolProblem& pool)
{
    push::PoolProblem push = {};
    std::fill(std::begin(push.axes), std::end(push.axes), push_axis(Axis{}));
    std::transform(pool.axes.begin(), pool.axes.end(), std::end(push.axes) - pool.axes.size(), push_axis);
    push.inner = uint32_t(pool.inner);
    return push;
}

push::PoolAxis push_axis(const Axis& axis)
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

}  // namespace vkonnx::plan
