// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is one pass of ArgMax or ArgMin. An invocation compares the elements of a row that lie `width` apart, or what an
// earlier pass found among them, and finds the one that is wanted: where it is in its row, and its key. The last pass writes where
// it is, as an integer of 64 bits, and every other pass writes pairs:
//
//   module   elements   words of a pair
//   u64      to 32 bits  place, key
//   u128     64 bits     place, 0, both words of the key
//
// A pair of 64 bits fits where the result will be, so that a pass goes on from one there. Pairs of 128 bits don't, and one more
// pass of the module u64 makes results of them.
//
// Layouts: X (outer, extent, inner), Y (outer, width), row-major.
// Assumptions:
// - X and Y fit 31 bits
// - the device allows the loop over the part's taps
// Specialization: arg_extreme_constants.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/arg_extreme/arg_extreme_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/arg_extreme/arg_extreme.h"
#include "shaders/library/store.glsl"

#include "shaders/library/bits.glsl"
#include "shaders/library/order.glsl"

BITS_INPUT(0, InputX, x, bits_at)

#define OUTPUT_BINDING 1
#define STAGE ArgExtremePass
#include "shaders/engines/gather/gather.glsl"

struct Found {
    uint place;
    uvec2 key;
};

const uvec2 NOT_WANTED = uvec2(0u);
const uvec2 WANTED = uvec2(0xffffffffu);

// Returns a key, which is greater the more an element is wanted. A NaN is wanted in front of its row, and nowhere else.
uvec2 key_of(uvec2 bits, uint place)
{
    uvec2 element = at_high_end(bits);
    if (is_nan_of(element))
        return place == 0u ? WANTED : NOT_WANTED;
    uvec2 key = key_of_element(element);
    if (spec_least != 0u)
        key = ~key;
    return spec_bits < 64u ? uvec2(0u, key.y) : key;
}

// Returns the one that is wanted.
Found better(Found a, Found b)
{
    bool behind = spec_last != 0u ? a.place < b.place : a.place > b.place;
    return is_less_key(a.key, b.key) || (a.key == b.key && behind) ? b : a;
}

// Returns what loses to all others.
Found nothing()
{
    return Found(spec_last != 0u ? 0u : 0xffffffffu, NOT_WANTED);
}

// Returns number i of X, which is at this place in its row if it is an element.
Found found_at(uint i, uint place)
{
    if (spec_pair_words == 2u)
        return Found(x[2u * i], uvec2(0u, x[2u * i + 1u]));
    if (spec_pair_words == 4u)
        return Found(x[4u * i], uvec2(x[4u * i + 2u], x[4u * i + 3u]));
    return Found(place, key_of(bits_at(i), place));
}

Found found_so_far(uint index)
{
    Real pair = sum_so_far(index);
#if BITS == 128
    return Found(pair.x, pair.zw);
#else
    return Found(pair.x, uvec2(0u, pair.y));
#endif
}

Real output_at(uint index)
{
    uint row = index / stage.width;
    uint column = index - row * stage.width;
    uint end = min(push.tap_end[MAX_AXES - 1], (stage.row + stage.width - 1u - column) / stage.width);
    uint first = row * stage.row + column - push.x_base;
    uint place = column / stage.inner;
    Found found = nothing();
    if (push.starts == 0u)
        found = found_so_far(index);
    for (uint tap = push.tap_begin[MAX_AXES - 1]; tap < end; ++tap)
        found = better(found, found_at(first + tap * stage.width, place + tap * stage.parts));
#if BITS == 128
    return uvec4(found.place, 0u, found.key);
#else
    bool as_pair = spec_to_pairs != 0u || push.finishes == 0u;
    return uvec2(found.place, as_pair ? found.key.y : 0u);
#endif
}
