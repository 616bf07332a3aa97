// SPDX-License-Identifier: Apache-2.0
// This file holds what the kernels of pools share whose invocations have the windows of OUTPUTS adjacent outputs of a row, with
// nothing behind the last axis. KERNEL, STRIDE and DILATION are those of the last axis, so that the compiler knows which element
// belongs to which window. A kernel defines ADD(p, element), for the element p positions behind the first window's first tap, and
// keeps in sum0, sum1, ... what it stores of its windows. The file is included behind pool_tiles.glsl.

QUADS(0, InputX, x, x_quad)
OUTPUT(1, OutputY, y, store)
layout(binding = 1) writeonly buffer OutputQuads
{
    Quad y_quads[];
};

#define REACH ((OUTPUTS - 1) * STRIDE + (KERNEL - 1) * DILATION + 1)

// IS_TAP tells whether the element p positions behind the first window's first tap is a tap of window b.
#define IS_TAP(b, p)                                                                                                             \
    (b < OUTPUTS && p >= b * STRIDE && p - b * STRIDE <= (KERNEL - 1) * DILATION && (p - b * STRIDE) % DILATION == 0)

// SwiftShader takes minutes to compile a long block of halves without branches. It does not know the value of this constant, so
// that each test of it is a branch.
#ifdef SHARED_WORDS
layout(constant_id = LEFT_TO_DRIVERS) const bool spec_true = true;
#else
const bool spec_true = true;
#endif

// ADD_QUAD adds quad q, which in tiles that begin amid a quad is made of the quads q and q + 1 as they lie in memory.
#define ADD_QUAD(q)                                                                                                              \
    if (4 * q < REACH) {                                                                                                         \
        Real4 next = here;                                                                                                       \
        if (spec_true && (spec_shifted != 0u ? 4 * q + 4 < REACH + 3 : 4 * q + 4 < REACH))                                       \
            next = x_quad(quad + q + 1);                                                                                         \
        Real4 some = shifted(here, next, shift);                                                                                 \
        here = next;                                                                                                             \
        ADD((4 * q), some.x)                                                                                                     \
        ADD((4 * q + 1), some.y)                                                                                                 \
        ADD((4 * q + 2), some.z)                                                                                                 \
        ADD((4 * q + 3), some.w)                                                                                                 \
    }

#ifdef SHARED_WORDS
#define STORE_PAIR(a, b)                                                                                                         \
    if (b < OUTPUTS && o + b < last.out_extent)                                                                                  \
        store_pair(y_at + a, sum##a, sum##b);
#else
#define STORE_PAIR(a, b)                                                                                                         \
    if (a < OUTPUTS && o + a < last.out_extent)                                                                                  \
        store(y_at + a, sum##a);                                                                                                 \
    if (b < OUTPUTS && o + b < last.out_extent)                                                                                  \
        store(y_at + b, sum##b);
#endif
