// SPDX-License-Identifier: Apache-2.0
// This file declares inputs of floats or halves, whichever a specialization constant says, for kernels that compute in float. For
// other kernels the inputs are doubles. It is included after store.glsl.
#include "shaders/library/data_types.h"

#ifdef FLOATS

// Returns element i, which is of this type, from its word.
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
