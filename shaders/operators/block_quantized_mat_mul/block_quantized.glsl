// SPDX-License-Identifier: Apache-2.0
// This file reads the zero points of BlockQuantizedMatMul. A kernel defines ZEROS as 1 where they are bound at binding 3, and
// OUTPUT_BINDING follows from that. Its uniform block `problem` and the constants `bits` and `block_shift` stand before this file.
#define INTEGER_MASK ((1u << spec_bits) - 1u)

#if ZEROS
#define OUTPUT_BINDING 4
layout(binding = 3) readonly buffer InputZeros
{
    uint zeros[];
};
#else
#define OUTPUT_BINDING 3
#endif

// Returns the zero point of a block of a row of W. The base is the byte that the bound window begins with.
Real zero_point(uint row, uint block, uint base)
{
#if ZEROS
    uint bit = block * spec_bits;
    uint byte = row * problem.zero_bytes + (bit >> 3) - base;
    return Real(zeros[byte >> 2] >> (8u * (byte & 3u) + (bit & 7u)) & INTEGER_MASK);
#else
    return Real(1u << spec_bits - 1u);
#endif
}
