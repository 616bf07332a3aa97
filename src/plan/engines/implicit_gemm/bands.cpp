// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/implicit_gemm/bands.h"

#include <algorithm>

#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"

namespace vkonnx::plan::implicit_gemm {
namespace {

// Returns how many input positions the blocks of an axis read beyond their own. Two neighbouring bands both read them.
int64_t halo(const Axis& axis)
{
    return axis.extent - axis.blocks * axis.block_step;
}

// Returns the most blocks whose packed inputs have at most so many bytes. It is at least one.
int64_t blocks_within(int64_t bytes, const Product& product, const Tile& tile, const Axis& axis)
{
    const int64_t place_bytes = saturated_product(tile.texel_bytes, input_texels(product) / axis.extent);
    return std::clamp<int64_t>((bytes / place_bytes - halo(axis)) / axis.block_step, 1, axis.blocks);
}

// Returns the fewest blocks of a band that is worth a dispatch: its halo is at most a quarter of it, its last tiles, which may be
// partly empty, are few, and it keeps the device busy.
int64_t worthwhile_blocks(const Product& product, const Tile& tile, const Axis& axis, const Capabilities& capabilities)
{
    const double invocations = std::max(1.0, double(tiles_of_product(product, tile)) * double(tile.invocations));
    return std::max({divide_up(4 * std::max<int64_t>(0, halo(axis)), axis.block_step),
                     divide_up(4 * tile.columns * tile.lanes, product.columns / axis.blocks),
                     int64_t(busy_invocations(capabilities) / invocations * double(axis.blocks))});
}

}  // namespace

Bands in_bands(const Problem& problem, Cut cut, int64_t wanted_bytes)
{
    Bands bands = {std::move(cut.product), cut.tile};
    Product& product = bands.product;
    if (product.classes.empty() || input_texels(product) == 0 || product.columns == 0)
        return bands;
    while (bands.axis + 1 < GEMM_AXES && product.axes[bands.axis].blocks <= 1)
        ++bands.axis;
    Axis& axis = product.axes[bands.axis];
    const auto bindable = int64_t(std::min<uint64_t>(problem.capabilities.max_storage_buffer_range, index_limit));
    const int64_t most = std::min(blocks_within(bindable, product, bands.tile, axis),
                                  std::max(blocks_within(wanted_bytes, product, bands.tile, axis),
                                           worthwhile_blocks(product, bands.tile, axis, problem.capabilities)));
    if (most >= axis.blocks)
        return bands;
    bands.count = divide_up(axis.blocks, most);
    const int64_t blocks = divide_up(axis.blocks, bands.count);
    const int64_t extent = axis.extent - (axis.blocks - blocks) * axis.block_step;
    product.columns = product.columns / axis.blocks * blocks;
    product.line = product.line / axis.extent * extent;
    axis.blocks = blocks;
    axis.extent = extent;
    return bands;
}

}  // namespace vkonnx::plan::implicit_gemm
