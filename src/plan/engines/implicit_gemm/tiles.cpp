// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/implicit_gemm/tiles.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plan/core/arithmetic.h"
#include "plan/core/choose.h"
#include "plan/core/grid.h"

namespace vkonnx::plan::implicit_gemm {
namespace {

// These numbers are guesses, until they are fitted on an idle machine. Those called work are in work units.
constexpr double load_work = 0.5;             // of loading a texel
constexpr double shuffling_load_work = 0.65;  // of loading X as it lies on lavapipe; it takes 1.2, but no packed X
constexpr double staged_work = 0.1;           // of a texel in shared memory, which on a software driver is memory like any other
constexpr double barrier_work = 8;            // of a barrier, for each invocation on a software driver
constexpr double product_work = 1. / 48;      // of a multiply-add
constexpr double output_work_here = 1;        // of an output, with its address
constexpr int64_t shuffled_lanes = 8;
constexpr double matrix_share = 1. / 8;  // the share of a GPU's work that is left where cooperative matrices do it
constexpr double busy_matrices = 16384;  // invocations that keep a GPU busy where cooperative matrices multiply

int64_t class_texels(const Product& product, const PhaseClass& one, const Tile& tile)
{
    return saturated_product(tiles_of(one, tile), saturated_sum(description_texels(tile) * (GEMM_TILE_TEXELS + tile.rows),
                                                                weight_texels(product, one, tile)));
}

// Returns how many neighbouring invocations take columns in turns, so that they load and store side by side. It is less where
// many of them would have no columns.
int64_t lanes_of(const Product& product, const Tile& tile, const Capabilities& capabilities)
{
    if (tile.invocations > 1)
        return 1;
    if (tile.shuffles)
        return shuffled_lanes;
    for (int64_t lanes = workgroup(tile, capabilities); lanes >= 8; lanes /= 2)
        if (product.axes.back().extent >= lanes && product.columns >= 4 * tile.columns * lanes)
            return lanes;
    return 1;
}

// Tells whether taps that stand for channels may lie beside the input. A part of the sum might then have no other taps, and what
// it stores, the output of a window without taps, would be no part of an output with taps: 0.0 and not -0.0.
bool has_taps_beside(const Product& product)
{
    const Axis& axis = product.axes.back();
    const int64_t last = axis.first + (axis.blocks - 1) * axis.block_step + (product.channels_in - 1) * product.channel_places;
    return product.channel_places > 0 && (axis.first < 0 || last >= axis.in);
}

// Returns how many quads of channels a part of a deep sum has; 0: the sum stays whole. The device could take `idle` times as many
// invocations.
int64_t part_quads_of(const Product& product, double idle, bool is_cpu)
{
    if (has_taps_beside(product))
        return 0;
    // A part of fewer steps spends too much on sums that are stored and added again. The number for GPUs was measured on an H200.
    const int64_t least_steps = is_cpu ? 32 : 16;
    constexpr double most_parts = 16;
    const int64_t steps = saturated_product(product.quads, product.classes.front().taps);
    const int64_t parts = std::min(int64_t(std::min(idle, most_parts)), steps / least_steps);
    return parts > 1 ? divide_up(product.quads, parts) : 0;
}

// Tells whether shuffles pay, as on lavapipe. GPUs have caches for what all of a subgroup read.
bool shares_by_shuffles(const Capabilities& capabilities)
{
    return capabilities.is_cpu && capabilities.subgroup_shuffles && capabilities.subgroup_size == shuffled_lanes;
}

bool fits(const Tile& tile, const Capabilities& capabilities)
{
    if (tile.shuffles)
        return shares_by_shuffles(capabilities) && workgroup(tile, capabilities) == shuffled_lanes;
    if (tile.registers > capabilities.invocation_registers)
        return false;
    if (tile.invocations == 1)
        return capabilities.is_cpu == (tile.registers == 0);
    return fits_workgroup(tile, capabilities) && (!tile.matrices || subgroup_share(tile, capabilities));
}

// Returns the registers that a device's tiles need: the most of those that it has. Tiles that need fewer load more for each
// product.
int64_t most_registers(Tiles tiles, const Capabilities& capabilities)
{
    int64_t most = 0;
    for (const Tile& tile : tiles)
        if (fits(tile, capabilities))
            most = std::max(most, tile.registers);
    return most;
}

// Tells whether the tile's module saves more time than it takes to compile. Where columns are too few to shuffle, lavapipe has
// one such tile: that of 4 rows if rows are few, else that of 4 columns.
bool is_worth_compiling(const Product& product, const Tile& tile, const Capabilities& capabilities)
{
    if (!shares_by_shuffles(capabilities) || tile.shuffles || tile.invocations > 1 || tile.texel_bytes > 16)
        return true;
    return product.classes.front().rows <= 4 ? tile.rows == 4 : tile.columns == 4;
}

}  // namespace

std::optional<Share> subgroup_share(const Tile& tile, const Capabilities& capabilities)
{
    const auto [rows, columns, depth] = capabilities.cooperative_matrix;
    const int64_t size = capabilities.subgroup_size;
    if (!capabilities.cooperative_matrices || std::min({size, int64_t(rows), int64_t(columns), int64_t(depth)}) == 0 ||
        rows % 4 != 0 || depth % 4 != 0 || tile.rows % rows != 0 || MATRICES_COLUMNS % columns != 0 ||
        4 * MATRICES_STEPS % depth != 0 || tile.invocations % size != 0)
        return {};
    const int64_t across = tile.columns / columns, down = tile.rows / rows, subgroups = tile.invocations / size;
    std::optional<Share> best;
    int64_t least = INT64_MAX;  // the fewest rows and columns that a subgroup loads for its share
    for (Share share; share.rows <= down; ++share.rows) {
        const int64_t bands = down / share.rows;
        if (down % share.rows != 0 || subgroups % bands != 0 || across % (subgroups / bands) != 0)
            continue;
        share.columns = across / (subgroups / bands);
        const int64_t loads = share.rows * rows + share.columns * columns;
        if (loads < least)
            best = share;
        least = std::min(least, loads);
    }
    return best;
}

Share invocation_share(const Tile& tile)
{
    if (tile.invocations == 1)
        return {tile.rows, tile.columns};
    const int64_t sums = tile.rows * tile.columns / tile.invocations;
    const int64_t columns = GEMM_SHARED_COLUMNS(sums);
    return {sums / columns, columns};
}

double busy_invocations(const Capabilities& capabilities)
{
    // An NVIDIA H200, which does 2^39 units of work a second, hides the waiting of one invocation behind that of another only
    // from 32768 on. GPUs of less than half of that are not known to need more than they are given here.
    return capabilities.is_cpu ? 16 : std::clamp(capabilities.work_per_second / 0x1p24, busy_matrices, 2 * busy_matrices);
}

Cut cut_of(const Problem& problem, Tiles tiles)
{
    const Capabilities& c = problem.capabilities;
    const double wanted = busy_invocations(c);
    const int64_t registers = most_registers(tiles, c);
    Cut best = {problem.products.front(), tiles.front()};
    double least = HUGE_VAL;
    for (const Product& product : problem.products)
        for (Tile tile : tiles) {
            if (product.classes.empty() || !fits(tile, c) || tile.registers < registers || !is_worth_compiling(product, tile, c))
                continue;
            if (product.taps_are_channels() && (tile.matrices || tile.x_as_it_lies))
                continue;
            tile.lanes = lanes_of(product, tile, c);
            const auto idle = [&] {
                const double busy = tile.matrices ? std::min(wanted, busy_matrices) : wanted;
                return std::max(1.0, busy / (double(tiles_of_product(product, tile)) * double(tile.invocations)));
            };
            tile.part_quads = part_quads_of(product, idle(), c.is_cpu);
            const double penalty = std::min(penalty_of(tile.texels, problem.options), penalty_of(tile.storage, problem.options));
            const double work = work_of(product, tile, c.is_cpu) * idle() * penalty;
            if (work < least) {
                least = work;
                best = {product, tile};
            }
        }
    return best;
}

int64_t description_texels(const Tile& tile)
{
    return tile.texel_bytes < 16 ? 2 : 1;
}

int64_t weight_texels(const Product& product, const PhaseClass& one, const Tile& tile)
{
    return saturated_product({product.quads, one.taps, tile.rows});
}

int64_t group_texels(const Product& product, const Tile& tile)
{
    int64_t texels = 0;
    for (const PhaseClass& one : product.classes)
        texels = saturated_sum(texels, class_texels(product, one, tile));
    return texels;
}

int64_t input_texels(const Product& product)
{
    return saturated_product({product.groups, product.packed_quads, product.images, product.line});
}

int64_t tiles_of(const PhaseClass& one, const Tile& tile)
{
    return divide_up(one.rows, tile.rows);
}

int64_t tiles_of(const Product& product, const Tile& tile)
{
    int64_t count = 0;
    for (const PhaseClass& one : product.classes)
        count = saturated_sum(count, tiles_of(one, tile));
    return count;
}

int64_t column_tiles(const Product& product, const Tile& tile)
{
    return divide_up(product.columns, tile.columns * tile.lanes) * tile.lanes;
}

int64_t tiles_of_product(const Product& product, const Tile& tile)
{
    return saturated_product({parts_of(product, tile), product.groups, tiles_of(product, tile), column_tiles(product, tile)});
}

int64_t quads_of(const Product& product, const Tile& tile)
{
    return tile.part_quads == 0 ? product.quads : tile.part_quads;
}

int64_t parts_of(const Product& product, const Tile& tile)
{
    return divide_up(product.quads, quads_of(product, tile));
}

int64_t workgroup(const Tile& tile, const Capabilities& capabilities)
{
    if (tile.invocations > 1)
        return tile.invocations;
    // Workgroups are small, because an invocation does much, and lanes of a software driver share a processor's registers.
    return std::min<int64_t>(capabilities.is_cpu ? 8 : 32, workgroup_size(capabilities));
}

int64_t tiles_of_workgroup(const Tile& tile, const Capabilities& capabilities)
{
    return tile.invocations > 1 ? 1 : workgroup(tile, capabilities);
}

bool fits_workgroup(const Tile& tile, const Capabilities& capabilities)
{
    return tile.invocations <= std::min<int64_t>(capabilities.max_invocations, capabilities.max_workgroup_size[0]) &&
           shared_bytes(tile) <= capabilities.max_shared_bytes;
}

int64_t shared_bytes(const Tile& tile)
{
    if (tile.matrices)  // taps; rows with their bias; each column and channel, with 16 bytes more; columns of sums, likewise
        return MATRICES_MOST_TAPS * 8 + tile.rows * 20 + tile.columns * (MATRICES_STEPS * tile.texel_bytes + 16) +
               4 * MATRICES_STEPS * (tile.rows / 4 * tile.texel_bytes + 16) + MATRICES_COLUMNS * (tile.rows * 4 + 16);
    return tile.invocations > 1 ? GEMM_SHARED_DEPTH(tile.rows, tile.invocations) * tile.texel_bytes * (tile.rows + tile.columns)
                                : 0;
}

int64_t iterations(const Product& product, const Tile& tile, bool has_epilogue)
{
    int64_t most = 0;
    for (const PhaseClass& one : product.classes)
        most = std::max(most, saturated_product(quads_of(product, tile), one.taps));
    const auto [rows, columns] = invocation_share(tile);
    const int64_t walking = GEMM_AXES * columns * (tile.invocations > 1 ? 16 : 1);  // iterations from column to column
    const int64_t storing = columns * (rows + 2) * (has_epilogue ? 3 : 2);
    const int64_t finding_taps = tile.matrices ? MATRICES_MOST_TAPS + (columns + 1) * (MATRICES_WORD_BITS + GEMM_AXES) : 0;
    return saturated_sum(saturated_product(columns + 1, saturated_sum(most, 2)), walking + storing + finding_taps);
}

double work_of(const Product& product, const PhaseClass& one, const Tile& tile, bool is_cpu)
{
    const double cells = double(tile.columns * tile.rows);
    const double share = tile.matrices && !is_cpu ? matrix_share : 1;
    const Share own = invocation_share(tile);
    const double weights = double(tile.rows) / double(tile.shuffles ? shuffled_lanes : 1);
    const double x_load_work = tile.shuffles && tile.x_as_it_lies ? shuffling_load_work : load_work;
    double step = double(tile.columns) * x_load_work + weights * load_work + 4 * cells * product_work * share;
    step += 4 * double(tile.columns * tile.prologue) * product_work;
    if (tile.invocations > 1)
        step += double(tile.invocations * (own.rows + own.columns)) * (is_cpu ? load_work : staged_work * share) +
                (is_cpu ? barrier_work * double(tile.invocations) : 0);
    return double(quads_of(product, tile)) * double(one.taps) * step + cells * output_work_here;
}

double work_of(const Product& product, const Tile& tile, bool is_cpu)
{
    double work = 0;
    for (const PhaseClass& one : product.classes)
        work += double(tiles_of(one, tile)) * work_of(product, one, tile, is_cpu);
    return work * double(parts_of(product, tile) * product.groups) * double(column_tiles(product, tile));
}

}  // namespace vkonnx::plan::implicit_gemm
