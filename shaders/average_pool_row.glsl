// SPDX-License-Identifier: Apache-2.0
// What the AveragePool kernels share whose invocations sum the windows of OUTPUTS adjacent outputs of a row, with nothing behind the
// last axis. KERNEL, STRIDE and DILATION are those of the last axis: which element belongs to which window is known when this is
// compiled.
#include "average_pool_tiles.glsl"

QUADS(0, InputX, x, x_quad)
OUTPUT(1, OutputY, y, store)
layout(binding = 1) writeonly buffer OutputQuads
{
    Quad y_quads[];
};

#define REACH ((OUTPUTS - 1) * STRIDE + (KERNEL - 1) * DILATION + 1)

// Whether the element p positions behind the first window's first tap is a tap of window b.
#define IS_TAP(b, p)                                                                                                             \
    (b < OUTPUTS && p >= b * STRIDE && p - b * STRIDE <= (KERNEL - 1) * DILATION && (p - b * STRIDE) % DILATION == 0)

#define ADD_TO(b, p, term)                                                                                                       \
    if (IS_TAP(b, p))                                                                                                            \
        sum##b = plus(sum##b, term);

#define ADD(p, element)                                                                                                          \
    if (p < REACH) {                                                                                                             \
        Real term = CLIPPED == 0 || first + p < limit ? element : empty_sum();                                                   \
        ADD_TO(0, p, term)                                                                                                       \
        ADD_TO(1, p, term)                                                                                                       \
        ADD_TO(2, p, term)                                                                                                       \
        ADD_TO(3, p, term)                                                                                                       \
        ADD_TO(4, p, term)                                                                                                       \
        ADD_TO(5, p, term)                                                                                                       \
        ADD_TO(6, p, term)                                                                                                       \
        ADD_TO(7, p, term)                                                                                                       \
    }

// What stands of halves between two branches takes SwiftShader minutes.
#ifdef HALVES
layout(constant_id = LEFT_TO_DRIVERS) const bool spec_true = true;
#else
const bool spec_true = true;
#endif

// Quad q, and of tiles that begin amid one the quads q and q + 1 as they lie in memory.
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

#define COUNT_TAP(b, t, extent, position) (t < KERNEL && position + (b * STRIDE + t * DILATION) < extent ? 1u : 0u)
#define COUNT(b, extent, position)                                                                                               \
    (COUNT_TAP(b, 0, extent, position) + COUNT_TAP(b, 1, extent, position) + COUNT_TAP(b, 2, extent, position) +                 \
     COUNT_TAP(b, 3, extent, position) + COUNT_TAP(b, 4, extent, position))

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
