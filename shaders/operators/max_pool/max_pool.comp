// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes MaxPool of any rank up to 6 and any window. One invocation finds the greatest element of one part of an
// output, a box of the window's taps, or does so for all outputs that share a word. TYPE_ is the unsigned integer as wide as the
// elements, which carries their bits. The shader computes with integers alone, so that every device gives the same bits and
// needs no type but words.
//
// Layouts: X (outer, D1..Dn, inner), Y (outer, O1..On, inner), row-major.
// Assumptions:
// - padded extents, the window's taps and element numbers fit 31 bits
// - the device allows the loops: rows * (rank + taps of the last axis) iterations an output
// Specialization: max_pool_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/max_pool/max_pool_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/store.glsl"

#include "shaders/engines/pool/pool.glsl"

INPUT(0, InputX, x, x_at)

#define OUTPUT_BINDING 1
#include "shaders/engines/gather/gather.glsl"

#include "shaders/operators/max_pool/max_pool.glsl"

#include "shaders/operators/max_pool/max_pool_keys.glsl"

Real output_at(uint index)
{
    Rows rows = find_windows(index);
    uint step = problem.axes[last_axis].dilation * problem.inner;
    Real greatest = push.starts != 0u ? lowest() : sum_so_far(index);
    if (rows.count > 0u && rows.begins)
        greatest = x_at(row_start(0u, rows.outer, rows.inner) - push.x_base);
    Key key = key_to_exceed(greatest);
    for (uint row = 0u; row < rows.count; ++row) {
        uint first = row_start(row, rows.outer, rows.inner) - push.x_base;
        for (uint k = 0u; k < windows[last_axis].taps; ++k) {
            Real element = x_at(first + k * step);
            Key other = key_of(element);
            if (is_greater(other, key)) {
                key = other;
                greatest = element;
            }
        }
    }
    return greatest;
}
