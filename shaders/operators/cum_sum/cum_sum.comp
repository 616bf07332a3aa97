// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is one pass of CumSum. An invocation adds the elements of a row's block, one by one, up to the place of its output,
// or all of them where each block gets one sum. It begins with the sum of all blocks in front, where an earlier pass left that.
// Many invocations therefore share a long row, and the bits of a sum depend on the tensor's shape alone.
//
// Layouts: X (outer, extent, inner), Y (outer, count, inner), prefixes (outer, blocks, inner), row-major. Blocks and prefixes
// are numbered in the order of the sum, from the back with `reverse`.
// Assumptions:
// - X, Y and the prefixes fit 31 bits
// - the device allows the loop over the part's taps
// Specialization: cum_sum_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/cum_sum/cum_sum_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/cum_sum/cum_sum.h"
#include "shaders/library/store.glsl"

#include "shaders/library/sums.glsl"

INPUT(0, InputX, x, x_at)
SUMS_INPUT(1, Prefixes, prefixes, prefix_at)

#define OUTPUT_BINDING 2
#define STAGE CumSumPass
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint column = index % stage.inner;
    uint row = index / stage.inner;
    uint outer = row / stage.count;
    uint place = row - outer * stage.count;
    if (spec_of_blocks != 0u)
        place = min(place * stage.block + stage.block, stage.extent) - 1u;
    else if (spec_reverse != 0u)
        place = stage.extent - 1u - place;
    uint in_block = place % stage.block;
    uint first = place - in_block;
    uint end = min(push.tap_end[MAX_AXES - 1], in_block + 1u - spec_exclusive);
    uint lies = spec_reverse != 0u ? stage.extent - 1u - first : first;
    uint start = (outer * stage.extent + lies) * stage.inner + column - push.x_base;
    uint step = spec_reverse != 0u ? 0u - stage.inner : stage.inner;
    Real sum = sum_so_far(index);
    if (push.starts != 0u) {
        if (spec_prefix != 0u) {
            uint block = first / stage.block;
            sum = prefix_at((outer * divide_up(stage.extent, stage.block) + block) * stage.inner + column - push.w_base);
        }
        if (spec_from_zero != 0u && first == 0u)
            sum = zero();
    }
    for (uint tap = push.tap_begin[MAX_AXES - 1]; tap < end; ++tap)
        sum = plus(sum, x_at(start + tap * step));
    return sum;
}
