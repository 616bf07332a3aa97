// SPDX-License-Identifier: Apache-2.0
// This file loads and stores four adjacent elements at once, for kernels that read most of what is bound: a load is one
// instruction, or one bounds check of a software driver. It is included after store.glsl. Quads are counted from the bound
// window, which is a whole number of them. `push` is the dispatch's TileRange.
#ifndef VKONNX_QUADS_GLSL
#define VKONNX_QUADS_GLSL

#if defined(TYPE_f32)
#define Quad vec4
#define Real4 vec4
#elif defined(HALVES)
#define Quad uvec2
#define Real4 vec4
#elif defined(TYPE_f64)
#define Quad dvec4
#define Real4 dvec4
#elif defined(TYPE_u32)
#define Quad uvec4
#define Real4 uvec4
#elif defined(TYPE_u16)
#define Quad uvec2
#define Real4 uvec4
#endif

// STORES_QUADS tells whether rows of so many outputs are stored by quads.
#define STORES_QUADS(extent)                                                                                                     \
    (spec_stores_quads == QUADS_ALWAYS || (spec_stores_quads == QUADS_OF_WHOLE_ROWS && ((extent)&3u) == 0u))

Real4 reals_of(Quad quad)
{
#ifdef HALVES
    return Real4(widened(quad.x), widened(quad.x >> 16u), widened(quad.y), widened(quad.y >> 16u));
#elif defined(TYPE_u16)
    return Real4(quad.x & 0xffffu, quad.x >> 16u, quad.y & 0xffffu, quad.y >> 16u);
#else
    return quad;
#endif
}

Quad quad_of(Real4 reals)
{
#ifdef HALVES
    return Quad(narrowed(reals.x) | narrowed(reals.y) << 16u, narrowed(reals.z) | narrowed(reals.w) << 16u);
#elif defined(TYPE_u16)
    return Quad(reals.x | reals.y << 16u, reals.z | reals.w << 16u);
#else
    return reals;
#endif
}

#ifdef REALS
Real4 plus(Real4 a, Real4 b)
{
    precise Real4 sum = a + b;
    return sum;
}

Real4 times(Real4 a, Real4 b)
{
    precise Real4 product = a * b;
    return product;
}
#endif

// Returns elements `shift` to `shift` + 3 of the eight, for a shift from 0 to 3.
Real4 shifted(Real4 low, Real4 high, uint shift)
{
    bool two = (shift & 2u) != 0u;
    bool one = (shift & 1u) != 0u;
    Real4 some = two ? Real4(low.zw, high.xy) : low;
    return one ? Real4(some.yzw, two ? high.z : high.x) : some;
}

// QUADS declares the buffer at binding `slot` and a function that reads a quad of it. For a quad beyond either end, of which no
// element counts, it reads another one.
#define QUADS(slot, Block, quads, load)                                                                                          \
    layout(binding = slot) readonly buffer Block                                                                                 \
    {                                                                                                                            \
        Quad quads[];                                                                                                            \
    };                                                                                                                           \
    Real4 load(int i)                                                                                                            \
    {                                                                                                                            \
        return reals_of(quads[clamp(i, 0, int(push.x_last_quad))]);                                                              \
    }

// QUADS_AND_END is QUADS for a window that may end amid a quad: `load##_end` reads what is left there, by elements, and `load`
// takes it.
#define QUADS_AND_END(slot, Block, quads, load)                                                                                  \
    layout(binding = slot) readonly buffer Block                                                                                 \
    {                                                                                                                            \
        Quad quads[];                                                                                                            \
    };                                                                                                                           \
    layout(binding = slot) readonly buffer Block##Elements                                                                       \
    {                                                                                                                            \
        Element quads##_elements[];                                                                                              \
    };                                                                                                                           \
    Quad load##_end()                                                                                                            \
    {                                                                                                                            \
        const uint words = 4u / ELEMENTS_PER_WORD;                                                                               \
        uint last = (push.x_elements - 1u) / ELEMENTS_PER_WORD;                                                                  \
        Quad end;                                                                                                                \
        [[unroll]] for (uint i = 0u; i < words; ++i)                                                                             \
            end[i] = quads##_elements[min((push.x_last_quad + 1u) * words + i, last)];                                           \
        return end;                                                                                                              \
    }                                                                                                                            \
    Real4 load(int i, Quad end)                                                                                                  \
    {                                                                                                                            \
        int last = int(push.x_last_quad);                                                                                        \
        Quad whole = quads[clamp(i, 0, last)];  /* outside of the choice, which would be a branch */                             \
        return reals_of(i > last ? end : whole);                                                                                 \
    }

#endif
