// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes ONNX's ScatterElements and ScatterND, behind scatter_targets. It has the gather protocol for its main: an
// invocation begins with an element of data, or those that share a word, and goes along all updates that may be for it, in their
// order. So there is nothing that two invocations write, and several updates of one element always give the same bits. The price is
// that each element looks at all targets of its line: those of ScatterElements with the same coordinates on all axes but one, and
// all of ScatterND.
//
// A module with LAST = 1 knows no reduction. Its W has for each slice of data the number of the slice's last update plus 1, or 0
// where there is none. So an element looks at one update at most.
//
// The taps of the gather protocol are the updates of a line. A module with LAST = 1 has no taps.
//
// Layouts: X, targets and updates row-major.
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loops: spec_rank iterations, and one for each update of the part, an element
// Specialization: scatter_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/scatter/scatter_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/scatter/scatter.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)

layout(binding = 1) readonly buffer InputW
{
    uint targets[];
};

INPUT(2, InputB, updates, update_at)

layout(binding = UNIFORM_BINDING) uniform Problem
{
    uvec4 words[SCATTER_VECTORS];
};

#define OUTPUT_BINDING 3
#include "shaders/engines/gather/gather.glsl"
#include "shaders/operators/scatter/scatter.glsl"

// Joins an update to an element. The greatest and the least of a NaN and anything are NaN, and those of equal numbers the element.
Real joined(Real element, Real update)
{
#if BITS != 128
    if (spec_reduction == SCATTER_ADD)
        return plus(element, update);
    if (spec_reduction == SCATTER_MUL)
        return times(element, update);
    if (spec_reduction == SCATTER_MAX)
        return is_nan(element) ? element : is_nan(update) || less(element, update) ? update : element;
    if (spec_reduction == SCATTER_MIN)
        return is_nan(element) ? element : is_nan(update) || less(update, element) ? update : element;
#endif
    return update;
}

#if LAST

Real output_at(uint index)
{
    uint slice = index / word(SCATTER_SLICE);
    uint last = targets[slice - push.w_base];
    if (last == 0u)
        return x_at(index - push.x_base);
    return update_at((last - 1u - slice) * word(SCATTER_SLICE) + index - push.b_base);
}

#else

Real output_at(uint index)
{
    Real value = push.starts != 0u ? x_at(index - push.x_base) : sum_so_far(index);
    uint slice = index / word(SCATTER_SLICE);
    uint column = index - slice * word(SCATTER_SLICE);
    uint update = 0u;
    uint rest = slice;
    bool inside = true;
    for (uint i = 0u; i < spec_rank; ++i) {
        uint extent = word(SCATTER_AXES + i);
        uint above = rest / extent;
        uint coordinate = rest - above * extent;
        inside = inside && coordinate < word(SCATTER_AXES + spec_rank + i);
        update += coordinate * word(SCATTER_AXES + 2u * spec_rank + i);
        rest = above;
    }
    uint end = inside ? push.tap_end[MAX_AXES - 1] : 0u;
    uint step = word(SCATTER_STEP);
    update += push.tap_begin[MAX_AXES - 1] * step;
    for (uint tap = push.tap_begin[MAX_AXES - 1]; tap < end; ++tap) {
        if (targets[update - push.w_base] == slice)
            value = joined(value, update_at(update * word(SCATTER_SLICE) + column - push.b_base));
        update += step;
    }
    return value;
}

#endif
