// SPDX-License-Identifier: Apache-2.0
// The kernel average_pool_runs takes 1 to 3 axes with nothing behind them. The taps of a window lie side by side along the last
// axis, as in global pooling: such a run is read in quads.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/operators/average_pool/tiles.h"
#include "return_if_error.h"
#include "shaders/operators/average_pool/average_pool_tiles_constants.h"

namespace vkonnx::plan::average_pool {
namespace {

// Windows shorter than this along the last axis are left to other kernels: a run's first and last loads are masked.
constexpr int64_t shortest = 4 * quad;

// Returns how many quads a run of so many taps loads at most.
int64_t loads_of(int64_t taps)
{
    return divide_up(taps + quad - 1, quad);
}

std::string unfit(const Problem& problem)
{
    const ops::Axis& last = problem.pool.axes.back();
    if (std::string wrong = unfit_for_quads(problem); !wrong.empty())
        return wrong;
    if (problem.pool.inner != 1)
        return "it takes nothing behind the axes, not " + std::to_string(problem.pool.inner) + " elements";
    if (last.dilation != 1)
        return "it takes no dilation of the last axis, not " + std::to_string(last.dilation);
    if (last.kernel < shortest)
        return "it takes windows from 16 along the last axis on, not of " + std::to_string(last.kernel);
    const int64_t iterations = loops_before_last(problem.pool, loads_of(problem.taps.back().most));
    return unfit_for_loops(problem, saturated_product(iterations, elements_per_word(problem.compute_type)));
}

Result<Plan> planned(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    const int64_t unit = elements_per_word(problem.compute_type);
    const push::PoolTiled tiled = tiled_of(pool, pool.axes.back().out);
    const uint32_t group = tile_workgroup_size(problem.capabilities);
    Plan plan = plan_of(problem);
    plan.uniform = bytes_of(tiled);
    plan.pipelines = {
        tile_pipeline(*variant(is_clipped(pool) ? modules::average_pool_runs_clipped1 : modules::average_pool_runs_clipped0,
                               problem.compute_type),
                      tile_constants(problem, group))};

    const auto outputs_of = [&](const Range& tiles) {
        return Range{tiles.first * unit, std::min(tiles.end() * unit, problem.outputs) - tiles.first * unit};
    };
    const double rows = double(tiled.axes[0].kernel) * tiled.axes[1].kernel;
    const Tiles tiles = {
        .workgroup_size = group,
        .tiles = {0, divide_up(problem.outputs, unit)},
        .work = double(unit) * (12 + rows * (2 + 1.5 * double(loads_of(problem.taps.back().most)))),
        .from = tensor_x(problem, [&](const Range& some) { return read_by(pool, outputs_of(some), whole_window(problem.taps)); }),
        .to = tensor_y(problem, unit, outputs_of)};
    VKONNX_RETURN_IF_ERROR(add_steps(problem, tiles, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> runs = {.name = "average_pool_runs",
                                          .variants = modules::average_pool_runs_clipped0,
                                          .keeps_order = true,
                                          .unfit = unfit,
                                          .plan = planned};

}  // namespace vkonnx::plan::average_pool
