// SPDX-License-Identifier: Apache-2.0
// The kernel average_pool_sliding takes 2 or 3 axes with nothing behind them, and windows of 3 x 3 that overlap. An invocation
// goes down several rows of outputs.
#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/operators/average_pool/tiles.h"
#include "return_if_error.h"
#include "shaders/operators/average_pool/average_pool_sliding_constants.h"

namespace vkonnx::plan::average_pool {
namespace {

using ops::Axis;

constexpr int64_t kernel = 3;   // the window's size along each of the last two axes
constexpr int64_t outputs = 4;  // outputs of each row of a tile

const Axis& before_last(const Problem& problem)
{
    return problem.pool.axes[problem.pool.axes.size() - 2];
}

// This struct tells how tiles share the rows of outputs of a plane. The rows of one tile are a dilation apart, because such rows
// share taps.
struct Rows {
    int64_t tile = 0;    // how many rows a tile has
    int64_t blocks = 0;  // how many tiles lie below one another in a plane
};

Rows rows_of(const Problem& problem)
{
    const Axis& axis = before_last(problem);
    // With more rows in a tile fewer rows of input are read twice, but the device has fewer invocations.
    const int64_t most = problem.capabilities.is_cpu ? 16 : 8;
    const int64_t each = divide_up(axis.out, axis.dilation);
    const int64_t rows = divide_up(each, divide_up(each, most));
    return {rows, divide_up(each, rows) * std::min(axis.dilation, axis.out)};
}

std::string unfit(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    if (std::string wrong = unfit_for_quads(problem); !wrong.empty())
        return wrong;
    if (pool.axes.size() < 2)
        return "it takes 2 or 3 spatial axes, not 1";
    if (pool.inner != 1)
        return "it takes nothing behind the axes, not " + std::to_string(pool.inner) + " elements";
    const Axis& last = pool.axes.back();
    const Axis& axis = before_last(problem);
    if (axis.kernel != kernel || last.kernel != kernel || axis.stride != 1 || last.stride != 1 || last.dilation > 2)
        return "it takes kernels of 3 and strides of 1 along the last two axes, and there dilations of 1 or 2 along the last";
    if (is_half(problem.compute_type) && last.out % 2 != 0)
        return "rows of " + std::to_string(last.out) + " halves end amid a word";
    const Rows rows = rows_of(problem);
    const int64_t kernel0 = tiled_of(pool, 1).axes[0].kernel;
    return unfit_for_loops(problem, saturated_product(rows.tile + kernel - 1, saturated_sum(kernel0, 1)));
}

Result<Plan> planned(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    const Axis& last = pool.axes.back();
    const Axis& axis = before_last(problem);
    const Rows rows = rows_of(problem);
    const int64_t tiles_of_row = divide_up(last.out, outputs);
    push::PoolTiled tiled = tiled_of(pool, tiles_of_row);
    tiled.outs[1] = push::divisor_of(uint32_t(rows.blocks));
    const uint32_t group = tile_workgroup_size(problem.capabilities);
    Plan plan = plan_of(problem);
    plan.uniform = bytes_of(tiled);
    plan.pipelines = {
        tile_pipeline(*variant(last.dilation == 1 ? modules::average_pool_sliding_kernel3_stride1_dilation1_clipped1_outputs4
                                                  : modules::average_pool_sliding_kernel3_stride1_dilation2_clipped1_outputs4,
                               problem.compute_type),
                      specialization::AveragePoolSliding{.workgroup_size = group,
                                                         .count_include_pad = problem.count_include_pad,
                                                         .kernel0 = tiled.axes[0].kernel,
                                                         .dilation1 = tiled.axes[1].dilation,
                                                         .rows = uint32_t(rows.tile),
                                                         .shifted = shifts(last, outputs, problem.capabilities),
                                                         .stores_quads = stores_quads(last.out, problem.capabilities)}
                          .values())};

    const int64_t plane = axis.out * last.out;
    const int64_t tiles_of_plane = rows.blocks * tiles_of_row;
    const auto outputs_of = [&](const Range& tiles) {  // rounded to whole planes
        const int64_t first = tiles.first / tiles_of_plane;
        return Range{first * plane, (divide_up(tiles.end(), tiles_of_plane) - first) * plane};
    };
    const double loads = double(outputs - 1 + last.dilated_kernel()) / quad + 1;
    const double row = tiled.axes[0].kernel * (1.5 * loads + 0.15 * double(outputs * kernel)) + double(outputs);
    const Tiles tiles = {
        .workgroup_size = group,
        .tiles = {0, problem.outputs / plane * tiles_of_plane},
        .work = 8 + double(rows.tile + kernel - 1) * row,
        .from = tensor_x(problem, [&](const Range& some) { return read_by(pool, outputs_of(some), whole_window(problem.taps)); }),
        .to = tensor_y(problem, last.out % quad == 0 ? quad : elements_per_word(problem.compute_type), outputs_of)};
    VKONNX_RETURN_IF_ERROR(add_steps(problem, tiles, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> sliding = {.name = "average_pool_sliding",
                                             .variants =
                                                 modules::average_pool_sliding_kernel3_stride1_dilation1_clipped1_outputs4,
                                             .keeps_order = false,
                                             .unfit = unfit,
                                             .plan = planned};

}  // namespace vkonnx::plan::average_pool
