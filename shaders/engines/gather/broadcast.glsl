// SPDX-License-Identifier: Apache-2.0
// This file finds the elements of broadcast inputs that belong to an output. It is included after gather.glsl, in kernels with
// spec_rank and the uniform block `words`. BROADCAST_WORDS is the first word of what put_axes of src/plan/engines/broadcast.h
// writes. BROADCAST_INPUT is the number of the first input that is bound; a kernel defines it where its channels are no inputs.
#ifndef BROADCAST_INPUT
#define BROADCAST_INPUT push.first_channel
#endif

#include "shaders/library/words.glsl"

// Returns where the elements of output `index` lie in the up to three bound inputs.
uvec3 places_of(uint index)
{
    uvec3 places = uvec3(index);
    if (spec_rank != 0u) {
        places = uvec3(0u);
        uint rest = index;
        uint strides = BROADCAST_WORDS + (1u + BROADCAST_INPUT) * spec_rank;
        for (uint i = 0u; i < spec_rank; ++i) {
            uint extent = word(BROADCAST_WORDS + i);
            uvec3 step = uvec3(word(strides + i), word(strides + spec_rank + i), word(strides + 2u * spec_rank + i));
            uint above = i + 1u < spec_rank ? rest / extent : 0u;  // divisions take most of the time here
            places += (rest - above * extent) * step;
            rest = above;
        }
    }
    return places - uvec3(push.x_base, push.w_base, push.b_base);
}
