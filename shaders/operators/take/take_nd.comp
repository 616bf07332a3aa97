// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes ONNX's GatherElements and GatherND, of which Gather is a case: at each place of the output there is an
// index with any number of coordinates. One invocation finds an element, or those that share a word. TYPE_ is the unsigned
// integer as wide as an element, or as several that lie together, which carries its bits.
//
// A part has a piece of X, in the order of its elements. It takes the elements that lie there, and leaves all others as they are:
// zeros before the first part. So an index with a coordinate beyond its axis, which no part has, gives zeros.
//
// Layouts: X at any distances from one coordinate of the output to the next, and so the indices, whose coordinates lie side by
// side.
// Assumptions:
// - element numbers, and numbers of indices, fit 31 bits
// - the device allows the loops: spec_rank and spec_coordinates iterations an element
// Specialization: take_nd_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/take/take_nd_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/take/take_nd.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)

layout(binding = 1) readonly buffer InputW
{
    uint indices[];
};

layout(binding = UNIFORM_BINDING) uniform Problem
{
    uvec4 words[TAKE_ND_VECTORS];
};

#define OUTPUT_BINDING 2
#include "shaders/engines/gather/gather.glsl"

#define BROADCAST_WORDS TAKE_ND_AXES
#define BROADCAST_INPUT 0u
#include "shaders/engines/gather/broadcast.glsl"
#include "shaders/operators/take/take.glsl"

Real output_at(uint index)
{
    uvec3 places = places_of(index);
    uint place = places.x;  // in the bound window
    bool inside = true;
    for (uint i = 0u; i < spec_coordinates; ++i) {
        uint extent = word(TAKE_ND_INDEXED + 2u * i);
        uint coordinate = coordinate_at(places.y + i, word(TAKE_ND_INDEX_WORDS), extent);
        inside = inside && coordinate < extent;
        place += coordinate * word(TAKE_ND_INDEXED + 2u * i + 1u);
    }
    uint piece = word(TAKE_ND_PIECE);
    uint in_part = place + push.x_base - push.first_channel * piece;
    if (!inside || in_part >= push.channel_count * piece)
        return sum_so_far(index);
    return x_at(place);
}
