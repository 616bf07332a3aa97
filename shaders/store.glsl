// SPDX-License-Identifier: Apache-2.0
// How elements lie in buffers and how outputs get there, for kernels of any form: with a main of their own, several outputs an
// invocation, shared memory, workgroups of two dimensions. Arithmetic and the types are in numbers.glsl.
//
// Halves lie two to a word, the even one low, and buffers end with a whole word. A word is written as a whole, by one invocation:
// who has one of its halves has both.
#include "numbers.glsl"

#ifdef HALVES
#define ELEMENT(elements, i) widened(elements[i >> 1] >> 16u * (i & 1u))
#else
#define ELEMENT(elements, i) elements[i]
#endif

// Declares the buffer at binding `slot` and a function that reads one of its elements.
#define INPUT(slot, Block, elements, load)                                                                                       \
    layout(binding = slot) readonly buffer Block                                                                                 \
    {                                                                                                                            \
        Element elements[];                                                                                                      \
    };                                                                                                                           \
    Real load(uint i)                                                                                                            \
    {                                                                                                                            \
        return ELEMENT(elements, i);                                                                                             \
    }

#ifdef HALVES
// Half number i, rounded, where it lies in its word.
uint half_in_word(Real value, uint i)
{
    return narrowed(value) << 16u * (i & 1u);
}

// Declares the buffer at binding `slot` and functions that round and write: `store` an element, of halves one with nothing but
// padding in its word, and `store_pair` elements i, which is even, and i + 1.
#define OUTPUT(slot, Block, elements, store)                                                                                     \
    layout(binding = slot) buffer Block                                                                                          \
    {                                                                                                                            \
        Element elements[];                                                                                                      \
    };                                                                                                                           \
    void store(uint i, Real value)                                                                                               \
    {                                                                                                                            \
        elements[i >> 1] = half_in_word(value, i);                                                                               \
    }                                                                                                                            \
    void store##_pair(uint i, Real even, Real odd)                                                                               \
    {                                                                                                                            \
        elements[i >> 1] = half_in_word(even, 0u) | half_in_word(odd, 1u);                                                       \
    }
#else
#define OUTPUT(slot, Block, elements, store)                                                                                     \
    layout(binding = slot) buffer Block                                                                                          \
    {                                                                                                                            \
        Element elements[];                                                                                                      \
    };                                                                                                                           \
    void store(uint i, Real value)                                                                                               \
    {                                                                                                                            \
        elements[i] = value;                                                                                                     \
    }                                                                                                                            \
    void store##_pair(uint i, Real even, Real odd)                                                                               \
    {                                                                                                                            \
        elements[i] = even;                                                                                                      \
        elements[i + 1u] = odd;                                                                                                  \
    }
#endif
