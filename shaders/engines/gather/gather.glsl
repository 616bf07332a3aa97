// SPDX-License-Identifier: Apache-2.0
// This file is the main of kernels that gather one output at a time, over the outputs of the part `push`. The contract is in
// gather.h. A kernel defines OUTPUT_BINDING and its input x before this file, and output_at behind it. It may also define
// - STAGE, the struct of its own push constants, which lie behind the part's: `stage`
// - SUMS as 1: it writes no tensor, but numbers of the type that it computes in; of halves floats, which share no word
// - NARROW as 1: of integers of 64 bits it writes the low words. Such a kernel never goes on from a sum.
// - OWN_MAIN as 1: it has a main of its own, of the same outputs, and no output_at
#include "shaders/engines/gather/gather.h"

#if defined(HALVES) && SUMS
#define FLOATS_OF_HALVES 1
#endif

#ifdef FLOATS_OF_HALVES
#define OUTPUTS_PER_INVOCATION 1u
#else
#define OUTPUTS_PER_INVOCATION ELEMENTS_PER_WORD
#endif

layout(push_constant) uniform Push
{
    GatherPart push;
#ifdef STAGE
    STAGE stage;
#endif
};
#if NARROW
layout(binding = OUTPUT_BINDING) writeonly buffer OutputY
{
    uint y[];
};
#else
OUTPUT(OUTPUT_BINDING, OutputY, y, store)
#endif

// Returns the sum that earlier parts left, or the empty sum in the part that starts.
Real sum_so_far(uint index)
{
    if (push.starts != 0u)
        return empty_sum();
#if defined(FLOATS_OF_HALVES)
    return uintBitsToFloat(y[index - push.y_base]);
#elif NARROW
    return empty_sum();
#elif defined(HALVES)
    return uintBitsToFloat(push.finishes != 0u ? x[index - push.x_base] : y[index - push.y_base]);
#else
    return ELEMENT(y, (index - push.y_base));
#endif
}

#if !OWN_MAIN
// Returns output number `index` after this part.
Real output_at(uint index);

void main()
{
    uint first = flat_invocation() * OUTPUTS_PER_INVOCATION;
    if (first >= push.output_count)
        return;
    uint end = push.first_output + push.output_count;
    first += push.first_output;
#if defined(FLOATS_OF_HALVES)
    y[first - push.y_base] = floatBitsToUint(output_at(first));
#elif NARROW
    y[first - push.y_base] = output_at(first).x;
#elif defined(SHARED_WORDS)
    uint word = 0u;
    for (uint index = first; index < min(first + OUTPUTS_PER_INVOCATION, end); ++index) {
        Real value = output_at(index);
#ifdef HALVES
        if (push.finishes == 0u) {
            y[index - push.y_base] = floatBitsToUint(value);
            continue;
        }
#endif
        word |= in_word(value, index);
    }
#ifdef HALVES
    if (push.finishes == 0u)
        return;
#endif
    y[(first - push.y_base) / OUTPUTS_PER_INVOCATION] = word;
#else
    y[first - push.y_base] = Element(output_at(first));
#endif
}
#endif
