// SPDX-License-Identifier: Apache-2.0
// The main of kernels that gather one output at a time, over the outputs of the part `push`: the contract is in shared/gather.h.
// A kernel defines OUTPUT_BINDING and its input x before this, and output_at behind it.
#include "shared/gather.h"

#ifdef HALVES
#define OUTPUTS_PER_INVOCATION GATHER_OUTPUTS_OF_HALVES
#else
#define OUTPUTS_PER_INVOCATION GATHER_OUTPUTS
#endif

layout(push_constant) uniform Push
{
    GatherPart push;
};
OUTPUT(OUTPUT_BINDING, OutputY, y, store)

// Output number `index` after this part.
Real output_at(uint index);

// The sum that earlier parts left.
Real sum_so_far(uint index)
{
    if (push.starts != 0u)
        return empty_sum();
#ifdef HALVES
    return uintBitsToFloat(push.finishes != 0u ? x[index - push.x_base] : y[index - push.y_base]);
#else
    return y[index - push.y_base];
#endif
}

void main()
{
    uint first = flat_invocation() * OUTPUTS_PER_INVOCATION;
    if (first >= push.output_count)
        return;
    uint end = push.first_output + push.output_count;
    first += push.first_output;
#ifdef HALVES
    uint word = 0u;
    for (uint index = first; index < min(first + 2u, end); ++index) {
        Real value = output_at(index);
        if (push.finishes != 0u)
            word |= half_in_word(value, index);
        else
            y[index - push.y_base] = floatBitsToUint(value);
    }
    if (push.finishes != 0u)
        y[first - push.y_base >> 1u] = word;
#else
    y[first - push.y_base] = output_at(first);
#endif
}
