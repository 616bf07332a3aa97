// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/pool_tiles.h"

#include <algorithm>
#include <numeric>

#include "plan/core/arithmetic.h"

namespace vkonnx::plan {

using ops::Axis;

bool is_clipped(const PoolProblem& pool)
{
    return std::any_of(pool.axes.begin(), pool.axes.end(), [](const Axis& axis) {
        return axis.begin > 0 || (axis.out - 1) * axis.stride + axis.dilated_kernel() > axis.in;
    });
}

push::PoolTiled tiled_of(const PoolProblem& pool, int64_t tiles_of_row)
{
    push::PoolTiled tiled = {};
    std::fill(std::begin(tiled.axes), std::end(tiled.axes), push_axis(Axis{}));
    std::transform(pool.axes.begin(), pool.axes.end(), std::end(tiled.axes) - pool.axes.size(), push_axis);
    tiled.tiles_of_row = push::divisor_of(uint32_t(tiles_of_row));
    for (size_t a = 0; a < std::size(tiled.outs); ++a)
        tiled.outs[a] = push::divisor_of(tiled.axes[a].out_extent);
    tiled.inner_quads = push::divisor_of(uint32_t(divide_up(pool.inner, quad)));
    return tiled;
}

int64_t loops_before_last(const PoolProblem& pool, int64_t last)
{
    int64_t inner = last;
    for (size_t a = 0; a + 1 < POOL_TILED_AXES; ++a) {
        const size_t rank = pool.axes.size();
        const int64_t kernel = a + 1 < rank ? pool.axes[rank - 2 - a].kernel : 1;
        inner = saturated_sum(1, saturated_product(kernel, saturated_sum(1, inner)));
    }
    return inner;
}

Range outputs_of_row_tiles(const Range& tiles, int64_t row, int64_t each)
{
    const int64_t of_row = divide_up(row, each);
    const auto end_of = [&](int64_t tile) {  // the end of the outputs of the tiles up to this one
        return tile / of_row * row + std::min((tile % of_row + 1) * each, row);
    };
    const int64_t first = tiles.first / of_row * row + tiles.first % of_row * each;
    return {first, end_of(tiles.end() - 1) - first};
}

bool shifts(const Axis& last, int64_t each, const Capabilities& capabilities)
{
    return !capabilities.is_cpu || std::gcd(std::gcd(last.in, each * last.stride), last.begin) % quad != 0;
}

}  // namespace vkonnx::plan
