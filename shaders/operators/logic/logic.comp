// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes the operators that compare elements, join truth values, choose between tensors, and work on bits. One
// invocation computes an element, or those that share a word. TYPE_ is the unsigned integer as wide as the output, which carries
// its bits.
//
// The kernel uses integer arithmetic alone, for floats, too. So every device gives the same bits, also of denormals, and needs no
// other type. Only the module of 8 bits has the operators that give bool, but for those that join truth values.
//
// Where inputs lie as the output does, truth values and bits are worked on a word at a time, by the module of 32 bits.
//
// Layouts: row-major; an input lies as the output does, or is broadcast by a stride of 0. Bools are bytes; one that is not 0 is
// true.
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loop: spec_rank iterations an element
// - where Y is the memory of an input, that input is read at the element that is written, and not later
// Specialization: logic_constants.h
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "shaders/operators/logic/logic_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/library/data_types.h"
#include "shaders/operators/logic/logic.h"
#include "shaders/library/store.glsl"

layout(binding = UNIFORM_BINDING) uniform Problem
{
    uvec4 words[LOGIC_VECTORS];
};

#define OUTPUT_BINDING 3

// Declares the buffer at binding `slot`, and a function that reads one of its elements of `width` bits, with zeros above them.
#define BITS_INPUT(slot, Block, elements, load)                                                                                  \
    layout(binding = slot) readonly buffer Block                                                                                 \
    {                                                                                                                            \
        uint elements[];                                                                                                         \
    };                                                                                                                           \
    uvec2 load(uint i, uint width)                                                                                               \
    {                                                                                                                            \
        if (width == 64u)                                                                                                        \
            return uvec2(elements[2u * i], elements[2u * i + 1u]);                                                               \
        if (width == 16u)                                                                                                        \
            return uvec2(elements[i >> 1] >> 16u * (i & 1u) & 0xffffu, 0u);                                                      \
        if (width == 8u)                                                                                                         \
            return uvec2(elements[i >> 2] >> 8u * (i & 3u) & 0xffu, 0u);                                                         \
        return uvec2(elements[i], 0u);                                                                                           \
    }

BITS_INPUT(0, InputX, x, x_at)
BITS_INPUT(1, InputW, w, w_at)
BITS_INPUT(2, InputB, b, b_at)

#include "shaders/engines/gather/gather.glsl"

#define BROADCAST_WORDS 0u
#include "shaders/engines/gather/broadcast.glsl"

// Returns 1 in each byte that was not 0.
uint truths(uint bytes)
{
    return ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu | bytes) >> 7u & 0x01010101u;
}

bool is_signed()
{
    return spec_type == DTYPE_INT8 || spec_type == DTYPE_INT16 || spec_type == DTYPE_INT32 || spec_type == DTYPE_INT64;
}

// Returns the highest bit of an element.
uvec2 highest_bit()
{
    return spec_width == 64u ? uvec2(0u, 0x80000000u) : uvec2(1u << spec_width - 1u, 0u);
}

#if BITS == 8

bool is_float()
{
    return spec_type == DTYPE_FLOAT32 || spec_type == DTYPE_FLOAT16 || spec_type == DTYPE_BFLOAT16 || spec_type == DTYPE_FLOAT64;
}

uvec2 infinity()
{
    switch (spec_type) {
    case DTYPE_FLOAT16:
        return uvec2(0x7c00u, 0u);
    case DTYPE_BFLOAT16:
        return uvec2(0x7f80u, 0u);
    case DTYPE_FLOAT64:
        return uvec2(0u, 0x7ff00000u);
    }
    return uvec2(0x7f800000u, 0u);
}

bool is_below(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

bool is_nan_of(uvec2 bits)
{
    return is_float() && is_below(infinity(), bits & ~highest_bit());
}

// Returns an unsigned number for an element that is no NaN. The numbers are in the order of the elements, and zeros of both signs
// have the same one.
uvec2 rank_of(uvec2 bits)
{
    if (is_float()) {
        uvec2 magnitude = bits & ~highest_bit();
        if (bits == magnitude)
            return uvec2(magnitude.x, 0x80000000u | magnitude.y);
        return uvec2(0u - magnitude.x, 0x80000000u - magnitude.y - uint(magnitude.x != 0u));
    }
    if (spec_type == DTYPE_BOOLEAN)
        return uvec2(truths(bits.x), 0u);
    return is_signed() ? bits ^ highest_bit() : bits;
}

bool compared(uvec2 a, uvec2 b)
{
    if (is_nan_of(a) || is_nan_of(b))
        return false;
    a = rank_of(a);
    b = rank_of(b);
    switch (spec_kind) {
    case EQUAL:
        return a == b;
    case GREATER:
        return is_below(b, a);
    case GREATER_OR_EQUAL:
        return !is_below(a, b);
    case LESS:
        return is_below(a, b);
    }
    return !is_below(b, a);
}

bool is_infinity(uvec2 bits)
{
    bool negative = (bits & highest_bit()) != uvec2(0u);
    uint wanted = negative ? LOGIC_DETECTS_NEGATIVE : LOGIC_DETECTS_POSITIVE;
    return (bits & ~highest_bit()) == infinity() && (spec_option & wanted) != 0u;
}

#endif

uvec2 shifted_left(uvec2 a, uint count)
{
    a = count >= 32u ? uvec2(0u, a.x) : a;
    uint rest = count & 31u;
    return uvec2(a.x << rest, a.y << rest | a.x >> 1u >> 31u - rest);
}

uvec2 shifted_right(uvec2 a, uint count)
{
    a = count >= 32u ? uvec2(a.y, 0u) : a;
    uint rest = count & 31u;
    return uvec2(a.x >> rest | a.y << 1u << 31u - rest, a.y >> rest);
}

uvec2 shifted(uvec2 a, uvec2 count)
{
    bool to_the_right = (spec_option & LOGIC_SHIFTS_RIGHT) != 0u;
    bool fills = to_the_right && is_signed() && (a & highest_bit()) != uvec2(0u);
    uvec2 fill = uvec2(fills ? 0xffffffffu : 0u);
    if (count.y != 0u || count.x >= spec_width)  // negative numbers are among them
        return fill;
    if (!to_the_right)
        return shifted_left(a, count.x);
    // A negative number is complemented, shifted with zeros and complemented again, so that ones come in.
    uvec2 above = spec_width < 32u ? uvec2(0xffffffffu << spec_width, 0xffffffffu) : uvec2(0u, spec_width == 32u ? 0xffffffffu : 0u);
    return shifted_right(a ^ fill & ~above, count.x) ^ fill;
}

uvec2 chosen(uvec3 places)
{
    if (x_at(places.x, 8u).x != 0u)
        return w_at(places.y, spec_width);
    return b_at(places.z, spec_width);
}

// Returns what the operator makes of two elements. Operators of one input use only the first.
uvec2 joined(uvec2 a, uvec2 b)
{
    switch (spec_kind) {
    case LOGICAL_AND:
        return uvec2(truths(a.x) & truths(b.x), 0u);
    case LOGICAL_OR:
        return uvec2(truths(a.x | b.x), 0u);
    case LOGICAL_XOR:
        return uvec2(truths(a.x) ^ truths(b.x), 0u);
    case LOGICAL_NOT:
        return uvec2(truths(a.x) ^ 0x01010101u, 0u);
    case BITWISE_AND:
        return a & b;
    case BITWISE_OR:
        return a | b;
    case BITWISE_XOR:
        return a ^ b;
    case BITWISE_NOT:
        return ~a;
    case BIT_SHIFT:
        return shifted(a, b);
#if BITS == 8
    case IS_NAN:
        return uvec2(uint(is_nan_of(a)), 0u);
    case IS_INF:
        return uvec2(uint(is_infinity(a)), 0u);
    default:
        return uvec2(uint(compared(a, b)), 0u);
#endif
    }
    return a;
}

Real output_at(uint index)
{
    uvec3 places = places_of(index);
    if (spec_kind == WHERE)
        return real_of(chosen(places));
    uvec2 a = x_at(places.x, spec_width);
    bool is_alone = spec_kind == IS_NAN || spec_kind == IS_INF || spec_kind == LOGICAL_NOT || spec_kind == BITWISE_NOT;
    uvec2 b = a;
    if (!is_alone)
        b = w_at(places.y, spec_width);
    return real_of(joined(a, b));
}
