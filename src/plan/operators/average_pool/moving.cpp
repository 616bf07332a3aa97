// SPDX-License-Identifier: Apache-2.0
// The kernel average_pool_moving takes a single axis with nothing behind it, and windows that overlap. An invocation computes
// several outputs, which share most of their sums.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/limits.h"
#include "plan/operators/average_pool/tiles.h"
#include "return_if_error.h"

namespace vkonnx::plan::average_pool {
namespace {

using ops::Axis;

// This struct describes windows of the only axis for which there are modules.
struct WindowModules {
    int64_t stride;
    int64_t outputs;
    int64_t least;  // the shortest kernel that the modules take; `most` is the longest
    int64_t most;
    bool shares;  // whether the windows share a sum, and not only what is read
    std::span<const Variant> variants;
};

constexpr WindowModules windows[] = {
    {1, 8, 2, 8, false, modules::average_pool_moving_stride1_clipped1_outputs8_taps8},
    {1, 8, 9, 15, true, modules::average_pool_moving_stride1_clipped1_outputs8_taps0},
    {1, 16, 16, index_limit, true, modules::average_pool_moving_stride1_clipped1_outputs16_taps0},
    {2, 4, 7, index_limit, true, modules::average_pool_moving_stride2_clipped1_outputs4_taps0},
    {3, 4, 10, index_limit, true, modules::average_pool_moving_stride3_clipped1_outputs4_taps0}};

const WindowModules* modules_for(const Axis& axis)
{
    for (const WindowModules& window : windows)
        if (window.stride == axis.stride && window.least <= axis.kernel && axis.kernel <= window.most && axis.dilation == 1)
            return &window;
    return nullptr;
}

std::string unfit(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    if (std::string wrong = unfit_for_quads(problem); !wrong.empty())
        return wrong;
    if (pool.axes.size() != 1)
        return "it takes 1 spatial axis, not " + std::to_string(pool.axes.size());
    if (pool.inner != 1)
        return "it takes nothing behind the axes, not " + std::to_string(pool.inner) + " elements";
    const Axis& axis = pool.axes[0];
    if (!modules_for(axis))
        return "it has no module for kernel " + std::to_string(axis.kernel) + ", stride " + std::to_string(axis.stride) +
               " and dilation " + std::to_string(axis.dilation);
    if (is_half(problem.compute_type) && axis.out % 2 != 0)
        return "rows of " + std::to_string(axis.out) + " halves end amid a word";
    return unfit_for_loops(problem, divide_up(axis.kernel, quad) + 2);
}

Result<Plan> planned(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    const Axis& axis = pool.axes[0];
    const WindowModules& window = *modules_for(axis);
    const int64_t tiles_of_row = divide_up(axis.out, window.outputs);
    const uint32_t group = tile_workgroup_size(problem.capabilities);
    Plan plan = plan_of(problem);
    plan.uniform = bytes_of(tiled_of(pool, tiles_of_row));
    plan.pipelines = {moving_pipeline(problem, window.variants, group)};

    const auto outputs_of = [&](const Range& tiles) { return outputs_of_row_tiles(tiles, axis.out, window.outputs); };
    const double span = double((window.outputs - 1) * window.stride);
    // Short windows are read as if they were the longest that their module takes.
    const double loads = window.shares ? (span + double(axis.kernel)) / quad + 4 : (span + double(window.most)) / quad + 1;
    const Tiles tiles = {
        .workgroup_size = group,
        .tiles = {0, problem.outputs / axis.out * tiles_of_row},
        .work = 8 + (window.shares ? 2 : 1) * double(window.outputs) + 1.5 * loads,
        .from = tensor_x(problem, [&](const Range& some) { return read_by(pool, outputs_of(some), whole_window(problem.taps)); }),
        .to = tensor_y(problem, axis.out % quad == 0 ? quad : elements_per_word(problem.compute_type), outputs_of)};
    VKONNX_RETURN_IF_ERROR(add_steps(problem, tiles, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> moving = {.name = "average_pool_moving",
                                            .variants = modules::average_pool_moving_stride1_clipped1_outputs16_taps0,
                                            .keeps_order = false,
                                            .unfit = unfit,
                                            .plan = planned};

}  // namespace vkonnx::plan::average_pool
