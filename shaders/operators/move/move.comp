// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader moves elements that stay as they are: Transpose, Slice, Pad, Concat, Split, DepthToSpace, SpaceToDepth, Expand,
// Tile. One invocation finds an element, or those that share a word.
//
// Layouts: an output is numbered row-major; on each axis its coordinates follow those of a source at any distance, also
// backwards. Assumptions:
// - element numbers fit 31 bits
// - the device allows the loop: spec_rank iterations a source
// - up to 3 sources are bound; where there are more of them (Concat), parts go on from what those before them left: sources are
//   the channels of the gather protocol
// Specialization: move_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/move/move_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/move/move.h"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)
INPUT(1, InputW, w, w_at)
INPUT(2, InputB, b, b_at)

layout(binding = UNIFORM_BINDING) uniform Problem
{
    uvec4 vectors[spec_vectors];
};

#define OUTPUT_BINDING 3
#include "shaders/engines/gather/gather.glsl"

const uint NOWHERE = 0xffffffffu;

// Returns the remainder that is not negative, of a number that is more than -2^30.
uint modulo(int number, uint by)
{
    return number < 0 ? by - 1u - uint(-1 - number) % by : uint(number) % by;
}

// Returns the input's coordinate that is meant where `c` may lie beyond the input.
uint within(uint c, uint extent)
{
    switch (spec_beyond) {
    case MOVE_EDGE:
        return uint(clamp(int(c), 0, int(extent) - 1));
    case MOVE_REFLECT: {  // `c` is beyond by less than the extent
        uint mirrored = int(c) < 0 ? 0u - c : c;
        return mirrored < extent ? mirrored : 2u * (extent - 1u) - mirrored;
    }
    case MOVE_WRAP:
        return modulo(int(c), extent);
    }
    return c;
}

// Returns where the element of output `index` lies in source number `source`, or NOWHERE.
uint place_of(uint source, uint index)
{
    uint first = 1u + source * (1u + spec_rank);
    uint place = vectors[first].x;
    bool inside = true;
    uint rest = index;
    for (uint i = 1u; i <= spec_rank; ++i) {
        uvec4 axis = vectors[first + i];
        uint above = i < spec_rank ? rest / axis.x : 0u;  // divisions take most of the time here
        uint c = rest - above * axis.x;
        rest = above;
        if (spec_beyond != MOVE_NEVER) {
            c -= axis.z;
            inside = inside && (spec_beyond != MOVE_OTHER || c < axis.w);
            c = within(c, axis.w);
        }
        place += c * axis.y;
    }
    return inside ? place : NOWHERE;
}

Real fill()
{
    if (spec_fill_bound != 0u)
        return w_at(0u);
    uvec4 words = vectors[0];
#if defined(TYPE_u128)
    return words;
#elif defined(TYPE_u64)
    return words.xy;
#else
    return words.x;
#endif
}

Real output_at(uint index)
{
    uint source = push.first_channel;
    uint place = place_of(source, index);
    if (spec_beyond != MOVE_OTHER)
        return x_at(place - push.x_base);
    bool goes_on = spec_sources == 0u && push.starts == 0u;
    uint sources = spec_sources == 0u ? push.channel_count : spec_sources;
    if (place != NOWHERE)
        return x_at(place - push.x_base);
    if (sources > 1u) {
        place = place_of(source + 1u, index);
        if (place != NOWHERE)
            return w_at(place - push.w_base);
    }
    if (sources > 2u) {
        place = place_of(source + 2u, index);
        if (place != NOWHERE)
            return b_at(place - push.b_base);
    }
    return goes_on ? sum_so_far(index) : fill();
}
