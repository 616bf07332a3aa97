// SPDX-License-Identifier: Apache-2.0
// This file holds what the AveragePool kernels share whose invocations sum the windows of OUTPUTS adjacent outputs of a row.
#include "shaders/operators/average_pool/average_pool_tiles.glsl"

#include "shaders/engines/pool/pool_row.glsl"

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

#define COUNT_TAP(b, t, extent, position) (t < KERNEL && position + (b * STRIDE + t * DILATION) < extent ? 1u : 0u)
#define COUNT(b, extent, position)                                                                                               \
    (COUNT_TAP(b, 0, extent, position) + COUNT_TAP(b, 1, extent, position) + COUNT_TAP(b, 2, extent, position) +                 \
     COUNT_TAP(b, 3, extent, position) + COUNT_TAP(b, 4, extent, position))
