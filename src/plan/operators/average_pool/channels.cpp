// SPDX-License-Identifier: Apache-2.0
// The kernel average_pool_channels takes 1 to 3 axes with whole quads of elements behind them. An invocation computes the windows
// of a quad at once.
#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/operators/average_pool/tiles.h"
#include "return_if_error.h"
#include "shaders/operators/average_pool/average_pool_tiles_constants.h"

namespace vkonnx::plan::average_pool {
namespace {

std::string unfit(const Problem& problem)
{
    if (std::string wrong = unfit_for_quads(problem); !wrong.empty())
        return wrong;
    if (problem.pool.inner % quad != 0)
        return "it takes multiples of 4 elements behind the axes, not " + std::to_string(problem.pool.inner);
    return unfit_for_loops(problem, loops_before_last(problem.pool, problem.pool.axes.back().kernel));
}

Result<Plan> planned(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    const uint32_t group = tile_workgroup_size(problem.capabilities);
    Plan plan = plan_of(problem);
    plan.uniform = bytes_of(tiled_of(pool, pool.axes.back().out));
    plan.pipelines = {
        tile_pipeline(*variant(modules::average_pool_channels_clipped1, problem.compute_type), tile_constants(problem, group))};

    const auto outputs_of = [](const Range& tiles) { return Range{tiles.first * quad, tiles.count * quad}; };
    double taps = 1;
    for (const ops::Axis& axis : pool.axes)
        taps *= double(axis.kernel);
    const Tiles tiles = {
        .workgroup_size = group,
        .tiles = {0, problem.outputs / quad},
        .work = 16 + 1.75 * taps,
        .from = tensor_x(problem, [&](const Range& some) { return read_by(pool, outputs_of(some), whole_window(problem.taps)); }),
        .to = tensor_y(problem, quad, outputs_of)};
    VKONNX_RETURN_IF_ERROR(add_steps(problem, tiles, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> channels = {.name = "average_pool_channels",
                                              .variants = modules::average_pool_channels_clipped1,
                                              .keeps_order = true,
                                              .unfit = unfit,
                                              .plan = planned};

}  // namespace vkonnx::plan::average_pool
