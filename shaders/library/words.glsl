// SPDX-License-Identifier: Apache-2.0
// This file reads words of the uniform block `words`, which a kernel declares before. The block is of vectors, because elements of
// arrays in uniform blocks are 16 bytes apart.

uint word(uint i)
{
    return words[i >> 2][i & 3u];
}
