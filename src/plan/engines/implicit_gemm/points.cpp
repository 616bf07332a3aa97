// SPDX-License-Identifier: Apache-2.0
// This file plans products that read X as it lies in memory: windows are single points, and there is no padding. X is never
// packed, no column is summed again, since no zeros of padding are added, and outputs are stored by four.
#include <algorithm>

#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/epilogue.h"
#include "plan/engines/implicit_gemm/implicit_gemm.h"
#include "plan/engines/implicit_gemm/steps.h"
#include "plan/engines/prologue.h"
#include "shaders/engines/implicit_gemm/implicit_gemm_constants.h"
#include "shaders/engines/implicit_gemm/points.h"

namespace vkonnx::plan::implicit_gemm {
namespace {

constexpr Tile tiles[] = {
    {16, 8, Kernel::implicit_gemm_points_rows16_columns8_texels1_f32, Kernel::implicit_gemm_points_rows16_columns8_texels0_f32},
    {16, 4, Kernel::implicit_gemm_points_rows16_columns4_texels1_f32, Kernel::implicit_gemm_points_rows16_columns4_texels0_f32},
    {4, 8, Kernel::implicit_gemm_points_rows4_columns8_texels1_f32, Kernel::implicit_gemm_points_rows4_columns8_texels0_f32},
    {.rows = 16,
     .columns = 8,
     .texels = Kernel::implicit_gemm_points_rows16_columns8_texels1_shuffles1_f32,
     .storage = Kernel::implicit_gemm_points_rows16_columns8_texels0_f32,
     .shuffles = true},
    {.rows = 4,
     .columns = 8,
     .texels = Kernel::implicit_gemm_points_rows4_columns8_texels1_shuffles1_f32,
     .storage = Kernel::implicit_gemm_points_rows4_columns8_texels0_f32,
     .shuffles = true},
    {.rows = 16,
     .columns = 4,
     .texels = Kernel::implicit_gemm_points_rows16_columns4_texels1_f32,
     .storage = Kernel::implicit_gemm_points_rows16_columns4_texels0_f32,
     .registers = 136},
    {.rows = 8,
     .columns = 4,
     .texels = Kernel::implicit_gemm_points_rows8_columns4_texels1_f32,
     .storage = Kernel::implicit_gemm_points_rows8_columns4_texels0_f32,
     .registers = any_gpu},
};

// Returns how many positions a channel of one image has.
int64_t plane_of(const Product& product)
{
    return saturated_product({product.axes[0].in, product.axes[1].in, product.axes[2].in});
}

bool is_point(const Axis& axis)
{
    return axis.kernel == 1 && axis.in == axis.out && axis.blocks == axis.in && axis.extent == axis.in && axis.block_step == 1 &&
           axis.first == 0;
}

int64_t packed_bytes(const Problem& problem, const Product& product, const Tile& tile)
{
    return bytes_of_texels(problem, tile, saturated_product(product.groups, group_texels(product, tile)));
}

// Tells whether the device can read all packed weights as texels of one buffer.
bool fits_texels(const Problem& problem, const Product& product, const Tile& tile)
{
    return packed_bytes(problem, product, tile) / tile.texel_bytes <= int64_t(problem.capabilities.max_texel_buffer_elements);
}

// Returns the loop iterations of an invocation, which walks over its columns and rows twice.
int64_t iterations_of(const Product& product, const Tile& tile)
{
    return saturated_sum(product.quads, 2 * tile.rows * (1 + tile.columns / 4));
}

push::PointsProblem uniform_of_points(const Problem& problem, const Product& product, const Tile& tile)
{
    const int64_t plane = plane_of(product) / 4;
    push::PointsProblem push = {};
    push.quads = uint32_t(product.quads);
    push.groups = uint32_t(product.groups);
    push.channels_in = uint32_t(product.channels_in);
    push.channels_out = uint32_t(product.channels_out);
    push.plane = uint32_t(plane);
    push.columns = uint32_t(product.images * plane);
    push.column_tiles = uint32_t(column_tiles(product, tile));
    push.lanes = uint32_t(tile.lanes);
    push.tiles = uint32_t(tiles_of(product, tile));
    push.first_weight = uint32_t(tiles_of(product, tile) * (GEMM_TILE_TEXELS + tile.rows));
    push.group_texels = uint32_t(group_texels(product, tile));
    push.bias = problem.bias;
    push.epilogue = numbers_of(problem.epilogue, problem.compute_type);
    push.by_plane = push::divisor_of(push.plane);
    return push;
}

// Returns why X can't be read as it lies in memory; "" where it can.
std::string unfit_as_it_lies(const Problem& problem)
{
    if (problem.layout != Layout::ncx)
        return "it takes positions behind channels, and layout NXC has channels there";
    const Product& given = problem.products.front();
    if (!std::all_of(given.axes.begin(), given.axes.end(), is_point))
        return "it takes windows of one point, without padding, and strides of 1";
    if (given.channels_in % 4 != 0 || plane_of(given) % 4 != 0)
        return "it reads 4 channels and 4 positions at a time, and a group has " + std::to_string(given.channels_in) +
               " channels of " + std::to_string(plane_of(given)) + " positions";
    return "";
}

}  // namespace

std::optional<Cut> cut_of_points(const Problem& problem)
{
    if (!variant(modules::implicit_gemm_points_rows16_columns8_texels1, problem.compute_type) ||
        !unfit_as_it_lies(problem).empty())
        return {};
    std::vector<Tile> all(std::begin(tiles), std::end(tiles));
    for (Tile& tile : all) {
        tile.x_as_it_lies = true;
        // Each tile of rows computes the prologue anew.
        tile.prologue = problem.options.prologue ? 1 + prologue_numbers(problem.options.prologue) : 0;
    }
    return cut_of(problem, all);
}

std::string unfit_for_points(const Engine& engine)
{
    const Problem& problem = engine.problem;
    const Capabilities& c = problem.capabilities;
    if (!engine.points)
        return unfit_as_it_lies(problem);
    if (std::string reason = unfit_for_blocks(c, sizeof(push::PointsProblem)); !reason.empty())
        return reason;
    const auto& [product, tile] = *engine.points;
    if (tile.part_quads != 0)
        return "its sums are few and deep, so that parts of them are computed side by side";
    if (problem.options.prologue && !fits_texels(problem, product, tile))
        return "with PrepareOptions::prologue it reads packed weights as texels, and they are more than the device's " +
               std::to_string(c.max_texel_buffer_elements);
    if (iterations_of(product, tile) > c.max_loop_iterations)
        return too_many_iterations("its loops", c);
    const int64_t most =
        std::max({packed_bytes(problem, product, tile), prologue_bytes(problem, product), saturated_product(4, problem.outputs),
                  saturated_product(4, problem.x_elements), saturated_product(4, problem.w_elements)});
    if (most > int64_t(std::min<uint64_t>(c.max_storage_buffer_range, index_limit)))
        return too_many_bytes(uint64_t(most), c);
    return unfit_for_dispatches(problem, product, tile);
}

Result<Plan> planned_for_points(const Engine& engine)
{
    const Problem& problem = engine.problem;
    const Capabilities& c = problem.capabilities;
    const auto& [product, tile] = *engine.points;
    const int64_t w_bytes = packed_bytes(problem, product, tile);
    const bool packs_once = problem.constant_weights;
    const uint8_t output = operand_y(problem.bias, problem.options.prologue);
    const bool texels = fits_texels(problem, product, tile);

    enum : uint32_t { pack_weights, multiply };
    Plan plan;
    plan.pipelines = {packing_pipeline(Kernel::implicit_gemm_weights_f32, c),
                      {.kernel = texels ? tile.texels : tile.storage,
                       .specialization = specialization::ImplicitGemm{.workgroup_size = uint32_t(workgroup(tile, c)),
                                                                      .epilogue = shared_constant_of(problem.epilogue, c),
                                                                      .prologue = constant_of(problem.options.prologue),
                                                                      .taps = 0}
                                             .values(),
                       .views = {View::storage, texels ? View::texel_rgba32f : View::storage, View::storage, View::storage},
                       .uses_uniform = true,
                       .push_bytes = sizeof(push::GemmPart)}};
    plan.inputs = output;
    plan.tensor_bytes = tensor_bytes_of(problem, product);
    plan.uniform = bytes_of(uniform_of_points(problem, product, tile));
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    (packs_once ? plan.packed_bytes : plan.scratch_bytes) = uint64_t(w_bytes);

    const Operand packed_w = {.place = packs_once ? Place::packed : Place::scratch, .bytes = uint64_t(w_bytes)};
    (packs_once ? plan.setup : plan.steps) = packing_steps(problem, product, tile, pack_weights, packed_w);
    const Operand bias = {.tensor = uint8_t(problem.bias ? 2 : 0)};  // where there is no bias, X is bound in its place

    std::vector<Operand> operands = {{.tensor = 0}, packed_w, bias, {.tensor = output, .access = Access::read_write}};
    if (texels) {  // the modules that read storage buffers don't bind P
        operands.push_back(prologue_operand(problem));
        plan.pipelines[multiply].views.push_back(View::storage);
    }
    for (Step& step : product_steps(problem, product, tile, {.pipeline = multiply, .operands = std::move(operands)}))
        plan.steps.push_back(std::move(step));
    return plan;
}

}  // namespace vkonnx::plan::implicit_gemm
