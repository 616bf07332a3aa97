// SPDX-License-Identifier: Apache-2.0
// This file declares the texels that hold packed inputs and weights of implicit_gemm.h: four floats or, in TYPE_f64,
// doubles. With HALF_TEXELS and in TYPE_f16 they are four halves, and a description takes two texels. It is included behind
// numbers.glsl.
#ifdef TYPE_f64
#define Real4 dvec4
#else
#define Real4 vec4
#endif

#if HALF_TEXELS
#define Texel uvec2

Texel packed(vec4 values)
{
    return uvec2(narrowed(values.x) | narrowed(values.y) << 16u, narrowed(values.z) | narrowed(values.w) << 16u);
}

vec4 unpacked(Texel texel)
{
    return vec4(widened(texel.x), widened(texel.x >> 16u), widened(texel.y), widened(texel.y >> 16u));
}
#else
#define Texel Real4
#define packed(values) (values)
#define unpacked(texel) (texel)
#endif
