// SPDX-License-Identifier: Apache-2.0
// The kernel average_pool_rows takes 1 to 3 axes with nothing behind them, and common windows of the last axis. An invocation
// computes several outputs of a row.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/operators/average_pool/tiles.h"
#include "return_if_error.h"
#include "shaders/operators/average_pool/average_pool_rows_constants.h"

namespace vkonnx::plan::average_pool {
namespace {

using ops::Axis;

// This struct describes a window of the last axis for which there are modules.
struct WindowModules {
    int64_t kernel;
    int64_t stride;
    int64_t dilation;
    bool clipped;     // whether windows may reach beyond the input
    int64_t outputs;  // outputs of a tile
    bool one_axis;    // whether the last axis must be the only one
    std::span<const Variant> variants;
};

constexpr WindowModules windows[] = {
    {2, 2, 1, false, 4, false, modules::average_pool_rows_kernel2_stride2_dilation1_clipped0_outputs4},
    {3, 1, 1, true, 8, false, modules::average_pool_rows_kernel3_stride1_dilation1_clipped1_outputs8},
    {3, 1, 2, true, 8, false, modules::average_pool_rows_kernel3_stride1_dilation2_clipped1_outputs8},
    {3, 2, 1, true, 4, false, modules::average_pool_rows_kernel3_stride2_dilation1_clipped1_outputs4},
    {5, 4, 1, true, 4, true, modules::average_pool_rows_kernel5_stride4_dilation1_clipped1_outputs4_axes1}};

const WindowModules* modules_for(const Axis& axis)
{
    for (const WindowModules& window : windows)
        if (window.kernel == axis.kernel && window.stride == axis.stride && window.dilation == axis.dilation)
            return &window;
    return nullptr;
}

std::string unfit(const Problem& problem)
{
    const Axis& last = problem.pool.axes.back();
    if (std::string wrong = unfit_for_quads(problem); !wrong.empty())
        return wrong;
    if (problem.pool.inner != 1)
        return "it takes nothing behind the axes, not " + std::to_string(problem.pool.inner) + " elements";
    if (!modules_for(last))
        return "it has no module for kernel " + std::to_string(last.kernel) + ", stride " + std::to_string(last.stride) +
               " and dilation " + std::to_string(last.dilation) + " of the last axis";
    if (modules_for(last)->one_axis && problem.pool.axes.size() > 1)
        return "its module for that window takes one axis, not " + std::to_string(problem.pool.axes.size());
    if (!modules_for(last)->clipped && is_clipped(problem.pool))
        return "its module for that window takes none beyond the input";
    if (is_half(problem.compute_type) && last.out % 2 != 0)
        return "rows of " + std::to_string(last.out) + " halves end amid a word";
    return unfit_for_loops(problem, loops_before_last(problem.pool, 0));
}

Result<Plan> planned(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    const Axis& last = pool.axes.back();
    const WindowModules& window = *modules_for(last);
    const int64_t tiles_of_row = divide_up(last.out, window.outputs);
    const push::PoolTiled tiled = tiled_of(pool, tiles_of_row);
    const uint32_t group = tile_workgroup_size(problem.capabilities);
    Plan plan = plan_of(problem);
    plan.uniform = bytes_of(tiled);
    plan.pipelines = {tile_pipeline(*variant(window.variants, problem.compute_type),
                                    specialization::AveragePoolRows{.workgroup_size = group,
                                                                    .count_include_pad = problem.count_include_pad,
                                                                    .kernel0 = tiled.axes[0].kernel,
                                                                    .kernel1 = tiled.axes[1].kernel,
                                                                    .shifted = shifts(last, window.outputs, problem.capabilities),
                                                                    .stores_quads = stores_quads(last.out, problem.capabilities)}
                                        .values())};

    const auto outputs_of = [&](const Range& tiles) { return outputs_of_row_tiles(tiles, last.out, window.outputs); };
    const double rows = double(tiled.axes[0].kernel) * tiled.axes[1].kernel;
    const double loads = double((window.outputs - 1) * window.stride + last.dilated_kernel()) / quad + 1;
    const Tiles tiles = {
        .workgroup_size = group,
        .tiles = {0, problem.outputs / last.out * tiles_of_row},
        .work = 8 + double(window.outputs) + rows * (1.5 * loads + 0.15 * double(window.outputs * window.kernel)),
        .from = tensor_x(problem, [&](const Range& some) { return read_by(pool, outputs_of(some), whole_window(problem.taps)); }),
        .to = tensor_y(problem, last.out % quad == 0 ? quad : elements_per_word(problem.compute_type), outputs_of)};
    VKONNX_RETURN_IF_ERROR(add_steps(problem, tiles, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> rows = {.name = "average_pool_rows",
                                          .variants = modules::average_pool_rows_kernel2_stride2_dilation1_clipped0_outputs4,
                                          .keeps_order = true,
                                          .unfit = unfit,
                                          .plan = planned};

}  // namespace vkonnx::plan::average_pool
