// SPDX-License-Identifier: Apache-2.0
// What indices say, which are integers of 32 or 64 bits in words, the low one first. Behind the buffer `indices` of words.
#ifndef VKONNX_TAKE_GLSL
#define VKONNX_TAKE_GLSL

// The coordinate that number `i` of those bound, of so many words each, names on an axis of this extent; the extent or more for one
// that is beyond it.
uint coordinate_at(uint i, uint index_words, uint extent)
{
    uint word = i * index_words;
    uint low = indices[word];
    uint high = index_words == 2u ? indices[word + 1u] : 0u - (low >> 31u);
    uint from_behind = low + extent;
    bool negative = high == 0xffffffffu && from_behind < extent;
    return negative ? from_behind : high == 0u ? low : 0xffffffffu;
}

#endif
