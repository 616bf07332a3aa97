// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/average_pool/tiles.h"

#include <algorithm>

#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"
#include "shaders/operators/average_pool/average_pool_moving_constants.h"
#include "shaders/operators/average_pool/average_pool_tiles_constants.h"

namespace vkonnx::plan::average_pool {

TiledTensor tensor_x(const Problem& problem, std::function<Range(const Range& tiles)> used)
{
    return {.operand = {.tensor = 0},
            .elements = inputs_of(problem.pool),
            .element_bytes = bits(problem.dtype) / 8,
            .unit = quad,
            .used = std::move(used)};
}

TiledTensor tensor_y(const Problem& problem, int64_t unit, std::function<Range(const Range& tiles)> used)
{
    return {.operand = {.tensor = 1, .access = Access::write},
            .elements = problem.outputs,
            .element_bytes = bits(problem.dtype) / 8,
            .unit = unit,
            .used = std::move(used)};
}

Status add_steps(const Problem& problem, Tiles tiles, Plan& plan)
{
    tiles.op = "AveragePool";
    tiles.compute_type = problem.compute_type;
    return plan::add_steps(tiles, problem.capabilities, problem.options, plan);
}

Plan plan_of(const Problem& problem)
{
    const uint64_t width = bits(problem.dtype) / 8;
    Plan plan;
    plan.inputs = 1;
    plan.tensor_bytes = {buffer_bytes(uint64_t(inputs_of(problem.pool)) * width),
                         buffer_bytes(uint64_t(problem.outputs) * width)};
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    return plan;
}

PipelineKey tile_pipeline(Kernel kernel, std::vector<uint32_t> specialization)
{
    return {.kernel = kernel,
            .specialization = std::move(specialization),
            .views = {View::storage, View::storage},
            .uses_uniform = true,
            .push_bytes = sizeof(push::TileRange)};
}

std::vector<uint32_t> tile_constants(const Problem& problem, uint32_t workgroup_size)
{
    return specialization::AveragePoolTiles{.workgroup_size = workgroup_size, .count_include_pad = problem.count_include_pad}
        .values();
}

PipelineKey moving_pipeline(const Problem& problem, std::span<const Variant> variants, uint32_t workgroup_size)
{
    const ops::Axis& last = problem.pool.axes.back();
    return tile_pipeline(*variant(variants, problem.compute_type),
                         specialization::AveragePoolMoving{.workgroup_size = workgroup_size,
                                                           .count_include_pad = problem.count_include_pad,
                                                           .kernel = uint32_t(last.kernel),
                                                           .stores_quads = stores_quads(last.out, problem.capabilities)}
                             .values());
}

std::string unfit_for_quads(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    if (problem.options.reproducible)
        return "it divides as the device does, and PrepareOptions::reproducible asks for the rounded quotient";
    if (pool.axes.size() > POOL_TILED_AXES)
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
    return too_many_iterations("its loops over a window", problem.capabilities);
}

}  // namespace vkonnx::plan::average_pool
