// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader is one pass of TopK, which sorts each row by merging runs, and keeps only the first k elements of each run:
//
//   row      3 | 9 | 4 | 7 | 5     for the 3 greatest
//   pass 1   9 3 | 7 4 | 5
//   pass 2   9 7 4 | 5
//   pass 3   9 7 5
//
// An invocation finds what stands at one place of a merged run: by bisection, how many of those before it come from the first run,
// and then which run has the next one. The last pass writes where that is in its row, as an integer of 64 bits, and every other
// pass writes pairs:
//
//   module   elements     words of a pair
//   u64      to 32 bits   place, key
//   u128     64 bits      place, 0, both words of the key
//
// Layouts: X (outer, width, inner), Y (outer, to_width, inner), row-major.
// Assumptions:
// - X and Y fit 31 bits
// - the device allows 32 loop iterations
// Specialization: topk_constants.h
// Grid: ceil(output_count / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/topk/topk_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/store.glsl"
#include "shaders/operators/topk/topk.h"

#include "shaders/library/bits.glsl"
#include "shaders/library/order.glsl"

BITS_INPUT(0, InputX, x, bits_at)

#define OUTPUT_BINDING 1
#define STAGE TopKPass
#include "shaders/engines/gather/gather.glsl"

struct Found {
    uint place;  // of the element in its row
    uvec2 key;   // the greater, the sooner the element comes
};

// Returns an element's key. A NaN is greater than all numbers, and no number has its key.
uvec2 key_of(uvec2 bits)
{
    uvec2 element = at_high_end(bits);
    uvec2 key = is_nan_of(element) ? uvec2(0xffffffffu) : key_of_element(element);
    if (spec_least != 0u)
        key = ~key;
    return spec_bits < 64u ? uvec2(0u, key.y) : key;
}

// Returns what X has at this place of a row, which begins with element `row` of what is bound.
Found found_at(uint row, uint place)
{
    uint i = row + place * stage.inner;
    if (spec_pair_words == 2u)
        return Found(x[2u * i], uvec2(0u, x[2u * i + 1u]));
    if (spec_pair_words == 4u)
        return Found(x[4u * i], uvec2(x[4u * i + 2u], x[4u * i + 3u]));
    return Found(place, key_of(bits_at(i)));
}

bool comes_before(Found a, Found b)
{
    return a.key == b.key ? a.place < b.place : is_less_key(b.key, a.key);
}

// Returns how many elements run number `run` has.
uint count_of(uint run)
{
    uint first = run * stage.covers;
    return first < stage.extent ? min(min(stage.covers, stage.extent - first), stage.kept) : 0u;
}

Real output_at(uint index)
{
    uint line = index / stage.inner;
    uint outer = line / stage.to_width;
    uint column = line - outer * stage.to_width;
    uint row = outer * stage.width * stage.inner + (index - line * stage.inner) - push.x_base;
    uint merged = column / stage.to_kept;
    uint before = column - merged * stage.to_kept;  // how many elements of the merged run come before this place
    uint a = 2u * merged * stage.kept;
    uint b = a + stage.kept;
    uint a_count = count_of(2u * merged);
    uint b_count = count_of(2u * merged + 1u);

    // Run a gives at least `low` and at most `high` of the elements before this place.
    uint low = before - min(before, b_count);
    uint high = min(before, a_count);
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (comes_before(found_at(row, a + middle), found_at(row, b + before - 1u - middle)))
            low = middle + 1u;
        else
            high = middle;
    }
    uint from_b = before - low;
    Found found;
    if (low == a_count) {
        found = found_at(row, b + from_b);
    } else {
        found = found_at(row, a + low);
        if (from_b < b_count) {
            Found other = found_at(row, b + from_b);
            if (comes_before(other, found))
                found = other;
        }
    }
#if BITS == 128
    return uvec4(found.place, 0u, found.key);
#else
    return uvec2(found.place, spec_to_pairs != 0u ? found.key.y : 0u);
#endif
}
