// SPDX-License-Identifier: Apache-2.0
#include "plan/average_pool/tiles.h"

#include <algorithm>
#include <cmath>

#include "plan/arithmetic.h"
#include "plan/bytes.h"
#include "plan/grid.h"
#include "plan/limits.h"
#include "specialization/average_pool_tiles.h"

namespace vkonnx::plan::average_pool {
namespace {

using ops::Axis;

uint64_t bytes_of(const Tensor& tensor, int64_t elements)
{
    return buffer_bytes(uint64_t(elements) * tensor.element_bytes);
}

class Cutter {
public:
    Cutter(const Problem& problem, const Tiles& tiles, Plan& plan)
        : problem_(problem), tiles_(tiles), plan_(plan), cost_(tiles.work * cost_of(problem.number))
    {
    }

    Status run()
    {
        const Capabilities& c = problem_.capabilities;
        const double seconds = problem_.options.max_dispatch_seconds;
        if (seconds_of(1) > seconds)
            return Status(Code::unsupported, "AveragePool: an invocation of kernel " + kernel() +
                                                 " would take longer than PrepareOptions::max_dispatch_seconds");
        const auto& most = c.max_group_count;
        const int64_t grid = saturated_product({most[0], most[1], most[2], tiles_.workgroup_size});
        const double in_time = std::min(seconds * c.work_per_second / cost_, 0x1p62);
        int64_t length = std::min(grid, int64_t(in_time));
        const Range& all = tiles_.tiles;
        if (length < all.count && length > tiles_.workgroup_size)
            length -= length % tiles_.workgroup_size;
        const int64_t dispatches = divide_up(all.count, length);
        if (Status status = check_dispatches("AveragePool", {dispatches}); !status)
            return status;
        for (int64_t first = all.first; first < all.end(); first += length)
            if (Status status = add({first, std::min(length, all.end() - first)}); !status)
                return status;
        return {};
    }

private:
    std::string kernel() const { return std::string(kernel_name(plan_.pipelines[tiles_.pipeline].kernel)); }

    double seconds_of(int64_t count) const
    {
        return cost_ * std::max(double(count) / problem_.capabilities.work_per_second, 1 / invocation_work_per_second);
    }

    struct Window {
        Operand operand;
        int64_t base = 0;
        int64_t elements = 0;
    };

    Window window_of(const Tensor& tensor, const Range& tiles) const
    {
        if (bytes_of(tensor, tensor.elements) <= problem_.capabilities.max_storage_buffer_range)
            return {tensor.operand, tensor.base, tensor.elements};
        const int64_t width = tensor.element_bytes;
        Range used = tensor.used(tiles);
        used.first -= tensor.base;
        const int64_t alignment = std::max<int64_t>({problem_.capabilities.storage_buffer_alignment, 4, tensor.unit * width});
        const int64_t offset = used.first * width / alignment * alignment;
        const int64_t end = std::min(divide_up(std::max(used.end(), used.first + 1), tensor.unit) * tensor.unit, tensor.elements);
        Window window = {tensor.operand, tensor.base + offset / width, end - offset / width};
        window.operand.offset += uint64_t(offset);
        window.operand.bytes = bytes_of(tensor, end) - uint64_t(offset);
        return window;
    }

    // Halves it until what it needs of both can be bound.
    Status add(const Range& tiles)
    {
        const uint64_t range = problem_.capabilities.max_storage_buffer_range;
        const Window from = window_of(tiles_.from, tiles);
        const Window to = window_of(tiles_.to, tiles);
        if (std::max(from.operand.bytes, to.operand.bytes) > range) {
            const int64_t half = tiles.count / 2;
            if (half == 0)
                return Status(Code::unsupported, "AveragePool: the device's max_storage_buffer_range = " + std::to_string(range) +
                                                     " is too small for what an invocation of kernel " + kernel() + " needs");
            if (Status status = add({tiles.first, half}); !status)
                return status;
            return add({tiles.first + half, tiles.count - half});
        }
        if (int64_t(plan_.steps.size()) >= max_dispatches)
            return too_many_dispatches("AveragePool");
        const push::AveragePoolTiles push = {.first_tile = uint32_t(tiles.first),
                                             .tile_count = uint32_t(tiles.count),
                                             .x_base = uint32_t(from.base),
                                             .x_last_quad = uint32_t(std::max<int64_t>(from.elements / quad - 1, 0)),
                                             .y_base = uint32_t(to.base),
                                             .y_end = uint32_t(tiles_.to.elements)};
        std::vector<std::byte> bytes = plan::bytes_of(push);
        bytes.insert(bytes.end(), tiles_.push.begin(), tiles_.push.end());
        plan_.steps.push_back({.pipeline = tiles_.pipeline,
                               .operands = {from.operand, to.operand},
                               .push = std::move(bytes),
                               .groups = groups_of(tiles.count, tiles_.workgroup_size, problem_.capabilities),
                               .seconds = seconds_of(tiles.count)});
        return {};
    }

    const Problem& problem_;
    const Tiles& tiles_;
    Plan& plan_;
    const double cost_;  // of a tile, in work units
};

}  // namespace

Status add_steps(const Problem& problem, const Tiles& tiles, Plan& plan)
{
    return Cutter(problem, tiles, plan).run();
}

uint32_t tile_workgroup_size(const Capabilities& capabilities)
{
    const uint32_t most = workgroup_size(capabilities);
    return capabilities.is_cpu ? std::min(most, 32u) : most;
}

bool is_clipped(const PoolProblem& pool)
{
    return std::any_of(pool.axes.begin(), pool.axes.end(), [](const Axis& axis) {
        return axis.begin > 0 || (axis.out - 1) * axis.stride + axis.dilated_kernel() > axis.in;
    });
}

push::AveragePoolTiled tiled_of(const PoolProblem& pool, int64_t tiles_of_row)
{
    push::AveragePoolTiled tiled = {};
    std::fill(std::begin(tiled.axes), std::end(tiled.axes), push_axis(Axis{}));
    std::transform(pool.axes.begin(), pool.axes.end(), std::end(tiled.axes) - pool.axes.size(), push_axis);
    tiled.tiles_of_row = push::divisor_of(uint32_t(tiles_of_row));
    for (size_t a = 0; a < std::size(tiled.outs); ++a)
        tiled.outs[a] = push::divisor_of(tiled.axes[a].out_extent);
    tiled.inner_quads = push::divisor_of(uint32_t(divide_up(pool.inner, quad)));
    return tiled;
}

Tensor tensor_x(const Problem& problem, std::function<Range(const Range& tiles)> used)
{
    return {.operand = {.tensor = 0},
            .elements = inputs_of(problem.pool),
            .element_bytes = bits(problem.dtype) / 8,
            .unit = quad,
            .used = std::move(used)};
}

Tensor tensor_y(const Problem& problem, int64_t unit, std::function<Range(const Range& tiles)> used)
{
    return {.operand = {.tensor = 1, .access = Access::write},
            .elements = problem.outputs,
            .element_bytes = bits(problem.dtype) / 8,
            .unit = unit,
            .used = std::move(used)};
}

Plan plan_of(const Problem& problem)
{
    const uint64_t width = bits(problem.dtype) / 8;
    Plan plan;
    plan.inputs = 1;
    plan.tensor_bytes = {(uint64_t(inputs_of(problem.pool)) * width + 3) / 4 * 4,
                         (uint64_t(problem.outputs) * width + 3) / 4 * 4};
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    return plan;
}

PipelineKey tile_pipeline(Kernel kernel, std::vector<uint32_t> specialization)
{
    return {.kernel = kernel,
            .specialization = std::move(specialization),
            .views = {View::storage, View::storage},
            .uses_uniform = true,
            .push_bytes = sizeof(push::AveragePoolTiles)};
}

std::vector<uint32_t> tile_constants(const Problem& problem, uint32_t workgroup_size)
{
    return specialization::AveragePoolTiles{.workgroup_size = workgroup_size, .count_include_pad = problem.count_include_pad}
        .values();
}

int64_t loops_before_last(const Problem& problem, int64_t last)
{
    int64_t inner = last;
    for (size_t a = 0; a + 1 < AVERAGE_POOL_TILED_AXES; ++a) {
        const size_t rank = problem.pool.axes.size();
        const int64_t kernel = a + 1 < rank ? problem.pool.axes[rank - 2 - a].kernel : 1;
        inner = saturated_sum(1, saturated_product(kernel, saturated_sum(1, inner)));
    }
    return inner;
}

std::string unfit_for_quads(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    if (problem.options.reproducible)
        return "it divides as the device does, and PrepareOptions::reproducible asks for the rounded quotient";
    if (pool.axes.size() > AVERAGE_POOL_TILED_AXES)
        return "it takes at most 3 spatial axes, not " + std::to_string(pool.axes.size());
    const int64_t inputs = inputs_of(pool);
    if (inputs == 0 || inputs % quad != 0)
        return "it reads 4 elements at a time, and X has " + std::to_string(inputs);
    return "";
}

std::string unfit_for_loops(const Problem& problem, int64_t iterations)
{
    if (iterations <= problem.capabilities.max_loop_iterations)
        return "";
    return "its loops over a window would exceed the device's " + std::to_string(problem.capabilities.max_loop_iterations) +
           " iterations";
}

}  // namespace vkonnx::plan::average_pool
