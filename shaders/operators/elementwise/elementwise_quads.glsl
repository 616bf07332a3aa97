// SPDX-License-Identifier: Apache-2.0
// This file is the main of elementwise kernels whose invocations compute a quad of outputs. It needs rows of the innermost axis
// that are whole quads, or outputs that are one row; else an invocation computes the outputs of a word, as in gather.glsl. One
// part has all inputs. The file is included at the end of elementwise.glsl, for types of quads.glsl.
#include "shaders/library/quads.glsl"

layout(binding = 0) readonly buffer QuadsX
{
    Quad x_quads[];
};
layout(binding = 1) readonly buffer QuadsW
{
    Quad w_quads[];
};
layout(binding = 2) readonly buffer QuadsB
{
    Quad b_quads[];
};
layout(binding = OUTPUT_BINDING) writeonly buffer OutputQuads
{
    Quad y_quads[];
};

// QUAD_AT is four elements of bound input i from element `place` on, or one element four times.
#define QUAD_AT(quads, load, place, i)                                                                                           \
    ((spec_advances >> (i) & 1u) != 0u ? reals_of(quads[(place) >> 2]) : Real4(load(place)))

bool reads_input(uint i)
{
    return ((spec_given | steps_read) >> i & 1u) != 0u;
}

Operands operands_at(uvec3 places)
{
    return Operands(x_at(places.x), reads_input(1u) ? w_at(places.y) : zero(), reads_input(2u) ? b_at(places.z) : zero());
}

// Returns how many outputs an invocation computes. The last one may have fewer.
uint outputs_at_once()
{
    bool whole_rows = spec_quads == QUADS_ALWAYS;
    if (spec_quads == QUADS_OF_WHOLE_ROWS)
        whole_rows = spec_rank == 0u || (word(ELEMENTWISE_NUMBERS) & 3u) == 0u;
    return whole_rows ? 4u : ELEMENTS_PER_WORD;
}

// Returns `count` outputs from number `first` on. Those of a whole quad differ in the innermost coordinate alone, along which an
// input advances by quads or stays.
Real4 outputs_at(uint first, uint count, bool whole)
{
    Real4 x4 = Real4(0);
    Real4 w4 = Real4(0);
    Real4 b4 = Real4(0);
    if (whole) {
        uvec3 places = places_of(first);
        x4 = QUAD_AT(x_quads, x_at, places.x, 0u);
        if (reads_input(1u))
            w4 = QUAD_AT(w_quads, w_at, places.y, 1u);
        if (reads_input(2u))
            b4 = QUAD_AT(b_quads, b_at, places.z, 2u);
    }
    Real4 some = Real4(0);
    for (uint i = 0u; i < count; ++i) {
        Operands operands = Operands(x4.x, w4.x, b4.x);
        if (!whole)
            operands = operands_at(places_of(first + i));
        some[i] = output_of(first + i, operands);
        x4 = x4.yzwx;  // the quads go round: registers have no number at run time
        w4 = w4.yzwx;
        b4 = b4.yzwx;
    }
    return some;
}

void main()
{
    uint first = flat_invocation() * outputs_at_once();
    if (first >= push.output_count)
        return;
    uint rest = push.output_count - first;
    first += push.first_output;
    bool whole = outputs_at_once() == 4u && (spec_quads == QUADS_ALWAYS || rest >= 4u);
    uint count = whole ? 4u : min(outputs_at_once(), rest);
    Real4 some = outputs_at(first, count, whole);
    if (whole) {
        y_quads[(first - push.y_base) >> 2] = quad_of(some);
        return;
    }
    for (uint i = 0u; i < count; i += ELEMENTS_PER_WORD) {
#ifdef SHARED_WORDS
        store_pair(first + i - push.y_base, some[i], i + 1u < count ? some[i + 1u] : zero());
#else
        store(first + i - push.y_base, some[i]);
#endif
    }
}
