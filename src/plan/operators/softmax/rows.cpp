// SPDX-License-Identifier: Apache-2.0
// This file plans softmax_rows: Softmax and LogSoftmax in one dispatch, in which a tile is a row. Invocations that share a row
// read it three times, for the greatest element, for the sum and for the outputs: from the second time on it is in the device's
// cache.
#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/engines/tiles.h"
#include "plan/operators/softmax/problem.h"
#include "return_if_error.h"
#include "shaders/operators/normalization/normalization.h"
#include "shaders/operators/softmax/softmax_rows_constants.h"

namespace vkonnx::plan::softmax {
namespace {

std::string unfit(const Problem& problem)
{
    const ops::SoftmaxGeometry& g = problem.geometry;
    if (problem.outputs == 0)
        return "there are no outputs";
    if (g.inner != 1)
        return "the elements of a row lie " + std::to_string(g.inner) + " apart";
    if (is_half(problem.compute_type) && g.extent % 2 != 0)
        return "rows of " + std::to_string(g.extent) + " halves end amid a word";
    return unfit_for_lanes(g.extent, problem.capabilities);
}

Result<Plan> planned(const Problem& problem)
{
    const ops::SoftmaxGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const uint32_t group = tile_workgroup_size(c);
    const int64_t lanes = lanes_of(g.extent, c);
    const uint64_t bytes = buffer_bytes(uint64_t(problem.outputs) * problem.width());
    Plan plan;
    plan.tensor_bytes = {bytes, bytes};
    plan.inputs = 1;
    plan.in_place = {0};
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.pipelines = {{.kernel = *variant(modules::softmax_rows, problem.compute_type),
                       .specialization = specialization::SoftmaxRows{.workgroup_size = group,
                                                                     .lanes = uint32_t(lanes),
                                                                     .logarithm = g.logarithm,
                                                                     .extent = c.is_cpu ? uint32_t(g.extent) : 0}
                                             .values(),
                       .views = std::vector(2, View::storage),
                       .uses_uniform = false,
                       .push_bytes = sizeof(push::TileRange) + sizeof(push::SoftmaxRow)}};
    const TiledTensor x = {.operand = {.tensor = 0},
                           .elements = problem.outputs,
                           .element_bytes = problem.width(),
                           .unit = quad,
                           .used = [extent = g.extent](const Range& tiles) {
                               return Range{tiles.first * extent, tiles.count * extent};
                           }};
    TiledTensor y = x;
    y.operand = {.tensor = 1, .access = Access::write};
    y.unit = elements_per_word(problem.compute_type);
    const Tiles tiles = {.op = g.op,
                         .compute_type = problem.compute_type,
                         .workgroup_size = uint32_t(group / lanes),
                         .tiles = {0, g.outer},
                         .push = bytes_of(push::SoftmaxRow{.extent = uint32_t(g.extent)}),
                         .work = 8 + 4 * double(g.extent),
                         .lanes = lanes,
                         .from = x,
                         .to = y};
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, c, problem.options, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> rows = {
    .name = "softmax_rows", .variants = modules::softmax_rows, .keeps_order = false, .unfit = unfit, .plan = planned};

}  // namespace vkonnx::plan::softmax
