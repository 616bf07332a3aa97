// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes ONNX's Gather, and those problems of GatherND that are like it: indices along one axis, each for a whole
// row. It is no sum, but has the gather protocol for its main: one invocation finds an element, or those that share a word. TYPE_
// is the unsigned integer as wide as an element, or as several that lie together, which carries its bits.
//
// A part has some pieces of X's extent. It takes the elements whose indices lie there, and leaves all others as they are: zeros
// before the first part. So indices beyond the extent, which no part has, give zeros.
//
// Layouts: row-major.
// Assumptions:
// - element numbers, and numbers of indices, fit 31 bits
// Specialization: plain_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/library/plain_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/divide.glsl"
#include "shaders/operators/take/take.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)

layout(binding = 1) readonly buffer InputW
{
    uint indices[];
};

layout(binding = UNIFORM_BINDING) uniform Problem
{
    TakeProblem problem;
};

#define OUTPUT_BINDING 2
#include "shaders/engines/gather/gather.glsl"
#include "shaders/operators/take/take.glsl"

Real output_at(uint index)
{
    uint row = divided(index, problem.inner);
    uint outer = divided(row, problem.count);
    uint i = row - outer * problem.count.number;
    uint coordinate = coordinate_at(i - push.w_base, problem.index_words, problem.extent);
    uint first = push.first_channel * problem.piece;
    uint end = min(first + push.channel_count * problem.piece, problem.extent);
    if (coordinate < first || coordinate >= end)
        return sum_so_far(index);
    uint place = (outer * problem.extent + coordinate) * problem.inner.number + index - row * problem.inner.number;
    return x_at(place - push.x_base);
}
