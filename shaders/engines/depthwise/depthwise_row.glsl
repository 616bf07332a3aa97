// SPDX-License-Identifier: Apache-2.0
// This file holds how conv_depthwise and conv_transpose_depthwise end: OUTPUTS adjacent outputs of a row go through the epilogue
// and into Y, which is at binding 3. It is included behind the problem, its epilogue and tiles.glsl.

OUTPUT(3, OutputY, y, store)
layout(binding = 3) writeonly buffer OutputQuads
{
    Quad y_quads[];
};

// Stores the sums as the outputs of a row from its output o on, which is element y_at of the bound window.
void store_row(Real sums[OUTPUTS], uint o, uint out_extent, uint y_at)
{
    // The loop applies the epilogue to the first sum and then moves all of them up by one: registers can't be indexed at run
    // time, and unrolled it would be most of the module. Without an epilogue the bound is 0, since some drivers run both sides of
    // a branch.
    uint rounds = spec_epilogue == IDENTITY ? 0u : OUTPUTS;
    for (uint i = 0u; i < rounds; ++i) {
        Real value = epilogue(sums[0]);
        [[unroll]] for (uint next = 1u; next < OUTPUTS; ++next)
            sums[next - 1u] = sums[next];
        sums[OUTPUTS - 1u] = value;
    }

    if (STORES_QUADS(out_extent)) {
        [[unroll]] for (uint q = 0u; q < OUTPUTS / 4; ++q)
            if (o + 4u * q < out_extent)
                y_quads[(y_at >> 2) + q] = quad_of(Real4(sums[4u * q], sums[4u * q + 1u], sums[4u * q + 2u], sums[4u * q + 3u]));
        return;
    }
    [[unroll]] for (uint i = 0u; i < OUTPUTS; i += 2u) {
#ifdef SHARED_WORDS
        if (o + i < out_extent)
            store_pair(y_at + i, sums[i], sums[i + 1u]);
#else
        if (o + i < out_extent)
            store(y_at + i, sums[i]);
        if (o + i + 1u < out_extent)
            store(y_at + i + 1u, sums[i + 1u]);
#endif
    }
}
