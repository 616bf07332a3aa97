// SPDX-License-Identifier: Apache-2.0
// This file reads the bits of elements, whatever their type, for kernels whose list has a constant `bits`: 8, 16, 32 or 64.

// Returns element i from a word that several elements share.
uint of_shared(uint word, uint i)
{
    uint low = i % (32u / spec_bits) * spec_bits;
    return word >> low & 0xffffffffu >> 32u - spec_bits;
}

// Declares the buffer at binding `slot` and a function that returns the bits of one of its elements.
#define BITS_INPUT(slot, Block, words, load)                                                                                     \
    layout(binding = slot) readonly buffer Block                                                                                 \
    {                                                                                                                            \
        uint words[];                                                                                                            \
    };                                                                                                                           \
    uvec2 load(uint i)                                                                                                           \
    {                                                                                                                            \
        if (spec_bits == 64u)                                                                                                    \
            return uvec2(words[2u * i], words[2u * i + 1u]);                                                                     \
        if (spec_bits == 32u)                                                                                                    \
            return uvec2(words[i], 0u);                                                                                          \
        return uvec2(of_shared(words[i / (32u / spec_bits)], i), 0u);                                                            \
    }
