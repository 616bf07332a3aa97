// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader writes Values of TopK: the elements of X at Indices. An invocation moves an element; of several that share a word,
// all of them.
//
// Layouts: X (outer, extent, inner), Indices and Values (outer, kept, inner), row-major.
// Assumptions:
// - X fits 31 bits
// Specialization: plain_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/library/plain_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/store.glsl"
#include "shaders/operators/topk/topk.h"

INPUT(0, InputX, x, x_at)

layout(binding = 1) readonly buffer InputIndices
{
    uvec2 indices[];  // low words first
};

#define OUTPUT_BINDING 2
#define STAGE TopKPass
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{
    uint line = index / stage.inner;
    uint outer = line / stage.kept;
    uint place = indices[index - push.w_base].x;
    return x_at((outer * stage.extent + place) * stage.inner + (index - line * stage.inner) - push.x_base);
}
