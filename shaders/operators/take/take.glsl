// SPDX-License-Identifier: Apache-2.0
// This file reads indices, which are integers of 32 or 64 bits in words, the low one first. It is included behind the buffer
// `indices` of words.
#ifndef VKONNX_TAKE_GLSL
#define VKONNX_TAKE_GLSL

// Returns the coordinate on an axis of this extent that index number `i` of those bound names. An index has index_words words.
// One that is beyond the axis gives the extent or more.
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
