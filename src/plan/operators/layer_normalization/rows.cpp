// SPDX-License-Identifier: Apache-2.0
// This file plans layer_normalization_rows: LayerNormalization in one dispatch, in which a tile is a row. Invocations that share
// a row read it three times, for the mean, for the variance and for the outputs: from the second time on it is in the device's
// cache.
#include <algorithm>
#include <bit>

#include "modules.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/tiles.h"
#include "plan/operators/layer_normalization/problem.h"
#include "return_if_error.h"
#include "shaders/operators/layer_normalization/layer_normalization_rows_constants.h"
#include "shaders/operators/normalization/normalization.h"

namespace vkonnx::plan::layer_normalization {
namespace {

std::string unfit(const Problem& problem)
{
    const ops::LayerNormalizationGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    if (problem.outputs == 0)
        return "there is nothing to normalize";
    if (g.outputs > 1)
        return "it has no output but Y";
    if (is_half(problem.compute_type) && g.extent % 2 != 0)
        return "rows of " + std::to_string(g.extent) + " halves end amid a word";
    if (std::string why = unfit_for_lanes(g.extent, c); !why.empty())
        return why;
    if (sizeof(push::LayerNormalizationProblem) > c.max_uniform_buffer_range)
        return "it needs " + std::to_string(sizeof(push::LayerNormalizationProblem)) + " bytes of uniforms";
    const uint64_t whole = uint64_t(std::max(g.scales, g.offsets)) * problem.width();
    if (whole > c.max_storage_buffer_range)
        return too_many_bytes(whole, c);
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    const ops::LayerNormalizationGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const uint32_t group = workgroup_size(c);
    const int64_t lanes = lanes_of(g.extent, c);
    const push::LayerNormalizationProblem uniform = {.extent = uint32_t(g.extent),
                                                     .count = std::bit_cast<uint32_t>(float(g.extent)),
                                                     .epsilon = std::bit_cast<uint32_t>(float(g.epsilon)),
                                                     .last_scale = uint32_t(g.scales - 1),
                                                     .last_offset = uint32_t(g.has_b ? g.offsets - 1 : 0),
                                                     .padding_ = {}};
    Plan plan;
    plan.tensor_bytes = tensor_bytes(problem);
    plan.inputs = uint32_t(plan.tensor_bytes.size() - 1);
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.uniform = bytes_of(uniform);
    plan.pipelines = {
        {.kernel = *variant(modules::layer_normalization_rows, problem.compute_type),
         .specialization =
             specialization::LayerNormalizationRows{.workgroup_size = group, .lanes = uint32_t(lanes), .has_b = g.has_b}.values(),
         .views = std::vector(4, View::storage),
         .uses_uniform = true,
         .push_bytes = sizeof(push::TileRange)}};
    const auto elements_of = [extent = g.extent](const Range& tiles) {
        return Range{tiles.first * extent, tiles.count * extent};
    };
    const TiledTensor x = {.operand = {.tensor = tensor_x},
                           .elements = problem.outputs,
                           .element_bytes = problem.width(),
                           .unit = quad,
                           .used = elements_of};
    TiledTensor y = x;
    y.operand = {.tensor = uint8_t(plan.inputs), .access = Access::write};
    y.unit = elements_per_word(problem.compute_type);
    const Tiles tiles = {.op = op,
                         .compute_type = problem.compute_type,
                         .workgroup_size = uint32_t(group / lanes),
                         .tiles = {0, g.rows},
                         .work = 8 + 2 * double(g.extent),
                         .lanes = lanes,
                         .from = x,
                         .whole = {{.tensor = tensor_scale}, {.tensor = g.has_b ? tensor_b : tensor_scale}},  // Scale stands in
                         .to = y};
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, c, problem.options, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> rows = {.name = "layer_normalization_rows",
                                          .variants = modules::layer_normalization_rows,
                                          .keeps_order = false,
                                          .unfit = unfit,
                                          .plan = planned};

}  // namespace vkonnx::plan::layer_normalization
