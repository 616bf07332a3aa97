// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is the first pass of ScatterElements and ScatterND. An invocation finds the slice of data that an update is for, and
// NO_TARGET where a coordinate of its index is beyond the axis. It writes that number for each update. A module with LAST = 1 finds
// the last update of each slice instead: the number of the update plus 1, and 0 where there is none. The greatest of several
// numbers is the same in whatever order they come.
//
// The output of a module with LAST = 1 has a word for each slice, while the outputs of the gather protocol are updates. Before that
// pass goes one that writes zeros, whose outputs are the slices.
//
// Layouts: updates are numbered row-major; the coordinates of an index lie side by side, and indices in the order of the updates.
// Assumptions:
// - element numbers, and numbers of indices, fit 31 bits
// - the device allows the loops: spec_rank and spec_coordinates iterations
// Specialization: scatter_targets_constants.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/scatter/scatter_targets_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/scatter/scatter.h"
#include "shaders/library/store.glsl"

layout(binding = 0) readonly buffer InputX
{
    uint indices[];
};

layout(binding = UNIFORM_BINDING) uniform Problem
{
    uvec4 words[SCATTER_VECTORS];
};

#define OUTPUT_BINDING 1
#if LAST
#define OWN_MAIN 1
#endif
#include "shaders/engines/gather/gather.glsl"
#include "shaders/operators/scatter/scatter.glsl"
#include "shaders/operators/take/take.glsl"

uint target_of(uint index)
{
    uint target = 0u;
    uint rest = index;
    for (uint i = 0u; i < spec_rank; ++i) {
        uint extent = word(SCATTER_UPDATE_AXES + i);
        uint above = rest / extent;
        target += (rest - above * extent) * word(SCATTER_UPDATE_AXES + spec_rank + i);
        rest = above;
    }
    bool inside = true;
    for (uint i = 0u; i < spec_coordinates; ++i) {
        uint extent = word(SCATTER_INDEXED + 2u * i);
        uint coordinate = coordinate_at(index * spec_coordinates + i - push.x_base, word(SCATTER_INDEX_WORDS), extent);
        inside = inside && coordinate < extent;
        target += coordinate * word(SCATTER_INDEXED + 2u * i + 1u);
    }
    return inside ? target : NO_TARGET;
}

#if LAST
void main()
{
    uint index = push.first_output + flat_invocation();
    if (index >= push.first_output + push.output_count)
        return;
    if (spec_clears != 0u) {
        y[index] = 0u;
        return;
    }
    uint target = target_of(index);
    if (target != NO_TARGET)
        atomicMax(y[target], index + 1u);
}
#else
Real output_at(uint index)
{
    return target_of(index);
}
#endif
