// SPDX-License-Identifier: Apache-2.0
// This file loads the ROWS texels of weights of a step, for kernels that keep sums in registers: LOAD_STEP_WEIGHTS once, then
// STEP_WEIGHTS for each. With SHUFFLES each of a subgroup's eight invocations, which have the same rows, reads an eighth of them.
#if SHUFFLES
#define LOADS ((ROWS + 7) / 8)
#define LOAD_TEXELS (ROWS / LOADS)
#define LOAD_STEP_WEIGHTS(w_at)                                                                                                  \
    Real4 own[LOADS];                                                                                                            \
    [[unroll]] for (uint i = 0u; i < LOADS; ++i)                                                                                 \
        own[i] = WEIGHTS(w_at + i * LOAD_TEXELS + gl_SubgroupInvocationID % LOAD_TEXELS);
#define STEP_WEIGHTS(w_at, i) subgroupShuffle(own[(i) / LOAD_TEXELS], (i) % LOAD_TEXELS)
#else
#define LOAD_STEP_WEIGHTS(w_at)
#define STEP_WEIGHTS(w_at, i) WEIGHTS(w_at + (i))
#endif
