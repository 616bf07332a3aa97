// SPDX-License-Identifier: Apache-2.0
// This file plans max_pool_rows, for 1 to 3 axes with nothing behind them, common windows of the last axis, and no Indices. It
// computes several outputs of a row at once.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/limits.h"
#include "plan/engines/pool_tiles.h"
#include "plan/operators/max_pool/problem.h"
#include "return_if_error.h"
#include "shaders/operators/max_pool/max_pool_rows_constants.h"

namespace vkonnx::plan::max_pool {
namespace {

using ops::Axis;

// This struct describes a window of the last axis for which there are modules.
struct WindowModules {
    int64_t kernel;
    int64_t stride;
    bool clipped;  // takes windows beyond the input, too
    std::span<const Variant> variants;
};

constexpr WindowModules windows[] = {{2, 2, false, modules::max_pool_rows_kernel2_stride2_dilation1_clipped0_outputs4},
                                     {3, 1, true, modules::max_pool_rows_kernel3_stride1_dilation1_clipped1_outputs4},
                                     {3, 2, true, modules::max_pool_rows_kernel3_stride2_dilation1_clipped1_outputs4}};

constexpr int64_t outputs = 4;  // the outputs of a tile

const WindowModules* modules_for(const Axis& axis)
{
    for (const WindowModules& window : windows)
        if (window.kernel == axis.kernel && window.stride == axis.stride && axis.dilation == 1)
            return &window;
    return nullptr;
}

std::string unfit(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    const Axis& last = pool.axes.back();
    const int64_t inputs = inputs_of(pool);
    if (has_indices(problem.geometry))
        return "it finds no Indices";
    if (pool.axes.size() > POOL_TILED_AXES)
        return "it takes at most 3 spatial axes, not " + std::to_string(pool.axes.size());
    if (pool.inner != 1)
        return "it takes nothing behind the axes, not " + std::to_string(pool.inner) + " elements";
    if (inputs == 0 || inputs % quad != 0)
        return "it reads 4 elements at a time, and X has " + std::to_string(inputs);
    if (!modules_for(last))
        return "it has no module for kernel " + std::to_string(last.kernel) + ", stride " + std::to_string(last.stride) +
               " and dilation " + std::to_string(last.dilation) + " of the last axis";
    if (!modules_for(last)->clipped && is_clipped(pool))
        return "its module for that window takes none beyond the input";
    if (problem.compute_type == ComputeType::u16 && last.out % 2 != 0)
        return "rows of " + std::to_string(last.out) + " halves end amid a word";
    if (loops_before_last(pool, 0) > problem.capabilities.max_loop_iterations)
        return too_many_iterations("its loops over a window", problem.capabilities);
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    const Capabilities& c = problem.capabilities;
    const Axis& last = pool.axes.back();
    const int64_t tiles_of_row = divide_up(last.out, outputs);
    const push::PoolTiled tiled = tiled_of(pool, tiles_of_row);
    const uint32_t group = tile_workgroup_size(c);
    const uint32_t width = width_of(problem);
    Plan plan;
    plan.inputs = 1;
    plan.tensor_bytes = {buffer_bytes(uint64_t(inputs_of(pool)) * width), buffer_bytes(uint64_t(problem.outputs) * width)};
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.uniform = bytes_of(tiled);
    plan.pipelines = {{.kernel = *variant(modules_for(last)->variants, problem.compute_type),
                       .specialization = specialization::MaxPoolRows{.workgroup_size = group,
                                                                     .type = uint32_t(problem.geometry.dtype),
                                                                     .kernel0 = tiled.axes[0].kernel,
                                                                     .kernel1 = tiled.axes[1].kernel,
                                                                     .shifted = shifts(last, outputs, c),
                                                                     .stores_quads = stores_quads(last.out, c)}
                                             .values(),
                       .views = {View::storage, View::storage},
                       .uses_uniform = true,
                       .push_bytes = sizeof(push::TileRange)}};

    const auto outputs_of = [&](const Range& tiles) { return outputs_of_row_tiles(tiles, last.out, outputs); };
    const auto tensor = [&](Operand operand, int64_t elements, int64_t unit, std::function<Range(const Range& tiles)> used) {
        return TiledTensor{
            .operand = operand, .elements = elements, .element_bytes = width, .unit = unit, .used = std::move(used)};
    };
    const double rows = double(tiled.axes[0].kernel) * tiled.axes[1].kernel;
    const double loads = double((outputs - 1) * last.stride + last.kernel) / quad + 1;
    const Tiles tiles = {
        .op = op,
        .compute_type = problem.compute_type,
        .workgroup_size = group,
        .tiles = {0, problem.outputs / last.out * tiles_of_row},
        .work = 8 + double(outputs) + rows * (1.5 * loads + 0.3 * double(outputs * last.kernel)),
        .from = tensor({.tensor = 0}, inputs_of(pool), quad,
                       [&](const Range& some) { return read_by(pool, outputs_of(some), whole_window(problem.taps)); }),
        .to = tensor({.tensor = 1, .access = Access::write}, problem.outputs,
                     last.out % quad == 0 ? quad : elements_per_word(problem.compute_type), outputs_of)};
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, c, problem.options, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> rows = {.name = "max_pool_rows",
                                          .variants = modules::max_pool_rows_kernel2_stride2_dilation1_clipped0_outputs4,
                                          .keeps_order = true,
                                          .unfit = unfit,
                                          .plan = planned};

}  // namespace vkonnx::plan::max_pool
