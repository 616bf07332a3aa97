// SPDX-License-Identifier: Apache-2.0
// This file reads scratch memory that holds numbers of the type that kernels compute in: of halves floats, else elements. It is
// included after store.glsl.

#ifdef HALVES
#define SUM_OF(word) uintBitsToFloat(word)
#else
#define SUM_OF(word) Real(word)
#endif

// Declares the buffer at binding `slot` and a function that reads one of its numbers.
#define SUMS_INPUT(slot, Block, words, load)                                                                                     \
    layout(binding = slot) readonly buffer Block                                                                                 \
    {                                                                                                                            \
        Element words[];                                                                                                         \
    };                                                                                                                           \
    Real load(uint i)                                                                                                            \
    {                                                                                                                            \
        return SUM_OF(words[i]);                                                                                                 \
    }
