// What all operators' kernels do with their outputs: main, over the outputs of the pass `push`. The kernel defines output_at.
//
// One invocation computes an output, or two halves that share a word, so that no two write the same one. Sums of halves that a
// later pass goes on from are floats in scratch memory, which is bound as Y, and as X in the pass that finishes them.

#ifdef HALVES
#define OUTPUTS_PER_INVOCATION 2
#else
#define OUTPUTS_PER_INVOCATION 1
#endif

layout(binding = OUTPUT_BINDING) buffer OutputY
{
    Element y[];
};

// Output number `index` after this pass.
Real output_at(uint index);

// The sum that earlier passes left.
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
            word |= narrowed(value) << 16u * (index & 1u);
        else
            y[index - push.y_base] = floatBitsToUint(value);
    }
    if (push.finishes != 0u)
        y[first - push.y_base >> 1u] = word;
#else
    y[first - push.y_base] = output_at(first);
#endif
}
