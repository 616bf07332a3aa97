// SPDX-License-Identifier: Apache-2.0
#include "plan/average_pool/gathered.h"

#include <algorithm>

#include "plan/bytes.h"
#include "plan/grid.h"
#include "shared/average_pool.h"
#include "specialization/average_pool.h"

namespace vkonnx::plan::average_pool {
namespace {

using ops::Axis;

push::AveragePoolAxis push_axis(const Axis& axis)
{
    return {uint32_t(axis.in),       uint32_t(axis.out),   uint32_t(axis.kernel), uint32_t(axis.stride),
            uint32_t(axis.dilation), uint32_t(axis.begin), uint32_t(axis.end),    0};
}

int64_t input_volume(const PoolProblem& pool)
{
    int64_t volume = 1;
    for (const Axis& axis : pool.axes)
        volume *= axis.in;
    return volume;
}

// The range of X that the windows of a part read, conservatively.
Range read_of(const PoolProblem& pool, std::span<const int64_t> output_dims, const Part& part)
{
    if (part.adds_nothing())
        return {};
    const Bounds bounds = bounds_of(part.outputs, output_dims);
    int64_t first = bounds[0].first;
    int64_t last = bounds[0].end() - 1;
    for (size_t a = 0; a < pool.axes.size(); ++a) {
        const Axis& axis = pool.axes[a];
        const Range& windows = bounds[a + 1];
        const int64_t low = windows.first * axis.stride - axis.begin + part.box.begin[a] * axis.dilation;
        const int64_t high = (windows.end() - 1) * axis.stride - axis.begin + (part.box.end[a] - 1) * axis.dilation;
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

push::AveragePoolProblem uniform_of(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    push::AveragePoolProblem push = {};
    std::fill(std::begin(push.axes), std::end(push.axes), push_axis(Axis{}));
    std::transform(pool.axes.begin(), pool.axes.end(), std::end(push.axes) - pool.axes.size(), push_axis);
    push.inner = uint32_t(pool.inner);
    return push;
}

}  // namespace

Gather gather_of(const Problem& problem, Kernel kernel)
{
    const PoolProblem& pool = problem.pool;
    Gather gather = {.op = "AveragePool",
                     .number = problem.number,
                     .element_bytes = bits(problem.dtype) / 8,
                     .outputs = problem.outputs,
                     .output_operand = 1,
                     .inputs = {{0, pool.outer * input_volume(pool) * pool.inner}},
                     .taps = problem.taps,
                     .kernel = kernel};
    std::vector<int64_t> dims = {pool.outer};
    for (const Axis& axis : pool.axes)
        dims.push_back(axis.out);
    dims.push_back(pool.inner);
    gather.reads = [&pool, dims = std::move(dims)](const Part& part) { return Reads{read_of(pool, dims, part)}; };
    gather.specialization = specialization::AveragePool{.workgroup_size = workgroup_size(problem.capabilities),
                                                        .rank = uint32_t(pool.axes.size()),
                                                        .count_include_pad = problem.count_include_pad,
                                                        .exact_division = problem.options.reproducible}
                                .values();
    return gather;
}

Result<Plan> plan_gathered(const Problem& problem, const Gather& gather)
{
    Result<Plan> plan = plan_gather(gather, problem.capabilities, problem.options);
    if (plan)
        plan->uniform = bytes_of(uniform_of(problem));
    return plan;
}

}  // namespace vkonnx::plan::average_pool
