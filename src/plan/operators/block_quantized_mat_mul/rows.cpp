// SPDX-License-Identifier: Apache-2.0
// This file plans block_quantized_mat_mul_rows: products of few rows, as those of a language model that writes a word at a time.
// B is read once for each tile of rows, as it lies, and may be larger than the device's buffer range.
#include <algorithm>
#include <bit>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/tiles.h"
#include "plan/operators/block_quantized_mat_mul/problem.h"
#include "return_if_error.h"
#include "shaders/operators/block_quantized_mat_mul/block_quantized_mat_mul.h"
#include "shaders/operators/block_quantized_mat_mul/block_quantized_mat_mul_rows_constants.h"

namespace vkonnx::plan::block_quantized_mat_mul {
namespace {

using ops::BlockQuantizedMatMulGeometry;

constexpr int64_t quad_bytes = 16;  // of four words of B

// Returns how many integers four words have.
int64_t integers_of_quad(const BlockQuantizedMatMulGeometry& g)
{
    return quad_bytes * 8 / g.bits;
}

// Returns how many invocations share a tile. A CPU has enough to do without sharing, which would need barriers.
int64_t lanes_of(const Problem& problem)
{
    const Capabilities& c = problem.capabilities;
    constexpr int64_t most = 64, least_quads = 2;
    if (c.is_cpu || workgroup_size(c) % most != 0)
        return 1;
    const int64_t quads = problem.geometry.inner / integers_of_quad(problem.geometry);
    return int64_t(std::bit_floor(uint64_t(std::clamp<int64_t>(quads / least_quads, 1, most))));
}

// These are the registers that compilers of GPUs take, at the most, for tiles of four rows, and for quads of words.
constexpr uint32_t registers_of_four_rows = 192, registers_of_quads = 120;

// Returns how many rows a tile has. Each keeps four sums, and four more of a word.
int64_t rows_of(const Problem& problem)
{
    const int64_t most = problem.capabilities.invocation_registers >= registers_of_four_rows ? 4 : 2;
    return std::min<int64_t>(most, int64_t(std::bit_ceil(uint64_t(problem.geometry.rows))));
}

// Software drivers load texels several times as fast as from storage buffers. GPUs load both alike.
bool reads_texels(const Problem& problem)
{
    const BlockQuantizedMatMulGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const int64_t most = std::max({g.columns * g.bytes_of_row() / quad_bytes, g.rows * g.inner / quad, g.columns * g.blocks});
    return c.is_cpu && problem.compute_type == ComputeType::f32 && most <= int64_t(c.max_texel_buffer_elements) &&
           uint64_t(g.columns * g.bytes_of_row()) <= c.max_storage_buffer_range;
}

std::span<const Variant> variants_of(bool has_zeros, bool texels)
{
    if (texels && has_zeros)
        return modules::block_quantized_mat_mul_rows_texels1_zeros1;
    if (texels)
        return modules::block_quantized_mat_mul_rows_texels1;
    if (has_zeros)
        return modules::block_quantized_mat_mul_rows_zeros1;
    return modules::block_quantized_mat_mul_rows;
}

std::string unfit(const Problem& problem)
{
    const BlockQuantizedMatMulGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    if (g.inner == 0)
        return "there is nothing to multiply";
    if (g.inner % integers_of_quad(g) != 0 || g.bytes_of_row() % quad_bytes != 0)
        return "it reads " + std::to_string(integers_of_quad(g)) + " integers at a time, and rows have " +
               std::to_string(g.inner) + " in blocks of " + std::to_string(g.block_size);
    if (is_half(problem.compute_type) && g.columns % 2 != 0 && g.rows > 1)
        return "rows of " + std::to_string(g.columns) + " halves end amid a word";
    if (divide_up(4 * g.inner / integers_of_quad(g), lanes_of(problem)) + lanes_of(problem) > c.max_loop_iterations)
        return too_many_iterations("its loop over K", c);
    for (const size_t whole : {0u, 2u, 3u})
        if (whole < g.inputs.size() && *byte_size(g.inputs[whole]) > c.max_storage_buffer_range)
            return too_many_bytes(*byte_size(g.inputs[whole]), c);
    return "";
}

Result<Plan> planned(const Problem& problem)
{
    const BlockQuantizedMatMulGeometry& g = problem.geometry;
    const Capabilities& c = problem.capabilities;
    const int64_t tiles_of_row = divide_up(g.columns, BLOCK_QUANTIZED_COLUMNS), lanes = lanes_of(problem),
                  rows = rows_of(problem);
    const auto inputs = uint32_t(g.inputs.size());
    Plan plan;
    for (const TensorDesc& input : g.inputs)
        plan.tensor_bytes.push_back(buffer_bytes(*byte_size(input)));
    plan.tensor_bytes.push_back(buffer_bytes(*byte_size(g.output)));
    plan.inputs = inputs;
    plan.max_submit_seconds = problem.options.max_dispatch_seconds;
    plan.uniform = uniform_of(problem, tiles_of_row);
    std::vector<View> views(inputs + 1, View::storage);
    const bool texels = reads_texels(problem);
    if (texels)
        std::ranges::copy(std::array{View::texel_rgba32ui, View::texel_rgba32f, View::texel_r32f}, views.begin());
    plan.pipelines = {
        {.kernel = *variant(variants_of(g.has_zeros(), texels), problem.compute_type),
         .specialization =
             specialization::BlockQuantizedMatMulRows{.workgroup_size = workgroup_size(c),
                                                      .lanes = uint32_t(lanes),
                                                      .rows = uint32_t(rows),
                                                      .bits = uint32_t(g.bits),
                                                      .block_shift = problem.block_shift(),
                                                      .words = c.invocation_registers >= registers_of_quads ? 4u : 1u}
                 .values(),
         .views = std::move(views),
         .uses_uniform = true,
         .push_bytes = sizeof(push::TileRange)}};

    const int64_t row_quads = g.bytes_of_row() / quad_bytes;
    const auto columns_of = [&](const Range& tiles) {
        const bool one_row = tiles.first / tiles_of_row == (tiles.end() - 1) / tiles_of_row;
        const int64_t first = one_row ? tiles.first % tiles_of_row * BLOCK_QUANTIZED_COLUMNS : 0;
        return Range{first, one_row ? std::min(tiles.count * BLOCK_QUANTIZED_COLUMNS, g.columns - first) : g.columns};
    };
    const auto b_of = [&](const Range& tiles) {
        const Range columns = columns_of(tiles);
        return Range{columns.first * row_quads, columns.count * row_quads};
    };
    const auto y_of = [&](const Range& tiles) {
        const int64_t first_row = tiles.first / tiles_of_row * rows;
        const int64_t end_row = std::min(((tiles.end() - 1) / tiles_of_row + 1) * rows, g.rows);
        const Range columns = columns_of(tiles);
        const int64_t first = first_row * g.columns + columns.first;
        return Range{first, (end_row - 1) * g.columns + columns.end() - first};
    };
    std::vector<Operand> whole = {{.tensor = 0}, {.tensor = 2}};
    if (g.has_zeros())
        whole.push_back({.tensor = 3});
    // A multiply-add costs what it does in matmul_vector. On top of it comes what makes an integer a float, once for all rows.
    const double multiply = c.is_cpu ? 0.45 : 0.2, unpack = c.is_cpu ? 0.9 : 0.4;
    const Tiles tiles = {.op = op,
                         .compute_type = problem.compute_type,
                         .workgroup_size = uint32_t(workgroup_size(c) / lanes),
                         .tiles = {0, divide_up(g.rows, rows) * tiles_of_row},
                         .work = 8 + (multiply * double(rows) + unpack) * double(BLOCK_QUANTIZED_COLUMNS * g.inner),
                         .lanes = lanes,
                         .from = {.operand = {.tensor = 1},
                                  .elements = g.columns * row_quads,
                                  .element_bytes = quad_bytes,
                                  .unit = 1,
                                  .used = b_of},
                         .whole = std::move(whole),
                         .to = {.operand = {.tensor = uint8_t(inputs), .access = Access::write},
                                .elements = problem.outputs,
                                .element_bytes = problem.width(),
                                .unit = elements_per_word(problem.compute_type),
                                .used = y_of}};
    VKONNX_RETURN_IF_ERROR(add_steps(tiles, c, problem.options, plan));
    return plan;
}

}  // namespace

constinit const KernelOf<Problem> rows = {.name = "block_quantized_mat_mul_rows",
                                          .variants = modules::block_quantized_mat_mul_rows,
                                          .keeps_order = false,
                                          .unfit = unfit,
                                          .plan = planned};

}  // namespace vkonnx::plan::block_quantized_mat_mul
