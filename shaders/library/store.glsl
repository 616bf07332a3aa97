// SPDX-License-Identifier: Apache-2.0
// This file tells how elements lie in buffers and how outputs get there, for kernels of any form: with a main of their own,
// several outputs for each invocation, shared memory, or workgroups of two dimensions. Arithmetic and the types are in
// numbers.glsl.
//
// Halves lie two to a word, the even one low, and bytes four; buffers end with a whole word. A word is written as a whole, by the
// one invocation that has all of its elements. Types are told by TYPE_...: integers.glsl has the integers, numbers.glsl the
// others.
#if !defined(TYPE_f32) && !defined(TYPE_f16) && !defined(TYPE_bf16) && !defined(TYPE_f64) && !defined(TYPE_f64_soft)
#include "shaders/library/integers.glsl"
#else
#include "shaders/library/numbers.glsl"
#ifdef HALVES
#define SHARED_WORDS 1
#define ELEMENTS_PER_WORD 2u
#define ELEMENT(elements, i) widened(elements[i >> 1] >> 16u * (i & 1u))
#else
#define ELEMENTS_PER_WORD 1u
#define ELEMENT(elements, i) elements[i]
#endif
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
// Returns half number i, rounded, where it lies in its word.
uint in_word(Real value, uint i)
{
    return narrowed(value) << 16u * (i & 1u);
}
#endif

#ifdef SHARED_WORDS
// Declares the buffer at binding `slot` and functions that round and write. `store` writes an element; where elements share a
// word, the rest of the word must be padding. `store_pair` writes elements i, which is even, and i + 1, likewise.
#define OUTPUT(slot, Block, elements, store)                                                                                     \
    layout(binding = slot) buffer Block                                                                                          \
    {                                                                                                                            \
        Element elements[];                                                                                                      \
    };                                                                                                                           \
    void store(uint i, Real value)                                                                                               \
    {                                                                                                                            \
        elements[i / ELEMENTS_PER_WORD] = in_word(value, i);                                                                     \
    }                                                                                                                            \
    void store##_pair(uint i, Real even, Real odd)                                                                               \
    {                                                                                                                            \
        elements[i / ELEMENTS_PER_WORD] = in_word(even, i) | in_word(odd, i + 1u);                                               \
    }
#else
#define OUTPUT(slot, Block, elements, store)                                                                                     \
    layout(binding = slot) buffer Block                                                                                          \
    {                                                                                                                            \
        Element elements[];                                                                                                      \
    };                                                                                                                           \
    void store(uint i, Real value)                                                                                               \
    {                                                                                                                            \
        elements[i] = Element(value);                                                                                            \
    }                                                                                                                            \
    void store##_pair(uint i, Real even, Real odd)                                                                               \
    {                                                                                                                            \
        elements[i] = Element(even);                                                                                             \
        elements[i + 1u] = Element(odd);                                                                                         \
    }
#endif
