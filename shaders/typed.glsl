// SPDX-License-Identifier: Apache-2.0
// Inputs of floats or halves, whichever a specialization constant says, for kernels that compute in float; for others of doubles.
// After store.glsl.
#include "shared/data_types.h"

#ifdef FLOATS

// Element i of the type, in its word.
float typed(uint word, uint i, uint type)
{
    if (type == DTYPE_FLOAT32)
        return uintBitsToFloat(word);
    uint bits = word >> 16u * (i & 1u) & 0xffffu;
    return type == DTYPE_FLOAT16 ? binary32_from_half(bits) : uintBitsToFloat(bits << 16u);
}

// Declares the buffer at binding `slot` and a function that reads one of its elements.
#define TYPED_INPUT(slot, Block, words, load, type)                                                                              \
    layout(binding = slot) readonly buffer Block                                                                                 \
    {                                                                                                                            \
        uint words[];                                                                                                            \
    };                                                                                                                           \
    float load(uint i)                                                                                                           \
    {                                                                                                                            \
        return typed(words[type == DTYPE_FLOAT32 ? i : i >> 1u], i, type);                                                       \
    }

#else
#define TYPED_INPUT(slot, Block, words, load, type) INPUT(slot, Block, words, load)
#endif
