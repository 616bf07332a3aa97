// SPDX-License-Identifier: Apache-2.0
// This file applies the prologue (PrepareOptions::prologue) to an element of X where it is read. Padding is added behind the
// prologue, and does not go through it. The file is included behind the types (numbers.glsl) and p_at(i), which reads P:
// [channel][scale, offset, slope], of which P has those that are asked for. The kernel's list has a constant `prologue`
// (prologue.h).
#include "shaders/engines/fusion/prologue.h"

// This struct holds the numbers of a channel.
struct Prologue {
    Real scale;
    Real offset;
    Real slope;
};

// Returns how many numbers P has for each channel.
uint prologue_numbers()
{
    return ((spec_prologue & PROLOGUE_SCALES) != 0u ? 2u : 0u) + ((spec_prologue & PROLOGUE_PRELU) != 0u ? 1u : 0u);
}

// Returns the numbers of the channel that begin at element `at` of P.
Prologue prologue_at(uint at)
{
    Prologue prologue = Prologue(one(), zero(), zero());
    if ((spec_prologue & PROLOGUE_SCALES) != 0u) {
        prologue.scale = p_at(at);
        prologue.offset = p_at(at + 1u);
    }
    if ((spec_prologue & PROLOGUE_PRELU) != 0u)
        prologue.slope = p_at(at + prologue_numbers() - 1u);
    return prologue;
}

Real after_prologue(Prologue prologue, Real value)
{
    if ((spec_prologue & PROLOGUE_SCALES) != 0u)
        value = plus(times(value, prologue.scale), prologue.offset);
    if ((spec_prologue & PROLOGUE_RELU) != 0u)
        return less(value, zero()) ? zero() : value;
    if ((spec_prologue & PROLOGUE_PRELU) != 0u) {
        Real sloped = times(prologue.slope, value);
        return less(value, zero()) ? sloped : value;
    }
    return value;
}
