// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes the second output of MaxPool, after the first. An invocation looks for the first element of a window whose
// bits are those of the greatest. Earlier parts leave the number of the element that they found in X; the part that finishes
// makes the index of it.
//
// Layouts: X (outer, D1..Dn, inner), Y and Indices (outer, O1..On, inner), row-major; an index is two words.
// Assumptions:
// - padded extents, the window's taps and element numbers fit 31 bits
// - the device allows the loops: rows * (rank + taps of the last axis) iterations an output
// Specialization: max_pool_constants.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/max_pool/max_pool_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/store.glsl"

#include "shaders/engines/pool/pool.glsl"

#include "shaders/library/bits.glsl"

BITS_INPUT(0, InputX, x, x_at)
BITS_INPUT(1, InputW, w, w_at)

#define OUTPUT_BINDING 2
#include "shaders/engines/gather/gather.glsl"

#include "shaders/operators/max_pool/max_pool.glsl"

const uvec2 NOWHERE = uvec2(0xffffffffu);  // no element was found; as an index it is -1

uint index_of(uint element)
{
    uint index = element % problem.inner * problem.index_inner;
    element /= problem.inner;
    for (uint i = 0u; i < spec_rank; ++i) {
        uint a = last_axis - i;
        index += element % problem.axes[a].in_extent * problem.axes[a].index_step;
        element /= problem.axes[a].in_extent;
    }
    return index + element * problem.index_outer;
}

Real output_at(uint index)
{
    Rows rows = find_windows(index);
    uint step = problem.axes[last_axis].dilation * problem.inner;
    uvec2 found = push.starts != 0u ? NOWHERE : sum_so_far(index);
    uvec2 greatest = w_at(index - push.w_base);
    for (uint row = 0u; row < rows.count; ++row) {
        uint first = row_start(row, rows.outer, rows.inner);
        for (uint k = 0u; k < windows[last_axis].taps; ++k) {
            uint element = first + k * step;
            if (found == NOWHERE && x_at(element - push.x_base) == greatest)
                found = uvec2(element, 0u);
        }
    }
    if (push.finishes != 0u && found != NOWHERE)
        found.x = index_of(found.x);
    return found;
}
